package guard_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
)

// TestOriginsThatNoToolHas writes rules about origins that there are, and about some
// that there aren't: those would hold for every call.
func TestOriginsThatNoToolHas(t *testing.T) {
	for condition, mistake := range map[string]string{
		`"shop.order" in label(args.method).origins`:                                       "",
		`!(origin.user in label(args.method).origins) || "unknown" in label(args).origins`: "",
		`label(args.method).origins == ["user"] || args.customer in ["shop.hr"]`:           "",
		`label(args.method).origins.all(o, o != "shop.get_customer")`:                      "",
		`["shop.hr"].exists(o, o == args.method)`:                                          "",
		`!("shop.hr" in label(args.method).origins)`:                                       `"shop.hr"`,
		`!("shop.ordre" in label(args.method).origins)`:                                    `did you mean shop.order?`,
		`label(args.method).origins == ["user", "shop.hr"]`:                                `"shop.hr"`,
		`label(args.method).origins[0] == "shop.hr"`:                                       `"shop.hr"`,
		`label(args.method).origins.all(o, o != "shop.hr")`:                                `"shop.hr"`,
		`label(args.method).origins.exists(o, o in ["user", "shop.hr"])`:                   `"shop.hr"`,
		`label(args.method).origins.filter(o, o != origin.user).exists(o, "shop.hr" == o)`: `"shop.hr"`,
		`!["shop.hr", "shop.order"].exists(o, o in label(args.method).origins)`:            `"shop.hr"`,
		`!sets.intersects(label(args.method).origins, ["shop.hr"])`:                        `"shop.hr"`,
		`!cel.bind(o, label(args.method).origins, "shop.hr" in o)`:                         `"shop.hr"`,
		`[label(args.method), label(args.customer)].all(l, !("shop.hr" in l.origins))`:     `"shop.hr"`,
		`args.items.all(i, !("shop.hr" in label(i.sku).origins))`:                          `"shop.hr"`,
	} {
		f, err := guard.Load("order.yaml", fmt.Appendf(nil, "tool: order\npolicies:\n  - {name: r, require: %q, message: no}\n", condition))
		must(t, err)
		_, err = guard.Compile([]*guard.File{f}, shop(t))
		var mistakes guard.Errors
		switch {
		case mistake == "" && err != nil:
			t.Errorf("%s: %v", condition, err)
		case mistake != "" && (!errors.As(err, &mistakes) || len(mistakes) != 1 || !strings.Contains(err.Error(), mistake)):
			t.Errorf("%s: the mistakes are %v", condition, err)
		}
	}
}

// TestVariablesHoldOrigins keeps the origins in variables, which two rules have by the
// same name and type for other things.
func TestVariablesHoldOrigins(t *testing.T) {
	const text = `tool: order
policies:
  - {name: words, variables: {words: '["shop.hr"]'}, require: '"shop.hr" in words', message: no}
  - {name: origins, variables: {all: 'label(args.method)', words: all.origins}, require: '!("shop.hr" in words)', message: no}
`
	f, err := guard.Load("order.yaml", []byte(text))
	must(t, err)
	_, err = guard.Compile([]*guard.File{f}, shop(t))
	var mistakes guard.Errors
	if !errors.As(err, &mistakes) || len(mistakes) != 1 || mistakes[0].Position.Line != 4 {
		t.Errorf("the mistakes are %v", err)
	}
}

// TestOriginsThatWereNotKept has a value of more origins than a store keeps names of:
// nothing can be said of it, and no rule holds.
func TestOriginsThatWereNotKept(t *testing.T) {
	g := rules(t, `!("shop.get_customer" in label(args.method).origins)`, `label(args.method).trust >= USER`, `args.method == "card"`)
	r := request(call)
	leaves := r.Labels()
	for i := range leaves {
		if leaves[i].Pointer == "/method" {
			leaves[i].Origins = []string{"user", label.OriginMore.String()}
		}
	}
	r.Labels = func() []guard.LabeledValue { return leaves }
	out := g.Evaluate(t.Context(), r)
	if len(out.Violations) != 2 || !strings.Contains(out.Violations[0].Failed, "more origins") || out.Violations[1].Failed == "" {
		t.Errorf("the violations are %+v", out.Violations)
	}
}
