package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// decidedAt returns a call event with its decision. Its arguments pose as a decision's own
// members.
func decidedAt(at time.Time, session, call, server, tool string, v remit.Verdict) store.Record {
	arguments := json.RawMessage(`{"server":"forged","tool":"forged","verdict":"allow","x":"\u0000\""}`)
	return store.Record{Event: remit.Event{Kind: remit.CallEvent, Time: at, Call: &remit.Call{ID: call, Server: server, Tool: tool}, Verdict: v},
		Decision: &remit.Decision{Session: session, Call: call, Server: server, Tool: tool, Verdict: v, Arguments: arguments}}
}

func spoke(at time.Time, text string) store.Record {
	return store.Record{Event: remit.Event{Kind: remit.UserEvent, Time: at, Text: text}}
}

// oddTool is a name that no column may hold as it is.
const oddTool = "sen\x00d \"\\\",\"tool\":\"read\u202e"

// viewed is three sessions of two principals, each an hour after the one before.
func viewed(t *testing.T, s *suite) {
	t.Helper()
	s.create(t, "ann", "a")
	s.create(t, "bob", "b")
	must(t, s.Append(t.Context(), "a", 0, spoke(s.clock, "100%_ of \"it\""), decidedAt(s.clock, "a", "c1", "mail", "read", remit.Allow),
		decidedAt(s.clock, "a", "c2", "mail", oddTool, remit.Deny)))
	s.clock = s.clock.Add(time.Hour)
	must(t, s.Append(t.Context(), "b", 0, spoke(s.clock, "first"), spoke(s.clock, "second"), decidedAt(s.clock, "b", "c1", "", "read", remit.Ask)))
	must(t, s.Append(t.Context(), "b", 3, store.Record{Event: remit.Event{Kind: remit.ConfirmationEvent, Time: s.clock, Call: &remit.Call{ID: "c1"}, Verdict: remit.Allow},
		Decision: &remit.Decision{Session: "b", Call: "c1", Tool: "read", Verdict: remit.Allow, Confirmed: true}}))
	s.clock = s.clock.Add(time.Hour)
	s.begin(t, "c")
}

// found returns the ids of a page with what was decided in each session.
func found(list []store.Found) (out []string) {
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s %d/%d/%d", f.ID, f.Allowed, f.Asked, f.Denied))
	}
	return out
}

func filtered(t *testing.T, s *suite) {
	viewed(t, s)
	everybody := store.Whose{Everybody: true}
	for name, test := range map[string]struct {
		filter store.Filter
		want   []string
	}{
		"all, the last first":    {store.Filter{Whose: everybody}, []string{"c 0/0/0", "b 1/1/0", "a 1/0/1"}},
		"of nobody":              {store.Filter{}, []string{"c 0/0/0"}},
		"of a principal":         {store.Filter{Whose: store.Whose{Principal: "ann"}}, []string{"a 1/0/1"}},
		"of a chosen principal":  {store.Filter{Whose: everybody, Owner: "bob"}, []string{"b 1/1/0"}},
		"not of another one":     {store.Filter{Whose: store.Whose{Principal: "ann"}, Owner: "bob"}, nil},
		"a verdict":              {store.Filter{Whose: everybody, Verdict: remit.Deny}, []string{"a 1/0/1"}},
		"a tool and a verdict":   {store.Filter{Whose: everybody, Tool: "read", Verdict: remit.Deny}, nil},
		"a tool":                 {store.Filter{Whose: everybody, Tool: "read"}, []string{"b 1/1/0", "a 1/0/1"}},
		"an odd tool":            {store.Filter{Whose: everybody, Tool: oddTool}, []string{"a 1/0/1"}},
		"a server":               {store.Filter{Whose: everybody, Server: "mail"}, []string{"a 1/0/1"}},
		"no forged server":       {store.Filter{Whose: everybody, Server: "forged"}, nil},
		"a time":                 {store.Filter{Whose: everybody, Since: morning.Add(30 * time.Minute)}, []string{"c 0/0/0", "b 1/1/0"}},
		"text":                   {store.Filter{Whose: everybody, Text: `100%_ of "it"`}, []string{"a 1/0/1"}},
		"text in any case":       {store.Filter{Whose: everybody, Text: "SECOND"}, []string{"b 1/1/0"}},
		"no patterns":            {store.Filter{Whose: everybody, Text: "s%d"}, nil},
		"after one of them":      {store.Filter{Whose: everybody, After: &store.SessionInfo{ID: "b", Active: morning.Add(time.Hour)}}, []string{"a 1/0/1"}},
		"after all of them":      {store.Filter{Whose: everybody, After: &store.SessionInfo{ID: "z", Active: morning}}, nil},
		"of the same time, ids":  {store.Filter{Whose: everybody, After: &store.SessionInfo{ID: "aa", Active: morning.Add(time.Hour)}}, []string{"b 1/1/0", "a 1/0/1"}},
		"an injected principal":  {store.Filter{Whose: store.Whose{Principal: "' OR 1=1 --"}}, nil},
		"an injected text":       {store.Filter{Whose: everybody, Text: `%' OR 1=1 --`}, nil},
		"what verdicts there is": {store.Filter{Whose: everybody, Verdict: remit.Ask}, []string{"b 1/1/0"}},
	} {
		list, err := s.Find(t.Context(), test.filter, 0)
		must(t, err)
		equal(t, name, found(list), test.want)
	}

	first, err := s.Find(t.Context(), store.Filter{Whose: everybody}, 2)
	must(t, err)
	second, err := s.Find(t.Context(), store.Filter{Whose: everybody, After: &first[1].SessionInfo}, 2)
	must(t, err)
	equal(t, "pages", found(append(first, second...)), []string{"c 0/0/0", "b 1/1/0", "a 1/0/1"})
	_, err = s.Find(t.Context(), store.Filter{Text: string(make([]byte, store.MaxSearch+1))}, 0)
	is(t, err, store.ErrInvalid)
}

func spoken(t *testing.T, s *suite) {
	viewed(t, s)
	texts := func(before int64, limit int) (out []string) {
		list, err := s.Turns(t.Context(), "b", before, limit)
		must(t, err)
		for _, r := range list {
			out = append(out, fmt.Sprintf("%d %s", r.Seq, r.Event.Text))
		}
		return out
	}
	equal(t, "all", texts(99, 0), []string{"1 second", "0 first"})
	equal(t, "the last", texts(99, 1), []string{"1 second"})
	equal(t, "before", texts(1, 9), []string{"0 first"})
}

func counted(t *testing.T, s *suite) {
	viewed(t, s)
	everybody := store.Whose{Everybody: true}
	counts := func(w store.Whose, since time.Time) (out []string) {
		list, err := s.Tally(t.Context(), w, since, time.Hour)
		must(t, err)
		for _, c := range list {
			out = append(out, fmt.Sprintf("%s %s %q %s %v %d", c.Step.Format("15:04"), c.Server, c.Tool, c.Verdict, c.Confirms, c.N))
		}
		return out
	}
	at := func(n int) string { return morning.Add(time.Duration(n) * time.Hour).UTC().Format("15:04") }
	read, odd := at(0)+` mail "read" allow false 1`, at(0)+fmt.Sprintf(" mail %q deny false 1", oddTool)
	asked, agreed := at(1)+`  "read" ask false 1`, at(1)+`  "read" allow true 1`
	equal(t, "all", counts(everybody, morning), []string{read, odd, agreed, asked})
	equal(t, "since", counts(everybody, morning.Add(time.Hour)), []string{agreed, asked})
	equal(t, "of a principal", counts(store.Whose{Principal: "bob"}, morning), []string{agreed, asked})
	_, err := s.Tally(t.Context(), everybody, morning, time.Millisecond)
	is(t, err, store.ErrInvalid)

	stopped := func(w store.Whose) (out []string) {
		list, err := s.Stopped(t.Context(), w, morning, 9)
		must(t, err)
		for _, r := range list {
			out = append(out, r.Decision.Session+" "+r.Decision.Call+" "+string(r.Decision.Verdict))
		}
		return out
	}
	equal(t, "stopped", stopped(everybody), []string{"b c1 ask", "a c2 deny"})
	equal(t, "stopped of a principal", stopped(store.Whose{Principal: "ann"}), []string{"a c2 deny"})
	must(t, func() error { _, err := s.Prune(t.Context(), morning.Add(30*time.Minute)); return err }())
	equal(t, "what is left", counts(everybody, morning), []string{agreed, asked})
}

// timed is how long decisions took, and which of them were not enforced: of the record, and
// not of what others have written into the event.
func timed(t *testing.T, s *suite) {
	s.create(t, "ann", "a")
	s.create(t, "bob", "b")
	record := func(session, call string, took time.Duration, shadow bool) store.Record {
		r := decidedAt(s.clock, session, call, "mail", "send", remit.Deny)
		r.Event.Call.Beside = `","took":999,"shadow":true,"`
		r.Took, r.Shadow = took, shadow
		return r
	}
	posing := spoke(s.clock, `{"kind":"call","time":"2026-03-02T09:00:00Z","took":77,"shadow":true}`)
	must(t, s.Append(t.Context(), "a", 0, posing, record("a", "c1", 1500*time.Microsecond, false), record("a", "c2", 0, true)))
	s.clock = s.clock.Add(time.Hour)
	must(t, s.Append(t.Context(), "b", 0, record("b", "c1", 42*time.Second, true)))

	everybody := store.Whose{Everybody: true}
	for name, test := range map[string]struct {
		whose store.Whose
		since time.Time
		limit int
		want  []time.Duration
	}{
		"all": {everybody, morning, 0, []time.Duration{42 * time.Second, 1500 * time.Microsecond}}, "the last": {everybody, morning, 1, []time.Duration{42 * time.Second}},
		"since": {everybody, morning.Add(time.Minute), 9, []time.Duration{42 * time.Second}}, "of a principal": {ann, morning, 9, []time.Duration{1500 * time.Microsecond}},
	} {
		got, err := s.Took(t.Context(), test.whose, test.since, test.limit)
		must(t, err)
		slices.Sort(got)
		slices.Reverse(got)
		equal(t, name, got, test.want)
	}

	shadow := map[bool]int{}
	list, err := s.Tally(t.Context(), everybody, morning, time.Hour)
	must(t, err)
	for _, c := range list {
		shadow[c.Shadow] += c.N
	}
	equal(t, "in shadow mode", shadow, map[bool]int{false: 1, true: 2})
	for name, test := range map[string]struct {
		filter store.Filter
		want   string
	}{
		"all":                 {store.Filter{Whose: everybody}, "b 0/0/0 and 1, a 0/0/1 and 1"},
		"let run":             {store.Filter{Whose: everybody, Shadow: true}, "b 0/0/0 and 1, a 0/0/1 and 1"},
		"let run, of one":     {store.Filter{Whose: ann, Shadow: true, Tool: "send"}, "a 0/0/1 and 1"},
		"let run, and a tool": {store.Filter{Whose: everybody, Shadow: true, Tool: "read"}, ""},
		"let run, and allow":  {store.Filter{Whose: everybody, Shadow: true, Verdict: remit.Allow}, ""},
	} {
		list, err := s.Find(t.Context(), test.filter, 0)
		must(t, err)
		var got []string
		for i, text := range found(list) {
			got = append(got, fmt.Sprintf("%s and %d", text, list[i].Shadow))
		}
		equal(t, name, strings.Join(got, ", "), test.want)
	}
	read := records(t, s.Read(t.Context(), "a", 0))
	if read[0].Took != 0 || read[0].Shadow || read[1].Took != 1500*time.Microsecond || read[1].Shadow || !read[2].Shadow {
		t.Errorf("it is read as %s", show(read))
	}
	verified(t, s)
}

// lastVerified is when the audit log was verified, and what was found.
func lastVerified(t *testing.T, s *suite) {
	_, err := s.Verified(t.Context())
	is(t, err, store.ErrNotFound)
	s.begin(t, "s")
	for range 2 {
		s.clock = s.clock.Add(time.Hour)
		report := verified(t, s)
		last, err := s.open(t).Verified(t.Context())
		must(t, err)
		equal(t, "the last", last, store.Verification{At: s.clock, Entries: report.Entries, Sessions: 1, Head: report.Head})
	}
}

func waited(t *testing.T, s *suite) {
	s.create(t, "ann", "s")
	first, second := s.ask(t, "s", "c1", 0), s.ask(t, "s", "c2", 0)
	s.clock = s.clock.Add(time.Minute)
	_, err := s.Answer(t.Context(), first.ID, store.Answer{Approve: true, By: "ann", From: "console 127.0.0.1"})
	must(t, err)

	waits := func(w store.Whose) []store.Waited {
		list, err := s.Waits(t.Context(), w, morning, 9)
		must(t, err)
		return list
	}
	equal(t, "answered", waits(store.Whose{Everybody: true}), []store.Waited{{State: store.Approved, Created: first.Created, Settled: first.Created.Add(time.Minute)}})
	must(t, s.Cancel(t.Context(), second.ID, ""))
	equal(t, "answered and cancelled", len(waits(store.Whose{Principal: "ann"})), 2)
	equal(t, "of another one", len(waits(store.Whose{Principal: "bob"})), 0)

	var from []string
	for line, err := range s.Export(t.Context()) {
		must(t, err)
		var e store.Entry
		must(t, json.Unmarshal(line.Entry, &e))
		if e.Kind == store.AnsweredEntry {
			from = append(from, e.Approval.By+" from "+e.Approval.From)
		}
	}
	equal(t, "who answered from where", from, []string{"ann from console 127.0.0.1"})
}
