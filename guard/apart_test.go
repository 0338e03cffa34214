package guard_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
)

// placeless returns examples without their places in a file, and with the members of objects in
// order.
func placeless(t testing.TB, examples []guard.Example) []string {
	t.Helper()
	var out []string
	for _, e := range examples {
		e.Position = guard.Position{}
		for i := range e.Given {
			e.Given[i].Position = guard.Position{}
		}
		var v any
		data, err := json.Marshal(e)
		must(t, err)
		must(t, json.Unmarshal(data, &v))
		sorted, err := json.Marshal(v)
		must(t, err)
		out = append(out, string(sorted))
	}
	return out
}

// apart writes policies as a guard file and a tests file.
func apart(t testing.TB, policies ...guard.Policy) (rules, tests string) {
	t.Helper()
	e := guard.NewEditor("order.yaml", "shop", "order")
	e.Apart()
	for i := range policies {
		must(t, e.Put(&policies[i]))
	}
	r, err := e.Marshal()
	must(t, err)
	s, err := e.MarshalTests()
	must(t, err)
	return string(r), string(s)
}

// TestWhatHistoriesHaveInTheMiddleIsWrittenOnce: entries that follow each other in several
// histories are written once, wherever they stand.
func TestWhatHistoriesHaveInTheMiddleIsWrittenOnce(t *testing.T) {
	const proposal, answer = "I would order two boxes of the blue pencils for 9.50, to Mill Lane 5 in Bern. Shall I?", "Yes, please do so."
	var examples []guard.Example
	for _, first := range []string{"Two boxes, please.", "I need pencils."} {
		e := guard.Example{Name: first, Expect: label.Allow, Args: json.RawMessage(`{"customer":"c1"}`)}
		for i, text := range []string{first, proposal, answer, first} {
			e.History = append(e.History, guard.Entry{Kind: []guard.EntryKind{guard.UserEntry, guard.AssistantEntry}[i%2], Text: text})
		}
		e.History[2].Kind, e.History[3].Kind = guard.UserEntry, guard.UserEntry
		examples = append(examples, e)
	}
	rules, tests := apart(t, guard.Policy{Name: "p", Message: "m", Require: guard.Expression{Text: "true"}, Otherwise: label.Deny, Examples: examples})
	const want = "        history: [{user: I need pencils.}, h1, {user: I need pencils.}]\n"
	if !strings.Contains(tests, want) || strings.Count(tests, proposal) != 1 || strings.Count(tests, answer) != 1 {
		t.Errorf("the tests are\n%s", tests)
	}
	f, err := guard.LoadApart("order.yaml", []byte(rules), guard.Tests{Name: "tests/order.yaml", Data: []byte(tests)})
	must(t, err)
	if got := f.Policies[0].Examples; !reflect.DeepEqual(placeless(t, got), placeless(t, examples)) {
		t.Errorf("got %+v", got)
	}
}

// TestTestsStandApart: a tests file says once what tests have in common, and nothing of it is in
// the file with the rules.
func TestTestsStandApart(t *testing.T) {
	said := func(text string) []guard.Entry {
		return []guard.Entry{
			{Kind: guard.UserEntry, Text: "I would like to order two boxes of the blue pencils, please."},
			{Kind: guard.CallEntry, Call: &guard.Call{Tool: "get_customer", Arguments: json.RawMessage(`{"id":"c1"}`), Result: guard.ResultOf(json.RawMessage(customer))}},
			{Kind: guard.AssistantEntry, Text: "That is 9.50. Shall I order them?"},
			{Kind: guard.UserEntry, Text: text}}
	}
	var examples []guard.Example
	for i, text := range []string{"yes", "no", "maybe"} {
		e := given(text, customer)
		e.History, e.Expect = said(text), []label.Verdict{label.Allow, label.Deny, label.Ask}[i]
		examples = append(examples, e)
	}
	silver := given("silver", strings.Replace(customer, "gold", "silver", 1))
	silver.Args = json.RawMessage(`{"customer":"c1","note":"x"}`)
	p := guard.Policy{Name: "p", Message: "m", Require: guard.Expression{Text: "session.agreed()"}, Otherwise: label.Deny, Examples: examples}
	q := guard.Policy{Name: "q", Message: "m", Require: guard.Expression{Text: "true"}, Otherwise: label.Deny, Examples: []guard.Example{given("gold", customer), silver}}
	rules, tests := apart(t, p, q)

	const wantRules = `tool: order
server: shop
policies:
  - name: p
    require: session.agreed()
    message: m
  - name: q
    require: 'true'
    message: m
`
	wantTests := `tool: order
server: shop
tests:
  - of: p
    base: {args: {customer: c1}, given: [get_customer]}
    examples:
      - allow: yes
        history: [h1, {user: yes}]
      - deny: no
        history: [h1, {user: no}]
      - ask: maybe
        history: [h1, {user: maybe}]
  - of: q
    base: {args: {customer: c1}}
    examples:
      - {allow: gold, given: [get_customer]}
      - {allow: silver, args: {note: x}, given: [{record: get_customer, changes: {/tier: silver}}]}
histories:
  h1:
    - user: I would like to order two boxes of the blue pencils, please.
    - call: get_customer
    - assistant: That is 9.50. Shall I order them?
records:
`
	if strings.TrimSpace(rules) != strings.TrimSpace(wantRules) {
		t.Errorf("the rules are\n%s", rules)
	}
	if !strings.HasPrefix(strings.NewReplacer(`"yes"`, "yes", `"no"`, "no").Replace(tests), wantTests) || strings.Count(tests, "Mill Lane") != 1 {
		t.Errorf("the tests are\n%s", tests)
	}

	files := guard.Tests{Name: "tests/order.yaml", Data: []byte(tests)}
	f, err := guard.LoadApart("order.yaml", []byte(rules), files)
	must(t, err)
	for i, want := range []guard.Policy{p, q} {
		if got := f.Policies[i].Examples; !strings.HasPrefix(got[0].Position.String(), "tests/order.yaml:") || !reflect.DeepEqual(placeless(t, got), placeless(t, want.Examples)) {
			t.Errorf("got\n%v\nwant\n%v", placeless(t, f.Policies[i].Examples), placeless(t, want.Examples))
		}
	}

	e, err := guard.EditApart("order.yaml", []byte(rules), files)
	must(t, err)
	for range 2 { // as it is, and edited to be the same
		again, err := e.Marshal()
		must(t, err)
		same, err := e.MarshalTests()
		must(t, err)
		if string(again) != rules || string(same) != tests {
			t.Errorf("again it is\n%s%s", again, same)
		}
		must(t, e.Put(&f.Policies[1]))
	}
}

// TestAnyTestsAreKept: whatever tests have in common, each is read as it was written.
func TestAnyTestsAreKept(t *testing.T) {
	texts := rapid.SampledFrom([]string{"yes", "no", "a longer text that several histories have, word by word, from the beginning"})
	rapid.Check(t, func(r *rapid.T) {
		var want []guard.Example
		for i := range rapid.IntRange(1, 5).Draw(r, "examples") {
			e := guard.Example{Name: fmt.Sprint("t", i), Expect: rapid.SampledFrom([]label.Verdict{label.Allow, label.Deny, label.Ask}).Draw(r, "expect")}
			var args []string
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"customer", "note", "total", "1", "yes", "null", "a: #b", ""}), 0, 3, rapid.ID[string]).Draw(r, "members") {
				args = append(args, fmt.Sprintf("%q:%s", name, rapid.SampledFrom([]string{`"c1"`, `null`, `[1,{"a":2}]`, `{}`}).Draw(r, "value")))
			}
			e.Args = json.RawMessage("{" + strings.Join(args, ",") + "}")
			for range rapid.IntRange(0, 3).Draw(r, "look-ups") {
				f := guard.Fixture{Tool: rapid.SampledFrom([]string{"get_customer", "get_stock"}).Draw(r, "tool"), Result: json.RawMessage(rapid.SampledFrom([]string{customer, `{"left":1}`, `"gone"`}).Draw(r, "result"))}
				if rapid.Bool().Draw(r, "for some") {
					f.Args = json.RawMessage(`{"id":"c1"}`)
				}
				e.Given = append(e.Given, f)
			}
			if rapid.Bool().Draw(r, "judged") {
				e.Given = append(e.Given, guard.Fixture{Judge: "Did they?", Answer: rapid.Bool().Draw(r, "answer")})
			}
			for range rapid.IntRange(0, 3).Draw(r, "entries") {
				e.History = append(e.History, guard.Entry{Kind: rapid.SampledFrom([]guard.EntryKind{guard.UserEntry, guard.AssistantEntry}).Draw(r, "kind"), Text: texts.Draw(r, "text")})
			}
			if rapid.Bool().Draw(r, "at a time") {
				e.Now = time.Date(2031, 1, rapid.IntRange(1, 2).Draw(r, "day"), 9, 0, 0, 0, time.UTC)
			}
			if rapid.Bool().Draw(r, "by somebody") {
				e.Principal = guard.Principal{ID: rapid.SampledFrom([]string{"ann", "bob"}).Draw(r, "id")}
				e.Labels = map[string]label.Trust{"/note": label.External}
			}
			want = append(want, e)
		}

		rules, tests := apart(t, guard.Policy{Name: "p", Message: "m", Otherwise: label.Deny, Examples: want})
		f, err := guard.LoadApart("order.yaml", []byte(rules), guard.Tests{Name: "tests.yaml", Data: []byte(tests)})
		if err != nil {
			r.Fatalf("%v\n%s", err, tests)
		}
		if got := placeless(t, f.Policies[0].Examples); !reflect.DeepEqual(got, placeless(t, want)) {
			r.Fatalf("got\n%v\nwant\n%v\nof\n%s", got, placeless(t, want), tests)
		}
	})
}

// TestMistakesInTestsFiles are told with their places.
func TestMistakesInTestsFiles(t *testing.T) {
	const rules = "tool: order\npolicies:\n  - {name: p, require: args.total < 5, message: m}\n  - {name: q, message: m, examples: [{name: a, expect: deny}]}\n"
	for text, want := range map[string]string{
		"tool: other\ntests: []":                                                      "of another tool",
		"tool: order\ntests: [{of: r, examples: []}]":                                 `there is no policy "r"`,
		"tool: order\ntests: [{of: q, examples: []}]":                                 "has tests already",
		"tool: order\ntests: [{of: p}]":                                               "has no examples",
		"tool: order\ntests: [{of: p, examples: [{allow: a, deny: b}]}]":              "its name or its verdict twice",
		"tool: order\ntests: [{of: p, examples: [{allow: a, name: b}]}]":              "its name or its verdict twice",
		"tool: order\ntests: [{of: p, examples: [{args: {}}]}]":                       "the example has no name",
		"tool: order\ntests: [{of: p, examples: [{allow: a, given: [x]}]}]":           `there is no record "x"`,
		"tool: order\ntests: [{of: p, examples: [{allow: a, history: [x]}]}]":         `there is no history "x"`,
		"tool: order\ntests: [{of: p, examples: [{allow: a, history: [{call: x}]}]}]": `there is no record "x"`,
	} {
		_, err := guard.LoadApart("order.yaml", []byte(rules), guard.Tests{Name: "tests.yaml", Data: []byte(text)})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "tests.yaml:") {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// FuzzTests reads hostile tests files: nothing panics.
func FuzzTests(f *testing.F) {
	f.Add([]byte("tool: order\ntests: [{of: p, base: {args: {total: 1}, given: [r], history: [h]}, examples: [{allow: a, args: {total: 2}}, {deny: b}]}]\nrecords: {r: {tool: get_stock, result: 1}}\nhistories: {h: [{user: x}]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		const rules = "tool: order\npolicies: [{name: p, require: args.total < 5, message: m}]\n"
		tests := guard.Tests{Name: "tests.yaml", Data: data}
		file, err := guard.LoadApart("order.yaml", []byte(rules), tests)
		if err != nil {
			return
		}
		e, err := guard.EditApart("order.yaml", []byte(rules), tests)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Put(&file.Policies[0]); err != nil {
			return
		}
		if _, err := e.MarshalTests(); err != nil {
			t.Fatal(err)
		}
	})
}
