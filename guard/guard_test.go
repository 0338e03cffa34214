package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// shop is the catalogue of the tests: a tool with arguments of all kinds, and
// readers with and without an output schema.
func shop(t testing.TB) guard.Deployment {
	t.Helper()
	data, err := os.ReadFile("testdata/shop.json")
	must(t, err)
	c, err := schema.Parse("shop.json", data)
	must(t, err)
	return guard.Deployment{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rules makes a guard of the tool order with one policy for each condition.
func rules(t testing.TB, conditions ...string) *guard.Guard {
	t.Helper()
	text := "tool: order\npolicies:\n"
	for i, c := range conditions {
		quoted, err := json.Marshal(c)
		must(t, err)
		text += fmt.Sprintf("  - {name: r%d, require: %s, message: no}\n", i, quoted)
	}
	return load(t, text)
}

func load(t testing.TB, text string) *guard.Guard {
	t.Helper()
	f, err := guard.Load("order.yaml", []byte(text))
	must(t, err)
	set, err := guard.Compile([]*guard.File{f}, shop(t))
	must(t, err)
	g, ok := set.Guard("shop", "order")
	if !ok {
		t.Fatal("no guard")
	}
	return g
}

// call is a call of the tool order that is as its schema has it.
const call = `{"customer":"c1","items":[{"sku":"a","quantity":2,"price":9.99},{"sku":"b","quantity":1,"price":0.01}],"method":"card","total":19.99,"ship_on":"2026-03-02"}`

func request(args string) guard.Request {
	return guard.Request{Arguments: json.RawMessage(args), Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Labels: func() []guard.LabeledValue {
			doc, err := strictjson.Parse([]byte(args), strictjson.DefaultLimits())
			if err != nil {
				return nil
			}
			var out []guard.LabeledValue
			for _, l := range doc.Leaves() {
				leaf := guard.LabeledValue{Pointer: l.Pointer, Type: l.Kind.String(), Text: l.Text, Trust: label.User, Origins: []string{"user"}}
				if l.Pointer == "/items/1/sku" {
					leaf.Trust, leaf.Origins = label.External, []string{"unknown"}
				}
				out = append(out, leaf)
			}
			return out
		}}
}

// TestExpressions evaluates conditions on a call: what holds, what doesn't, and
// what fails, which never holds.
func TestExpressions(t *testing.T) {
	for name, c := range map[string]struct {
		require string
		fails   string // part of what went wrong; empty where the rule is decided
		holds   bool
	}{
		"a field":                            {`args.method == "card"`, "", true},
		"a field that differs":               {`args.method != "card"`, "", false},
		"money is exact":                     {`args.items.map(i, i.quantity * i.price).sum() == args.total`, "", true},
		"fractions are exact":                {`0.1 + 0.2 == 0.3 && 1.1 * 1.1 == 1.21`, "", true},
		"division is exact":                  {`7 / 2 == 3.5 && 6 / 2 == 3 && (7 / 2).floor() == 3 && (7 / 2).ceil() == 4`, "", true},
		"a whole decimal is an int":          {`args.total + 0.01 == 20 && 20 == args.total + 0.01`, "", true},
		"numbers compare either way":         {`19 < args.total && args.total < 20 && -args.total < 0`, "", true},
		"rounding is half away from zero":    {`(2.345).round(2) == 2.35 && (-2.345).round(2) == -2.35 && 2.round(1) == 2`, "", true},
		"a decimal from a text":              {`decimal("1e2") == 100 && decimal("0.5").abs() == decimal(args.items[0].quantity) / 4`, "", true},
		"division by zero":                   {`args.total / 0 == 1`, "division by zero", false},
		"a number that grows too large":      {`[1e100].map(x, x*x*x*x*x*x*x*x*x*x*x*x).exists(x, x > 0)`, "too large", false},
		"dates":                              {`date(args.ship_on) > now && date(args.ship_on) - now == duration("12h")`, "", true},
		"a date in a zone":                   {`date(args.ship_on, "+02:00") == timestamp("2026-03-01T22:00:00Z") && date("2026-07-01", "Europe/Berlin") == timestamp("2026-06-30T22:00:00Z")`, "", true},
		"a local time":                       {`datetime("2026-03-01T11:00:00") < now && datetime("2026-03-01 07:00", "-05:00") == now`, "", true},
		"what is not a date":                 {`date("tomorrow") > now`, "is not a date", false},
		"a zone in another spelling":         {`date(args.ship_on, "Europe//Berlin") > now`, "not a time zone", false},
		"the zone of the machine":            {`date(args.ship_on, "Local") > now`, "not a time zone", false},
		"an optional field that is absent":   {`!has(args.note) || args.note.size() < 10`, "", true},
		"reading what is absent":             {`args.note.size() < 10`, "no such key", false},
		"an optional value":                  {`args.?note.orValue("") == ""`, "", true},
		"loops over two variables":           {`args.items.all(i, item, i >= 0 && item.quantity > 0)`, "", true},
		"sets":                               {`sets.contains(["a", "b", "c"], args.items.map(i, i.sku))`, "", true},
		"texts":                              {`args.customer.matches("^c[0-9]+$") && args.customer.upperAscii() == "C1"`, "", true},
		"the label of a value":               {`label(args.customer).trust >= USER && label(args.customer).origins == [origin.user]`, "", true},
		"the label of a number":              {`label(args.total).trust == USER`, "", true},
		"the worst label of a list":          {`label(args.items).trust == EXTERNAL && origin.unknown in label(args.items).origins`, "", true},
		"labels in a loop":                   {`args.items.exists(i, label(i.sku).trust < TOOL_OUTPUT)`, "", true},
		"a label of what is not an argument": {`label("mallory").trust == EXTERNAL`, "no argument has the value", false},
		"an error that decides nothing":      {`args.note == "x" || args.method == "card"`, "", true},
		"words of somebody unknown":          {`judge("Did they?", args.customer)`, "must be \"user\"", false},
		"no judge, and wrong either way":     {`judge("Did the user agree?") && args.total < 0`, "", false},
		"nobody who could look it up":        {`tools.get_customer({"id": args.customer}).tier == "gold"`, "no reader configured", false},
		"a loop that costs too much":         {`lists.range(1000).all(a, lists.range(1000).all(b, lists.range(10).all(c, a + b + c >= 0)))`, "cost limit", false},
	} {
		t.Run(name, func(t *testing.T) {
			got := rules(t, c.require).Evaluate(t.Context(), request(call))
			switch {
			case len(got.Violations) == 0:
				if !c.holds {
					t.Error("it holds")
				}
			case c.holds || got.Violations[0].Verdict != label.Deny:
				t.Errorf("got %+v", got.Violations)
			case (c.fails == "") != (got.Violations[0].Failed == "") || !strings.Contains(got.Violations[0].Failed, c.fails):
				t.Errorf("failed by %q, want %q", got.Violations[0].Failed, c.fails)
			}
		})
	}
}

// TestMistakes compiles expressions with mistakes: each is found, at the place
// in the expression that is wrong.
func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct{ require, at, want string }{
		"a misspelt field":             {`args.custmer == "c"`, "args.custmer", "undefined field 'custmer'"},
		"one in a list":                {`args.items.all(i, i.qty > 0)`, "i.qty", "undefined field 'qty'"},
		"a text and a number":          {`args.customer > 3`, "> 3", "no matching overload"},
		"a text that equals a number":  {`args.customer == 3`, "== 3", "a string is never equal to a int"},
		"none of the enumeration":      {`args.method == "cheque"`, `"cheque"`, "none of the values"},
		"none of it in a list":         {`args.method in ["card", "cash"]`, `"cash"`, "none of the values"},
		"no truth value":               {`args.customer`, "args.customer", "must be true or false"},
		"a syntax error":               {`args.customer ==`, "", "Syntax error"},
		"a tool that nobody knows":     {`tools.get_custmer({"id": "x"}).tier == "gold"`, "tools", "there is no tool"},
		"a tool that does more":        {`tools.order({}) == 1`, "tools", "may do more than read"},
		"an argument it doesn't have":  {`tools.get_customer({"id": "x", "nr": 1}).tier == "gold"`, `"nr"`, `no argument "nr"`},
		"an argument that is missing":  {`tools.get_customer({}).tier == "gold"`, "{}", `needs the argument "id"`},
		"an argument of another type":  {`tools.get_customer({"id": args.total}).tier == "gold"`, "args.total", "is a string, not a decimal"},
		"arguments from elsewhere":     {`[{"id": "x"}].all(m, tools.get_customer(m).tier == "gold")`, "m).tier", "must be written out"},
		"a misspelt field of a result": {`tools.get_customer({"id": "x"}).teir == "gold"`, ").teir", "undefined field 'teir'"},
		"a tool of the past":           {`session.calls("ordr").size() == 0`, `"ordr"`, `no tool "ordr"`},
		"too many digits":              {`args.total > 0.1234567890123456789`, "0.12", "more digits"},
		"binary floating point":        {`double(args.customer) > 1`, "double", "undeclared reference"},
		"a regular expression":         {`args.customer.matches("(")`, `"("`, "invalid matches argument"},
		"loops in loops in loops":      {`[1].all(a, [1].all(b, [1].all(c, [1].all(d, true))))`, "", "comprehension exceeds nesting limit"},
		"whose words a judge takes":    {`judge("Did they?", "tool")`, `"tool"`, `must be "user" or "assistant"`},
		"a name nobody knows":          {`argz.customer == "x"`, "argz", "undeclared reference"},
	} {
		t.Run(name, func(t *testing.T) {
			head := "tool: order\npolicies:\n  - name: a\n    message: b\n    require: |\n      "
			f, err := guard.Load("order.yaml", []byte(head+c.require+"\n"))
			must(t, err)
			set, err := guard.Compile([]*guard.File{f}, shop(t))
			var mistakes guard.Errors
			if !errors.As(err, &mistakes) {
				t.Fatalf("got %v", err)
			}
			i := slices.IndexFunc(mistakes, func(m *guard.Error) bool { return strings.Contains(m.Message, c.want) })
			if i < 0 {
				t.Fatalf("got %v", err)
			}
			if p := mistakes[i].Position; c.at != "" && (p.Line != 6 || p.Column < strings.Index(c.require, c.at)+7 || p.Column > strings.Index(c.require, c.at)+7+len(c.at)) {
				t.Errorf("at %s", p)
			}
			// What can't be compiled stops every call.
			g, _ := set.Guard("shop", "order")
			if got := g.Evaluate(t.Context(), request(call)); len(got.Violations) != 1 || got.Violations[0].Failed == "" {
				t.Errorf("a guard with mistakes says %+v", got)
			}
		})
	}
}

// TestMisspeltMembers holds what is said to whoever misspells a member: those that there are,
// where the record is known.
func TestMisspeltMembers(t *testing.T) {
	for name, c := range map[string]struct{ require, hint string }{
		"of the arguments":         {`args.custommer == "x"`, "did you mean customer? ("},
		"of a look-up's result":    {`tools.get_customer({"id": "x"}).teir == "gold"`, "did you mean tier? ("},
		"of an element":            {`args.items[0].skuu == "x"`, "did you mean sku? ("},
		"of a macro's variable":    {`args.items.all(i, i.skuu == "x")`, ""},
		"of none that is like one": {`args.zzzzzzzz == "x"`, "write "},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := guard.Load("order.yaml", []byte("tool: order\npolicies:\n  - name: a\n    message: b\n    require: |\n      "+c.require+"\n"))
			must(t, err)
			_, err = guard.Compile([]*guard.File{f}, shop(t))
			var mistakes guard.Errors
			if !errors.As(err, &mistakes) || len(mistakes) != 1 {
				t.Fatalf("got %v", err)
			}
			if got := mistakes[0].Hint; !strings.HasPrefix(got, c.hint) || (c.hint == "") != (got == "") {
				t.Errorf("the hint is %q", got)
			}
		})
	}
}

// TestPlaces puts the same mistake into every way in which YAML writes text.
func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		yaml         string
		line, column int
	}{
		"plain":                  {"require: args.nobody == 1", 1, 14},
		"plain over lines":       {"require: 1 == 1 &&\n  args.nobody == 1", 2, 7},
		"single quotes":          {"require: 'args.method == ''card'' && args.nobody == 1'", 1, 42},
		"double quotes":          {`require: "args.method == \"card\" && args.nobody == 1"`, 1, 42},
		"a letter as an escape":  {`require: "args.customer == \"\u00e9\" && args.nobody == 1"`, 1, 46},
		"a literal block":        {"require: |\n  1 == 1 &&\n    args.nobody == 1", 3, 9},
		"a folded block":         {"require: >-\n  1 == 1 &&\n  args.nobody == 1", 3, 7},
		"one with an empty line": {"require: >\n  1 == 1 &&\n\n  args.nobody == 1", 4, 7},
		"letters of two bytes":   {"require: '\"ä\" != args.nobody'", 1, 22},
	} {
		t.Run(name, func(t *testing.T) {
			text := "tool: order\npolicies:\n  - name: a\n    message: b\n    " + strings.ReplaceAll(c.yaml, "\n", "\n    ") + "\n"
			f, err := guard.Load("order.yaml", []byte(text))
			must(t, err)
			_, err = guard.Compile([]*guard.File{f}, shop(t))
			var mistakes guard.Errors
			if !errors.As(err, &mistakes) || len(mistakes) != 1 {
				t.Fatalf("got %v", err)
			}
			if p := mistakes[0].Position; p.Line != c.line+4 || p.Column != c.column+4 {
				t.Errorf("at %d:%d, want %d:%d: %v", p.Line-4, p.Column-4, c.line, c.column, err)
			}
		})
	}
}

// TestNeeds: what a rule has to know, wherever the rule mentions it.
func TestNeeds(t *testing.T) {
	for require, want := range map[string]guard.Needs{
		`args.total < 5`:                         {},
		`tools.get_stock({"sku": "a"}).left > 0`: {Lookups: []string{"get_stock"}, Undeclared: []string{"get_stock"}},
		`args.items.all(i, tools.shop.get_stock({"sku": i.sku}).left > 0)`:         {Lookups: []string{"get_stock"}, Undeclared: []string{"get_stock"}},
		`tools.get_customer({"id": "c"}).tier == "gold" && session.listed(["c1"])`: {Lookups: []string{"get_customer"}, Words: []string{"session.listed()"}},
	} {
		if got := rules(t, require).Needs("r0"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s needs %+v", require, got)
		}
	}
}

// reader answers look-ups by a function.
type reader func(tool string, arguments string) (*guard.Result, error)

func (r reader) Read(_ context.Context, _, tool string, arguments json.RawMessage) (*guard.Result, error) {
	return r(tool, string(arguments))
}

// TestLookups looks things up: once for all rules, side by side where nothing
// depends on anything, and only what a rule needs.
func TestLookups(t *testing.T) {
	customer := func(tier string) (*guard.Result, error) {
		return guard.ResultOf(json.RawMessage(`{"id":"c1","tier":"` + tier + `","credit":20.5}`)), nil
	}
	for name, c := range map[string]struct {
		rules []string
		read  reader
		asked int      // how often something was looked up
		fails []string // part of what went wrong, or "" for a rule that doesn't hold
	}{
		"one for two rules": {
			[]string{`tools.get_customer({"id": args.customer}).tier == "gold"`, `tools.get_customer({"id": "c1"}).credit >= args.total`},
			func(string, string) (*guard.Result, error) { return customer("gold") }, 1, nil},
		"one that no rule needs": {
			[]string{`args.method == "card" || tools.get_customer({"id": args.customer}).tier == "gold"`}, nil, 0, nil},
		"one that turns out not to be needed": {
			[]string{`tools.get_customer({"id": args.customer}).tier == "gold" || args.method == "card"`, `tools.get_customer({"id": args.customer}).credit > 100 || args.total < 100`}, nil, 0, nil},
		"one for each element": {
			[]string{`args.items.all(i, tools.get_stock({"sku": i.sku}).left >= i.quantity)`},
			func(_, args string) (*guard.Result, error) {
				return guard.ResultOf(json.RawMessage(`{"left": ` + map[string]string{`{"sku":"a"}`: "2", `{"sku":"b"}`: "0"}[args] + `}`)), nil
			}, 2, []string{""}},
		"one after the other": {
			[]string{`tools.get_stock({"sku": tools.get_customer({"id": args.customer}).id}).left == 1`},
			func(tool, args string) (*guard.Result, error) {
				if tool == "get_customer" {
					return customer("gold")
				}
				return guard.ResultOf(json.RawMessage(`{"left": 1}`)), nil
			}, 2, nil},
		"one that fails": {
			[]string{`tools.get_customer({"id": args.customer}).tier == "gold" || tools.get_stock({"sku": "a"}).left > 0`},
			func(tool, _ string) (*guard.Result, error) {
				if tool == "get_customer" {
					return nil, errors.New("the server is down")
				}
				return guard.ResultOf(json.RawMessage(`{"left": 1}`)), nil
			}, 2, []string{"get_customer: the server is down"}},
		"a result that is not as the schema has it": {
			[]string{`tools.get_customer({"id": args.customer}).tier == "gold"`},
			func(string, string) (*guard.Result, error) {
				return guard.ResultOf(json.RawMessage(`{"id":"c1","tier":"platinum"}`)), nil
			}, 1, []string{"/tier"}},
		"a text where fields are expected": {
			[]string{`tools.get_customer({"id": args.customer}).tier == "gold"`},
			func(string, string) (*guard.Result, error) { return &guard.Result{Content: "no such customer"}, nil }, 1, []string{"the result is a text"}},
		"more than there may be": {
			[]string{`lists.range(40).all(i, tools.get_stock({"sku": string(i)}).left == 1)`},
			func(string, string) (*guard.Result, error) {
				return guard.ResultOf(json.RawMessage(`{"left": 1}`)), nil
			}, 0, []string{"more than 32"}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan string, 2*guard.MaxFacts)
			r := request(call)
			r.Reader = reader(func(tool, args string) (*guard.Result, error) { asked <- tool + args; return c.read(tool, args) })
			g := rules(t, c.rules...)
			got := g.Evaluate(t.Context(), r)
			if len(asked) != c.asked {
				t.Errorf("%d look-ups, want %d", len(asked), c.asked)
			}
			compare := func(got guard.Outcome) {
				t.Helper()
				if len(got.Violations) != len(c.fails) {
					t.Fatalf("got %+v", got.Violations)
				}
				for i, want := range c.fails {
					if v := got.Violations[i]; (want == "") != (v.Failed == "") || !strings.Contains(v.Failed, want) {
						t.Errorf("got %+v, want %q", v, want)
					}
				}
			}
			compare(got)
			// What was recorded leads to the same, and nothing is looked up.
			r.Recorded, r.Reader = got.Facts, reader(func(string, string) (*guard.Result, error) {
				t.Error("looked up again")
				return nil, errors.New("looked up again")
			})
			if r.Recorded == nil {
				r.Recorded = &guard.Facts{}
			}
			again := g.Evaluate(t.Context(), r)
			compare(again)
			if c.asked == 0 {
				return
			}
			// Without what was recorded, nothing that needs it holds.
			r.Recorded = &guard.Facts{}
			if got := g.Evaluate(t.Context(), r); len(got.Violations) == 0 {
				t.Error("it holds without the look-up")
			}
		})
	}
}

// TestLookupsSideBySide has two look-ups wait for each other.
func TestLookupsSideBySide(t *testing.T) {
	meet := make(chan struct{})
	r := request(call)
	r.Reader = reader(func(tool, _ string) (*guard.Result, error) {
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-t.Context().Done():
		}
		return guard.ResultOf(json.RawMessage(`{"left": 5}`)), nil
	})
	g := rules(t, `args.items.all(i, tools.get_stock({"sku": i.sku}).left > 2)`)
	if got := g.Evaluate(t.Context(), r); len(got.Violations) > 0 {
		t.Errorf("got %+v", got)
	}
}
