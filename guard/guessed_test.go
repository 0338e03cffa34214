package guard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
)

// onStock is a guard whose rule goes by what get_stock returns in its own examples.
func onStock(t *testing.T, require, guessed string, returned ...string) *guard.Guard {
	t.Helper()
	quoted, err := json.Marshal(require)
	must(t, err)
	text := fmt.Sprintf("tool: order\npolicies:\n  - name: stock\n    variables: {found: 'tools.get_stock({\"sku\": args.items[0].sku})'}\n    require: %s\n    message: Order what is there.\n%s    examples:\n", quoted, guessed)
	for i, r := range returned {
		text += fmt.Sprintf("      - {name: e%d, expect: allow, args: %s, given: [{tool: get_stock, args: {sku: a}, result: %s}]}\n", i, call, r)
	}
	if len(returned) == 0 {
		text = strings.TrimSuffix(text, "    examples:\n")
	}
	return load(t, text)
}

// TestGuessedLookups asks about a call whose rule rests on a guess that doesn't turn out: the
// look-up fails, or returns something else. A rule on what is known, or was as guessed, keeps
// its strictness.
func TestGuessedLookups(t *testing.T) {
	const guessed = "    guessed: [get_stock]\n"
	returns := func(text string) guard.Reader {
		return reader(func(string, string) (*guard.Result, error) { return &guard.Result{Content: text}, nil })
	}
	fails := reader(func(string, string) (*guard.Result, error) { return nil, errors.New("no such article") })
	allow, ask, deny := label.Allow, label.Ask, label.Deny

	for name, c := range map[string]struct {
		require, guessed string
		examples         []string
		reader           guard.Reader
		want             label.Verdict
		why              string // of what couldn't be decided; "" where it was
	}{
		"as guessed, and enough":             {`found.left > 2`, guessed, []string{`{"left": 5}`}, returns(`{"left": 3}`), allow, ""},
		"as guessed, and too little":         {`found.left > 2`, guessed, []string{`{"left": 5}`}, returns(`{"left": 1}`), deny, ""},
		"more than guessed":                  {`found.left > 2`, guessed, []string{`{"left": 5}`}, returns(`{"left": 3, "city": "Bern"}`), allow, ""},
		"it fails":                           {`found.left > 2`, guessed, []string{`{"left": 5}`}, fails, ask, "get_stock: no such article"},
		"nobody makes it":                    {`found.left > 2`, guessed, []string{`{"left": 5}`}, nil, ask, "get_stock: no reader configured"},
		"another kind of value":              {`args.customer in found`, guessed, []string{`{"a": 1}`}, returns(`[{"sku": "a"}]`), ask, "get_stock: what it returned is a list, where the rule expects an object"},
		"a text":                             {`found.left > 2`, guessed, []string{`{"left": 5}`}, returns(`Not found.`), ask, "get_stock: what it returned is a text, where the rule expects an object"},
		"a member of another kind":           {`found.left > 2`, guessed, []string{`{"left": 5}`}, returns(`{"left": "many"}`), ask, "get_stock: /left of what it returned is a text, where the rule expects a number"},
		"without a member that is read":      {`found.?left.orValue(9) > 2`, guessed, []string{`{"left": 5}`}, returns(`{"stock": 1}`), ask, `get_stock: what it returned has no "left", which the rule reads`},
		"without one that isn't always":      {`found.?left.orValue(9) > 2`, guessed, []string{`{"left": 5}`, `{"gone": true}`}, returns(`{"city": "Bern"}`), allow, ""},
		"without one that isn't read":        {`found.left > 2`, guessed, []string{`{"left": 5, "city": "Bern"}`}, returns(`{"left": 3}`), allow, ""},
		"null":                               {`found.left == 3 && found.until != "2026-03-02"`, guessed, []string{`{"left": 5, "until": "2026-03-01"}`}, returns(`{"left": 3, "until": null}`), allow, ""},
		"a map with other keys":              {`found.exists(k, found[k] == "a")`, guessed, []string{`{"Pen": "a", "Ink": "b"}`}, returns(`{"Cup": "a"}`), allow, ""},
		"a map with other values":            {`!found.exists(k, found[k] == "a")`, guessed, []string{`{"Pen": "a"}`}, returns(`{"Cup": {"id": "a"}}`), ask, "/* of what it returned is an object, where the rule expects a text"},
		"an empty list":                      {`!found.exists(s, s.sku == "a")`, guessed, []string{`[{"sku": "b"}]`}, returns(`[]`), allow, ""},
		"elements of another kind":           {`!found.exists(s, s.sku == "a")`, guessed, []string{`[{"sku": "b"}]`}, returns(`[["a"]]`), ask, "/* of what it returned is a list"},
		"elements that no example has":       {`!found.exists(s, s == "a")`, guessed, []string{`[]`}, returns(`["b"]`), ask, "has elements, and no sample"},
		"members that no example has":        {`!found.exists(s, s == "a")`, guessed, []string{`{}`}, returns(`{"b": 1}`), ask, "has members, and no sample"},
		"no example":                         {`found.left > 2`, guessed, nil, returns(`{"left": 3}`), ask, "no sample and no example shows what it returns"},
		"the rule stumbles over a result":    {`found.left > 2 && found.items[7] == 1`, guessed, []string{`{"left": 5, "items": [1]}`}, returns(`{"left": 3, "items": [1]}`), deny, "index out of"},
		"the rule stumbles over the call":    {`found.left > 2 && args.items[9].sku != "b"`, guessed, []string{`{"left": 5}`}, returns(`{"left": 3}`), deny, "index out of"},
		"false whatever it returns":          {`found.left > 2 && args.total < 0`, guessed, []string{`{"left": 5}`}, fails, deny, ""},
		"not needed":                         {`args.total > 0 || found.left > 2`, guessed, []string{`{"left": 5}`}, fails, allow, ""},
		"a known look-up fails":              {`found.left > 2`, "", []string{`{"left": 5}`}, fails, deny, "get_stock: no such article"},
		"a known look-up returns a text":     {`found.left > 2`, "", []string{`{"left": 5}`}, returns(`Not found.`), deny, "no such key"},
		"a known one fails beside the guess": {`found.left > 2 && tools.get_customer({"id": "c1"}).tier == "gold"`, guessed, []string{`{"left": 5}`}, fails, deny, "get_customer: no such article"},
	} {
		t.Run(name, func(t *testing.T) {
			g := onStock(t, c.require, c.guessed, c.examples...)
			r := request(call)
			r.Reader = c.reader
			out := g.Evaluate(t.Context(), r)

			// It is decided the same of what was recorded.
			r.Recorded, r.Reader = out.Facts, nil
			for when, o := range map[string]guard.Outcome{"first": out, "again": g.Evaluate(t.Context(), r)} {
				got, why, unproven := allow, "", false
				for _, v := range o.Violations {
					got, why, unproven = v.Verdict, v.Failed, v.Unproven
				}
				if got != c.want || (why == "") != (c.why == "") || !strings.Contains(why, c.why) || unproven != (c.want == ask) {
					t.Errorf("%s: %s: %q, unproven %v; want %s: %q", when, got, why, unproven, c.want, c.why)
				}
			}
		})
	}
}

// TestGuessedLookupsAreShared: two rules write one variable alike, and each goes by what it
// knows of the look-up, in whatever order they are.
func TestGuessedLookupsAreShared(t *testing.T) {
	rule := func(name, guessed string) string {
		return "  - name: " + name + "\n    variables: {found: 'tools.get_stock({\"sku\": \"a\"})'}\n    require: '!(\"c9\" in found)'\n    message: m\n" + guessed
	}
	known, guessed := rule("known", ""), rule("guessed", "    guessed: [get_stock]\n    examples: [{name: e, expect: allow, args: "+call+", given: [{tool: get_stock, args: {sku: a}, result: {a: 1}}]}]\n")
	for _, text := range []string{known + guessed, guessed + known} {
		r := request(call)
		r.Reader = reader(func(string, string) (*guard.Result, error) { return &guard.Result{Content: `["a"]`}, nil })
		out := load(t, "tool: order\npolicies:\n"+text).Evaluate(t.Context(), r)
		if len(out.Violations) != 1 || out.Violations[0].Policy != "guessed" || !out.Violations[0].Unproven {
			t.Errorf("got %+v", out.Violations)
		}
	}
}

// TestGuessOfASample: the sample of the look-up counts where the rule's own examples show less.
func TestGuessOfASample(t *testing.T) {
	files, err := guard.LoadDir(fstest.MapFS{
		"order.yaml":             {Data: []byte("tool: order\npolicies: [{name: r, require: 'tools.get_stock({\"sku\": \"a\"}).all(s, s.left > 2)', message: m, guessed: [get_stock], examples: [{name: e, expect: allow, args: " + call + ", given: [{tool: get_stock, args: {sku: a}, result: []}]}]}]\n")},
		"samples/get_stock.json": {Data: []byte(`{"tool": "get_stock", "source": "guess", "args": {"sku": "a"}, "result": [{"left": 5}]}`)},
	})
	must(t, err)
	set, err := guard.Compile(files, shop(t))
	must(t, err)
	for returns, want := range map[string]int{`[{"left": 3}]`: 0, `[]`: 0, `[{"left": 1}]`: 1, `["a"]`: 1} {
		r := request(call)
		r.Server, r.Tool = "shop", "order"
		r.Reader = reader(func(string, string) (*guard.Result, error) { return &guard.Result{Content: returns}, nil })
		if got := set.Evaluate(t.Context(), r).Violations; len(got) != want || want == 1 && got[0].Unproven != (returns == `["a"]`) {
			t.Errorf("%s: %+v", returns, got)
		}
	}
}

// TestFormOfAGuess: a guard file that says what a guessed look-up returns decides without its examples and
// samples as it does with them, and nothing else changes when it is written.
func TestFormOfAGuess(t *testing.T) {
	for name, c := range map[string]struct {
		require string
		shown   []string // by the examples
		want    string   // what the file says
	}{
		"an object":                     {`found.left > 2`, []string{`{"left": 5, "city": "Bern"}`}, `[{left: 1}]`},
		"a member that is not always":   {`found.?left.orValue(9) > 2`, []string{`{"left": 5}`, `{"gone": true}`}, `[{left: 1}, {}]`},
		"a member of several kinds":     {`found.left != "none"`, []string{`{"left": 5}`, `{"left": null}`, `{"left": "none"}`}, `[{left: text}, {left: 1}, {left: null}]`},
		"a map":                         {`found.exists(k, found[k] == "a")`, []string{`{"Pen": "a", "Ink": "b"}`}, `[{"*": text}]`},
		"a map of objects":              {`found.exists(k, found[k].left > 2)`, []string{`{"Pen": {"left": 5, "of": []}}`}, `[{"*": {left: 1}}]`},
		"a list of objects":             {`found.exists(s, s["sku"] == "b" && has(s.left))`, []string{`[{"sku": "a", "left": 5}, {"sku": "b"}]`}, `[[{left: 1, sku: text}, {sku: text}]]`},
		"lists in a list":               {`found.flatten().exists(s, s.sku == "b")`, []string{`[[{"sku": "a"}], []]`}, `[[[{sku: text}]]]`},
		"an empty list, and a text":     {`found != "none" && found.size() == 0`, []string{`[]`, `"none"`}, `[[], text]`},
		"an empty object":               {`found.size() == 0`, []string{`{}`}, `[{}]`},
		"a name in the rule, as a star": {`found["*"] == "a" || found.exists(k, k == "b")`, []string{`{"b": true}`}, `[{"**": true}]`},
		"null alone":                    {`found == null`, []string{`null`}, `[null]`},
	} {
		t.Run(name, func(t *testing.T) {
			with := onStock(t, c.require, "    guessed: [get_stock]\n", c.shown...)
			e := guard.NewEditor("order.yaml", "", "order")
			e.Apart()
			must(t, e.Put(&with.File.Policies[0]))
			data, err := e.Marshal()
			must(t, err)
			if !strings.Contains(strings.ReplaceAll(string(data), "\n", ""), "guessed:") || strings.Contains(string(data), "examples:") {
				t.Fatalf("the rules are\n%s", data)
			}
			alone := load(t, string(data))
			got, err := json.Marshal(alone.File.Policies[0].Forms["get_stock"])
			must(t, err)
			want := load(t, "tool: order\npolicies: [{name: r, require: 'true', message: m, guessed: {get_stock: "+c.want+"}}]\n")
			wanted, err := json.Marshal(want.File.Policies[0].Forms["get_stock"])
			must(t, err)
			if string(got) != string(wanted) {
				t.Errorf("the file says %s, want %s", got, wanted)
			}

			for _, returned := range append([]string{`{"left": 3}`, `{"left": "many"}`, `{"b": true}`, `{"Cup": {"left": 3}}`, `{"Cup": 7}`, `[]`, `[{"sku": "b"}]`, `[[{"sku": "b"}]]`, `["b"]`, `"none"`, `7`, `null`, `{}`}, c.shown...) {
				r := request(call)
				r.Reader = reader(func(string, string) (*guard.Result, error) { return guard.ResultOf(json.RawMessage(returned)), nil })
				if a, b := with.Evaluate(t.Context(), r).Violations, alone.Evaluate(t.Context(), r).Violations; fmt.Sprint(told(a)) != fmt.Sprint(told(b)) {
					t.Errorf("%s: with the examples %v, alone %v", returned, told(a), told(b))
				}
			}
		})
	}
}

// told is what some violations say, whatever the file.
func told(list []guard.Violation) []string {
	var out []string
	for _, v := range list {
		out = append(out, fmt.Sprintf("%s %q %v", v.Verdict, v.Failed, v.Unproven))
	}
	return out
}

// TestFormThatIsOutdated: the form in the file counts until the file is written again, and a remark says that it is outdated.
func TestFormThatIsOutdated(t *testing.T) {
	const rules = "tool: order\npolicies:\n  - name: r\n    require: 'tools.get_stock({\"sku\": \"a\"}).left > 2'\n    message: m\n    guessed: "
	sample := guard.Record{Name: "get_stock", Tool: "get_stock", Args: json.RawMessage(`{"sku":"a"}`), Result: json.RawMessage(`{"left":5}`)}
	outdated := func(text string, samples ...guard.Record) []string {
		f, err := guard.Load("order.yaml", []byte(text), samples...)
		must(t, err)
		set, err := guard.Compile([]*guard.File{f}, shop(t))
		must(t, err)
		return set.Guards()[0].Needs("r").Outdated
	}

	for guessed, want := range map[string]int{"[get_stock]": 0, "{get_stock: [{left: 1}]}": 0, "{get_stock: [{left: text}]}": 1, "{get_stock: []}": 1} {
		text := rules + guessed + "\n"
		if got := outdated(text, sample); len(got) != want {
			t.Errorf("%s: outdated are %v", guessed, got)
		}
		if got := outdated(text); len(got) != 0 {
			t.Errorf("%s: outdated without a sample are %v", guessed, got)
		}

		e, err := guard.Edit("order.yaml", []byte(text), sample)
		must(t, err)
		must(t, e.Renew())
		data, err := e.Marshal()
		must(t, err)
		if !strings.Contains(string(data), "{left: 1}") || (guessed == "{get_stock: [{left: 1}]}") != (string(data) == text) {
			t.Errorf("%s: written anew:\n%s", guessed, data)
		}

		// Without the sample it stays.
		e, err = guard.Edit("order.yaml", data)
		must(t, err)
		must(t, e.Renew())
		f, err := e.File()
		must(t, err)
		must(t, e.Put(&f.Policies[0]))
		if again, err := e.Marshal(); err != nil || !strings.Contains(string(again), "{left: 1}") {
			t.Errorf("%s: without the sample:\n%s%v", guessed, again, err)
		}
	}
}
