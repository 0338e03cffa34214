package storetest

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

var ann, bob = store.Whose{Principal: "ann"}, store.Whose{Principal: "bob"}

func (s *suite) create(t *testing.T, principal string, ids ...string) {
	t.Helper()
	for _, id := range ids {
		_, err := s.Create(t.Context(), store.Creation{ID: id, Principal: principal})
		must(t, err)
	}
}

func createdWithTools(t *testing.T, s *suite) {
	s.begin(t, "gateway")
	tools := json.RawMessage(`[{"server":"mail"}]`)
	_, err := s.Create(t.Context(), store.Creation{ID: "s", Principal: "ann", Tools: tools})
	must(t, err)
	s.create(t, "bob", "bare")

	for id, want := range map[string]json.RawMessage{"s": tools, "bare": nil, "gateway": nil} {
		got, err := s.open(t).Tools(t.Context(), id)
		must(t, err)
		equal(t, "tools of "+id, got, want)
	}
	_, err = s.Tools(t.Context(), "nowhere")
	is(t, err, store.ErrNotFound)
	verified(t, s)
}

func endedForAll(t *testing.T, s *suite) {
	s.begin(t, "gateway")
	s.create(t, "ann", "s")
	must(t, s.Append(t.Context(), "s", 0, call("s", "c1", remit.Ask)))

	a := s.ask(t, "s", "c1", 0)
	for _, id := range []string{"s", "gateway"} {
		s.pass(time.Second)
		first, err := s.End(t.Context(), id)
		must(t, err)
		equal(t, "end", first.Ended, s.now())
		s.pass(time.Second)
		again, err := s.End(t.Context(), id)
		must(t, err)
		equal(t, "session", again, first)
		is(t, s.open(t).Append(t.Context(), id, 1, said("one more")), store.ErrEnded)
	}

	// Nobody would act on an answer any more.
	got, err := s.Approval(t.Context(), a.ID)
	must(t, err)
	equal(t, "question", got.State, store.Cancelled)
	_, err = s.Answer(t.Context(), a.ID, store.Answer{Approve: true})
	is(t, err, store.ErrSettled)
	_, err = s.Ask(t.Context(), store.Question{Decision: decision("s", "c1")})
	is(t, err, store.ErrEnded)
	must(t, s.Cancel(t.Context(), a.ID, "late"))
	_, err = s.End(t.Context(), "nowhere")
	is(t, err, store.ErrNotFound)
	verified(t, s)
}

func ownPages(t *testing.T, s *suite) {
	s.begin(t, "gateway")
	s.create(t, "ann", "a1", "a3", "a2")
	s.create(t, "bob", "b1")

	for _, c := range []struct {
		whose store.Whose
		after string
		limit int
		want  string
	}{
		{ann, "", 0, "a1 a2 a3"},
		{ann, "", 2, "a1 a2"},
		{ann, "a2", 2, "a3"},
		{bob, "", 0, "b1"},
		{store.Whose{Principal: "Ann"}, "", 0, ""},
		{store.Whose{}, "", 0, "gateway"},
		{store.Whose{Everybody: true}, "a3", 2, "b1 gateway"},
	} {
		list, err := s.SessionsOf(t.Context(), c.whose, c.after, c.limit)
		must(t, err)
		var got []string
		for _, i := range list {
			got = append(got, i.ID)
		}
		equal(t, fmt.Sprintf("sessions of %+v after %q", c.whose, c.after), strings.Join(got, " "), c.want)
	}
}

func ownQuestions(t *testing.T, s *suite) {
	s.begin(t, "gateway")
	s.create(t, "ann", "a")
	s.create(t, "bob", "b")

	var turns []store.Turn
	ids := map[string]string{}
	for i, session := range []string{"a", "b", "a", "gateway", "a"} {
		if i != 2 { // two are of the same time
			s.pass(time.Second)
		}
		a := s.ask(t, session, fmt.Sprint(i), 0)
		turns, ids[a.ID] = append(turns, store.Turn{Created: a.Created, ID: a.ID}), session
	}

	count := func(w store.Whose, after store.Turn, limit int) (order string) {
		t.Helper()
		list, err := s.PendingOf(t.Context(), w, after, limit)
		must(t, err)
		for _, a := range list {
			if ids[a.ID] != a.Session {
				t.Errorf("question %s is of %s", a.ID, a.Session)
			}
			order += a.Call
		}
		return order
	}

	equal(t, "ann's", count(ann, store.Turn{}, 0), "024")
	equal(t, "bob's", count(bob, store.Turn{}, 0), "1")
	equal(t, "nobody's", count(store.Whose{}, store.Turn{}, 0), "3")
	equal(t, "ann's after the first", count(ann, turns[0], 1), "2")

	// Page by page nothing is missed and nothing comes twice, also where two
	// were asked at the same time.
	got := ""
	for after, n := (store.Turn{}), 0; n < len(turns); n++ {
		list, err := s.PendingOf(t.Context(), store.Whose{Everybody: true}, after, 1)
		must(t, err)
		if len(list) != 1 {
			t.Fatalf("page %d has %d questions", n, len(list))
		}
		after, got = store.Turn{Created: list[0].Created, ID: list[0].ID}, got+list[0].Call
	}

	if got != "01234" && got != "02134" {
		t.Errorf("everybody's are %s", got)
	}
}

func request(key, content string) store.Request {
	return store.Request{Principal: "ann", Key: key, Content: sha256.Sum256([]byte(content))}
}

func requestOnce(t *testing.T, s *suite) {
	r := request("k", "do it")
	got, err := s.Reply(t.Context(), r)
	must(t, err)
	if got != nil {
		t.Fatalf("a new request has the reply %+v", got)
	}

	want := store.Reply{Status: 201, Header: map[string]string{"Location": "/ä"}, Body: []byte("\x00\xff<>")}
	must(t, s.Settle(t.Context(), r, want))
	for _, replica := range []store.Store{s.Store, s.open(t)} {
		got, err := replica.Reply(t.Context(), r)
		must(t, err)
		equal(t, "reply", *got, want)
		is(t, replica.Settle(t.Context(), r, want), store.ErrAnswered)
		_, err = replica.Reply(t.Context(), request("k", "do that"))
		is(t, err, store.ErrReused)
	}

	// Another's key of the same name, and a name that another's ends like.
	for _, other := range []store.Request{{Principal: "bob", Key: "k"}, {Principal: "an", Key: "nk"}} {
		if got, err := s.Reply(t.Context(), other); got != nil || err != nil {
			t.Errorf("%+v: got %v, %v", other, got, err)
		}
	}

	for _, key := range []string{"", strings.Repeat("k", store.MaxKey+1)} {
		_, err := s.Reply(t.Context(), request(key, ""))
		is(t, err, store.ErrInvalid)
		is(t, s.Settle(t.Context(), request(key, ""), want), store.ErrInvalid)
	}
}

// settles returns a request that a write carries out. The reply says what was written.
func settles(key string) *store.Settlement {
	return &store.Settlement{Request: request(key, "do it"), Reply: func(outcome any) (store.Reply, error) {
		switch o := outcome.(type) {
		case *remit.Decision:
			return store.Reply{Status: 200, Body: []byte(o.Call)}, nil
		case store.SessionInfo:
			return store.Reply{Status: 201, Body: []byte(o.ID + " of " + o.Principal)}, nil
		case store.Approval:
			return store.Reply{Status: 201, Body: []byte(o.State)}, nil
		}
		return store.Reply{}, fmt.Errorf("unexpected %T", outcome)
	}}
}

// Every write that carries a request out keeps the reply with what it writes, and
// writes nothing when the request has a reply.
func requestWritten(t *testing.T, s *suite) {
	s.create(t, "ann", "s")
	length := func() int64 {
		info, err := s.Session(t.Context(), "s")
		must(t, err)
		return info.Length
	}
	record := func(x *store.Settlement) store.Record {
		r := call("s", "c1", remit.Ask)
		r.Settles = x
		return r
	}
	questions := []string{s.ask(t, "s", "c1", 0).ID, s.ask(t, "s", "c1", 0).ID}

	writes := []struct {
		name, body string
		write      func(x *store.Settlement, time int) error
	}{
		{"create", "n0 of ann", func(x *store.Settlement, time int) error {
			_, err := s.Create(t.Context(), store.Creation{ID: fmt.Sprint("n", time), Principal: "ann", Settles: x})
			return err
		}},
		{"append", "c1", func(x *store.Settlement, _ int) error { return s.Append(t.Context(), "s", length(), record(x)) }},
		// By now some stores append in another way.
		{"append again", "c1", func(x *store.Settlement, _ int) error { return s.Append(t.Context(), "s", length(), record(x)) }},
		{"relaxed append", "c1", func(x *store.Settlement, _ int) error { return s.AppendRelaxed(t.Context(), "s", length(), record(x)) }},
		{"ask", "pending", func(x *store.Settlement, _ int) error {
			_, err := s.Ask(t.Context(), store.Question{Decision: decision("s", "c1"), Settles: x})
			return err
		}},
		{"answer", "approved", func(x *store.Settlement, time int) error {
			_, err := s.Answer(t.Context(), questions[time], store.Answer{Approve: true, Settles: x})
			return err
		}},
	}
	for _, w := range writes {
		x := settles(w.name)
		must(t, w.write(x, 0))
		got, err := s.open(t).Reply(t.Context(), x.Request)
		must(t, err)
		if got == nil || string(got.Body) != w.body {
			t.Fatalf("%s: the reply is %+v", w.name, got)
		}
	}
	before := string(export(t, s))
	for _, w := range writes {
		if err := w.write(settles(w.name), 1); !errors.Is(err, store.ErrAnswered) {
			t.Errorf("%s a second time: %v", w.name, err)
		}
	}
	if after := string(export(t, s)); after != before {
		t.Errorf("requests that had a reply were carried out:\n%s\nthen\n%s", before, after)
	}
	// A reply that can't be made keeps everything from being written.
	broken := errors.New("no reply")
	for _, w := range writes {
		x := settles(w.name + " broken")
		x.Reply = func(any) (store.Reply, error) { return store.Reply{}, broken }
		is(t, w.write(x, 1), broken)
	}
	if after := string(export(t, s)); after != before {
		t.Error("what has no reply was written")
	}
	must(t, s.Append(t.Context(), "s", length(), record(nil)))
	verified(t, s)
}

func requestExpired(t *testing.T, s *suite) {
	reply := store.Reply{Status: 204}
	for i := range 120 {
		must(t, s.Settle(t.Context(), request(fmt.Sprint(i), "old"), reply))
	}
	s.pass(store.RequestLife - time.Second)
	_, err := s.Reply(t.Context(), request("119", "new"))
	is(t, err, store.ErrReused)
	s.pass(time.Second)
	for i := range 120 { // in the middle of it, those that are left are cleared away
		got, err := s.Reply(t.Context(), request(fmt.Sprint(i), "new"))
		if got != nil || err != nil {
			t.Fatalf("request %d: got %v, %v after its life", i, got, err)
		}
		must(t, s.Settle(t.Context(), request(fmt.Sprint(i), "new"), reply))
	}
}

// Of several replicas that carry a request out at a time, one writes.
func requestRace(t *testing.T, s *suite) {
	replicas := []store.Store{s.Store, s.open(t)}
	results := make(chan error, 8)
	for i := range cap(results) {
		go func() {
			_, err := replicas[i%2].Create(t.Context(), store.Creation{ID: fmt.Sprint("s", i), Principal: "ann", Settles: settles("k")})
			results <- err
		}()
	}

	won := 0
	for range cap(results) {
		switch err := <-results; {
		case err == nil:
			won++
		case !errors.Is(err, store.ErrAnswered):
			t.Error(err)
		}
	}

	list, err := s.Sessions(t.Context(), "", 10)
	must(t, err)
	if won != 1 || len(list) != 1 {
		t.Errorf("%d carried it out, and there are %d sessions", won, len(list))
	}
	verified(t, s)
}

func prunedCreation(t *testing.T, s *suite) {
	for _, id := range []string{"old", "new"} {
		s.pass(time.Hour)
		_, err := s.Create(t.Context(), store.Creation{ID: id, Principal: "ann", Tools: json.RawMessage(`["` + id + `"]`)})
		must(t, err)
	}
	n, err := s.Prune(t.Context(), s.now())
	must(t, err)
	equal(t, "pruned", n, 1)
	_, err = s.Tools(t.Context(), "old")
	is(t, err, store.ErrNotFound)
	got, err := s.Tools(t.Context(), "new")
	must(t, err)
	equal(t, "tools", string(got), `["new"]`)
	_, err = s.Create(t.Context(), store.Creation{ID: "old", Principal: "ann"})
	is(t, err, store.ErrExists)
	verified(t, s)
}
