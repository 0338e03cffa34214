package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// Answer is what an agent was told about a call, which its argument n names among all.
type Answer struct {
	N       string
	Verdict remit.Verdict
	// Recorded is set when the call's result was taken as well.
	Recorded bool
	// Tries is how often it was asked, and Took how long the last time took.
	Tries int
	Took  time.Duration
	// path and data are the request, and body is the answer to it.
	path       string
	data, body []byte
}

// Answers are what agents were told. They are safe for concurrent use.
type Answers struct {
	mu   sync.Mutex
	more chan struct{}
	list []Answer
}

// Add adds an answer.
func (a *Answers) Add(one Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, one)
	if a.more != nil {
		close(a.more)
		a.more = nil
	}
}

// List returns all.
func (a *Answers) List() []Answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.list)
}

// Await returns when there are n.
func (a *Answers) Await(ctx context.Context, n int) error {
	for {
		a.mu.Lock()
		if len(a.list) >= n {
			a.mu.Unlock()
			return nil
		}
		if a.more == nil {
			a.more = make(chan struct{})
		}
		more := a.more
		a.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// logged is what a store says of a call.
type logged struct {
	verdict remit.Verdict
	times   int
	result  bool
}

// Log is what a store says of calls, by their argument n.
type Log struct {
	calls map[string]*logged
	// Sessions, Decisions and Events are how many there are.
	Sessions, Decisions, Events int
}

// ReadLog reads all sessions of a store.
func ReadLog(ctx context.Context, st store.Store) (*Log, error) {
	l := &Log{calls: map[string]*logged{}}
	for after := ""; ; {
		page, err := st.Sessions(ctx, after, store.MaxPage)
		if err != nil {
			return nil, err
		}
		for _, s := range page {
			if err := l.read(ctx, st, s.ID); err != nil {
				return nil, err
			}
			after = s.ID
		}
		if len(page) < store.MaxPage {
			return l, nil
		}
	}
}

func (l *Log) read(ctx context.Context, st store.Store, session string) error {
	l.Sessions++
	byID := map[string]*logged{}
	for rec, err := range st.Read(ctx, session, 0) {
		if err != nil {
			return err
		}
		l.Events++

		switch e := rec.Event; {
		case e.Kind == remit.CallEvent && e.Call.Past: // of a history, decided for what follows
		case e.Kind == remit.CallEvent:
			var arguments struct{ N string }
			if err := json.Unmarshal(e.Call.Arguments, &arguments); err != nil {
				return err
			}
			if rec.Decision == nil || rec.Decision.Verdict != e.Verdict {
				return fmt.Errorf("a call of session %s is logged without its decision", session)
			}
			c := l.calls[arguments.N]
			if c == nil || arguments.N == "" { // a call of others, each of which is its own
				c = &logged{}
				l.calls[arguments.N] = c
			}
			c.times, c.verdict = c.times+1, e.Verdict
			byID[e.Call.ID] = c
			l.Decisions++
		case e.Kind == remit.ResultEvent && byID[e.Result.Call] != nil:
			byID[e.Result.Call].result = true
		}
	}
	return nil
}

// Faults count what must not be, in calls.
type Faults struct {
	// Lost calls were answered, and the log doesn't have them.
	Lost int `json:"lost"`
	// Changed calls were answered otherwise than the log says.
	Changed int `json:"changed"`
	// Unrecorded results were taken, and the log doesn't have them.
	Unrecorded int `json:"unrecorded"`
	// Twice is how many calls were decided more than once.
	Twice int `json:"twice"`
	// Undecided calls ran, and the log doesn't allow them.
	Undecided int `json:"undecided"`
	// Unequal calls were asked about again, under the same key, and answered otherwise.
	Unequal int `json:"unequal"`
}

// Check holds answers, and the calls that ran, against the log.
func (l *Log) Check(answers []Answer, ran []string) (f Faults) {
	for _, a := range answers {
		switch c := l.calls[a.N]; {
		case c == nil:
			f.Lost++
		case c.verdict != a.Verdict:
			f.Changed++
		case a.Recorded && !c.result:
			f.Unrecorded++
		}
	}

	for _, n := range ran {
		if c := l.calls[n]; c == nil || c.verdict != remit.Allow {
			f.Undecided++
		}
	}

	for _, c := range l.calls {
		if c.times > 1 {
			f.Twice++
		}
	}
	return f
}
