package match_test

import "testing"

// TestRecordsWithoutTheValue: a record without the value that is looked for is ranked and counted like others, and where it is meant no
// other one takes its place.
func TestRecordsWithoutTheValue(t *testing.T) {
	const (
		newest = `[{"iban":null,"date":"2026-05-01"},{"iban":"GB2","date":"2026-04-01"},{"iban":"FR3","date":"2025-01-01"}]`
		lacks  = `[{"date":"2026-05-01"},{"iban":"GB2","date":"2026-04-01"},{"iban":"FR3","date":"2025-01-01"}]`
		third  = `[{"iban":null,"date":"2026-05-01"},{"iban":"FR3","date":"2026-04-01"},{"iban":"GB2","date":"2025-01-01"}]`
		oldest = `[{"iban":"GB2","date":"2026-05-01"},{"iban":"FR3","date":"2026-04-01"},{"iban":null,"date":"2025-01-01"}]`
		undone = `[{"iban":"GB2","date":"2026-05-01"},{"iban":"FR3","date":"2026-04-01"},{"iban":null,"date":null}]`
		alone  = `[{"iban":null,"date":"2026-05-01"},{"iban":"GB2","date":"2026-04-01"}]`
		nested = `[{"date":"2026-05-01","payee":{"iban":null}},{"date":"2026-04-01","payee":{"iban":"GB2"}},{"date":"2026-03-01","payee":{"iban":"FR3"}}]`
		inList = `{"groups":[{"bills":[{"date":"2026-05-01"}]},{"bills":[{"iban":"GB2","date":"2026-04-01"},{"iban":"FR3","date":"2025-01-01"}]}]}`
		beside = `{"note":"x","bills":[{"iban":"GB2","date":"2026-05-01"},{"iban":"FR3","date":"2026-04-01"}],"pages":[{"date":"2027-01-01"}]}`
		empty  = `[{"iban":[],"date":"2026-05-01"},{"iban":["GB2"],"date":"2026-04-01"},{"iban":["FR3"],"date":"2025-01-01"}]`
	)
	for name, c := range map[string]struct {
		by, list string
		want     bool
	}{
		"the newest has none":             {"newest by date", newest, false},
		"the newest lacks the member":     {"newest by date", lacks, false},
		"there is one value alone":        {"newest by date", alone, false},
		"in an object":                    {"newest by date", nested, false},
		"in a list in a record":           {"newest by date", inList, false},
		"an empty list":                   {"newest by date", empty, false},
		"one of the two newest has it":    {"two newest by date", newest, true},
		"the third of the two newest":     {"two newest by date", third, false},
		"the second newest has it":        {"second newest by date", newest, true},
		"one that isn't meant has none":   {"newest by date", oldest, true},
		"one that can't be compared":      {"newest by date", undone, false},
		"another list has no such member": {"newest by date", beside, true},
		"the first in the list has none":  {"first in the list", newest, false},
		"the second in the list has it":   {"second in the list", newest, true},
		"the last in the list has none":   {"last in the list", oldest, false},
		"the first, before one with none": {"first in the list", oldest, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := billed{map[string]string{"/to": takes("iban", "text", `"pick":"choice","by":"`+c.by+`"`)}, c.list, map[string]string{"/to": "t:GB2"}}
			if got, misses := b.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestTheMissingIsNoValue: nothing that an agent writes is the value of a record that has none.
func TestTheMissingIsNoValue(t *testing.T) {
	b := billed{map[string]string{"/to": takes("iban", "text", `"pick":"choice","by":"newest by date"`)},
		`[{"iban":null,"date":"2026-05-01"},{"iban":"GB2","date":"2026-04-01"}]`, map[string]string{"/to": "t:\x00r /0"}}
	if got, _ := b.covered(t); got {
		t.Error("covered")
	}
}

// TestAnotherMemberInstead: where a record lacks a member that is to be empty, and has another one instead, it may say there what the others say
// in that one.
func TestAnotherMemberInstead(t *testing.T) {
	const others = `{"id":"e2","rsvp":"","name":"Per"},{"id":"e3","rsvp":"yes","name":"Ulla"}`
	open := acted(`{"rsvp":""}`, "all", "")
	is := map[string]string{"/id": "s:e1"}
	askings{
		"it lacks it":                {scope: open, args: is, results: events(`[{"id":"e1","name":"Lo"},` + others + `]`), want: true},
		"it has another one":         {scope: open, args: is, results: events(`[{"id":"e1","name":"Lo","answered":"2026-05-01"},` + others + `]`)},
		"the same, can be undone":    {scope: open, args: is, results: events(`[{"id":"e1","name":"Lo","answered":"2026-05-01"},` + others + `]`), reversible: true, want: true},
		"another one that is empty":  {scope: open, args: is, results: events(`[{"id":"e1","name":"Lo","answered":""},` + others + `]`), want: true},
		"it has it, and another one": {scope: open, args: is, results: events(`[{"id":"e1","rsvp":"","name":"Lo","table":"7"},` + others + `]`), want: true},
	}.run(t)
}
