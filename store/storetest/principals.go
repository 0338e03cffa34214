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

func created(t *testing.T, s *suite) {
	s.begin(t, "gateway")
	tools := json.RawMessage(`[{"server":"mail"}]`)
	info, err := s.Create(t.Context(), store.Creation{ID: "s", Principal: "ann", Tools: tools})
	must(t, err)
	equal(t, "session", info, store.SessionInfo{ID: "s", Principal: "ann", Begun: s.now(), Active: s.now()})
	if got := records(t, s.Read(t.Context(), "s", 0)); len(got) != 0 {
		t.Errorf("it begins with %s", show(got))
	}
	verified(t, s)
	for _, id := range []string{"s", "gateway"} {
		_, err = s.Create(t.Context(), store.Creation{ID: id, Principal: "bob"})
		is(t, err, store.ErrExists)
	}
	for _, c := range []store.Creation{{Principal: "ann"}, {ID: "x"}, {ID: strings.Repeat("x", store.MaxID+1), Principal: "ann"},
		{ID: "x", Principal: "ann", Tools: make([]byte, store.MaxTools+1)}} {
		_, err = s.Create(t.Context(), c)
		is(t, err, store.ErrInvalid)
	}
	must(t, s.Append(t.Context(), "s", 0, said("hello")))
	info, err = s.Session(t.Context(), "s")
	must(t, err)
	equal(t, "session", info, store.SessionInfo{ID: "s", Length: 1, Principal: "ann", Begun: s.now(), Active: s.now()})
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

func createRace(t *testing.T, s *suite) {
	replicas := []store.Store{s.Store, s.open(t)}
	results := make(chan error, 8)
	for i := range cap(results) {
		go func() {
			_, err := replicas[i%2].Create(t.Context(), store.Creation{ID: "s", Principal: fmt.Sprint(i)})
			results <- err
		}()
	}
	won := 0
	for range cap(results) {
		switch err := <-results; {
		case err == nil:
			won++
		case !errors.Is(err, store.ErrExists):
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d created it", won)
	}
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
	// What was asked before can still be settled.
	must(t, s.Cancel(t.Context(), a.ID))
	_, err := s.End(t.Context(), "nowhere")
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
	got, err := s.Accept(t.Context(), r)
	must(t, err)
	if got != nil {
		t.Fatalf("a new request has the reply %+v", got)
	}
	var underway *store.UnderwayError
	if _, err := s.open(t).Accept(t.Context(), r); !errors.As(err, &underway) || !underway.Since.Equal(s.now()) {
		t.Errorf("got %v while it is underway", err)
	}
	want := store.Reply{Status: 201, Header: map[string]string{"Location": "/ä"}, Body: []byte("\x00\xff<>")}
	must(t, s.Settle(t.Context(), r, want))
	for _, replica := range []store.Store{s.Store, s.open(t)} {
		got, err := replica.Accept(t.Context(), r)
		must(t, err)
		equal(t, "reply", *got, want)
	}
	_, err = s.Accept(t.Context(), request("k", "do that"))
	is(t, err, store.ErrReused)
	is(t, s.Settle(t.Context(), r, want), store.ErrNotFound)
	is(t, s.Release(t.Context(), r), store.ErrNotFound)
	// Another's key of the same name, and a name that another's ends like.
	for _, other := range []store.Request{{Principal: "bob", Key: "k"}, {Principal: "an", Key: "nk"}} {
		if got, err := s.Accept(t.Context(), other); got != nil || err != nil {
			t.Errorf("%+v: got %v, %v", other, got, err)
		}
	}
	for _, key := range []string{"", strings.Repeat("k", store.MaxKey+1)} {
		_, err := s.Accept(t.Context(), request(key, ""))
		is(t, err, store.ErrInvalid)
	}
}

func requestReleased(t *testing.T, s *suite) {
	_, err := s.Accept(t.Context(), request("k", "one"))
	must(t, err)
	must(t, s.Release(t.Context(), request("k", "one")))
	got, err := s.Accept(t.Context(), request("k", "another"))
	if got != nil || err != nil {
		t.Errorf("got %v, %v after it was released", got, err)
	}
}

func requestExpired(t *testing.T, s *suite) {
	for i := range 120 { // more than one request clears away
		_, err := s.Accept(t.Context(), request(fmt.Sprint(i), "old"))
		must(t, err)
	}
	s.pass(store.RequestLife - time.Second)
	_, err := s.Accept(t.Context(), request("119", "new"))
	is(t, err, store.ErrReused)
	s.pass(time.Second)
	for i := range 120 {
		got, err := s.Accept(t.Context(), request(fmt.Sprint(i), "new"))
		if got != nil || err != nil {
			t.Fatalf("request %d: got %v, %v after its life", i, got, err)
		}
	}
}

func requestRace(t *testing.T, s *suite) {
	replicas := []store.Store{s.Store, s.open(t)}
	results := make(chan error, 8)
	for i := range cap(results) {
		go func() {
			_, err := replicas[i%2].Accept(t.Context(), request("k", "do it"))
			results <- err
		}()
	}
	won := 0
	for range cap(results) {
		var underway *store.UnderwayError
		switch err := <-results; {
		case err == nil:
			won++
		case !errors.As(err, &underway):
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d were to carry it out", won)
	}
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
