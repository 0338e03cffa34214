package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// attempts reads results from a list of look-ups, and fails where it has none.
type attempts []guard.Lookup

func (a attempts) Read(_ context.Context, _, tool string, arguments json.RawMessage) (*guard.Result, error) {
	i := slices.IndexFunc(a, func(l guard.Lookup) bool { return l.Tool == tool && string(l.Arguments) == string(arguments) })
	if i < 0 {
		return nil, errors.New("it is not there")
	}
	return a[i].Result, nil
}

// TestDirectDecisions: decisions on calls of a service desk are those that cel-go alone makes,
// whatever is called, said, looked up and missing.
func TestDirectDecisions(t *testing.T) {
	set, r := rental(t)
	plain, _ := rental(t)
	guard.ByCEL(plain)
	pick := func(t *rapid.T, name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }

	rapid.Check(t, func(t *rapid.T) {
		r := r
		list := func(name string) []string {
			return rapid.SliceOfN(rapid.SampledFrom([]string{"g1", "g2", "g8", "g9", ""}), 0, 3).Draw(t, name)
		}
		args, err := json.Marshal(map[string]any{
			"gear_ids": list("gear"), "new_gear_ids": list("new"), "pay_with": pick(t, "pay", "voucher_2", "card_1", "cash"), "rental_id": pick(t, "rental", "R100", "R101"),
		})
		if err != nil {
			t.Fatal(err)
		}
		r.Arguments = args
		if rapid.Bool().Draw(t, "as it was") {
			r.Arguments = json.RawMessage(`{"rental_id":"R100","gear_ids":["g1"],"new_gear_ids":["g9"],"pay_with":"voucher_2"}`)
		}
		r.Tool = pick(t, "tool", "swap_gear", "swap_gear", "change_gear", "return_gear", "find_member")

		entries := r.History.Entries[:rapid.IntRange(0, len(r.History.Entries)).Draw(t, "entries")]
		if said := pick(t, "said", "", "Yes, do it.", "No.", "Why?", "Not the voucher."); said != "" {
			entries = append(entries[:len(entries):len(entries)], guard.Entry{Kind: guard.UserEntry, Text: said})
		}
		if rapid.IntRange(0, 9).Draw(t, "runs") == 0 {
			entries = append(entries[:len(entries):len(entries)], guard.Entry{Kind: guard.CallEntry, Call: &guard.Call{Server: "desk", Tool: r.Tool, Arguments: r.Arguments}})
		}

		facts := *r.Recorded
		facts.Lookups = facts.Lookups[:rapid.IntRange(0, len(facts.Lookups)).Draw(t, "look-ups")]
		r.History = &guard.History{Entries: entries}
		r.Recorded = &facts
		if rapid.Bool().Draw(t, "kept") {
			r.History.Remember()
		}
		if rapid.IntRange(0, 3).Draw(t, "failed") == 0 {
			facts.Lookups = append(facts.Lookups[:len(facts.Lookups):len(facts.Lookups)], guard.Lookup{Server: "desk", Tool: "get_member", Arguments: json.RawMessage(`{"member_id":"m7"}`), Error: "the service is away"})
		}

		if diff := cmp.Diff(plain.Recall(r), set.Recall(r)); diff != "" {
			t.Fatalf("by the record (-cel +direct):\n%s", diff)
		}
		r.Recorded, r.Reader = nil, attempts(facts.Lookups)
		if diff := cmp.Diff(plain.Evaluate(t.Context(), r), set.Evaluate(t.Context(), r)); diff != "" {
			t.Fatalf("by looking up (-cel +direct):\n%s", diff)
		}
	})
}

// TestUnplanned: a rule of which cel-go makes no program fails, also where what it can't make
// is never looked at.
func TestUnplanned(t *testing.T) {
	for _, rule := range []string{`true || dyn(args)[null]`, `true || dyn(args)[2.5]`} {
		if got := rules(t, rule).Evaluate(t.Context(), request(call)); len(got.Violations) != 1 || got.Violations[0].Failed == "" {
			t.Errorf("%s: got %+v", rule, got)
		}
	}
}

// TestDirectExamples: the examples of the repository's guards end as they do by cel-go alone.
func TestDirectExamples(t *testing.T) {
	for of, dir := range map[string]string{"airline/airline.json": "airline/guards", "clinic/tools.json": "clinic/policy/guards"} {
		data, err := os.ReadFile(filepath.Join("../examples", of))
		must(t, err)
		c, err := schema.ParseMCP("desk", data)
		must(t, err)
		files, err := guard.LoadDir(os.DirFS(filepath.Join("../examples", dir)))
		must(t, err)
		results := func(change func(*guard.Set)) (out []guardtest.Result) {
			set, err := guard.Compile(files, guard.Deployment{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}})
			if set == nil {
				t.Fatal(err)
			}
			change(set)
			for _, g := range set.Guards() {
				out = append(out, guardtest.Run(t.Context(), g)...)
			}
			for i := range out {
				out[i].Took = 0
			}
			return out
		}

		direct := results(func(*guard.Set) {})
		if !slices.ContainsFunc(direct, guardtest.Result.Passed) {
			t.Errorf("%s: no example passes", dir)
		}
		if diff := cmp.Diff(results(guard.ByCEL), direct); diff != "" {
			t.Errorf("%s (-cel +direct):\n%s", dir, diff)
		}
	}
}
