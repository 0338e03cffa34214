package match_test

import "testing"

// TestAge: how old a record is, the member says by which the service tells since when there is one, and none that who wrote the record fills in.
func TestAge(t *testing.T) {
	for name, c := range map[string]struct{ by, list, want string }{
		"when it was filed":                      {"oldest", `[{"id":"a","filed_at":"2026-01-02"},{"id":"b","filed_at":"2026-03-02"}]`, "a"},
		"the same, by a bare date":               {"oldest by date", `[{"id":"a","filed_at":"2026-01-02"},{"id":"b","filed_at":"2026-03-02"}]`, "a"},
		"another day that is wished":             {"oldest", `[{"id":"a","filed_at":"2026-01-02","hoped_date":"2026-09-09"},{"id":"b","filed_at":"2026-03-02","hoped_date":"2001-01-01"}]`, "a"},
		"a bare day":                             {"oldest", `[{"id":"a","filed_at":"2026-01-02","date":"2026-09-09"},{"id":"b","filed_at":"2026-03-02","date":"2001-01-01"}]`, ""},
		"a bare day that agrees":                 {"oldest by date", `[{"id":"a","filed_at":"2026-01-02","date":"2026-02-09"},{"id":"b","filed_at":"2026-03-02","date":"2026-08-01"}]`, "a"},
		"a day that the criterion names in full": {"oldest by hoped_date", `[{"id":"a","filed_at":"2026-01-02","hoped_date":"2026-09-09"},{"id":"b","filed_at":"2026-03-02","hoped_date":"2001-01-01"}]`, "b"},
		"two that agree":                         {"latest", `[{"id":"a","taken":"2026-01-02","reported_at":"2026-01-09"},{"id":"b","taken":"2026-03-02","reported_at":"2026-04-01"}]`, "b"},
		"two that differ":                        {"latest", `[{"id":"a","taken":"2026-01-02","reported_at":"2026-05-09"},{"id":"b","taken":"2026-03-02","reported_at":"2026-04-01"}]`, ""},
		"what was taken, and no time":            {"latest", `[{"id":"a","taken":true,"date":"2026-05-09"},{"id":"b","taken":false,"date":"2026-04-01"}]`, "a"},
		"when something is due alone":            {"oldest", `[{"id":"a","expiry":"2026-01-02"},{"id":"b","expiry":"2026-03-02"}]`, ""},
		"what is still to come":                  {"next", `[{"id":"a","created":"2026-01-02","start":"2026-07-01"},{"id":"b","created":"2026-01-01","start":"2026-06-01"}]`, "b"},
		"all but the newest":                     {"", `[{"id":"a","filed_at":"2026-01-02","date":"2099-09-09"},{"id":"b","filed_at":"2026-03-02","date":"2000-01-01"},{"id":"c","filed_at":"2025-03-02","date":"2000-01-01"}]`, "c"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := chosenBy(t, c.by, c.list); got != c.want {
				t.Errorf("covered: %q, want %q", got, c.want)
			}
		})
	}
}

// TestAgeByWhateverTimes: for a call that can be taken back, a record is the oldest by the times that there are, whatever they are called.
func TestAgeByWhateverTimes(t *testing.T) {
	const list = `[{"id":"a","waits_from":"2026-01-02"},{"id":"b","waits_from":"2026-03-02"}]`
	for id, want := range map[string]bool{"a": true, "b": false} {
		h := hostile{request: "Forward the oldest.", scope: choosing("oldest"), results: mails(nil, list), tool: "forward_mail", args: map[string]string{"/id": "s:" + id}, write: true}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", id, got, want, misses)
		}
	}
}

// TestShortestTime: a word before "time" names the member, whose name may have a unit instead.
func TestShortestTime(t *testing.T) {
	for list, want := range map[string]string{
		`[{"id":"a","drying_days":9,"price":1},{"id":"b","drying_days":4,"price":2}]`:             "b",
		`[{"id":"a","drying":"2026-01-01"},{"id":"b","drying":"2026-01-02"}]`:                     "",
		`[{"id":"a","drying_days":9,"curing_days":1},{"id":"b","drying_days":4,"curing_days":3}]`: "b",
	} {
		if got := chosenOf(t, choosing("shortest drying time"), mails(nil, list)...); got != want {
			t.Errorf("%s: covered %q, want %q", list, got, want)
		}
	}
}
