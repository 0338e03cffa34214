package match_test

import (
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestListedForASpan: a booking under the condition that nothing is on at its time counts a listing of the
// days of that time, and takes the room from those that are listed for it.
func TestListedForASpan(t *testing.T) {
	const (
		booking = `{"calls":[{"tool":"book_room","args":{"/room_id":{"from":[{"tool":"list_rooms","field":"room_id"}],"kind":"id","pick":"only","by":"small room"},"/start":{"is":"2027-01-13T15:00"},"/end":{"is":"2027-01-13T16:00"}},
			"unless":[{"tool":"list_events","where":{"start":{"before":"2027-01-13 16:00"},"end":{"after":"2027-01-13 15:00"}}}]}]}`
		rooms = `[{"room_id":"r1","name":"Board room","seats":14},{"room_id":"r2","name":"Small room","seats":4}]`
		dated = `[{"room_id":"r1","name":"Board room","opened":"2019-05-06"},{"room_id":"r2","name":"Small room","opened":"2021-05-06"}]`
		alike = `[{"room_id":"r1","name":"Board room","note":"smaller than it looks, small for ten"},{"room_id":"r2","name":"Small room","note":""}]`
		free  = `[{"title":"Lunch","start":"2027-01-13T13:00","end":"2027-01-13T14:00"}]`
		busy  = `[{"title":"Lunch","start":"2027-01-13T13:00","end":"2027-01-13T15:30"}]`
		made  = `[{"title":"Lunch","start":"2027-01-13T13:00","end":"2027-01-13T14:00","created":"2027-01-10T08:00"}]`
	)
	days := func(from, to string) map[string]string {
		return map[string]string{"/from": "o:" + from, "/to": "o:" + to}
	}
	hours := func(start, end string) map[string]string {
		return map[string]string{"/start": "o:" + start, "/end": "o:" + end}
	}
	day, hour := days("2027-01-13", "2027-01-13"), hours("2027-01-13T15:00", "2027-01-13T16:00")

	for name, c := range map[string]struct {
		days, hours   map[string]string
		events, rooms string
		id            string
		want          bool
	}{
		"the day of the booking, and its hour":  {day, hour, free, rooms, "r2", true},
		"more days":                             {days("2027-01-11", "2027-01-17"), hour, free, rooms, "r2", true},
		"something is on":                       {day, hour, busy, rooms, "r2", false},
		"another room":                          {day, hour, free, rooms, "r1", false},
		"the day after":                         {days("2027-01-14", "2027-01-14"), hour, free, rooms, "r2", false},
		"the day before":                        {days("2027-01-12", "2027-01-12"), hour, free, rooms, "r2", false},
		"from an hour on":                       {days("2027-01-13T15:30", "2027-01-13"), hour, free, rooms, "r2", false},
		"before the day":                        {map[string]string{"/before": "o:2027-01-13"}, hour, free, rooms, "r2", false},
		"the side of another time":              {map[string]string{"/created_from": "o:2027-01-13"}, hour, free, rooms, "r2", false},
		"a side that may be of another time":    {day, hour, made, rooms, "r2", false},
		"rooms for another hour":                {day, hours("2027-01-13T17:00", "2027-01-13T18:00"), free, rooms, "r2", false},
		"rooms by an hour under another name":   {day, map[string]string{"/opened_at": "o:2027-01-13T15:00"}, free, rooms, "r2", false},
		"rooms that have a time of their own":   {day, hour, free, dated, "r2", false},
		"a remark that speaks of the same":      {day, hour, free, alike, "r2", false},
		"rooms that others narrowed the search": {day, map[string]string{"/start": "o:2027-01-13T15:00", "/query": "s:r1"}, free, rooms, "r2", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(booking), nil)
			if err != nil {
				t.Fatal(err)
			}
			result := func(tool string, args map[string]string, text string) *match.Result {
				r := &match.Result{Call: tool, Server: "mailbox", Tool: tool, Covered: true, Read: true, Args: call(tool, args).Args}
				for i := range r.Args {
					r.Args[i].Foreign = true
				}
				setContent(r, text)
				return r
			}

			p := call("book_room", map[string]string{"/room_id": "s:" + c.id, "/start": "c:2027-01-13T15:00", "/end": "c:2027-01-13T16:00"})
			p.Role = func(string) label.Role { return label.Content }
			results := []*match.Result{result("list_events", c.days, c.events), result("list_rooms", c.hours, c.rooms)}
			if _, misses, ok := match.NewTask(s, "If nothing is on at 3, book the small room.").Match(p, results); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}
