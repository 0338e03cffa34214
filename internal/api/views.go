package api

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/figures"
	"github.com/remit-project/remit/store"
)

const (
	// searchTime bounds a search, which may read whole logs.
	searchTime = 5 * time.Second
	// defaultStep is the step of counts in seconds, as in the description.
	defaultStep = 3600
)

// lastSeen is the end of a page of found sessions.
type lastSeen struct {
	ID     string `json:"id"`
	Active int64  `json:"active"` // microseconds since 1970
}

// since reads the time from which a request asks on; zero where it says none.
func since(r *request) (time.Time, error) {
	query := r.URL.Query()
	if !query.Has("since") {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, query.Get("since"))
	if err != nil {
		return t, invalidRequest.errorf("since is not a time: write it as 2027-03-31T09:00:00Z")
	}
	return t, nil
}

// findSessions lists sessions by what is in them.
func (s *Server) findSessions(ctx context.Context, r *request) (reply, error) {
	p, err := parsePage(r)
	if err != nil {
		return reply{}, err
	}
	query := r.URL.Query()
	f := store.Filter{Whose: sessionsFor(r.who), Owner: query.Get("principal"), Server: query.Get("server"), Tool: query.Get("tool"),
		Verdict: remit.Verdict(query.Get("verdict")), Text: query.Get("text"), Shadow: query.Get("shadow") == "true"}
	if f.Since, err = since(r); err != nil {
		return reply{}, err
	}
	if len(p.cursor) > 0 {
		var last lastSeen
		if json.Unmarshal(p.cursor, &last) != nil {
			return reply{}, errCursor
		}
		f.After = &store.SessionInfo{ID: last.ID, Active: time.UnixMicro(last.Active)}
	}

	search, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	list, err := s.o.Store.Find(search, f, p.limit+1)
	switch {
	case errors.Is(err, store.ErrInvalid):
		return reply{}, invalidRequest.errorf("%s", err)
	case err != nil && ctx.Err() == nil && search.Err() != nil:
		return reply{}, invalidRequest.errorf("the search read logs for %s and was given up: add a time, a tool or a verdict to the text", searchTime)
	case err != nil:
		return reply{}, err
	}

	out := struct {
		Sessions []store.Found `json:"sessions"`
		Next     string        `json:"next,omitempty"`
	}{Sessions: append([]store.Found{}, list[:min(len(list), p.limit)]...)}
	if len(list) > p.limit {
		last := &list[p.limit-1]
		text, err := json.Marshal(lastSeen{last.ID, last.Active.UnixMicro()})
		if err != nil {
			return reply{}, err
		}
		out.Next = cursor(string(text))
	}
	return ok(out, nil)
}

// loggedEvent is an event with its place in the log. Facts of guards stay out of it: they
// may be confidential, and decisions say what they were used for.
type loggedEvent struct {
	Seq int64 `json:"seq"`
	remit.Event
	Decision any `json:"decision,omitempty"`
	// Shadow is set where the decision was not enforced.
	Shadow bool `json:"shadow,omitempty"`
}

// logged returns a record as callers see it.
func logged(rec *store.Record) loggedEvent {
	e := loggedEvent{Seq: rec.Seq, Event: rec.Event, Shadow: rec.Shadow}
	e.Facts = nil
	if rec.Decision != nil {
		e.Decision = decisionForm(rec.Decision)
	}
	return e
}

// listEvents pages through a session's log.
func (s *Server) listEvents(ctx context.Context, r *request) (reply, error) {
	p, from, info, err := s.pageOfLog(ctx, r)
	if err != nil {
		return reply{}, err
	}

	events, next := written{list: []json.RawMessage{}}, ""
	for rec, err := range s.o.Store.Read(ctx, info.ID, from) {
		if err != nil {
			return reply{}, err
		}
		if events.ends(p.limit) {
			next = cursor(strconv.FormatInt(rec.Seq, 10))
			break
		}
		if err := events.add(logged(&rec)); err != nil {
			return reply{}, err
		}
	}
	return ok(struct {
		Events []json.RawMessage `json:"events"`
		Next   string            `json:"next,omitempty"`
	}{events.list, next}, nil)
}

// countDecisions counts decisions by tool and verdict in steps of time, and says how long they
// took, why calls were stopped, and how long people took to answer.
func (s *Server) countDecisions(ctx context.Context, r *request) (reply, error) {
	query := r.URL.Query()
	from, err := since(r)
	if err != nil {
		return reply{}, err
	}
	step := defaultStep
	if text := query.Get("step"); text != "" {
		step, _ = strconv.Atoi(text)
	}
	list, err := s.o.Store.Tally(ctx, sessionsFor(r.who), from, time.Duration(step)*time.Second)
	if err != nil {
		return reply{}, err
	}

	type count struct {
		Server    string        `json:"server,omitempty"`
		Tool      string        `json:"tool"`
		Verdict   remit.Verdict `json:"verdict"`
		Confirmed bool          `json:"confirmed,omitempty"`
		Shadow    bool          `json:"shadow,omitempty"`
		Step      time.Time     `json:"step"`
		Count     int           `json:"count"`
	}
	counts := make([]count, len(list))
	for i, c := range list {
		counts[i] = count{c.Server, c.Tool, c.Verdict, c.Confirms, c.Shadow, c.Step, c.N}
	}
	out := struct {
		Counts  []count   `json:"counts"`
		Took    *took     `json:"took,omitempty"`
		Stopped []stopped `json:"stopped"`
		Answers answers   `json:"answers"`
	}{Counts: counts, Stopped: []stopped{}}
	times, err := s.o.Store.Took(ctx, sessionsFor(r.who), from, store.MaxTimes)
	if err != nil {
		return reply{}, err
	}
	if t := figures.TookOf(times); len(times) > 0 {
		out.Took = &took{len(times), t.Half.Microseconds(), t.Most.Microseconds()}
	}
	records, err := s.o.Store.Stopped(ctx, sessionsFor(r.who), from, store.MaxPage)
	if err != nil {
		return reply{}, err
	}
	_, causes := figures.Causes(records)
	for _, c := range causes {
		out.Stopped = append(out.Stopped, stopped{c.Server, c.Tool, c.Code, c.Ask, c.Deny, c.Shadow})
	}
	waits, err := s.o.Store.Waits(ctx, sessionsFor(r.who), from, store.MaxPage)
	if err != nil {
		return reply{}, err
	}
	w := figures.WaitsOf(waits)
	out.Answers = answers{w.Answered, w.Approved, w.Expired, w.Half.Milliseconds(), w.Most.Milliseconds()}
	return ok(out, nil)
}

// took says how long decisions took, in microseconds.
type took struct {
	Count int   `json:"count"`
	P50   int64 `json:"p50"`
	P99   int64 `json:"p99"`
}

// stopped counts the calls of a tool that one kind of reason stopped, by verdict; those that
// shadow mode let run are counted apart.
type stopped struct {
	Server string     `json:"server,omitempty"`
	Tool   string     `json:"tool"`
	Code   remit.Code `json:"code"`
	Ask    int        `json:"ask"`
	Deny   int        `json:"deny"`
	Shadow int        `json:"shadow"`
}

// answers counts questions, and says how long those waited that a person answered, in
// milliseconds.
type answers struct {
	Answered int   `json:"answered"`
	Approved int   `json:"approved"`
	Expired  int   `json:"expired"`
	P50      int64 `json:"p50"`
	P95      int64 `json:"p95"`
}
