package match_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// booking returns whether a call with a list of people is covered, for what a request states of them.
func booking(t testing.TB, said string, times int, is []string, final bool, people ...string) bool {
	t.Helper()
	entry := map[string]any{"tool": "book_seat", "times": times, "args": map[string]any{"/people": map[string]any{"is": is}}}
	data, err := json.Marshal(map[string]any{"calls": []any{entry}})
	if err != nil {
		t.Fatal(err)
	}
	s, refused, err := scope.Parse(data, nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}

	p := &match.Proposal{Server: "s", Tool: "book_seat", Call: "c", Irreversible: final, Role: func(string) label.Role { return label.Content }}
	for i, of := range people {
		p.Args = append(p.Args, match.Argument{Pointer: "/people/" + strconv.Itoa(i), Text: of, Role: label.Content})
	}
	_, _, ok := match.NewTask(s, said).Match(p, nil)
	return ok
}

// TestNamedInAList: a list that the user names is as they name it, where the call can't be taken back: with all of them, and nobody twice.
func TestNamedInAList(t *testing.T) {
	const both = "Prenota per Nives e Tobia."
	two := []string{"Nives", "Tobia"}
	for name, c := range map[string]struct {
		said   string
		times  int
		is     []string
		people []string
		want   bool
	}{
		"both":                           {both, 1, two, two, true},
		"in another order":               {both, 1, two, []string{"Tobia", "Nives"}, true},
		"one of them":                    {both, 1, two, []string{"Tobia"}, false},
		"one of them twice":              {both, 1, two, []string{"Nives", "Nives"}, false},
		"both, and one of them again":    {both, 1, two, []string{"Nives", "Tobia", "tobia"}, false},
		"one, twice":                     {"Prenota per Nives.", 1, two[:1], []string{"Nives", "Nives"}, false},
		"one or the other":               {"Prenota per Nives o Tobia.", 1, two, []string{"Tobia"}, true},
		"one or the other, with a comma": {"Book for either Nives, or Tobia.", 1, two, []string{"Tobia"}, true},
		"a call for each":                {both, 2, two, []string{"Tobia"}, true},
		"what the planner adds":          {"Book for my wife.", 1, []string{"my wife", "Maria"}, []string{"Maria"}, true},
		"two ways to say one":            {"Book for Ann, Ann Lee.", 1, []string{"Ann", "Ann Lee"}, []string{"Ann Lee"}, true},
		"numbers":                        {"Without rounds 3 and five.", 1, []string{"3", "5"}, []string{"3"}, false},
	} {
		if got := booking(t, c.said, c.times, c.is, true, c.people...); got != c.want {
			t.Errorf("%s: covered %v, want %v", name, got, c.want)
		}
	}
	if !booking(t, both, 1, two, false, "Tobia", "Tobia") {
		t.Error("a call that can be taken back isn't covered")
	}
}

// TestNoOtherList: of whatever lists of those whom the user names, what can't be taken back is covered for all of them alone.
func TestNoOtherList(t *testing.T) {
	people := []string{"Nives", "Tobia", "Ugo", "Ада"}
	rapid.Check(t, func(rt *rapid.T) {
		named := people[:rapid.IntRange(1, len(people)).Draw(rt, "named")]
		booked := rapid.SliceOfN(rapid.SampledFrom(people), 1, 5).Draw(rt, "booked")
		said := "Prenota per"
		for _, n := range named {
			said += " " + n + ","
		}
		isAll := slices.Equal(slices.Sorted(slices.Values(booked)), slices.Sorted(slices.Values(named)))
		if got := booking(t, said, 1, named, true, booked...); got != isAll {
			rt.Errorf("%v of %v: covered %v", booked, named, got)
		}
	})
}
