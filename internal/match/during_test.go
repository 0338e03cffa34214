package match_test

import "testing"

// TestOnADayBetween: against a call on a day speaks what is on at that day, whenever it began.
func TestOnADayBetween(t *testing.T) {
	unless := func(member string) string {
		return `{"calls":[{"tool":"act","unless":[{"tool":"list_events","where":{"` + member + `":{"is":"2026-05-21"}}}],"args":{"/id":{"is":"1"}}}]}`
	}
	is := map[string]string{"/id": "s:1"}
	day := unless("day")
	askings{
		"over before":                      {scope: day, args: is, results: events(`[{"start":"2026-05-17","end":"2026-05-20"}]`), want: true},
		"begins later":                     {scope: day, args: is, results: events(`[{"start":"2026-05-22","end":"2026-05-25"}]`), want: true},
		"around it":                        {scope: day, args: is, results: events(`[{"start":"2026-05-19","end":"2026-05-23"}]`)},
		"until then":                       {scope: day, args: is, results: events(`[{"start":"2026-05-19","end":"2026-05-21"}]`)},
		"until midnight":                   {scope: day, args: is, results: events(`[{"start":"2026-05-20T20:00:00","end":"2026-05-21T00:00:00"}]`), want: true},
		"by moments":                       {scope: day, args: is, results: events(`[{"start":"2026-05-19T09:00:00Z","end":"2026-05-23T09:00:00Z"}]`)},
		"from and until":                   {scope: day, args: is, results: events(`[{"from":"2026-05-19","until":"2026-05-23"}]`)},
		"the first and the last day":       {scope: day, args: is, results: events(`[{"first_day":"2026-05-19","last_day":"2026-05-23"}]`)},
		"in objects":                       {scope: day, args: is, results: events(`[{"id":1,"start":{"date":"2026-05-19"},"end":{"date":"2026-05-23"}}]`)},
		"a day with an end":                {scope: day, args: is, results: events(`[{"day":"2026-05-19","end_day":"2026-05-23"}]`)},
		"a day with another day":           {scope: day, args: is, results: events(`[{"day":"2026-05-19","paid_on":"2026-05-23","due":"2026-06-01"}]`), want: true},
		"a day with a length in days":      {scope: day, args: is, results: events(`[{"day":"2026-05-19","days":5}]`)},
		"over by its length":               {scope: day, args: is, results: events(`[{"day":"2026-05-15","nights":2}]`), want: true},
		"a length that nobody can tell":    {scope: day, args: is, results: events(`[{"day":"2026-05-19","duration":"a week"}]`)},
		"a length in minutes":              {scope: day, args: is, results: events(`[{"day":"2026-05-19T10:00:00","duration":90}]`), want: true},
		"made before, and over":            {scope: day, args: is, results: events(`[{"created_at":"2026-05-01","start":"2026-05-25","end":"2026-05-26"}]`), want: true},
		"a condition on when it begins":    {scope: unless("start"), args: is, results: events(`[{"start":"2026-05-19","end":"2026-05-23"}]`)},
		"a condition on another day of it": {scope: unless("due"), args: is, results: events(`[{"due":"2026-05-19","reminder":"2026-05-23"}]`), want: true},
		"what can be taken back":           {scope: day, args: is, results: events(`[{"start":"2026-05-19","end":"2026-05-23"}]`), reversible: true},
	}.run(t)
}
