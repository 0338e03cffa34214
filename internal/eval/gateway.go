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

// GatewayReport is what the MCP gateway adds to a tools/call.
type GatewayReport struct {
	// ResultBytes is the length of what each call returns.
	ResultBytes int `json:"result_bytes"`
	// Sync is what a bare write to a file with a sync takes at the median,
	// where the store of the runs in SQLite lies: no durable step is quicker.
	Sync time.Duration `json:"sync_ns"`
	Runs []GatewayRun  `json:"runs"`
}

// GatewayRun compares calls through the gateway with direct ones, for one store
// and one number of sessions that call at the same time.
type GatewayRun struct {
	Store string `json:"store"`
	// Transport is "stdio" or "http", on both sides of the gateway.
	Transport string `json:"transport"`
	Sessions  int    `json:"sessions"`
	// Calls is how many were timed each way.
	Calls   int       `json:"calls"`
	Direct  Latencies `json:"direct"`
	Gateway Latencies `json:"gateway"`
	// RatioP50 and RatioP99 are the gateway's by the direct ones, AddedP50 is
	// the difference of the medians.
	RatioP50 float64       `json:"ratio_p50"`
	RatioP99 float64       `json:"ratio_p99"`
	AddedP50 time.Duration `json:"added_p50_ns"`
	// Stages are where the time of a call through the gateway goes, in their
	// order: the means over the tenth of the calls around the median.
	Stages []GatewayStage `json:"stages"`
}

// Latencies are how long calls took, as their client saw it.
type Latencies struct {
	P50       time.Duration `json:"p50_ns"`
	P99       time.Duration `json:"p99_ns"`
	PerSecond float64       `json:"per_second"`
}

// GatewayStage is a part of a call's way.
type GatewayStage struct {
	Name string        `json:"name"`
	Time time.Duration `json:"time_ns"`
}

// GatewayOptions say what to measure.
type GatewayOptions struct {
	// Dir is where the stores in SQLite lie while they are measured; the
	// system's folder for temporary files when empty.
	Dir string
	// Postgres is the postgres:// address of a database to measure as well. The
	// sessions of the measurement stay in it.
	Postgres string
	// Server is a command that runs [GatewayServer], to measure over stdio what
	// one session sees. Without it everything is measured over HTTP alone.
	Server []string
	// Sessions are the numbers of sessions that call at the same time.
	Sessions []int
	// Calls is how many calls are timed each way in a run, at least.
	Calls int
}

const (
	// gatewayCalls is how many calls a session has before another is begun:
	// what a long task takes.
	gatewayCalls = 100
	// gatewayBlock is how many calls of a session go the one way before as many
	// go the other: few, so that a noisy moment hits both, and enough for
	// connections to be warm.
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

// syncTime is the median of a write of what a decision takes in the store, with
// a sync.
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

// timed are calls that went one way.
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
