package eval

import (
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/trace"
)

// DecisionTimes say how long the rules take for the calls of cases, with what they look up at
// hand. Of each case the least of several tries counts, since other work on the machine only adds.
type DecisionTimes struct {
	// First is the first decision of a session, Restored that of one in which nothing was read ahead,
	// Again the same call once more, and Turn the first one after the user has said something more.
	First, Restored, Again, Turn Spread
	// Told is telling what the user said last, with what is read ahead then of it and of the calls before.
	Told Spread
	// Floor is reading the call's arguments and what is looked up for it.
	Floor Spread
	// Calls counts the cases that were timed: those of which every fact is known.
	Calls int
}

// Spread is the time in the middle, and the longest of a hundred.
type Spread struct{ P50, P99 time.Duration }

// timingTries is how often each decision is timed.
const timingTries = 7

// decisionTimes are the times of decisions so far.
type decisionTimes [timedKinds][]time.Duration

// The kinds of times.
const (
	firstTime = iota
	restoredTime
	againTime
	turnTime
	toldTime
	floorTime
	timedKinds
)

// add times a decision.
func (t *decisionTimes) add(set *guard.Set, r guard.Request) {
	entries := r.History.Entries
	turn := 0 // the entry with the user's last words
	for i, e := range entries {
		if e.Kind == guard.UserEntry {
			turn = i
		}
	}
	decide := func(h *guard.History) func() {
		return func() {
			r.History = h
			set.Recall(r)
		}
	}
	// told adds entries to a history as they happen.
	told := func(h *guard.History, entries []guard.Entry) {
		for _, e := range entries {
			h.Entries = append(h.Entries, e)
			set.ReadAhead(h)
		}
	}

	least := [timedKinds]time.Duration{}
	timed := func(kind int, work func()) {
		began := time.Now()
		work()
		if took := time.Since(began); least[kind] == 0 || took < least[kind] {
			least[kind] = took
		}
	}
	for range timingTries {
		restored, begun, going := &guard.History{Entries: entries}, &guard.History{}, &guard.History{}
		for _, h := range [...]*guard.History{restored, begun, going} {
			h.Remember()
		}
		timed(restoredTime, decide(restored))
		told(begun, entries)
		timed(firstTime, decide(begun))
		for range timingTries {
			timed(againTime, decide(begun))
		}

		told(going, entries[:turn])
		decide(going)()
		timed(toldTime, func() { told(going, entries[turn:]) })
		timed(turnTime, decide(going))
		timed(floorTime, func() { readFacts(r) })
	}
	for kind := range t {
		t[kind] = append(t[kind], least[kind])
	}
}

// readFacts reads the arguments of a call, and what was looked up for it.
func readFacts(r guard.Request) {
	texts := [][]byte{r.Arguments}
	if r.Recorded != nil {
		for _, l := range r.Recorded.Lookups {
			if l.Result != nil {
				texts = append(texts, l.Result.Structured)
			}
		}
	}
	for _, text := range texts {
		_, _ = strictjson.Parse(text, strictjson.OutputLimits()) // what is no JSON takes its time, too
	}
}

func (t *decisionTimes) report() *DecisionTimes {
	if len(t[firstTime]) == 0 {
		return nil
	}
	spread := func(kind int) Spread { return Spread{quantile(t[kind], 50), quantile(t[kind], 99)} }
	return &DecisionTimes{First: spread(firstTime), Restored: spread(restoredTime), Again: spread(againTime), Turn: spread(turnTime),
		Told: spread(toldTime), Floor: spread(floorTime), Calls: len(t[firstTime])}
}

// object is null where no call was timed.
func (t *DecisionTimes) object() any {
	if t == nil {
		return nil
	}
	o := object{"calls": t.Calls}
	for name, s := range map[string]Spread{"first": t.First, "restored": t.Restored, "again": t.Again, "turn": t.Turn, "told": t.Told, "floor": t.Floor} {
		o[name] = object{"p50_ns": s.P50, "p99_ns": s.P99}
	}
	return o
}

// time times the decision on a case's call by its rules alone, if all facts of it are known.
func (m *guardMeasure) time(c *guardCase, d *remit.Decision) error {
	history, last, err := c.recording()
	if err != nil {
		return err
	}
	r := guard.Request{Server: d.Server, Tool: d.Tool, Arguments: canonical(c.Args), Now: c.Now, Message: "proposed", Beside: last.Text,
		History: historyOf(history, c.Now), Recorded: d.Facts}
	if last.Text != "" {
		r.History.Entries = append(r.History.Entries, guard.Entry{Kind: guard.AssistantEntry, Time: c.Now, Text: last.Text})
	}
	if !m.rig.guards.Recall(r).Missing {
		m.times.add(m.rig.guards, r)
	}
	return nil
}

// historyOf returns what rules see of a recording.
func historyOf(s *trace.Session, at time.Time) *guard.History {
	h := &guard.History{}
	kinds := map[trace.Role]guard.EntryKind{trace.System: guard.SystemEntry, trace.User: guard.UserEntry, trace.Assistant: guard.AssistantEntry}
	made := map[string]*guard.Call{}
	for _, m := range s.Messages {
		if kind := kinds[m.Role]; kind != "" && m.Text != "" {
			h.Entries = append(h.Entries, guard.Entry{Kind: kind, Time: at, Text: m.Text})
		}
		for _, call := range m.Calls {
			made[call.ID] = &guard.Call{ID: call.ID, Server: call.Server, Tool: call.Tool, Arguments: canonical(call.Arguments)}
			h.Entries = append(h.Entries, guard.Entry{Kind: guard.CallEntry, Time: at, Call: made[call.ID]})
		}
		if call := made[m.CallID]; call != nil && m.Role == trace.Tool {
			call.Result = &guard.Result{Content: m.Text, Structured: m.Structured, Failed: m.Failed}
		}
	}
	return h
}
