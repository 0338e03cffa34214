package guard_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// typical are the rules of a typical tool.
var typical = []string{
	`args.items.size() <= 5`,
	`args.items.all(i, i.quantity > 0 && i.quantity <= 100)`,
	`args.items.map(i, i.quantity * i.price).sum() == args.total`,
	`args.method != "invoice" || args.total >= 100`,
	`args.customer.startsWith("c")`,
	`!has(args.note) || args.note.size() <= 200`,
	`date(args.ship_on) > now`,
	`date(args.ship_on) - now < duration("720h")`,
	`args.total <= 5000`,
	`!has(args.gift) || !args.gift || args.method == "gift_card"`,
}

// BenchmarkEvaluate decides a call by ten rules that look nothing up.
func BenchmarkEvaluate(b *testing.B) {
	g := rules(b, typical...)
	r := request(call)
	if got := g.Evaluate(b.Context(), r); len(got.Violations) != 0 {
		b.Fatalf("got %+v", got)
	}
	b.ReportAllocs()
	for b.Loop() {
		g.Evaluate(b.Context(), r)
	}
}

// BenchmarkLoad reads and compiles the rules of a thousand tools, ten each, and
// reports the memory that one rule keeps.
func BenchmarkLoad(b *testing.B) {
	const tools, items = 1000, 10
	var definitions bytes.Buffer
	definitions.WriteString(`{"tools":[`)
	texts := make([][]byte, tools)
	for i := range tools {
		if i > 0 {
			definitions.WriteByte(',')
		}
		fmt.Fprintf(&definitions, `{"name":"update_%d","inputSchema":{"type":"object","required":["id","amount"],"properties":{"id":{"type":"string"},"amount":{"type":"number"},"kind":{"type":"string","enum":["a","b"]},"days":{"type":"integer"},"notes":{"type":"array","items":{"type":"string"}}}}}`, i)
		texts[i] = fmt.Appendf(nil, "tool: update_%d\npolicies:\n", i)
		for j := range items {
			texts[i] = fmt.Appendf(texts[i], "  - {name: r%d, references: [The sentence of the policy.], require: '%s', message: It is not allowed.}\n", j, []string{
				`args.amount <= %d`, `args.kind == "a" || args.amount < %d`, `!has(args.days) || args.days <= %d`, `!has(args.notes) || args.notes.all(n, n.size() < %d)`, `session.calls("update_1").size() < %d`,
			}[j%5])
			texts[i] = fmt.Appendf(nil, string(texts[i]), i+j+1)
		}
	}
	definitions.WriteString(`]}`)
	c, err := schema.ParseMCP("shop", definitions.Bytes())
	must(b, err)
	scope := guard.Deployment{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}}
	var set *guard.Set
	load := func() {
		files := make([]*guard.File, tools)
		for i, text := range texts {
			if files[i], err = guard.Load("x.yaml", text); err != nil {
				b.Fatal(err)
			}
		}
		if set, err = guard.Compile(files, scope); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		load()
	}
	var before, after runtime.MemStats
	set = nil
	runtime.GC()
	runtime.ReadMemStats(&before)
	load()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(set)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(tools*items), "bytes/rule")
}
