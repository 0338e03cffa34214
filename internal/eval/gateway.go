package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// GatewayReport says what the MCP gateway adds to a tools/call.
type GatewayReport struct {
	// ResultBytes is the length of each call's result.
	ResultBytes int `json:"result_bytes"`
	// Sync is the median time of a bare synced file write in the directory of the
	// SQLite stores: no durable step is faster.
	Sync time.Duration `json:"sync_ns"`
	Runs []GatewayRun  `json:"runs"`
}

// GatewayRun compares calls through the gateway with direct calls, for one store
// and one number of concurrent sessions.
type GatewayRun struct {
	Store string `json:"store"`
	// Transport is "stdio" or "http", on both sides of the gateway.
	Transport string `json:"transport"`
	Sessions  int    `json:"sessions"`
	// Calls is the number of timed calls each way.
	Calls   int       `json:"calls"`
	Direct  Latencies `json:"direct"`
	Gateway Latencies `json:"gateway"`
	// RatioP50 and RatioP99 divide the gateway's times by the direct ones;
	// AddedP50 is the difference of the medians.
	RatioP50 float64       `json:"ratio_p50"`
	RatioP99 float64       `json:"ratio_p99"`
	AddedP50 time.Duration `json:"added_p50_ns"`
	// Stages divide the time of a call through the gateway, in order: means over
	// the tenth of the calls around the median.
	Stages []GatewayStage `json:"stages"`
}

// Latencies are the durations of calls as the client sees them.
type Latencies struct {
	P50       time.Duration `json:"p50_ns"`
	P99       time.Duration `json:"p99_ns"`
	PerSecond float64       `json:"per_second"`
}

// GatewayStage is a stage of a call.
type GatewayStage struct {
	Name string        `json:"name"`
	Time time.Duration `json:"time_ns"`
}

// GatewayOptions configure [Gateway].
type GatewayOptions struct {
	// Dir is the directory of the SQLite stores during the measurement; the
	// system's temporary directory when empty.
	Dir string
	// Postgres is the postgres:// address of a database to measure as well. The
	// measurement leaves its sessions there.
	Postgres string
	// Server is a command that runs [GatewayServer], to measure one session over
	// stdio. Without it, only HTTP is measured.
	Server []string
	// Sessions are the numbers of concurrent sessions.
	Sessions []int
	// Calls is the least number of timed calls each way in a run.
	Calls int
}

const (
	// gatewayCalls is the number of calls in a session before the next one
	// starts: those of a long task.
	gatewayCalls = 100
	// gatewayBlock is the number of calls that a session makes one way before it
	// switches: few, so that a noisy moment affects both ways, and enough to keep
	// connections warm.
	gatewayBlock = 5
	// MaxGatewaySessions bounds the sessions of a run: each has two clients in
	// this process.
	MaxGatewaySessions = 1024
)

// Gateway times calls of a client of the official SDK to a server of the
// official SDK, directly and through a gateway that decides, records and labels,
// in turns of one run. Over streamable HTTP, on the loopback interface, all three
// share this process; over stdio the server is one of its own.
func Gateway(ctx context.Context, o GatewayOptions) (*GatewayReport, error) {
	if o.Calls < 1 || len(o.Sessions) == 0 {
		return nil, errors.New("time at least one call, in at least one session")
	}
	for _, n := range o.Sessions {
		if n < 1 || n > MaxGatewaySessions {
			return nil, fmt.Errorf("%d sessions: measure 1 to %d", n, MaxGatewaySessions)
		}
	}
	dir, err := os.MkdirTemp(o.Dir, "remit-eval-")
	if err != nil {
		return nil, fmt.Errorf("a place for stores: %w", err)
	}
	r := &GatewayReport{ResultBytes: len(gatewayNote)}
	err = r.measure(ctx, o, dir)
	return r, errors.Join(err, os.RemoveAll(dir))
}

func (r *GatewayReport) measure(ctx context.Context, o GatewayOptions, dir string) error {
	var err error
	if r.Sync, err = syncTime(filepath.Join(dir, "sync")); err != nil {
		return err
	}

	for _, n := range o.Sessions {
		ways := []string{"http"}
		if n == 1 && len(o.Server) > 0 {
			ways = []string{"stdio", "http"}
		}
		for _, way := range ways {
			stores := [][2]string{{"memory", ""}, {"sqlite", filepath.Join(dir, fmt.Sprintf("%s%d.db", way, n))}}
			if o.Postgres != "" {
				stores = append(stores, [2]string{"postgres", o.Postgres})
			}
			command := o.Server
			if way == "http" {
				command = nil
			}
			for _, s := range stores {
				run, err := gatewayRun(ctx, s[1], command, n, o.Calls)
				if err != nil {
					return fmt.Errorf("%s, %s, %d sessions: %w", s[0], way, n, err)
				}
				run.Store, run.Transport = s[0], way
				r.Runs = append(r.Runs, *run)
			}
		}
	}

	return nil
}

// syncTime returns the median time of a synced write as large as a decision's.
func syncTime(name string) (took time.Duration, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	page := make([]byte, 16<<10)
	times := make([]time.Duration, 100)
	for i := range times {
		began := time.Now()
		if _, err := f.Write(page); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		times[i] = time.Since(began)
	}
	return quantile(times, 50), nil
}

// gatewayRun measures one store with one number of sessions.
func gatewayRun(ctx context.Context, store string, command []string, sessions, calls int) (r *GatewayRun, err error) {
	rig, err := newGatewayRig(ctx, store, command)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rig.close()) }()

	var direct, through timed
	for through.calls() < calls {
		pairs, err := rig.connect(ctx, sessions)
		if err != nil {
			return nil, err
		}
		each := min(gatewayCalls, (calls-through.calls()+sessions-1)/sessions)
		for done := 0; done < each && err == nil; done += gatewayBlock {
			n := min(gatewayBlock, each-done)
			err = direct.block(pairs, n, func(p *clientPair) (time.Duration, error) { return p.call(ctx, p.direct, rig.argument()) })
			if err == nil {
				err = through.block(pairs, n, func(p *clientPair) (time.Duration, error) { return rig.timed(ctx, p) })
			}
		}
		for _, p := range pairs {
			err = errors.Join(err, p.close())
		}
		if err != nil {
			return nil, err
		}
	}

	r = &GatewayRun{Sessions: sessions, Calls: through.calls(), Direct: direct.latencies(), Gateway: through.latencies()}
	r.RatioP50 = float64(r.Gateway.P50) / float64(r.Direct.P50)
	r.RatioP99 = float64(r.Gateway.P99) / float64(r.Direct.P99)
	r.AddedP50 = r.Gateway.P50 - r.Direct.P50
	r.Stages = rig.clock.stages(store != "")
	return r, nil
}

// timed are the timed calls of one way.
type timed struct {
	times []time.Duration
	total time.Duration // of the blocks
}

// block makes n calls in each session, all sessions at the same time.
func (t *timed) block(pairs []*clientPair, n int, call func(*clientPair) (time.Duration, error)) error {
	took := make([][]time.Duration, len(pairs))
	errs := make([]error, len(pairs))
	var work sync.WaitGroup

	began := time.Now()
	for i, p := range pairs {
		work.Go(func() {
			for range n {
				var d time.Duration
				if d, errs[i] = call(p); errs[i] != nil {
					return
				}
				took[i] = append(took[i], d)
			}
		})
	}

	work.Wait()
	t.total += time.Since(began)
	t.times = append(t.times, slices.Concat(took...)...)
	return errors.Join(errs...)
}

func (t *timed) calls() int { return len(t.times) }

func (t *timed) latencies() Latencies {
	return Latencies{P50: quantile(t.times, 50), P99: quantile(t.times, 99), PerSecond: float64(len(t.times)) / t.total.Seconds()}
}

// quantile sorts the times.
func quantile(times []time.Duration, percent int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)*percent/100]
}
