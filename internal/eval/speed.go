package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
)

// SpeedReport holds the times of whole decisions, made one after the other.
type SpeedReport struct {
	Checks       int           `json:"checks"`
	SessionBytes int           `json:"session_bytes"`
	PerSecond    float64       `json:"per_second"`
	P50          time.Duration `json:"p50_ns"`
	P99          time.Duration `json:"p99_ns"`
	Max          time.Duration `json:"max_ns"`
}

const (
	// speedSession is how much a session has read, in bytes.
	speedSession = 70 << 10
	// speedCalls is the number of calls in a session before the next one starts,
	// so that sessions keep their intended size.
	speedCalls = 1000
)

// Speed times so many decisions about a call with five arguments: a target of the user's, three
// from what tools returned, and a number. Each is timed by itself, from the arguments' text to
// the decision.
func Speed(ctx context.Context, checks int) (*SpeedReport, error) {
	if checks < 1 {
		return nil, errors.New("time at least one check")
	}
	m, err := remit.New(remit.Options{Contracts: []*contract.File{speedContract()}})
	if err != nil {
		return nil, fmt.Errorf("make the monitor: %w", err)
	}
	r := &SpeedReport{Checks: checks}
	times := make([]time.Duration, 0, checks)
	var total time.Duration

	var s *remit.Session
	var threads []string
	for i := range checks {
		if i%speedCalls == 0 {
			if s, threads, r.SessionBytes, err = speedBegin(ctx, m, uint64(i/speedCalls)); err != nil {
				return nil, err
			}
		}
		call := remit.Call{ID: fmt.Sprintf("check%d", i), Tool: "reply", Arguments: json.RawMessage(fmt.Sprintf(
			`{"to":"ann@corp.example","subject":"Quarterly figures","body":"thank you for the figures of thread %s","thread":%q,"priority":3}`,
			threads[i%len(threads)], threads[i%len(threads)]))}
		start := time.Now()
		d, err := s.Decide(ctx, call)
		took := time.Since(start)
		if err != nil {
			return nil, err
		}
		if d.Verdict != remit.Allow {
			return nil, fmt.Errorf("check %d was not allowed: %s", i, d.Explain())
		}
		times = append(times, took)
		total += took
	}
	slices.Sort(times)
	r.PerSecond = float64(checks) / total.Seconds()
	r.P50, r.P99, r.Max = times[checks/2], times[checks*99/100], times[checks-1]

	return r, nil
}

func speedContract() *contract.File {
	return &contract.File{Version: contract.Version, Server: "mail", Tools: []contract.Tool{
		{Name: "read_threads", Effect: contract.Read, Output: contract.Output{Trust: label.External,
			Fields: []contract.Field{{Pattern: "/*/thread", Trust: label.ToolOutput}}}},
		{Name: "reply", Effect: contract.Write, Output: contract.Output{Trust: label.ToolOutput}, Args: []contract.Arg{
			{Pattern: "/to", Role: label.Target, Floor: label.User, Form: contract.Address},
			{Pattern: "/subject", Role: label.Content},
			{Pattern: "/body", Role: label.Content},
			{Pattern: "/thread", Role: label.Selector, Floor: label.ToolOutput},
			{Pattern: "/priority", Role: label.Control},
		}},
	}}
}

// speedBegin makes a session that has read about [speedSession] bytes of mail.
func speedBegin(ctx context.Context, m *remit.Monitor, seed uint64) (s *remit.Session, threads []string, size int, err error) {
	s = m.Session("speed")
	s.User("Read my mail and thank ann@corp.example for each thread, subject \"Quarterly figures\".")
	rng := rand.New(rand.NewPCG(seed, 1))
	words := []string{"the", "figures", "of", "this", "quarter", "are", "late", "again", "and", "nobody", "knows", "why", "please", "ask", "harbour", "bridge", "invoice", "review", "meeting", "draft"}
	for page := 0; size < speedSession; page++ {
		var records []map[string]string
		for range 10 {
			thread := fmt.Sprintf("thread-%016x", rng.Uint64())
			body := ""
			for range 60 {
				body += words[rng.IntN(len(words))] + " "
			}
			records = append(records, map[string]string{"thread": thread, "from": fmt.Sprintf("p%d@partner.example", rng.IntN(1000)), "body": body})
			threads = append(threads, thread)
		}
		text, err := json.Marshal(records)
		if err != nil {
			return nil, nil, 0, fmt.Errorf("make a result: %w", err)
		}
		size += len(text)
		id := fmt.Sprintf("page%d", page)
		if _, err := s.Decide(ctx, remit.Call{ID: id, Tool: "read_threads"}); err != nil {
			return nil, nil, 0, err
		}
		if err := s.Result(ctx, remit.Result{Call: id, Content: string(text), Structured: text}); err != nil {
			return nil, nil, 0, err
		}
	}

	return s, threads, size, nil
}
