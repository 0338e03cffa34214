package match_test

import (
	"testing"
	"time"
)

// TestBesideWhatIsCalledJustSo: a member with another word before it is of something else where the records have one that is called just
// so: whoever registers for an event fills in neither, and who makes the event both.
func TestBesideWhatIsCalledJustSo(t *testing.T) {
	by := acted(`{"start":{"is":"2026-03-05"}}`, "only", "")
	list := func(first, second string) []returned {
		return events(`[{"id":"e1",` + first + `},{"id":"e2",` + second + `}]`)
	}
	const (
		fifth  = `"starts_at":"2026-03-05T10:00","registration_start":"2026-02-01T10:00"`
		fourth = `"starts_at":"2026-03-04T10:00","registration_start":"2026-03-05T10:00"`
	)
	for _, reversible := range []bool{true, false} {
		askings{
			"the start of the event":       {scope: by, args: map[string]string{"/id": "s:e1"}, results: list(fifth, fourth), reversible: reversible, want: true},
			"the start of something else":  {scope: by, args: map[string]string{"/id": "s:e2"}, results: list(fifth, fourth), reversible: reversible},
			"what is listed has it before": {scope: by, args: map[string]string{"/id": "s:e1"}, results: list(`"event_start":"2026-03-05"`, `"event_start":"2026-03-04"`), reversible: reversible, want: true},
		}.run(t)
	}
}

// TestNewestIsNotDueLast: for what can't be taken back, a time of something is not that of the record where it has another one.
func TestNewestIsNotDueLast(t *testing.T) {
	by := acted(`{}`, "choice", "newest")
	list := func(first, second string) []returned {
		return events(`[{"id":"e1",` + first + `},{"id":"e2",` + second + `}]`)
	}
	second := map[string]string{"/id": "s:e2"}
	askings{
		"what was created last":      {scope: by, args: map[string]string{"/id": "s:e1"}, results: list(`"due_date":"2026-01-01","created_at":"2026-03-02"`, `"due_date":"2026-09-01","created_at":"2026-03-01"`), want: true},
		"what is due last":           {scope: by, args: second, results: list(`"due_date":"2026-01-01","created_at":"2026-03-02"`, `"due_date":"2026-09-01","created_at":"2026-03-01"`)},
		"what is due, issued before": {scope: by, args: second, results: list(`"due_date":"2026-01-01","issued_on":"2026-03-02"`, `"due_date":"2026-09-01","issued_on":"2026-03-01"`)},
		"the only time":              {scope: by, args: second, results: list(`"due_date":"2026-01-01"`, `"due_date":"2026-09-01"`), want: true},
		"the time of what is listed": {scope: by, args: second, results: list(`"event_date":"2026-01-01","seen":"2026-03-02"`, `"event_date":"2026-09-01","seen":"2026-03-01"`), want: true},
	}.run(t)
}

// TestYearOfSomethingElse: for what can't be taken back, an order is by a member of the records, and not by one of another thing in them.
func TestYearOfSomethingElse(t *testing.T) {
	list := func(first, second string) []returned {
		return events(`[{"id":"e1",` + first + `},{"id":"e2",` + second + `}]`)
	}
	is := map[string]string{"/id": "s:e1"}
	newest, cheapest, born := acted(`{}`, "choice", "newest by year"), acted(`{}`, "choice", "cheapest by price"), acted(`{}`, "choice", "newest by artist year")
	ofArtists := list(`"artist":{"name":"A","year":1980}`, `"artist":{"name":"B","year":1950}`)
	askings{
		"of the artist":              {scope: newest, args: is, results: ofArtists},
		"for what can be taken back": {scope: newest, args: is, results: ofArtists, reversible: true, want: true},
		"as the criterion says":      {scope: born, args: is, results: ofArtists, want: true},
		"of details":                 {scope: newest, args: is, results: list(`"details":{"year":1980}`, `"details":{"year":1950}`), want: true},
		"the amount of a price":      {scope: cheapest, args: is, results: list(`"price":{"amount":3}`, `"price":{"amount":9}`), want: true},
	}.run(t)
}

// TestAnotherZone: what is free at an hour in one zone isn't so at that hour in another one.
func TestAnotherZone(t *testing.T) {
	book := func(start, end string) string {
		return `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_rooms","field":"room_id"}],"kind":"id","pick":"only"},"/start":{"is":"` + start + `"},"/end":{"is":"` + end + `"}}}]}`
	}
	args := map[string]string{"/id": "s:r2", "/start": "c:2027-01-13T15:00:00+02:00", "/end": "c:2027-01-13T16:00:00+02:00"}
	free := func(start, end string) []returned {
		return []returned{{"list_rooms", `{"start":"` + start + `","end":"` + end + `"}`, `[{"room_id":"r2","name":"Small room"}]`}}
	}
	scoped := book("2027-01-13T15:00:00+02:00", "2027-01-13T16:00:00+02:00")
	askings{
		"the same moment":          {scope: scoped, args: args, results: free("2027-01-13T15:00:00+02:00", "2027-01-13T16:00:00+02:00"), want: true},
		"in another way":           {scope: scoped, args: args, results: free("2027-01-13T13:00:00Z", "2027-01-13T14:00:00Z"), want: true},
		"without a zone":           {scope: scoped, args: args, results: free("2027-01-13T15:00:00", "2027-01-13T16:00:00"), want: true},
		"the hour of another zone": {scope: scoped, args: args, results: free("2027-01-13T15:00:00Z", "2027-01-13T16:00:00Z")},
		"of the zone of UTC":       {scope: scoped, args: args, results: free("2027-01-13T15:00:00+00:00", "2027-01-13T16:00:00+00:00")},
	}.run(t)
}

// TestMovedWithinAZone: a moment that is moved stays in its zone, or says which moment it is in another one.
func TestMovedWithinAZone(t *testing.T) {
	const later = `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_events","field":"id"}],"kind":"id","pick":"only"},"/start":{"computed":[{"tool":"list_events","field":"start"}],"by":"start plus two hours"}}}]}`
	args := func(start string) map[string]string { return map[string]string{"/id": "s:e1", "/start": "c:" + start} }
	at := events(`[{"id":"e1","start":"2027-01-13T08:00:00Z"}]`)
	askings{
		"two hours later":              {scope: later, args: args("2027-01-13T10:00:00Z"), results: at, want: true},
		"the same in another zone":     {scope: later, args: args("2027-01-13T12:00:00+02:00"), results: at, want: true},
		"without a zone":               {scope: later, args: args("2027-01-13T10:00:00"), results: at, want: true},
		"two hours by another's clock": {scope: later, args: args("2027-01-13T10:00:00+02:00"), results: at},
	}.run(t)
}

// TestDaysOfAnotherZone: what is on past midnight is on another day for a server that has its times in UTC.
func TestDaysOfAnotherZone(t *testing.T) {
	const (
		booking = `{"calls":[{"tool":"act","args":{"/id":{"is":"r1"}},"unless":[{"tool":"list_events","where":{"start":{"before":"2027-01-13 02:00"},"end":{"after":"2027-01-13 00:30"}}}]}]}`
		zoned   = `[{"title":"x","start":"2027-01-13T13:00:00Z","end":"2027-01-13T14:00:00Z"}]`
		written = `[{"title":"x","start":"2027-01-13T13:00:00","end":"2027-01-13T14:00:00"}]`
	)
	days := func(from, to, text string) []returned {
		return []returned{{"list_events", `{"from":"` + from + `","to":"` + to + `"}`, text}}
	}
	rome := time.Date(2027, 1, 12, 20, 0, 0, 0, time.FixedZone("CET", 3600))
	room := map[string]string{"/id": "s:r1"}
	askings{
		"the day of the user's":         {scope: booking, said: "book r1", args: room, now: rome, results: days("2027-01-13", "2027-01-13", zoned)},
		"the day before in UTC as well": {scope: booking, said: "book r1", args: room, now: rome, results: days("2027-01-12", "2027-01-13", zoned), want: true},
		"a server without zones":        {scope: booking, said: "book r1", args: room, now: rome, results: days("2027-01-13", "2027-01-13", written), want: true},
		"whose user is in that of UTC":  {scope: booking, said: "book r1", args: room, now: rome.UTC(), results: days("2027-01-13", "2027-01-13", zoned), want: true},
	}.run(t)
}

// TestBoundWithoutAZone: an hour that the user says is by the user's clock, and not in UTC.
func TestBoundWithoutAZone(t *testing.T) {
	const forward = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"begin":[{"after":"2027-01-12 20:00"},{"before":"2027-01-13"}]}}],"kind":"id","pick":"only"}}}]}`
	rome := time.Date(2027, 1, 12, 9, 0, 0, 0, time.FixedZone("CET", 3600))
	list := func(begin string) []returned {
		return []returned{{"list_mails", "", `[{"id":"m1","begin":"` + begin + `"},{"id":"m2","begin":"2027-01-11T21:00:00+01:00"}]`}}
	}
	args := map[string]string{"/id": "s:m1"}
	askings{
		"after it":                    {scope: forward, said: "forward it", tool: "forward_mail", args: args, now: rome, results: list("2027-01-12T20:30:00+01:00"), want: true},
		"before it":                   {scope: forward, said: "forward it", tool: "forward_mail", args: args, now: rome, results: list("2027-01-12T19:30:00+01:00")},
		"after it by a clock in UTC":  {scope: forward, said: "forward it", tool: "forward_mail", args: args, now: rome, results: list("2027-01-12T20:30:00Z"), want: true},
		"after it by the user's only": {scope: forward, said: "forward it", tool: "forward_mail", args: args, now: rome, results: list("2027-01-12T19:30:00Z")},
	}.run(t)
}

// TestFeeOfSomethingElse: for what can't be taken back, an amount of something isn't that of the record where it has another one.
func TestFeeOfSomethingElse(t *testing.T) {
	const pay = `{"calls":[{"tool":"pay","args":{"/account":{"is":"DE89370400440532013000"},"/amount":{"from":[{"tool":"list_stays","field":"fee","where":{"guest":{"is":"Ann"}}}],"kind":"number","pick":"only"}}}]}`
	list := func(members string) []returned {
		return []returned{{"list_stays", "", `[{"id":"s1","guest":"Ann",` + members + `}]`}}
	}
	args := map[string]string{"/account": "t:DE89370400440532013000", "/amount": "o:40"}
	const said = "Pay Ann's fee to DE89370400440532013000"
	askings{
		"the fee":                    {scope: pay, said: said, tool: "pay", args: args, results: list(`"fee":40,"cleaning_fee":90`), want: true},
		"the only fee":               {scope: pay, said: said, tool: "pay", args: args, results: list(`"cleaning_fee":40`)},
		"that of what is listed":     {scope: pay, said: said, tool: "pay", args: args, results: list(`"stay_fee":40,"price":90`), want: true},
		"by the verb of the tool":    {scope: pay, said: said, tool: "pay", args: args, results: list(`"list_fee":40,"paid_fee":90`)},
		"what is left of it":         {scope: pay, said: said, tool: "pay", args: args, results: list(`"remaining_fee":40`)},
		"as the user calls it":       {scope: pay, said: "Pay the remaining fee of Ann to DE89370400440532013000", tool: "pay", args: args, results: list(`"remaining_fee":40`), want: true},
		"all of it":                  {scope: pay, said: said, tool: "pay", args: args, results: list(`"total_fee":40,"price":90`), want: true},
		"that of something else":     {scope: pay, said: said, tool: "pay", args: args, results: list(`"cleaning_fee":40,"price":90`)},
		"what the tool does":         {scope: pay, said: said, tool: "pay", args: args, results: list(`"list_fee":40,"price":90`)},
		"beside what others may say": {scope: pay, said: said, tool: "pay", args: args, results: list(`"cleaning_fee":40,"note":"90"`)},
	}.run(t)
}
