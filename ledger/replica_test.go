package ledger_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// watched is a store that notes from where logs are read.
type watched struct {
	store.Store
	from []int64
}

func (w *watched) Read(ctx context.Context, session string, from int64) iter.Seq2[store.Record, error] {
	w.from = append(w.from, from)
	return w.Store.Read(ctx, session, from)
}

// TestInterleaved takes each step of a session to any of three replicas: what is
// decided is what one monitor alone decides. Replicas read what is new to them,
// and the beginning once.
func TestInterleaved(t *testing.T) {
	m := monitor(t, contracts, remit.Options{})
	name := sqlite(t)
	var stores [3]*watched
	var ledgers [3]*ledger.Ledger
	for i := range stores {
		stores[i] = &watched{Store: open(t, name)}
		ledgers[i] = ledger.New(stores[i], ledger.Options{})
	}
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		id := fmt.Sprint("s", n)
		steps := script(rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "script"), 0)), rapid.IntRange(1, 12).Draw(r, "steps"))
		alone := m.Session(id)
		var replicas [3]*ledger.Session
		for i, l := range ledgers {
			s, err := l.Open(t.Context(), m, id)
			must(t, err)
			replicas[i] = s
		}
		var began [3]bool
		for i, a := range steps {
			want, err := playAlone(t.Context(), alone, a)
			must(t, err)
			k := rapid.IntRange(0, 2).Draw(r, "replica")
			stores[k].from = nil
			got, err := play(t.Context(), replicas[k], a)
			must(t, err)
			if g, w := decided(t, got), decided(t, want); g != w {
				r.Fatalf("step %d: got\n%s\nwant\n%s", i, g, w)
			}
			if began[k] && slices.Contains(stores[k].from, 0) {
				r.Fatalf("step %d: replica %d read the log from %v on", i, k, stores[k].from)
			}
			began[k] = true
		}
	})
}

// TestShortened takes the store back to a copy that was made before: the session
// is what the log says, not what was in memory.
func TestShortened(t *testing.T) {
	old, now := open(t, sqlite(t)), open(t, sqlite(t))
	s := &swapped{Store: now}
	for _, st := range []store.Store{old, now} {
		must(t, st.Append(t.Context(), "s", 0,
			store.Record{Event: remit.Event{Kind: remit.UserEvent, Text: "Write to ann@corp.example about tomorrow.", Time: noon}},
			store.Record{Event: remit.Event{Kind: remit.AttachmentEvent, Text: "hello", Time: noon}}))
	}
	session, err := ledger.New(s, ledger.Options{}).Open(t.Context(), monitor(t, contracts, remit.Options{}), "s")
	must(t, err)
	must(t, session.User(t.Context(), "Or to bob@corp.example."))
	s.Store = old
	verdict(t, session, send("c1", "bob@corp.example"), remit.Ask)
	verdict(t, session, send("c2", "ann@corp.example"), remit.Allow)
}

// swapped is a store that becomes another one.
type swapped struct{ store.Store }
