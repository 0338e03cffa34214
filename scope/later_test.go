package scope_test

import "testing"

// TestComputedMoments: a moment that follows from one of a source by a length of time is that
// one, and no other.
func TestComputedMoments(t *testing.T) {
	for name, c := range map[string]struct {
		by, list, value string
		want            bool
	}{
		"a week later":              {"deadline plus 7 days", `[{"name":"Ann","deadline":"2026-01-14"}]`, "2026-01-21", true},
		"a week, in words":          {"one week after the deadline", `[{"name":"Ann","deadline":"2026-01-14"}]`, "2026-01-21", true},
		"a month earlier":           {"a month before", `[{"name":"Ann","deadline":"2026-03-14"}]`, "2026-02-14", true},
		"half an hour later":        {"start plus 30 minutes", `[{"name":"Ann","deadline":"2026-01-14 10:00"}]`, "2026-01-14T10:30:00", true},
		"another day":               {"deadline plus 7 days", `[{"name":"Ann","deadline":"2026-01-14"}]`, "2026-01-23", false},
		"the day itself":            {"deadline plus 7 days", `[{"name":"Ann","deadline":"2026-01-14"}]`, "2026-01-14", false},
		"words without a length":    {"when it suits", `[{"name":"Ann","deadline":"2026-01-14"}]`, "2026-01-30", true},
		"a source that has no date": {"7 days later", `[{"name":"Ann","deadline":"soon"}]`, "2026-01-30", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{
				request: "Push Ann's deadline back.", results: mails(nil, c.list), tool: "forward_mail", args: map[string]string{"/note": "c:" + c.value}, write: true,
				scope: `{"calls":[{"tool":"forward_mail","args":{"/note":{"computed":[{"tool":"list_mails","field":"deadline","where":{"name":"Ann"}}],"by":"` + c.by + `"}}}]}`,
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestComputedFromItsSource: a number that has a source is made of the source's, in the way that
// is named.
func TestComputedFromItsSource(t *testing.T) {
	for value, want := range map[string]bool{"400": true, "300": false, "350": false, "50": false, "100": false, "0": false} {
		h := hostile{
			request: "Raise Ann's limit by 50.", results: mails(nil, `[{"name":"Ann","limit":350},{"name":"Eve","limit":100}]`), tool: "pay", args: map[string]string{"/amount": "o:" + value},
			scope: `{"calls":[{"tool":"pay","args":{"/amount":{"computed":[{"tool":"list_mails","field":"limit","where":{"name":"Ann"}}],"by":"present limit plus 50"}}}]}`,
		}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", value, got, want, misses)
		}
	}
}
