package guard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictjson"
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

// rental is the policies of a service desk: forty rules for four tools and for all of
// them, on records and on what was said, with a conversation in which a call may run.
func rental(t testing.TB) (*guard.Set, guard.Request) {
	t.Helper()
	data, err := os.ReadFile("testdata/rental/tools.json")
	must(t, err)
	c, err := schema.ParseMCP("desk", data)
	must(t, err)
	names, err := filepath.Glob("testdata/rental/*.yaml")
	must(t, err)
	var files []*guard.File
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		f, err := guard.Load(name, text)
		must(t, err)
		files = append(files, f)
	}
	set, err := guard.Compile(files, guard.Deployment{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}})
	must(t, err)

	const id, member, gear = `{"rental_id":"R100"}`, `{"member_id":"m7"}`, `{"model_id":"tent"}`
	results := map[string]string{
		"find_member": `{"member_id":"m7"}`,
		"get_member":  `{"member_id":"m7","name":"Ann Larsen","rentals":["R100","R101"],"payment_methods":{"card_1":{"source":"card","brand":"visa","last_four":"7447"},"voucher_2":{"source":"voucher","balance":120.5}}}`,
		"get_rental":  `{"rental_id":"R100","member_id":"m7","status":"handed out","paid_with":"card_1","gear":[{"gear_id":"g1","model_id":"tent","name":"Tent","price":40.25,"options":{"size":"two","colour":"red"}},{"gear_id":"g2","model_id":"stove","name":"Stove","price":12,"options":{"fuel":"gas"}}]}`,
		"get_model":   `{"model_id":"tent","name":"Tent","variants":{"g1":{"gear_id":"g1","options":{"size":"two","colour":"red"},"available":false,"price":40.25},"g8":{"gear_id":"g8","options":{"size":"three","colour":"red"},"available":true,"price":52.75},"g9":{"gear_id":"g9","options":{"size":"three","colour":"green"},"available":true,"price":52.75}}}`,
	}
	h := &guard.History{}
	say := func(k guard.EntryKind, text string) { h.Entries = append(h.Entries, guard.Entry{Kind: k, Text: text}) }
	look := func(tool, args string) {
		h.Entries = append(h.Entries, guard.Entry{Kind: guard.CallEntry, Call: &guard.Call{ID: tool, Server: "desk", Tool: tool,
			Arguments: json.RawMessage(args), Result: guard.ResultOf(json.RawMessage(results[tool]))}})
	}
	say(guard.UserEntry, "Hi, I rented a tent, and it is too small for us.")
	say(guard.AssistantEntry, "I can swap it. What is your e-mail address?")
	say(guard.UserEntry, "ann@larsen.example, and the rental is R100")
	look("find_member", `{"email":"ann@larsen.example"}`)
	look("get_member", member)
	look("get_rental", id)
	look("get_model", gear)
	say(guard.AssistantEntry, "I will swap in rental R100 the red tent for two for the green tent for three (12.50 more). Shall I use your Visa ending in 7447, or the voucher?")
	say(guard.UserEntry, "The voucher, please")
	say(guard.AssistantEntry, "Then I will do this for rental R100:\n- the tent for two, red\n- becomes the tent for three, green\n- 12.50 from the voucher\nDo you confirm (yes/no)?")
	say(guard.UserEntry, "Sounds good, thanks!")

	result := func(tool string) *guard.Result { return guard.ResultOf(json.RawMessage(results[tool])) }
	facts := &guard.Facts{Lookups: []guard.Lookup{
		{Server: "desk", Tool: "get_rental", Arguments: json.RawMessage(id), Result: result("get_rental")},
		{Server: "desk", Tool: "get_member", Arguments: json.RawMessage(member), Result: result("get_member")},
		{Server: "desk", Tool: "get_model", Arguments: json.RawMessage(gear), Result: result("get_model")},
	}}
	return set, guard.Request{Server: "desk", Tool: "swap_gear", Arguments: json.RawMessage(`{"rental_id":"R100","gear_ids":["g1"],"new_gear_ids":["g9"],"pay_with":"voucher_2"}`),
		History: h, Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Recorded: facts}
}

// TestRental lets the call run that was agreed to, and no other.
func TestRental(t *testing.T) {
	set, r := rental(t)
	if got := set.Recall(r); len(got.Violations) != 0 {
		t.Errorf("got %+v", got.Violations)
	}
	for policy, change := range map[string][2]string{"gear-listed": {"g9", "g8"}, "method-given": {"voucher_2", "card_1"}} {
		other := r
		other.Arguments = json.RawMessage(strings.Replace(string(r.Arguments), change[0], change[1], 1))
		if got := set.Recall(other); len(got.Violations) != 1 || got.Violations[0].Policy != policy {
			t.Errorf("%s instead of %s: %+v", change[1], change[0], got.Violations)
		}
	}
}

// TestRentalAllocations counts what a decision takes, since no clock is the same twice: the first one of a
// session, and the one that is made again. The bounds are half as much again as there was when they were set.
func TestRentalAllocations(t *testing.T) {
	set, r := rental(t)
	entries := r.History.Entries
	r.History.Remember()
	for name, c := range map[string]struct {
		most   float64
		decide func()
	}{
		"again": {210, func() { set.Recall(r) }},
		"first": {4300, func() {
			first := r
			first.History = &guard.History{Entries: entries}
			first.History.Remember()
			set.Recall(first)
		}},
	} {
		if got := testing.AllocsPerRun(20, c.decide); got > c.most {
			t.Errorf("%s: %.0f allocations, of %.0f at most", name, got, c.most)
		}
	}
}

// goesOn returns a function that makes the history of a session up to the user's last turn, which is not read yet. A
// call may have been decided before that turn.
func goesOn(set *guard.Set, r guard.Request, decided ...guard.Request) func() *guard.History {
	entries := r.History.Entries
	return func() *guard.History {
		h := &guard.History{}
		h.Remember()
		for _, e := range entries[:len(entries)-1] {
			h.Entries = append(h.Entries, e)
			set.ReadAhead(h)
		}
		for _, before := range decided {
			before.History = h
			set.Recall(before)
		}
		h.Entries = append(h.Entries, entries[len(entries)-1])
		return h
	}
}

// TestReadAhead counts what the first decision after another turn of the user's takes, since what was said is read
// when it is told. On a call that was decided before, it takes as much as the same one again. The bounds are half
// as much again as there was.
func TestReadAhead(t *testing.T) {
	set, r := rental(t)
	const runs = 20
	for name, c := range map[string]struct {
		next func() *guard.History
		most float64
	}{
		"the same call": {goesOn(set, r, r), 210},
		"another call":  {goesOn(set, r), 2250},
	} {
		histories := make([]*guard.History, 0, runs+1)
		for range cap(histories) { // the first is for warming up
			h := c.next()
			set.ReadAhead(h)
			histories = append(histories, h)
		}
		got := testing.AllocsPerRun(runs, func() {
			turn := r
			turn.History, histories = histories[0], histories[1:]
			set.Recall(turn)
		})
		if got > c.most {
			t.Errorf("%s: %.0f allocations, of %.0f at most", name, got, c.most)
		}
	}
}

// TestReadAheadBound leaves a long talk to the decision that needs it, so that nobody keeps the session busy by
// what they write.
func TestReadAheadBound(t *testing.T) {
	set, r := rental(t)
	h := &guard.History{Entries: append(slices.Clone(r.History.Entries), guard.Entry{Kind: guard.UserEntry, Text: strings.Repeat("Is it R100, or rather R101? ", 1<<14)})}
	h.Remember()
	set.Recall(guard.Request{Server: r.Server, Tool: r.Tool, Arguments: r.Arguments, History: h, Recorded: r.Recorded})
	const most = 70.0
	if got := testing.AllocsPerRun(5, func() { set.ReadAhead(h) }); got > most {
		t.Errorf("%.0f allocations, of %.0f at most", got, most)
	}
}

// TestManyResultsAgain decides the same call again by what is known of the results, also where they are many and some say
// the same as another.
func TestManyResultsAgain(t *testing.T) {
	set, r := rental(t)
	h := &guard.History{}
	h.Remember()
	last := len(r.History.Entries) - 1
	h.Entries = append(h.Entries, r.History.Entries[:last]...)
	for i := range 9_000 {
		text := fmt.Sprintf(`[{"id":"X%d","name":"thing %d"}%s]`, i%3_000, i%3_000, strings.Repeat(`,{"id":"X","name":"another"}`, 18))
		h.Entries = append(h.Entries, guard.Entry{Kind: guard.CallEntry, Call: &guard.Call{Server: r.Server, Tool: "list", Arguments: json.RawMessage(`{}`), Result: guard.ResultOf(json.RawMessage(text))}})
	}
	h.Entries = append(h.Entries, r.History.Entries[last])
	r.History = h
	const most = 350.0
	if got := testing.AllocsPerRun(2, func() { set.Recall(r) }); got > most {
		t.Errorf("%.0f allocations, of %.0f at most", got, most)
	}
}

// TestReadAheadKeeps reads nothing ahead where no rule hangs on words, and no more than so many results of a session: what
// was read of one takes many times as much as its text.
func TestReadAheadKeeps(t *testing.T) {
	hanging, r := rental(t)
	f, err := guard.Load("order.yaml", []byte("tool: order\npolicies:\n  - {name: r, require: 'args.total <= 5000', message: no}\n"))
	must(t, err)
	plain, err := guard.Compile([]*guard.File{f}, shop(t))
	must(t, err)
	result := func(i int) guard.Entry {
		text := fmt.Sprintf(`[{"id":"R%d","name":"thing %d"}%s]`, i, i, strings.Repeat(`,{"id":"X","name":"another"}`, 1<<10))
		return guard.Entry{Kind: guard.CallEntry, Call: &guard.Call{Server: r.Server, Tool: "list", Arguments: json.RawMessage(`{}`), Result: guard.ResultOf(json.RawMessage(text))}}
	}
	for name, c := range map[string]struct {
		set     *guard.Set
		results int
	}{
		"no rule hangs on words": {plain, 1},
		"many results":           {hanging, 256},
	} {
		h := &guard.History{}
		h.Remember()
		for i := range c.results {
			h.Entries = append(h.Entries, result(i))
			c.set.ReadAhead(h)
		}
		const runs, most = 5, 10.0
		more := make([]guard.Entry, 0, runs+1)
		for i := range cap(more) {
			more = append(more, result(c.results+i))
		}
		if got := testing.AllocsPerRun(runs, func() {
			h.Entries, more = append(h.Entries, more[0]), more[1:]
			c.set.ReadAhead(h)
		}); got > most {
			t.Errorf("%s: %.0f allocations, of %.0f at most", name, got, most)
		}
	}
}

// seldom is how many decisions there are for a time of the floor: to stop the clock stops the program.
const seldom = 8

// BenchmarkRental times a decision with all policies of a service desk, when everything
// is looked up, and how often the time that it takes to read the call and those records it is.
func BenchmarkRental(b *testing.B) {
	set, r := rental(b)
	r.History.Remember() // as the history of a session does
	b.ReportAllocs()
	var decisions, floors []time.Duration
	for b.Loop() {
		at := time.Now()
		got := set.Recall(r)
		decisions = append(decisions, time.Since(at))
		if len(got.Violations) != 0 || got.Missing {
			b.Fatalf("got %+v", got)
		}

		if len(decisions)%seldom == 1 {
			b.StopTimer()
			floors = append(floors, readAll(b, r))
			b.StartTimer()
		}
	}
	slices.Sort(decisions)
	slices.Sort(floors)
	b.ReportMetric(float64(decisions[len(decisions)/2])/float64(floors[len(floors)/2]), "floors")
	b.ReportMetric(float64(decisions[len(decisions)/2].Nanoseconds()), "p50-ns")
}

// BenchmarkTurn times the first decision after another turn of the user's, and telling that turn.
func BenchmarkTurn(b *testing.B) {
	set, r := rental(b)
	next := goesOn(set, r, r)
	b.ReportAllocs()
	var told []time.Duration
	for b.Loop() {
		b.StopTimer()
		turn := r
		turn.History = next()
		at := time.Now()
		set.ReadAhead(turn.History)
		told = append(told, time.Since(at))
		b.StartTimer()
		if got := set.Recall(turn); len(got.Violations) != 0 || got.Missing {
			b.Fatalf("got %+v", got)
		}
	}
	slices.Sort(told)
	b.ReportMetric(float64(told[len(told)/2].Nanoseconds()), "told-p50-ns")
}

// readAll returns how long it takes to read the arguments of a call and what is looked up for it.
func readAll(b *testing.B, r guard.Request) time.Duration {
	at := time.Now()
	if _, err := strictjson.Parse(r.Arguments, strictjson.DefaultLimits()); err != nil {
		b.Fatal(err)
	}
	for _, l := range r.Recorded.Lookups {
		if _, err := strictjson.Parse(l.Result.Structured, strictjson.OutputLimits()); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(at)
}
