package eval

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/fleet"
	"github.com/remit-project/remit/store"
)

// ReplicasOptions say what is measured.
type ReplicasOptions struct {
	// Program is remit's path.
	Program string
	// Store is the store of all replicas, by the name that store.Open takes.
	Store string
	// Most is the largest number of replicas, and Agents how many ask at the same time.
	Most, Agents int
	// Rounds is how often every number is measured, in turns, each for Time.
	Rounds int
	Time   time.Duration
	// Log takes what replicas warn of.
	Log io.Writer
}

// ReplicasReport is the throughput of the decision API by its replicas.
type ReplicasReport struct {
	Cores  int             `json:"cores"`
	Agents int             `json:"agents"`
	Points []ReplicasPoint `json:"points"`
	// Calls were answered in all, and Faults are what the store says of them.
	Calls  int          `json:"calls"`
	Faults fleet.Faults `json:"faults"`
}

// ReplicasPoint is so many replicas: the median of the rounds' decisions a second, each with
// the result of its call where it ran, and of their P50 and P99.
type ReplicasPoint struct {
	Replicas  int           `json:"replicas"`
	PerSecond float64       `json:"per_second"`
	Low       float64       `json:"per_second_low"`
	High      float64       `json:"per_second_high"`
	P50       time.Duration `json:"p50_ns"`
	P99       time.Duration `json:"p99_ns"`
}

// replicasRig is what all rounds share.
type replicasRig struct {
	ReplicasOptions
	tokens, token, contracts string
	answers                  []fleet.Answer
}

// Replicas measures servers of the decision API behind a balancer, and holds what they
// answered against the store.
func Replicas(ctx context.Context, o ReplicasOptions) (*ReplicasReport, error) {
	if o.Most < 1 || o.Agents < 1 || o.Rounds < 1 || o.Time <= 0 {
		return nil, errors.New("measure one replica, one agent and one round at least, of some time")
	}
	dir, err := os.MkdirTemp("", "remit-replicas-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	rig := &replicasRig{ReplicasOptions: o, tokens: filepath.Join(dir, "tokens.yaml"), contracts: filepath.Join(dir, "contracts")}
	if err := rig.prepare(ctx); err != nil {
		return nil, err
	}

	rounds := make([][]ReplicasPoint, o.Most)
	for range o.Rounds {
		for n := range o.Most {
			p, err := rig.point(ctx, n+1)
			if err != nil {
				return nil, fmt.Errorf("%d replicas: %w", n+1, err)
			}
			rounds[n] = append(rounds[n], p)
		}
	}

	r := &ReplicasReport{Cores: runtime.GOMAXPROCS(0), Agents: o.Agents, Calls: len(rig.answers)}
	for _, list := range rounds {
		r.Points = append(r.Points, medians(list))
	}
	st, err := store.Open(ctx, o.Store, store.Options{Existing: true})
	if err != nil {
		return nil, err
	}
	log, err := fleet.ReadLog(ctx, st)
	if err := errors.Join(err, st.Close()); err != nil {
		return nil, err
	}
	r.Faults = log.Check(rig.answers, nil)
	return r, nil
}

// prepare writes the contracts, and makes a token.
func (r *replicasRig) prepare(ctx context.Context) error {
	if err := os.Mkdir(r.contracts, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.contracts, "desk.yaml"), []byte(fleet.Contracts), 0o600); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, r.Program, "token", "new", "--tokens", r.tokens, "--principal", "agents", "--scope", "all").Output()
	if err != nil {
		return fmt.Errorf("make a token: %w", err)
	}
	r.token = strings.TrimSpace(string(out))
	return nil
}

// point measures so many replicas once.
func (r *replicasRig) point(ctx context.Context, replicas int) (p ReplicasPoint, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := fleet.NewBalancer(ctx, false)
	for range replicas {
		server, err := fleet.Start(ctx, r.Log, r.Program, "serve", "--listen", "127.0.0.1:0", "--tokens", r.tokens, "--store", r.Store, "--contracts", r.contracts)
		if err != nil {
			return p, err
		}
		defer func() { err = errors.Join(err, server.Stop()) }()
		if err := b.Add(server.URL); err != nil {
			return p, err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return p, err
	}
	front := &http.Server{Handler: b, ReadHeaderTimeout: gatewayEnd}
	go func() { _ = front.Serve(l) }() // until it is closed
	defer front.Close()

	transport := &http.Transport{MaxIdleConnsPerHost: r.Agents}
	defer transport.CloseIdleConnections()
	answers := &fleet.Answers{}
	agents := &fleet.Agents{URL: "http://" + l.Addr().String(), Token: r.token, Answers: answers, Client: &http.Client{Transport: transport}, Name: strings.ToLower(rand.Text())}
	working, stop := context.WithTimeout(ctx, r.Time)
	defer stop()
	began := time.Now()
	if err := agents.Run(ctx, r.Agents, working.Done()); err != nil {
		return p, err
	}
	took := time.Since(began)

	list := answers.List()
	r.answers = append(r.answers, list...)
	times := make([]time.Duration, len(list))
	for i, a := range list {
		times[i] = a.Took
	}
	return ReplicasPoint{Replicas: replicas, PerSecond: float64(len(list)) / took.Seconds(), P50: quantile(times, 50), P99: quantile(times, 99)}, nil
}

// medians returns the medians of what rounds measured.
func medians(rounds []ReplicasPoint) ReplicasPoint {
	var rates []float64
	var half, most []time.Duration
	for _, p := range rounds {
		rates, half, most = append(rates, p.PerSecond), append(half, p.P50), append(most, p.P99)
	}
	return ReplicasPoint{Replicas: rounds[0].Replicas, PerSecond: middle(rates), Low: slices.Min(rates), High: slices.Max(rates), P50: middle(half), P99: middle(most)}
}
