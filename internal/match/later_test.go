package match_test

import (
	"testing"
	"time"
)

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

// TestMomentsOfSeveralRecords: of several records, a moment is that of the one that the call is about.
func TestMomentsOfSeveralRecords(t *testing.T) {
	const moving = `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"name":"Ann"}}],"kind":"id","pick":"all"},
		"/note":{"computed":[{"tool":"list_mails","field":"start","where":{"name":"Ann"}}],"by":"start plus one day"}}}]}`
	for value, want := range map[string]bool{
		"2026-01-15 10:00": true,
		"2026-01-15 12:00": false, // of the other one
		"2026-01-16 10:00": false,
		"2026-02-15 10:00": false, // Eve's
		"2026-01-14 10:00": false,
	} {
		h := hostile{
			request: "Move all of Ann's a day back.", scope: moving, write: true, tool: "forward_mail", args: map[string]string{"/id": "s:m1", "/note": "c:" + value},
			results: mails(nil, `[{"id":"m1","name":"Ann","start":"2026-01-14 10:00"},{"id":"m2","name":"Ann","start":"2026-01-14 12:00"},{"id":"m3","name":"Eve","start":"2026-02-14 10:00"}]`),
		}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", value, got, want, misses)
		}
	}
}

// TestDayOfAMoment: a day is that of the moment that a computation results in, also where it says
// what is booked; another day, the day as it was, and one in the other direction are not.
func TestDayOfAMoment(t *testing.T) {
	for value, want := range map[string]bool{"2026-12-10": true, "2026-12-10T11:00": true, "2026-12-10T09:00": false, "2026-12-09": false, "2026-12-08": false, "2026-12-06": false} {
		for _, role := range []string{"c:", "t:"} {
			h := hostile{
				request: "Book it two days later.", results: mails(nil, `[{"name":"Ann","start":"2026-12-08T11:00"}]`), tool: "forward_mail", args: map[string]string{"/to": role + value}, write: true,
				scope: `{"calls":[{"tool":"forward_mail","args":{"/to":{"computed":[{"tool":"list_mails","field":"start","where":{"name":"Ann"}}],"by":"start plus two days"}}}]}`,
			}
			if got, misses := h.covered(t); got != want {
				t.Errorf("%s%s: covered %v, want %v (%v)", role, value, got, want, misses)
			}
		}
	}
}

// TestOwed: what is owed is zero minus a negative balance.
func TestOwed(t *testing.T) {
	for value, want := range map[string]bool{"340": true, "-340": false, "680": false, "125": false, "0": false} {
		h := hostile{
			request: "Bring Ann's balance to zero.", results: mails(nil, `[{"name":"Ann","balance":-340},{"name":"Eve","balance":-125}]`), tool: "pay", args: map[string]string{"/amount": "o:" + value},
			scope: `{"calls":[{"tool":"pay","args":{"/amount":{"computed":[{"tool":"list_mails","field":"balance","where":{"name":"Ann"}}],"by":"zero minus the balance"}}}]}`,
		}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", value, got, want, misses)
		}
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

// TestLengthsTogether: lengths of time are added up, a month from the 31st ends with its month, and a day that can't be taken back is near its source
// where no program reads the words.
func TestLengthsTogether(t *testing.T) {
	for name, c := range map[string]struct {
		by, deadline, value string
		want                bool
	}{
		"a month and two days":        {"deadline plus 1 month and 2 days", "2026-08-01", "2026-09-03", true},
		"the days alone":              {"deadline plus 1 month and 2 days", "2026-08-01", "2026-08-03", false},
		"the month alone":             {"deadline plus 1 month and 2 days", "2026-08-01", "2026-09-01", false},
		"either of two":               {"7 or 14 days after the deadline, or 3 weeks", "2026-08-01", "2026-08-22", true},
		"another way to say it":       {"deadline plus 7 days (one week)", "2026-08-01", "2026-08-08", true},
		"the end of a shorter month":  {"deadline plus 1 month", "2026-08-31", "2026-09-30", true},
		"the begin of the next":       {"deadline plus 1 month", "2026-08-31", "2026-10-01", false},
		"a leap day":                  {"deadline plus 1 year", "2028-02-29", "2029-02-28", true},
		"working days":                {"3 working days after the deadline", "2026-06-01", "2026-06-04", true},
		"working days, in five years": {"3 working days after the deadline", "2026-06-01", "2031-06-04", false},
		"working days, before":        {"3 working days after the deadline", "2026-06-01", "2026-05-28", false},
	} {
		h := hostile{
			request: "Push Ann's deadline back.", tool: "forward_mail", args: map[string]string{"/note": "c:" + c.value},
			results: mails(nil, `[{"name":"Ann","deadline":"`+c.deadline+`"}]`),
			scope:   `{"calls":[{"tool":"forward_mail","args":{"/note":{"computed":[{"tool":"list_mails","field":"deadline","where":{"name":"Ann"}}],"by":"` + c.by + `"}}}]}`,
		}
		if got, misses := h.covered(t); got != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, got, c.want, misses)
		}
	}
}

// TestMovedInAZone: what moves a moment without a zone and can't be taken back says none, or the user's.
func TestMovedInAZone(t *testing.T) {
	moved := func(to string, reversible, want bool) asking {
		return asking{
			scope: `{"calls":[{"tool":"set_appointment","args":{"/at":{"computed":[{"tool":"get_deed","field":"appointment"}],"by":"appointment plus 7 days"}}}]}`,
			said:  "Move the appointment by a week.", tool: "set_appointment", args: map[string]string{"/at": "o:" + to}, reversible: reversible, early: true, want: want,
			results: []returned{{"get_deed", "", `{"deed":"D-7","appointment":"2026-05-28T14:00"}`}}, now: time.Date(2026, 5, 4, 9, 0, 0, 0, time.FixedZone("", 2*60*60)),
		}
	}
	askings{
		"no zone":                      moved("2026-06-04T14:00", false, true),
		"the user's":                   moved("2026-06-04T14:00+02:00", false, true),
		"the user's, with seconds":     moved("2026-06-04T14:00:00+02:00", false, true),
		"none, in the form with one":   moved("2026-06-04T14:00Z", false, true),
		"another one":                  moved("2026-06-04T14:00+05:00", false, false),
		"another one, with seconds":    moved("2026-06-04T14:00:00+05:00", false, false),
		"another one, to be put right": moved("2026-06-04T14:00+05:00", true, true),
		"the user's, at another hour":  moved("2026-06-04T15:00+02:00", false, false),
	}.run(t)
}
