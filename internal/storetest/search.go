package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// saying returns the ids of the sessions that say a text, in order.
func saying(t *testing.T, s store.Store, text string) []string {
	t.Helper()
	list, err := s.Find(t.Context(), store.Filter{Whose: store.Whose{Everybody: true}, Text: text}, 0)
	must(t, err)
	out := []string{}
	for _, f := range list {
		out = append(out, f.ID)
	}
	slices.Sort(out)
	return out
}

// odd returns a text of so many different characters that no index lists them all.
func odd() string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range 90_000 {
		b.WriteRune(rune(0x4e00 + random.IntN(20_000)))
	}
	return b.String()
}

// searched looks for the same texts while the index has nothing, all, and a part, also
// after sessions have gone on and were pruned.
func searched(t *testing.T, s *suite) {
	must(t, s.Append(t.Context(), "fox", 0, said("The quick brown FOX"), said("say \"Zoë\"\nback\\slash 100%_ <b>")))
	must(t, s.Append(t.Context(), "long", 0, said(strings.Repeat("lorem ipsum ", 9_000)+"needle-one"), said(strings.Repeat("dolor ", 20_000)), said("needle-two")))
	must(t, s.Append(t.Context(), "odd", 0, said(odd()+"needle-three")))
	s.begin(t, "needle-id")
	s.create(t, "ann", "needle-bare")

	want := map[string][]string{
		"quick brown": {"fox"}, "QUICK BROWN": {"fox"}, "fox": {"fox"}, "say \"zoë\"\nback\\SLASH": {"fox"}, "100%_": {"fox"}, "100__": {}, "<b>": {"fox"},
		"needle-one": {"long"}, "needle-two": {"long"}, "needle-three": {"odd"}, "needle-four": {}, "needle-id": {"needle-id"}, "needle-": {"long", "needle-bare", "needle-id", "odd"},
		"needle-one needle-two": {}, "ox": {"fox"}, "m i": {"long"}, "quick fox": {}, "dolor dolor": {"long"}, "ö": {},
	}
	check := func(when string) {
		t.Helper()
		for text, ids := range want {
			equal(t, fmt.Sprintf("%s: %q", when, text), saying(t, s, text), ids)
		}
	}
	index := func(s store.Store) func() { return func() { must(t, s.Index(t.Context())) } }
	for _, step := range []struct {
		when string
		do   func()
	}{
		{"before", func() {}},
		{"indexed", index(s)},
		{"gone on", func() {
			must(t, s.Append(t.Context(), "fox", 2, said("jumps over needle-four")))
			must(t, s.Append(t.Context(), "needle-bare", 0, said("needle-four at last")))
			want["needle-four"] = []string{"fox", "needle-bare"}
			want["needle-"] = append([]string{"fox"}, want["needle-"]...)
		}},
		{"indexed by another replica", index(s.open(t))},
		{"with nothing new", index(s)},
		{"opened again", func() { must(t, s.Close()); s.Store = s.open(t) }},
		{"pruned", func() {
			s.pass(time.Hour)
			must(t, s.Append(t.Context(), "odd", 1, said("still here")))
			n, err := s.Prune(t.Context(), s.now())
			must(t, err)
			equal(t, "pruned", n, 4)
			for text, ids := range want {
				want[text] = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id != "odd" })
			}
		}},
		{"and indexed", index(s)},
		{"begun anew", func() {
			must(t, s.Append(t.Context(), "new", 0, said("needle-two")))
			want["needle-two"], want["needle-"] = []string{"new"}, []string{"new", "odd"}
		}},
		{"and indexed again", index(s)},
	} {
		step.do()
		check(step.when)
	}
	verified(t, s)
}

// indexedTogether writes to sessions while two replicas index them: nothing is lost, and
// no append fails.
func indexedTogether(t *testing.T, s *suite) {
	const sessions, events = 4, 25
	stores := []store.Store{s.Store, s.open(t)}
	var all sync.WaitGroup
	done := make(chan struct{})
	for _, st := range stores {
		all.Go(func() {
			for {
				if err := st.Index(t.Context()); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}

	var writers sync.WaitGroup
	for n := range sessions {
		writers.Go(func() {
			for seq := range events {
				r := store.Record{Event: remit.Event{Kind: remit.UserEvent, Time: noon, Text: fmt.Sprintf("mark-%d-%d.", n, seq)}}
				if err := stores[n%2].Append(t.Context(), fmt.Sprintf("s%d", n), int64(seq), r); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	close(done)
	all.Wait()

	must(t, s.Index(t.Context()))
	for n := range sessions {
		for seq := range events {
			equal(t, fmt.Sprint(n, seq), saying(t, s, fmt.Sprintf("mark-%d-%d.", n, seq)), []string{fmt.Sprintf("s%d", n)})
		}
	}
	verified(t, s)
}
