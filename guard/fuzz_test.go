package guard_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/strictjson"
)

// FuzzFile loads, compiles and runs hostile guard files: nothing panics, and
// whatever is compiled ends.
func FuzzFile(f *testing.F) {
	for _, require := range []string{"args.total < 5", "args.items.all(i, i.quantity > 0)", `tools.get_stock({"sku": "a"}).left > 0`, "lists.range(1000000).all(i, i < 0)", `[0.1, 2].sum() > decimal("1e99") * 2`, `judge("x")`, "label(args).trust > 1"} {
		text, _ := json.Marshal(require)
		f.Add([]byte("tool: order\npolicies:\n  - {name: a, require: " + string(text) + ", message: m, examples: [{name: e, expect: deny, args: {customer: c, items: [], total: 1}, given: [{judge: x, answer: true}]}]}\n"))
	}
	f.Add([]byte("tool: order\nduties: [{name: a, when: 'true', require: 'session.calls().size() > 0', message: m}]\n"))
	f.Add([]byte("tool: order\npolicies: [{name: a, variables: {x: args.total, y: x * 2}, require: >\n  y > x\n, message: m}]\n"))
	f.Add([]byte("tool: '*'\npolicies: [{name: a, require: 'call.tool == \"order\" && args.total < 5', message: m, examples: [{name: e, tool: order, expect: deny}]}]\n"))
	scope := shop(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := guard.Load("order.yaml", data)
		if err != nil {
			return
		}
		set, err := guard.Compile([]*guard.File{file}, scope)
		if set == nil {
			t.Fatal(err)
		}
		for _, g := range set.Guards() {
			guardtest.Run(context.Background(), g)
			r := request(call)
			r.Server, r.Tool = "shop", "order"
			if got := set.Evaluate(context.Background(), r); g.Err() != nil && g.Tool == guard.EveryTool && g.Server == "" && len(got.Violations) == 0 {
				t.Fatal("policies for every tool with mistakes hold")
			}
			got := g.Evaluate(context.Background(), request(call))
			if g.Err() != nil && len(got.Violations) == 0 {
				t.Fatal("a guard with mistakes holds")
			}
			g.Costs()
		}
	})
}

// FuzzArguments judges hostile arguments by rules of every kind: nothing panics,
// and what is not as the schema has it holds no rule.
func FuzzArguments(f *testing.F) {
	f.Add([]byte(call))
	f.Add([]byte(`{"customer":"","items":[],"total":1e9999}`))
	f.Add([]byte(`{"customer":"\u0000","items":[{"sku":"","quantity":9223372036854775807,"price":-1e99}],"total":0.1,"extra":{"a":"b"}}`))
	g := rules(f, append(typical[:len(typical):len(typical)], `label(args).trust >= USER`)...)
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := strictjson.Parse(data, strictjson.DefaultLimits())
		if err != nil {
			return
		}
		got := g.Evaluate(context.Background(), request(string(doc.Canonical())))
		_, read := doc.Get("/total")
		if doc.Root().Kind() != strictjson.Object && len(got.Violations) == 0 || !read && len(got.Violations) == 0 {
			t.Fatalf("%s holds", doc.Canonical())
		}
	})
}
