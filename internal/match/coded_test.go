package match_test

import "testing"

// TestThingForItsID: a member that is called as the thing is its id where each record has a code of its own there.
func TestThingForItsID(t *testing.T) {
	const scope = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"loan id","or":["id"],"where":{"singer":{"is":"Ann"}}}],"kind":"id","pick":"only"}}}]}`
	for name, c := range map[string]struct {
		list, id string
		want     bool
	}{
		"codes":                      {`[{"loan":"L-1","singer":"Ann"},{"loan":"L-2","singer":"Bo"}]`, "L-1", true},
		"another's":                  {`[{"loan":"L-1","singer":"Ann"},{"loan":"L-2","singer":"Bo"}]`, "L-2", false},
		"names":                      {`[{"loan":"Requiem","singer":"Ann"},{"loan":"Gloria","singer":"Bo"}]`, "Requiem", false},
		"a name among codes":         {`[{"loan":"L-1","singer":"Ann"},{"loan":"of Bo 2","singer":"Bo"}]`, "L-1", false},
		"one code twice":             {`[{"loan":"L-1","singer":"Ann"},{"loan":"L-1","singer":"Bo"}]`, "L-1", false},
		"a record without":           {`[{"loan":"L-1","singer":"Ann"},{"singer":"Bo"}]`, "L-1", false},
		"another thing":              {`[{"score":"S-1","singer":"Ann"},{"score":"S-2","singer":"Bo"}]`, "S-1", false},
		"beside an id of its own":    {`[{"loan":"L-1","id":"7","singer":"Ann"},{"loan":"L-2","id":"8","singer":"Bo"}]`, "L-1", false},
		"in a record in another one": {`[{"singer":"Ann","open":[{"loan":"L-1"}]},{"singer":"Bo","open":[{"loan":"L-2"}]}]`, "L-1", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, reversibly := range []bool{true, false} {
				h := hostile{request: "The loan of Ann.", scope: scope, results: mails(nil, c.list), tool: "forward_mail", args: map[string]string{"/id": "s:" + c.id}, write: reversibly}
				if got, misses := h.covered(t); got != c.want {
					t.Errorf("can be taken back %v: covered %v, want %v (%v)", reversibly, got, c.want, misses)
				}
			}
		})
	}
}

// TestTimesOfOneDay: where a result is for one day, a condition on the time is on that of its list, and not on the day.
func TestTimesOfOneDay(t *testing.T) {
	const scope = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"time","where":{"time":{"after":"19:00"}}}],"kind":"date","pick":"choice","by":"earliest by time"}}}]}`
	for name, c := range map[string]struct {
		list, time       string
		write, otherwise bool
	}{
		"the first one after":   {`{"date":"2026-01-10","free":[{"time":"17:45"},{"time":"19:15"},{"time":"20:30"}]}`, "19:15", true, true},
		"one before":            {`{"date":"2026-01-10","free":[{"time":"17:45"},{"time":"19:15"},{"time":"20:30"}]}`, "17:45", false, false},
		"a later one":           {`{"date":"2026-01-10","free":[{"time":"17:45"},{"time":"19:15"},{"time":"20:30"}]}`, "20:30", false, false},
		"a time that one lacks": {`{"date":"2026-01-10","free":[{"time":"17:45"},{"time":"19:15"},{"hour":"20:30"}]}`, "19:15", true, false},
		"the times of two days": {`[{"date":"2026-01-10","free":[{"time":"19:15"}]},{"date":"2026-01-11","free":[{"time":"19:30"}]}]`, "19:15", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, reversibly := range []bool{true, false} {
				want := c.otherwise
				if reversibly {
					want = c.write
				}
				h := hostile{request: "The earliest after 7.", scope: scope, results: mails(nil, c.list), tool: "forward_mail", args: map[string]string{"/id": "s:" + c.time}, write: reversibly}
				if got, misses := h.covered(t); got != want {
					t.Errorf("can be taken back %v: covered %v, want %v (%v)", reversibly, got, want, misses)
				}
			}
		})
	}
}
