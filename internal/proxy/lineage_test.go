package proxy

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit"
)

// However the user's words and the looks at them follow one another, the keys that are
// kept are those of all words so far.
func TestOwnWordsAreThoseOfAllTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &lineage{}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			text := rapid.StringMatching(`([a-c]{1,3}[ .,]){0,12}`).Draw(t, "text")
			l.hear(remit.Event{Kind: remit.UserEvent, Text: text})
			if !rapid.Bool().Draw(t, "look") {
				continue
			}

			owner := rapid.Uint64Range(1, 2).Draw(t, "owner")
			want := map[uint64]bool{}
			for _, u := range l.users {
				phrases(owner, u, want)
			}
			if got := l.own(owner); !maps.Equal(got, want) {
				t.Fatalf("after %q there are %d keys, want %d", l.users, len(got), len(want))
			}
		}
	})
}

// A place of a conversation is told by every turn before it, and by its seed.
func TestPlacesAreTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turns := rapid.SliceOfN(rapid.SampledFrom([]string{`{"role":"user","content":"a"}`, `{"content":"a","role":"system"}`, `{"role":"developer"}`, `{}`}), 0, 5)
		a, b := turns.Draw(t, "turns"), turns.Draw(t, "other turns")
		x, y := located(a), located(b)
		for i := range min(len(a), len(b)) {
			same := x.before[i] == y.before[i] && a[i] == b[i]
			if (x.before[i+1] == y.before[i+1]) != same {
				t.Fatalf("%q and %q have the same place after turn %d: %v", a, b, i, !same)
			}
			sameSpoken := x.spoken[i] == y.spoken[i] && (a[i] == b[i] || x.system[i] && y.system[i])
			if !sameSpoken && x.spoken[i] == y.spoken[i] && x.spoken[i+1] == y.spoken[i+1] {
				t.Fatalf("%q and %q sound alike after turn %d", a, b, i)
			}
		}
		for i, turn := range a {
			if want := turn == `{"content":"a","role":"system"}` || turn == `{"role":"developer"}`; x.system[i] != want {
				t.Fatalf("%s is the deployment's: %v", turn, x.system[i])
			}
		}
	})
}

func located(turns []string) *reader {
	r := &reader{req: &request{}}
	for _, turn := range turns {
		r.req.turns = append(r.req.turns, []byte(turn))
	}
	r.locate(hashParts([]byte("all")), hashParts([]byte("spoken")))
	return r
}
