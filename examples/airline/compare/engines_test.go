package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"
)

type named struct {
	Call
	want []string
}

// calls are some that hold and some that violate each rule.
func calls(t testing.TB) map[string]named {
	t.Helper()
	now, err := time.Parse(time.RFC3339, "2024-05-15T15:00:00-05:00")
	if err != nil {
		t.Fatal(err)
	}
	cancel := func(created, cabin, insurance, said string, statuses ...string) Call {
		c := Call{Tool: "cancel_reservation", Args: json.RawMessage(`{"reservation_id":"RES001"}`), Now: now, Said: said, User: json.RawMessage(`{"membership":"gold"}`)}
		var flights []map[string]string
		for i, s := range statuses {
			number := fmt.Sprintf("HAT%03d", i)
			flights = append(flights, map[string]string{"flight_number": number, "date": "2024-05-20"})
			c.Flights = append(c.Flights, json.RawMessage(`{"flight_number":"`+number+`","date":"2024-05-20","status":"`+s+`"}`))
		}
		c.Reservation = encode(t, map[string]any{"reservation_id": "RES001", "user_id": "ann_lee_1234", "created_at": created, "cabin": cabin, "insurance": insurance, "flights": flights})
		return c
	}
	bags := func(membership, cabin string, passengers, had, total, nonfree int) Call {
		people := make([]map[string]string, passengers)
		for i := range people {
			people[i] = map[string]string{"first_name": "Ann", "last_name": "Lee", "dob": "1990-01-02"}
		}
		return Call{Tool: "update_reservation_baggages", Now: now, User: encode(t, map[string]any{"membership": membership}),
			Args:        encode(t, map[string]any{"nonfree_baggages": nonfree, "payment_id": "credit_card_1", "reservation_id": "RES001", "total_baggages": total}),
			Reservation: encode(t, map[string]any{"reservation_id": "RES001", "user_id": "ann_lee_1234", "created_at": "2024-05-01T10:00:00", "cabin": cabin, "passengers": people, "total_baggages": had})}
	}
	const old, changed = "2024-05-01T10:00:00", "My plans changed."
	return map[string]named{
		"24 hours after booking":   {cancel("2024-05-14T15:00:00", "economy", "no", changed, "available", "available"), nil},
		"a second later":           {cancel("2024-05-14T14:59:59", "economy", "no", changed, "available", "available"), []string{"cancellable"}},
		"business":                 {cancel(old, "business", "no", changed, "available"), nil},
		"business, flown":          {cancel(old, "business", "no", changed, "landed", "available"), []string{"not-flown"}},
		"the airline cancelled it": {cancel(old, "economy", "no", changed, "available", "cancelled"), nil},
		"insured and sick":         {cancel(old, "basic_economy", "yes", "I am sick.", "available"), nil},
		"sick and not insured":     {cancel(old, "basic_economy", "no", "I am sick.", "available"), []string{"cancellable"}},
		"in the air, and not":      {cancel(old, "economy", "no", changed, "flying", "available"), []string{"cancellable", "not-flown"}},
		"a free bag":               {bags("silver", "economy", 1, 1, 2, 0), nil},
		"one more is paid":         {bags("silver", "economy", 2, 1, 5, 1), nil},
		"one more is free":         {bags("regular", "basic_economy", 1, 0, 1, 0), []string{"free-bags"}},
		"a bag less":               {bags("gold", "business", 1, 3, 2, 0), []string{"bags-are-only-added"}},
	}
}

func encode(t testing.TB, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func engines(t testing.TB) map[string]Engine {
	t.Helper()
	r, err := NewRemit()
	if err != nil {
		t.Fatal(err)
	}
	o, err := NewRego(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCedar()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Engine{"remit": r, "rego": o, "cedar": c}
}

// All engines say the same of every call.
func TestSame(t *testing.T) {
	for name, e := range engines(t) {
		for what, c := range calls(t) {
			got, err := e.Violations(t.Context(), &c.Call)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: got %v %v, want %v", name, what, got, err, c.want)
			}
		}
	}
}

// What Cedar can't say: a word that is negated, or is within another one.
func TestWords(t *testing.T) {
	c := calls(t)["insured and sick"].Call
	for said, want := range map[string]map[string]int{
		"I am not sick, my plans changed.": {"remit": 1, "rego": 1, "cedar": 0},
		"I booked it in a brainstorm.":     {"remit": 1, "rego": 1, "cedar": 0},
		"It was a SICK leave.":             {"remit": 0, "rego": 0, "cedar": 1},
	} {
		c.Said = said
		for name, e := range engines(t) {
			if got, err := e.Violations(t.Context(), &c); err != nil || len(got) != want[name] {
				t.Errorf("%s, %q: %v %v", name, said, got, err)
			}
		}
	}
}

// BenchmarkEngines decides two calls by two rules each, from JSON to the names of
// the rules that don't hold.
func BenchmarkEngines(b *testing.B) {
	for _, what := range []string{"the airline cancelled it", "in the air, and not", "one more is paid", "one more is free"} {
		c := calls(b)[what].Call
		for _, name := range []string{"remit", "rego", "cedar"} {
			e := engines(b)[name]
			b.Run(what+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := e.Violations(b.Context(), &c); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
