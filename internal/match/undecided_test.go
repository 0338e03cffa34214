package match_test

import "testing"

// TestUndecidedRecords: a record of which no program can tell whether a bound holds makes none of the others the newest or the only one.
func TestUndecidedRecords(t *testing.T) {
	const (
		newest = `"where":{"done":{"before":"2026-05-08"}}}],"kind":"id","pick":"choice","by":"newest by done"}`
		early  = `"where":{"done":{"before":"2026-05-08 12:00"}}}],"kind":"id","pick":"choice","by":"newest by done"}`
		only   = `"where":{"size":{"above":6000}}}],"kind":"id","pick":"only"}`
	)
	for name, c := range map[string]struct {
		source, beside string
		want           bool
	}{
		"a day behind the bound":    {newest, `"done":"2026-05-09","size":1`, true},
		"a day before it":           {newest, `"done":"2026-04-09","size":1`, true},
		"a day without a year":      {newest, `"done":"7.05. 02:00","size":1`, false},
		"a day in words":            {newest, `"done":"yesterday","size":1`, false},
		"a day on both sides":       {early, `"done":"2026-05-08","size":1`, false},
		"less than the bound":       {only, `"done":"2026-05-01","size":5999`, true},
		"a number with a unit":      {only, `"done":"2026-05-01","size":"7 m3"`, false},
		"a number with a comma":     {only, `"done":"2026-05-01","size":"7,000"`, false},
		"a point that parts groups": {only, `"done":"2026-05-01","size":"7.000"`, false},
	} {
		h := hostile{
			request: "Forward the mail.", tool: "forward_mail", args: map[string]string{"/id": "s:r1"},
			scope:   `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id",` + c.source + `}}]}`,
			results: mails(nil, `[{"id":"r1","done":"2026-05-01","size":8000},{"id":"r2",`+c.beside+`}]`),
		}
		if got, misses := h.covered(t); got != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, got, c.want, misses)
		}
	}
}
