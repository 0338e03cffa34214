package eval

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
)

// ProxyReport says what the model proxy adds to a request.
type ProxyReport struct {
	Lengths []ProxyLength  `json:"lengths"`
	Many    *ProxySessions `json:"many,omitempty"`
}

// ProxyLength compares requests through the proxy with direct ones, for
// conversations of one length. The model answers at once: with a real one, which
// takes seconds, the ratios would be close to one.
type ProxyLength struct {
	// Bytes is the length of the conversation.
	Bytes int `json:"bytes"`
	// First requests show the proxy an unknown conversation; Following ones
	// continue it with a call and its result. FirstToken is the time until the
	// first text of a stream, for following requests.
	First      ProxyTimes `json:"first"`
	Following  ProxyTimes `json:"following"`
	FirstToken ProxyTimes `json:"first_token"`
}

// ProxyTimes compares the two ways.
type ProxyTimes struct {
	Requests int           `json:"requests"`
	Direct   Latencies     `json:"direct"`
	Proxy    Latencies     `json:"proxy"`
	RatioP50 float64       `json:"ratio_p50"`
	RatioP99 float64       `json:"ratio_p99"`
	AddedP50 time.Duration `json:"added_p50_ns"`
}

// ProxySessions is the cost of many concurrent conversations.
type ProxySessions struct {
	Sessions int `json:"sessions"`
	// Bytes is the length of each conversation, Memory its share of the process's
	// memory.
	Bytes  int `json:"bytes"`
	Memory int `json:"memory"`
	// Decision is the time of a decision under that load, Request of a whole
	// request.
	Decision Latencies `json:"decision"`
	Request  Latencies `json:"request"`
}

// ProxyOptions configure [Proxy].
type ProxyOptions struct {
	// Lengths are the lengths of conversations, in bytes.
	Lengths []int
	// Requests is the number of timed requests each way for the shortest length;
	// longer ones have fewer, at least [ProxyLeast].
	Requests int
	// Sessions is the number of concurrent conversations; none when zero.
	Sessions int
}

const (
	// ProxyLeast is the least number of timed requests each way.
	ProxyLeast = 10
	// proxyUnit is the length at which all requests are timed.
	proxyUnit = 10 << 10
	// proxyFollowing is the number of continuations of a conversation.
	proxyFollowing = 5
	// proxyClients is the number of concurrent clients for many conversations.
	proxyClients = 8
)

// Proxy measures the proxy's overhead, alternating with direct requests.
func Proxy(ctx context.Context, o ProxyOptions) (*ProxyReport, error) {
	if o.Requests < ProxyLeast {
		return nil, fmt.Errorf("time at least %d requests", ProxyLeast)
	}
	r := &ProxyReport{}
	for _, length := range o.Lengths {
		l, err := proxyLength(ctx, length, max(o.Requests*proxyUnit/max(length, proxyUnit), ProxyLeast))
		if err != nil {
			return nil, fmt.Errorf("conversations of %d bytes: %w", length, err)
		}
		r.Lengths = append(r.Lengths, *l)
	}
	if o.Sessions > 0 {
		var err error
		if r.Many, err = proxyMany(ctx, o.Sessions); err != nil {
			return nil, fmt.Errorf("%d conversations: %w", o.Sessions, err)
		}
	}
	return r, nil
}

// pair holds the times of both ways.
type pair struct{ direct, proxy timed }

func (p *pair) times() ProxyTimes {
	t := ProxyTimes{Requests: p.proxy.calls(), Direct: p.direct.latencies(), Proxy: p.proxy.latencies()}
	t.RatioP50 = float64(t.Proxy.P50) / float64(t.Direct.P50)
	t.RatioP99 = float64(t.Proxy.P99) / float64(t.Direct.P99)
	t.AddedP50 = t.Proxy.P50 - t.Direct.P50
	return t
}

// note adds a request's time.
func (t *timed) note(took time.Duration) {
	t.times = append(t.times, took)
	t.total += took
}

func proxyLength(ctx context.Context, length, requests int) (*ProxyLength, error) {
	rig, err := newProxyRig(slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer rig.close()

	var first, following, token pair
	for first.proxy.calls()*proxyFollowing < requests || first.proxy.calls() < ProxyLeast {
		talk := newProxyTalk(length)
		for n := range proxyFollowing + 1 {
			p := &following
			if n == 0 {
				p = &first
			} else if n%2 == 0 {
				p = nil // a stream
			}
			for _, way := range []struct {
				base  string
				times func(*pair) *timed
			}{{rig.direct, func(p *pair) *timed { return &p.direct }}, {rig.proxy, func(p *pair) *timed { return &p.proxy }}} {
				took, early, err := rig.ask(ctx, way.base, talk, p == nil)
				if err != nil {
					return nil, err
				}
				if p == nil {
					way.times(&token).note(early)
				} else {
					way.times(p).note(took)
				}
			}
			talk.goOn()
		}
	}

	return &ProxyLength{Bytes: length, First: first.times(), Following: following.times(), FirstToken: token.times()}, nil
}

// decisions collects the times of decisions from the proxy's log.
type decisions struct {
	slog.Handler
	mu    sync.Mutex
	times timed
}

// Enabled implements [slog.Handler].
func (d *decisions) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements [slog.Handler].
func (d *decisions) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "took" {
			d.mu.Lock()
			d.times.note(a.Value.Duration())
			d.mu.Unlock()
		}
		return true
	})
	return nil
}

// proxyMany holds many conversations in one proxy and continues each in turn.
func proxyMany(ctx context.Context, sessions int) (*ProxySessions, error) {
	log := &decisions{Handler: slog.DiscardHandler}
	rig, err := newProxyRig(slog.New(log))
	if err != nil {
		return nil, err
	}
	defer rig.close()
	seeds := make([]uint64, sessions)
	for i := range seeds {
		seeds[i] = rand.Uint64()
	}

	before := heap()
	if _, err := rig.each(ctx, seeds, 0); err != nil {
		return nil, err
	}
	r := &ProxySessions{Sessions: sessions, Bytes: proxyUnit, Memory: (heap() - before) / sessions}
	log.mu.Lock()
	log.times = timed{}
	log.mu.Unlock()
	rand.Shuffle(len(seeds), func(i, j int) { seeds[i], seeds[j] = seeds[j], seeds[i] })

	requests, err := rig.each(ctx, seeds, 1)
	if err != nil {
		return nil, err
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	if log.times.calls() < sessions {
		return nil, errors.New("not every conversation went on with a call")
	}
	r.Decision, r.Request = log.times.latencies(), requests.latencies()
	return r, nil
}

// each requests every conversation's answer for a number of rounds, from a few
// concurrent clients.
func (rig *proxyRig) each(ctx context.Context, seeds []uint64, rounds int) (*timed, error) {
	var all timed
	var mu sync.Mutex
	var work sync.WaitGroup
	errs := make([]error, proxyClients)
	for c := range proxyClients {
		work.Go(func() {
			for i := c; i < len(seeds) && errs[c] == nil; i += proxyClients {
				talk := seededTalk(seeds[i], proxyUnit)
				for range rounds {
					talk.goOn()
				}
				took, _, err := rig.ask(ctx, rig.proxy, talk, false)
				errs[c] = err
				mu.Lock()
				all.note(took)
				mu.Unlock()
			}
		})
	}

	work.Wait()
	return &all, errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil })...)
}

// heap returns the memory in use, in bytes.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
