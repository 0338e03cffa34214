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

// run makes the mutants of a rule with its examples.
func run(t *testing.T, require, examples string) *mutation.Result {
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
	r, err := mutation.Run(t.Context(), set.Guards()[0])
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
			// No example tells: everything survives, and can be looked at. The
			// rule is not held by one that it doesn't pass, hence the two.
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
