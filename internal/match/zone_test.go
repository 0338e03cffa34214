package match_test

import (
	"testing"
	"time"
)

// TestTimesByTheUsersClock: a time in a zone of its own is also held to the user's clock, by which the user says hours and days.
func TestTimesByTheUsersClock(t *testing.T) {
	rome := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 5, 12, 9, 0, 0, 0, rome)
	busy := unless(of("halls", "id", ""), `{"tool":"things","where":{"start":{"before":"2026-05-16 11:00"},"end":{"after":"2026-05-16 10:00"}}}`)
	on := func(events string) []returned { return []returned{{"halls", "", `[{"id":5}]`}, {"things", "", events}} }
	booked := func(events string, want bool) asking {
		return asking{scope: busy, said: "Do it.", args: map[string]string{"/id": "s:5"}, results: on(events), now: now, want: want}
	}
	old := func(where, created string, want bool) asking {
		return asking{scope: every(of("things", "id", `{"created":`+where+`}`)), said: "Do it.", args: map[string]string{"/id": "s:5"}, now: now, want: want,
			results: []returned{{"things", "", `[{"id":5,"created":"` + created + `"},{"id":6,"created":"2031-01-01T00:00:00Z"}]`}}}
	}
	askings{
		"busy by the user's clock":           booked(`[{"start":"2026-05-16T08:00:00Z","end":"2026-05-16T09:00:00Z"}]`, false),
		"busy by the server's, as it may be": booked(`[{"start":"2026-05-16T10:00:00Z","end":"2026-05-16T11:00:00Z"}]`, false),
		"free by both":                       booked(`[{"start":"2026-05-16T13:00:00Z","end":"2026-05-16T14:00:00Z"}]`, true),
		"busy as it is written":              booked(`[{"start":"2026-05-16T10:00","end":"2026-05-16T11:00"}]`, false),
		"free as it is written":              booked(`[{"start":"2026-05-16T08:00","end":"2026-05-16T09:00"}]`, true),
		"before the hour by both":            old(`{"before":"2026-05-16 10:00"}`, "2026-05-16T07:30:00Z", true),
		"before it by the server's alone":    old(`{"before":"2026-05-16 10:00"}`, "2026-05-16T09:30:00Z", false),
		"before the day by both":             old(`{"before":"2026-05-16"}`, "2026-05-15T21:30:00Z", true),
		"before the day by the server's":     old(`{"before":"2026-05-16"}`, "2026-05-15T22:30:00Z", false),
		"on the day by both":                 old(`{"is":"2026-05-16"}`, "2026-05-16T21:30:00Z", true),
		"on the day by the server's":         old(`{"is":"2026-05-16"}`, "2026-05-16T22:30:00Z", false),
		"on the day in the user's own zone":  old(`{"is":"2026-05-16"}`, "2026-05-16T23:30:00+02:00", true),
		"on the day, without a zone":         old(`{"is":"2026-05-16"}`, "2026-05-16T23:30:00", true),
	}.run(t)
}

// TestTimesThatAreNone: a time of another calendar, or one that programs write for none, is before and after nothing.
func TestTimesThatAreNone(t *testing.T) {
	const plain = "2026-05-02"
	for created, want := range map[string]bool{
		"2026-05-01": true, "1931-05-01": true,
		"1447-11-20": false, "1405-02-20": false, "0115-05-03": false, "0026-06-02": false, "1900-01-01": false,
		"1970-01-01": false, "1970-01-01T01:00:00": false, "1969-12-31T19:00:00": false,
		"2026-05-01T08:00:00": false, // beside a day
	} {
		a := asking{scope: choosing("oldest by created"), said: "Forward the oldest.", tool: "forward_mail", args: map[string]string{"/id": "s:U2"},
			results: []returned{{"list_mails", "", `[{"id":"U1","created":"` + plain + `"},{"id":"U2","created":"` + created + `"}]`}}, want: want}
		if got, misses := a.covered(t); got != want {
			t.Errorf("%s: covered %v (%v)", created, got, misses)
		}
	}
	for created, want := range map[string]bool{"2026-05-03": true, "2569-01-02": false, "9998-12-31": false} {
		a := asking{scope: choosing("newest by created"), said: "Forward the newest.", tool: "forward_mail", args: map[string]string{"/id": "s:U2"},
			results: []returned{{"list_mails", "", `[{"id":"U1","created":"` + plain + `"},{"id":"U2","created":"` + created + `"}]`}}, want: want}
		if got, misses := a.covered(t); got != want {
			t.Errorf("%s: covered %v (%v)", created, got, misses)
		}
	}
}

// TestStatedHours: an hour without a zone is one of the user's clock.
func TestStatedHours(t *testing.T) {
	now := time.Date(2026, 5, 12, 9, 0, 0, 0, time.FixedZone("", 2*60*60))
	for name, c := range map[string]struct {
		stated, have string
		unknown      bool // where the user is
		want         bool
	}{
		"as it is stated":                   {"2026-05-20T14:00:00", "2026-05-20T14:00:00", false, true},
		"in the user's zone":                {"2026-05-20T14:00:00", "2026-05-20T14:00:00+02:00", false, true},
		"the same moment in UTC":            {"2026-05-20T14:00:00", "2026-05-20T12:00:00Z", false, true},
		"written so in UTC":                 {"2026-05-20T14:00:00", "2026-05-20T14:00:00Z", false, false},
		"in the zone of another":            {"2026-05-20T14:00:00", "2026-05-20T14:00:00-05:00", false, false},
		"without the zone":                  {"2026-05-20T14:00:00+02:00", "2026-05-20T14:00:00", false, true},
		"without the zone, in another one":  {"2026-05-20T14:00:00Z", "2026-05-20T14:00:00", false, false},
		"written so, where nobody knows it": {"2026-05-20T14:00:00", "2026-05-20T14:00:00Z", true, true},
	} {
		for _, role := range []string{"t", "s", "c"} {
			a := asking{scope: `{"calls":[{"tool":"act","args":{"/at":{"is":"` + c.stated + `"}}}]}`, said: "At two.", args: map[string]string{"/at": role + ":" + c.have}, want: c.want}
			if !c.unknown {
				a.now = now
			}
			if got, misses := a.covered(t); got != a.want {
				t.Errorf("%s, %s: covered %v (%v)", name, role, got, misses)
			}
		}
	}
}
