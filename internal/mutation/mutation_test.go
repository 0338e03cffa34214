package mutation_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/mutation"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// rule is a guard with one policy and its examples.
func rule(t *testing.T, require, examples string) *guard.Guard {
	t.Helper()
	data, err := os.ReadFile("../../guard/testdata/shop.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := schema.Parse("shop.json", data)
	if err != nil {
		t.Fatal(err)
	}
	f, err := guard.Load("order.yaml", []byte("tool: order\npolicies:\n  - name: r\n    message: m\n    require: |\n      "+require+"\n    examples:\n"+examples))
	if err != nil {
		t.Fatal(err)
	}
	set, err := guard.Compile([]*guard.File{f}, guard.Deployment{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}})
	if err != nil {
		t.Fatal(err)
	}
	return set.Guards()[0]
}

// run makes the mutants of a rule with its examples.
func run(t *testing.T, require, examples string) *mutation.Result {
	t.Helper()
	r, err := mutation.Run(t.Context(), rule(t, require, examples))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// example is one line of examples, with more arguments after the total.
func example(name, expect, args string) string {
	return "      - {name: " + name + ", expect: " + expect + ", now: 2026-03-01T12:00:00Z, args: {customer: c1, items: [], " + args + "}}\n"
}

// TestChanges makes the mutants of expressions: each kind of slip is there.
func TestChanges(t *testing.T) {
	for name, c := range map[string]struct {
		require string
		want    []string
	}{
		"bounds":      {`args.total < 5`, []string{"args.total <= 5", "args.total > 5", "args.total < 6", "args.total < 4", "!(args.total < 5)"}},
		"equality":    {`args.method == "card"`, []string{`args.method != "card"`}},
		"operands":    {`args.total < 5 && args.gift`, []string{"args.total < 5", "args.gift", "args.total < 5 || args.gift", "!(args.total < 5) && args.gift", "args.total < 5 && !args.gift"}},
		"negation":    {`!args.gift`, []string{"args.gift"}},
		"loops":       {`args.items.all(i, i.quantity > 0)`, []string{"args.items.exists(i, i.quantity > 0)", "args.items.all(i, i.quantity >= 0)"}},
		"fields":      {`args.customer == args.ship_on`, []string{"args.method == args.ship_on", "args.customer == args.method"}},
		"spans":       {`date(args.ship_on) - now > duration("1h")`, []string{`date(args.ship_on) - now > duration("1h0m1s")`, `date(args.ship_on) - now > duration("59m59s")`, `date(args.ship_on) - now >= duration("1h")`}},
		"arithmetic":  {`args.total + 1 > args.total * 2`, []string{"args.total - 1 > args.total * 2", "args.total + 1 > args.total / 2"}},
		"conditions":  {`args.gift ? args.total < 5 : true`, []string{"!args.gift ? (args.total < 5) : true", "args.gift ? (args.total < 5) : false"}},
		"memberships": {`args.method in ["card"]`, []string{`!(args.method in ["card"])`}},
		"optionals":   {`args.?gift.orValue(false)`, []string{`args.?gift.orValue(true)`}},
	} {
		t.Run(name, func(t *testing.T) {
			// No example notices: everything survives, and can be looked at. The rule is not held
			// by one that it doesn't pass, hence the two.
			var texts []string
			for _, expect := range []string{"allow", "deny"} {
				r := run(t, c.require, example("a", expect, `total: 1, gift: true, method: card, ship_on: "2026-03-02"`))
				for _, m := range r.Mutants {
					texts = append(texts, m.Text)
				}
			}
			for _, want := range c.want {
				if !slices.Contains(texts, want) {
					t.Errorf("there is no %s among\n%s", want, strings.Join(texts, "\n"))
				}
			}
			if slices.Contains(texts, c.require) {
				t.Error("a mutant is the rule itself")
			}
		})
	}
}

// TestFates kills mutants by examples at the boundary, and names values for
// those that survive.
func TestFates(t *testing.T) {
	few := run(t, "args.total < 5", example("small", "allow", "total: 1")+example("large", "deny", "total: 100"))
	var survivors []string
	for _, m := range few.Mutants {
		if m.Fate == mutation.Survived {
			survivors = append(survivors, m.Text)
			if m.Apart == nil || m.Apart.Rule == m.Apart.Mutant || !strings.HasPrefix(m.Apart.Where, "args/total") {
				t.Errorf("%s is told apart by %+v", m.Text, m.Apart)
			}
		}
	}
	if want := []string{"args.total <= 5", "args.total < 6", "args.total < 4"}; !slices.Equal(survivors, want) {
		t.Errorf("survivors %q, want %q", survivors, want)
	}
	if got := mutation.Score(few.Mutants); got <= 0 || got >= 1 {
		t.Errorf("score %v", got)
	}
	all := run(t, "args.total < 5", example("below", "allow", "total: 4.99")+example("at it", "deny", "total: 5"))
	if mutation.Score(all.Mutants) != 1 || len(all.Mutants) == 0 {
		t.Errorf("score %v of %d", mutation.Score(all.Mutants), len(all.Mutants))
	}
}

// TestCrashes: a mutant that only fails is not killed.
func TestCrashes(t *testing.T) {
	r := run(t, "!has(args.note) || args.note.size() < 3", example("without", "allow", "total: 1"))
	crashed := 0
	for _, m := range r.Mutants {
		if m.Text == "args.note.size() < 3" {
			crashed++
			if m.Fate != mutation.Crashed {
				t.Errorf("%s %s", m.Text, m.Fate)
			}
		}
	}
	if crashed != 1 {
		t.Errorf("got %+v", r.Mutants)
	}
}

// TestSkipped: a rule that its own examples contradict has no mutants.
func TestSkipped(t *testing.T) {
	r := run(t, "args.total < 5", example("wrong", "deny", "total: 1"))
	if len(r.Mutants) != 0 || !slices.Equal(r.Skipped, []string{"r"}) {
		t.Errorf("got %+v", r)
	}
}

// TestCover keeps few examples that notice as much as all of them, the preferred ones where they
// do.
func TestCover(t *testing.T) {
	all := example("small", "allow", "total: 1") + example("at most", "allow", "total: 4.99") + example("at it", "deny", "total: 5") +
		example("more", "deny", "total: 6") + example("a lot", "deny", "total: 100")
	with := func(example, items string) string { return strings.Replace(example, "items: []", "items: "+items, 1) }
	for name, c := range map[string]struct {
		require, examples string
		preferred, want   []string
	}{
		"the boundary":             {"args.total < 5", all, nil, []string{"at most", "at it"}},
		"one that notices less":    {"args.total < 5", all, []string{"a lot"}, []string{"at most", "at it"}},
		"one that notices as much": {"args.total < 5 || false", example("small", "allow", "total: 1") + example("again", "allow", "total: 1") + example("a lot", "deny", "total: 100"), []string{"again"}, []string{"again", "a lot"}},
		"both verdicts":            {"args.total < 5 || false", example("small", "allow", "total: 1") + example("again", "allow", "total: 1") + example("a lot", "deny", "total: 100"), nil, []string{"small", "a lot"}},
		"what a filter leaves out": {"args.items.filter(i, i.quantity > 2).size() < 1", example("none", "allow", "total: 1") + with(example("few", "allow", "total: 1"), "[{sku: a, quantity: 2}]") + with(example("many", "deny", "total: 1"), "[{sku: a, quantity: 3}]"), nil, []string{"few", "many"}},
		"each of a list":           {`args.method in ["card", "invoice"]`, example("one", "allow", "total: 1, method: card") + example("other", "allow", "total: 1, method: invoice") + example("again", "allow", "total: 2, method: invoice") + example("third", "deny", "total: 1, method: gift_card"), nil, []string{"one", "other", "third"}},
		"one that crashes":         {"!has(args.note) || args.note.size() < 3", example("without", "allow", "total: 1") + example("again", "allow", "total: 2") + example("long", "deny", "total: 1, note: abc"), nil, []string{"without", "long"}},
		"a rule that is not so":    {"args.total < 5", all + example("wrong", "deny", "total: 2"), nil, []string{"small", "at most", "at it", "more", "a lot", "wrong"}},
	} {
		t.Run(name, func(t *testing.T) {
			kept, err := mutation.Cover(t.Context(), rule(t, c.require, c.examples), "r", func(name string) bool { return slices.Contains(c.preferred, name) })
			if err != nil {
				t.Fatal(err)
			}
			var names, lines []string
			for _, e := range kept {
				names = append(names, e.Name)
				for line := range strings.Lines(c.examples) {
					if strings.Contains(line, "name: "+e.Name+",") {
						lines = append(lines, line)
					}
				}
			}
			if !slices.Equal(names, c.want) {
				t.Errorf("kept %q, want %q", names, c.want)
			}
			whole, part := run(t, c.require, c.examples), run(t, c.require, strings.Join(lines, ""))
			if mutation.Score(whole.Mutants) != mutation.Score(part.Mutants) {
				t.Errorf("score %v, was %v", mutation.Score(part.Mutants), mutation.Score(whole.Mutants))
			}
		})
	}
}
