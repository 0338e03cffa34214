package airline_test

import (
	"encoding/json"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/examples/airline"
	"github.com/remit-project/remit/guard"
)

// said is a conversation after which all tools may be called, as far as that
// depends on what was said.
func said() *guard.History {
	s := &guard.History{}
	for i, text := range []string{
		"I am ann_lee_1234, and it is about RES001, one way from PHL to LGA. My plans changed. Ann Lee 1990-01-02; Bob Ray 1985-11-20.",
		"I see. Would you like to buy the travel insurance?",
		"No. And I want to be compensated for the delay.",
		"For RES001: HAT001 on 2024-05-20, HAT002 on 2024-05-21 in economy, Ann Lee and Bob Ray, 2 checked bags, credit_card_1. Do you confirm (yes/no)?",
		"Yes, please do it.",
	} {
		kind := guard.UserEntry
		if i%2 == 1 {
			kind = guard.AssistantEntry
		}
		s.Entries = append(s.Entries, guard.Entry{Kind: kind, Text: text})
	}
	looked := guard.Entry{Kind: guard.CallEntry, Call: &guard.Call{Server: airline.Name, Tool: "get_reservation_details", Arguments: json.RawMessage(`{"reservation_id":"RES001"}`),
		Result: &guard.Result{Structured: json.RawMessage(`{"flights":[],"reservation_id":"RES001","user_id":"ann_lee_1234"}`)}}}
	s.Entries = slices.Insert(s.Entries, 1, looked)
	return s
}

// calls are calls of tools that the conversation allows.
var calls = map[string]string{
	"think":                         `{"thought":"x"}`,
	"transfer_to_human_agents":      `{"summary":"The user wants to cancel a trip that was flown in part."}`,
	"cancel_reservation":            `{"reservation_id":"RES001"}`,
	"send_certificate":              `{"user_id":"ann_lee_1234","amount":100}`,
	"update_reservation_baggages":   `{"reservation_id":"RES001","total_baggages":2,"nonfree_baggages":0,"payment_id":"credit_card_1"}`,
	"update_reservation_flights":    `{"reservation_id":"RES001","cabin":"economy","flights":[{"flight_number":"HAT001","date":"2024-05-20"},{"flight_number":"HAT002","date":"2024-05-21"}],"payment_id":"credit_card_1"}`,
	"update_reservation_passengers": `{"reservation_id":"RES001","passengers":[{"first_name":"Ann","last_name":"Lee","dob":"1990-01-02"},{"first_name":"Bob","last_name":"Ray","dob":"1985-11-20"}]}`,
	"book_reservation": `{"user_id":"ann_lee_1234","origin":"PHL","destination":"LGA","flight_type":"one_way","cabin":"economy","flights":[{"flight_number":"HAT001","date":"2024-05-20"}],` +
		`"passengers":[{"first_name":"Ann","last_name":"Lee","dob":"1990-01-02"}],"payment_methods":[{"payment_id":"credit_card_1","amount":100}],"total_baggages":0,"nonfree_baggages":0,"insurance":"no"}`,
}

// request is the call of a tool in that conversation.
func request(tool string) guard.Request {
	return guard.Request{Server: airline.Name, Tool: tool, Arguments: json.RawMessage(calls[tool]), History: said(), Now: time.Date(2024, 5, 15, 20, 0, 0, 0, time.UTC)}
}

// withoutLookups are the guards with the rules that look nothing up.
func withoutLookups(t testing.TB) *guard.Set {
	t.Helper()
	scope, err := airline.Deployment()
	must(t, err)
	files, err := airline.Policies()
	must(t, err)
	for _, f := range files {
		f.Policies = slices.DeleteFunc(f.Policies, func(p guard.Policy) bool {
			asks := strings.Contains(p.Require.Text, "tools.")
			for _, v := range p.Variables {
				asks = asks || strings.Contains(v.Value.Text, "tools.")
			}
			return asks
		})
	}
	set, err := guard.Compile(files, scope)
	must(t, err)
	return set
}

// BenchmarkRules judges a call by all rules for its tool that look nothing up.
func BenchmarkRules(b *testing.B) {
	set := withoutLookups(b)
	for _, tool := range slices.Sorted(maps.Keys(calls)) {
		b.Run(tool, func(b *testing.B) {
			r := request(tool)
			if out := set.Evaluate(b.Context(), r); len(out.Violations) > 0 {
				b.Fatalf("%+v", out.Violations)
			}
			b.ReportAllocs()
			for b.Loop() {
				set.Evaluate(b.Context(), r)
			}
			rules := 0
			for _, g := range set.Applying(airline.Name, tool) {
				rules += len(g.File.Policies)
			}
			b.ReportMetric(float64(rules), "rules")
		})
	}
}

// BenchmarkBooking judges a booking by all rules, with what they look up in
// memory.
func BenchmarkBooking(b *testing.B) {
	a := small(b)
	set := guards(b)
	r := guard.Request{Server: airline.Name, Tool: "book_reservation", Reader: a, Now: time.Date(2024, 5, 15, 20, 0, 0, 0, time.UTC),
		Arguments: json.RawMessage(`{"cabin":"economy","destination":"LGA","flight_type":"one_way","flights":[{"date":"2024-05-20","flight_number":"HAT001"}],"insurance":"no","nonfree_baggages":0,"origin":"PHL","passengers":[{"dob":"1985-11-20","first_name":"Bob","last_name":"Ray"}],"payment_methods":[{"amount":100,"payment_id":"card"}],"total_baggages":1,"user_id":"ann"}`),
		History: &guard.History{Entries: []guard.Entry{
			{Kind: guard.UserEntry, Text: "I am ann. Book HAT001 on 2024-05-20, one way from PHL to LGA in economy, for Bob Ray 1985-11-20."},
			{Kind: guard.AssistantEntry, Text: "Would you like to buy the travel insurance?"},
			{Kind: guard.UserEntry, Text: "No."},
			{Kind: guard.AssistantEntry, Text: "HAT001 on 2024-05-20 in economy for Bob Ray, 1 checked bag, card. Do you confirm?"},
			{Kind: guard.UserEntry, Text: "Yes, please book it."}}}}
	if out := set.Evaluate(b.Context(), r); len(out.Violations) > 0 {
		b.Fatalf("%+v", out.Violations)
	}
	b.ReportAllocs()
	for b.Loop() {
		set.Evaluate(b.Context(), r)
	}
}

// BenchmarkCompile compiles all guards, and tells what one keeps in memory when it
// has been used.
func BenchmarkCompile(b *testing.B) {
	scope, err := airline.Deployment()
	must(b, err)
	files, err := airline.Policies()
	must(b, err)
	var before, after runtime.MemStats
	var set *guard.Set
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		set, err = guard.Compile(files, scope)
		must(b, err)
		for tool := range calls {
			set.Evaluate(b.Context(), request(tool))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
	}
	n := len(set.Guards())
	runtime.KeepAlive(set)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "B/guard")
}
