package match_test

import "testing"

// TestLengthBetween: a number may be the length of time between two moments, of its sources or in its words, in the unit that these name.
func TestLengthBetween(t *testing.T) {
	of := func(by, sources string) string {
		return `{"calls":[{"tool":"act","args":{"/id":{"is":"s1"},"/minutes":{"computed":[` + sources + `],"by":"` + by + `"}}}]}`
	}
	const (
		end      = `{"tool":"list_sessions","field":"ends at","where":{"id":"s1"}}`
		stay     = `{"tool":"list_sessions","field":"arrival"},{"tool":"list_sessions","field":"departure"}`
		present  = `minutes from the present end to 11:30`
		sessions = `[{"id":"s1","endsAt":"2026-12-01T10:45"},{"id":"s2","endsAt":"2026-12-01T10:00"}]`
		nights   = `{"arrival":"2026-12-30T15:00","departure":"2027-01-02T10:00"}`
	)
	for name, c := range map[string]struct {
		by, sources, result, value string
		want                       bool
	}{
		"to a time of the words":     {present, end, sessions, "45", true},
		"of another record":          {present, end, sessions, "90", false},
		"the time itself":            {present, end, sessions, "11", false},
		"in hours":                   {"hours from the end until 13:15", end, sessions, "2.5", true},
		"back to a time":             {"minutes by which it ends after 10:15", end, sessions, "30", true},
		"nights between two sources": {"nights from arrival to departure", stay, nights, "3", true},
		"one more":                   {"nights from arrival to departure", stay, nights, "4", false},
		"no unit":                    {"from the end to 11:30", end, sessions, "45", false},
		"a source without a moment":  {present, end, `[{"id":"s1","endsAt":"soon"}]`, "45", false},
		"three moments":              {"minutes from the end to 11:30 or 11:52", end, sessions, "67", false},
		"no length at all":           {"minutes from the end to 10:45", end, sessions, "0", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, reversible := range []bool{true, false} {
				askings{name: {scope: of(c.by, c.sources), said: "extend s1 until 11:30", args: map[string]string{"/id": "s:s1", "/minutes": "o:" + c.value},
					results: []returned{{"list_sessions", "", c.result}}, reversible: reversible, want: c.want && reversible}}.run(t)
			}
		})
	}
}
