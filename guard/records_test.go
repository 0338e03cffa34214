package guard_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
)

const customer = `{"id":"c1","name":"Ada","tier":"gold","cards":[{"id":"k1","brand":"visa"},{"id":"k2","brand":"visa"}],"address":{"street":"Mill Lane 5","city":"Bern","country":"CH"}}`

// given makes an example with one look-up of a customer.
func given(name, result string) guard.Example {
	return guard.Example{Name: name, Expect: label.Allow, Args: json.RawMessage(`{"customer":"c1"}`),
		Given: []guard.Fixture{{Tool: "get_customer", Args: json.RawMessage(`{"id":"c1"}`), Result: json.RawMessage(result)}}}
}

// TestResultsAreWrittenOnce: what several examples have is one record, and others are
// changes of it; read again, every example is as it was.
func TestResultsAreWrittenOnce(t *testing.T) {
	want := []guard.Example{
		given("plain", customer),
		given("again", customer),
		given("silver", strings.Replace(customer, "gold", "silver", 1)),
		given("no tier", strings.Replace(customer, `"tier":"gold",`, "", 1)),
		given("more", strings.Replace(customer, `"CH"}`, `"CH","zip":"3000"}`, 1)),
		given("a third card", strings.Replace(customer, `"brand":"visa"}],`, `"brand":"visa"},{"id":"k3","brand":"visa"}],`, 1)),
		given("another", strings.Replace(strings.Repeat(customer, 1), `"cards":[{"id":"k1","brand":"visa"},{"id":"k2","brand":"visa"}]`, `"cards":[]`, 1)),
	}
	want[1].History = []guard.Entry{{Kind: guard.CallEntry, Call: &guard.Call{Tool: "get_customer", Arguments: json.RawMessage(`{"id":"c1"}`), Result: guard.ResultOf(json.RawMessage(customer))}}}

	d := guard.NewEditor("order.yaml", "", "order")
	must(t, d.Put(&guard.Policy{Name: "p", Message: "m", Require: guard.Expression{Text: "true"}, Otherwise: label.Deny, Examples: want}))
	data, err := d.Marshal()
	must(t, err)
	if n := strings.Count(string(data), "Mill Lane"); n != 1 {
		t.Errorf("the record is there %d times:\n%s", n, data)
	}

	f, err := guard.Load("order.yaml", data)
	must(t, err)
	got := f.Policies[0].Examples
	for i := range got {
		got[i].Position = guard.Position{}
		for j := range got[i].Given {
			got[i].Given[j].Position = guard.Position{}
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v\nof\n%s", got, want, data)
	}

	again, err := guard.Edit("order.yaml", data)
	must(t, err)
	must(t, again.Put(&f.Policies[0]))
	if same, err := again.Marshal(); err != nil || string(same) != string(data) {
		t.Errorf("written again it is\n%s\n%v", same, err)
	}
}

// TestRecordsOfPeople: names that people gave stay, and what can't be meant is said.
func TestRecordsOfPeople(t *testing.T) {
	const text = `tool: order
records:
  ada: {tool: get_customer, args: {id: c1}, result: {id: c1, tier: gold, since: "2020-01-01", note: the first of all customers}} # kept
policies:
  - name: p
    require: args.total < 5
    message: m
    examples:
      - name: a
        expect: allow
        args: {}
        given:
          - {record: ada, changes: {/tier: silver}, without: [/since]}
`
	f, err := guard.Load("order.yaml", []byte(text))
	must(t, err)
	if got := string(f.Policies[0].Examples[0].Given[0].Result); !strings.HasPrefix(got, `{"id":"c1","tier":"silver","note"`) {
		t.Errorf("got %s", got)
	}
	d, err := guard.Edit("order.yaml", []byte(text))
	must(t, err)
	must(t, d.Put(&guard.Policy{Name: "q", Message: "m", Otherwise: label.Deny}))
	if data, err := d.Marshal(); err != nil || !strings.Contains(string(data), "{record: ada, changes: {/tier: silver}, without: [/since]}") || !strings.Contains(string(data), "\n  ada: {tool: get_customer, args: {id: c1}, result: {id: c1, tier: gold, since: \"2020-01-01\", note: the first of all customers}} # kept\n") {
		t.Errorf("got\n%s\n%v", data, err)
	}

	for mistake, want := range map[string]string{
		"record: eve": "there is no record", "record: ada, result: {}": "the record says it already", "tool: x, changes: {/a: 1}": "names none",
		"record: ada, changes: {/cards/3: 1}": "nothing at /cards/3", "record: ada, without: [/age]": "nothing at /age",
	} {
		_, err := guard.Load("order.yaml", []byte(strings.Replace(text, "record: ada, changes: {/tier: silver}, without: [/since]", mistake, 1)))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "order.yaml:13") {
			t.Errorf("%s: got %v, want %q", mistake, err, want)
		}
	}
}

// TestTheSameChangesAreWrittenOnce: what several examples change in the same way is a record of its
// own, and others may differ from it a little.
func TestTheSameChangesAreWrittenOnce(t *testing.T) {
	other := strings.NewReplacer("c1", "c2", "Ada", "Bea", "Mill Lane 5", "Canal Street 17").Replace(customer)
	of := func(name, result string) guard.Example {
		e := given(name, result)
		if strings.Contains(result, "c2") {
			e.Given[0].Args = json.RawMessage(`{"id":"c2"}`)
		}
		return e
	}
	want := []guard.Example{of("a", customer), of("b", customer), of("c", other), of("d", strings.Replace(other, "gold", "silver", 1)), of("e", other), of("f", other)}
	d := guard.NewEditor("order.yaml", "", "order")
	must(t, d.Put(&guard.Policy{Name: "p", Message: "m", Otherwise: label.Deny, Examples: want}))
	data, err := d.Marshal()
	must(t, err)
	const variant = "  get_customer-2: {record: get_customer, args: {id: c2}, changes: {/id: c2, /name: Bea, /address/street: Canal Street 17}}\n"
	if !strings.Contains(string(data), variant) || strings.Count(string(data), "record: get_customer-2\n") != 4 || strings.Count(string(data), "changes: {/tier: silver}") != 1 {
		t.Fatalf("got\n%s", data)
	}

	f, err := guard.Load("order.yaml", data)
	must(t, err)
	for i, e := range f.Policies[0].Examples {
		if got, was := e.Given[0], want[i].Given[0]; string(got.Result) != string(was.Result) || string(got.Args) != string(was.Args) || got.Tool != was.Tool {
			t.Errorf("%s: got %s, want %s", e.Name, got.Result, was.Result)
		}
	}
	again, err := guard.Edit("order.yaml", data)
	must(t, err)
	must(t, again.Put(&guard.Policy{Name: "q", Message: "m", Otherwise: label.Deny}))
	if edited, err := again.Marshal(); err != nil || !strings.Contains(string(edited), variant) {
		t.Errorf("edited, it is\n%s\n%v", edited, err)
	}
	below := strings.Replace(string(data), "{record: get_customer, args", "{record: get_customer-3, args", 1)
	below = strings.Replace(below, variant, strings.Replace(variant, "get_customer-2", "get_customer-4", 1), 1)
	if _, err := guard.Load("order.yaml", []byte(below)); err == nil || !strings.Contains(err.Error(), `there is no record "get_customer-3"`) {
		t.Errorf("a record of none: %v", err)
	}
}

// TestAnyResultsAreKept: whatever the results are, they are read as they were written.
func TestAnyResultsAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []guard.Example
		for i := range rapid.IntRange(2, 5).Draw(t, "examples") {
			var members []string
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b/c", "d~e", "f"}), 1, 4, rapid.ID[string]).Draw(t, "members") {
				value := rapid.SampledFrom([]string{`1`, `"x"`, `null`, `[]`, `[1,2]`, `{"k":"v","l":2}`, `{"l":2,"k":"w"}`}).Draw(t, "value")
				members = append(members, fmt.Sprintf("%q:%s", name, value))
			}
			want = append(want, given(fmt.Sprint(i), `{"long":"`+strings.Repeat("x", 120)+`",`+strings.Join(members, ",")+`}`))
		}

		d := guard.NewEditor("order.yaml", "", "order")
		if err := d.Put(&guard.Policy{Name: "p", Message: "m", Otherwise: label.Deny, Examples: want}); err != nil {
			t.Fatal(err)
		}
		data, err := d.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		f, err := guard.Load("order.yaml", data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		for i, e := range f.Policies[0].Examples {
			var got, was any
			if json.Unmarshal(e.Given[0].Result, &got) != nil || json.Unmarshal(want[i].Given[0].Result, &was) != nil || !reflect.DeepEqual(got, was) {
				t.Fatalf("got %s, want %s, of\n%s", e.Given[0].Result, want[i].Given[0].Result, data)
			}
		}
	})
}

// TestSamplesAreReferredTo: a result that a sample has is written by the sample's name, with its
// changes, also when only one example has it, and never twice.
func TestSamplesAreReferredTo(t *testing.T) {
	sample := guard.Record{Name: "get_stock", Tool: "get_stock", Args: json.RawMessage(`{"sku":"a"}`),
		Result: json.RawMessage(`{"sku":"a","left":3,"place":"the third shelf of the second row in the hall"}`)}
	changed := json.RawMessage(`{"sku":"a","left":0,"place":"the third shelf of the second row in the hall"}`)
	e := guard.NewEditor("order.yaml", "", "order")
	e.Use([]guard.Record{sample})
	must(t, e.Put(&guard.Policy{Name: "p", Message: "m", Examples: []guard.Example{
		{Name: "there", Expect: "allow", Args: json.RawMessage("{}"), Given: []guard.Fixture{{Tool: "get_stock", Args: sample.Args, Result: sample.Result}}},
		{Name: "none", Expect: "deny", Args: json.RawMessage("{}"), Given: []guard.Fixture{{Tool: "get_stock", Args: sample.Args, Result: changed}}},
	}}))
	data, err := e.Marshal()
	must(t, err)
	for _, want := range []string{"record: get_stock", "/left: 0"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the file lacks %q:\n%s", want, data)
		}
	}
	for _, unwanted := range []string{"records:", "shelf"} {
		if strings.Contains(string(data), unwanted) {
			t.Errorf("the file has %q:\n%s", unwanted, data)
		}
	}

	f, err := guard.Load("order.yaml", data, sample)
	must(t, err)
	got := f.Policies[0].Examples
	if string(got[0].Given[0].Result) != string(sample.Result) || string(got[1].Given[0].Result) != string(changed) {
		t.Errorf("got %s and %s", got[0].Given[0].Result, got[1].Given[0].Result)
	}
	if _, err := guard.Load("order.yaml", data); err == nil || !strings.Contains(err.Error(), `there is no record "get_stock"`) {
		t.Errorf("without the sample: %v", err)
	}
}
