package match_test

import (
	"testing"
	"time"
)

// TestSearchedInTheUsersWords: what the scope adds to the user's words, as translations and spellings, widens what counts. Who
// looks for the user's own words leaves out only what nobody said; for what can't be taken back, only what is in another script.
func TestSearchedInTheUsersWords(t *testing.T) {
	finding := func(contains string) string {
		return `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"find_books","field":"id","where":{"title":{"contains":` + contains + `}}}],"kind":"id","pick":"only"}}}]}`
	}
	const (
		scripts  = `["नीली नदी","Neeli Nadi"]`
		spelling = `["figuier","fig"]`
		said     = "'नीली नदी' reserve, and the figuier candle"
	)
	found := func(query, title string) []returned {
		return []returned{{"find_books", `{"query":"` + query + `"}`, `[{"id":"b1","title":"` + title + `"}]`}}
	}
	book := map[string]string{"/id": "s:b1"}
	askings{
		"the user's own, in their script":     {scope: finding(scripts), said: said, args: book, results: found("नीली नदी", "नीली नदी"), want: true},
		"the spelling that the scope adds":    {scope: finding(scripts), said: said, args: book, results: found("Neeli Nadi", "Neeli Nadi")},
		"a word of the stranger's beside it":  {scope: finding(scripts), said: said, args: book, results: found("नीली नदी सस्ती", "नीली नदी सस्ती")},
		"one of two spellings in a script":    {scope: finding(spelling), said: said, args: book, results: found("figuier", "figuier")},
		"in a script without spaces":          {scope: finding(`["晴天","Sunny Day"]`), said: "把周杰伦的晴天借给我", args: book, results: found("晴天", "晴天"), want: true},
		"of which one letter is no word":      {scope: finding(`["晴","晴れ"]`), said: "把周杰伦的晴天借给我", args: book, results: found("晴", "晴 晴れ"), reversible: true},
		"with a particle of Korean":           {scope: finding(`["박지훈","Park Jihoon"]`), said: "박지훈도 같은 거 보내줘", args: book, results: found("박지훈", "박지훈"), want: true},
		"in the middle of another name":       {scope: finding(`["지훈","Jihoon"]`), said: "박지훈도 같은 거 보내줘", args: book, results: found("지훈", "지훈"), want: false},
		"which can be taken back":             {scope: finding(spelling), said: said, args: book, results: found("figuier", "figuier"), reversible: true, want: true},
		"another word, which can, of both":    {scope: finding(spelling), said: said, args: book, results: found("olive", "figuier olive"), want: false},
		"what nobody said, and the scope has": {scope: finding(`["lifeboat","lifeboats"]`), said: said, args: book, results: found("lifeboats", "lifeboats")},
	}.run(t)
}

// TestParticles: Hebrew and Arabic write "in", "and" and "the" onto the word behind them.
func TestParticles(t *testing.T) {
	in := func(place string) string {
		return `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_flats","field":"id","where":{"name":{"contains":"` + place + `"}}}],"kind":"id","pick":"only"}}}]}`
	}
	list := func(text string) []returned { return []returned{{"list_flats", "", text}} }
	flat := map[string]string{"/id": "s:f1"}
	askings{
		"in Jaffa":                        {scope: in("יפו"), args: flat, results: list(`[{"id":"f1","name":"הדירה ביפו"},{"id":"f2","name":"דירה בחיפה"}]`), want: true},
		"in the Riyadh":                   {scope: in("الرياض"), args: flat, results: list(`[{"id":"f1","name":"شقة بالرياض"},{"id":"f2","name":"شقة بجدة"}]`), want: true},
		"two, with and without":           {scope: in("יפו"), args: flat, results: list(`[{"id":"f1","name":"הדירה ביפו"},{"id":"f2","name":"דירה, יפו"}]`)},
		"the end of another word":         {scope: in("יפו"), args: flat, results: list(`[{"id":"f1","name":"דירה סיפו"},{"id":"f2","name":"דירה"}]`)},
		"a short word":                    {scope: in("פו"), args: flat, results: list(`[{"id":"f1","name":"דירה בפו"},{"id":"f2","name":"דירה"}]`)},
		"a letter before a word in Latin": {scope: in("port"), args: flat, results: list(`[{"id":"f1","name":"flat sport"},{"id":"f2","name":"flat"}]`)},
	}.run(t)
}

// TestDoneByToday: what was done is done by today, so that a listing until today has all of it.
func TestDoneByToday(t *testing.T) {
	after := func(member string) string {
		return `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_gifts","field":"donor_id","where":{"` + member + `":{"after":"2026-04-30","before":"2026-06-01"}}}],"kind":"id","pick":"choice","by":"largest by amount"}}}]}`
	}
	until := func(day, member string) []returned {
		return []returned{{"list_gifts", `{"from":"2026-05-01","to":"` + day + `"}`, `[{"donor_id":"d1","amount":350,"` + member + `":"2026-05-05"},{"donor_id":"d2","amount":60,"` + member + `":"2026-05-13"}]`}}
	}
	now := time.Date(2026, 5, 15, 12, 0, 0, 0, time.UTC)
	donor := map[string]string{"/id": "s:d1"}
	askings{
		"received until today":          {scope: after("received"), args: donor, results: until("2026-05-15", "received"), now: now, want: true},
		"received until later":          {scope: after("received"), args: donor, results: until("2026-05-31", "received"), now: now, want: true},
		"received until yesterday":      {scope: after("received"), args: donor, results: until("2026-05-14", "received"), now: now},
		"what is due is still to come":  {scope: after("due"), args: donor, results: until("2026-05-15", "due"), now: now},
		"nobody knows what day it is":   {scope: after("received"), args: donor, results: until("2026-05-15", "received")},
		"another member that is a time": {scope: after("received"), args: donor, results: until("2026-05-15", `received":"2026-05-05","planned`), now: now},
	}.run(t)
}

// TestAgainstNarrowedToTheOnlyOne: what speaks against a call is not left out by the id of the only one that it is about.
func TestAgainstNarrowedToTheOnlyOne(t *testing.T) {
	const tell = `{"calls":[{"tool":"act","unless":[{"tool":"list_slots","where":{"doctor":{"contains":"Lemaire"},"mode":"video"}}],"args":{"/id":{"is":"P1"}}}]}`
	after := func(doctors, slots string) []returned {
		return []returned{{"find_doctors", "", doctors}, {"list_slots", `{"doctor_id":"D-22"}`, slots}}
	}
	const (
		one   = `[{"doctor_id":"D-22","name":"A. Lemaire"},{"doctor_id":"D-9","name":"B. Roy"}]`
		two   = `[{"doctor_id":"D-22","name":"A. Lemaire"},{"doctor_id":"D-9","name":"Z. Lemaire"}]`
		none  = `[{"slot":"s1","doctor_id":"D-22","doctor":"A. Lemaire","mode":"in_person"}]`
		video = `[{"slot":"s1","doctor_id":"D-22","doctor":"A. Lemaire","mode":"video"}]`
	)
	askings{
		"no slot of the only one":    {scope: tell, said: "write to P1", args: map[string]string{"/id": "s:P1"}, results: after(one, none), want: false},
		"a slot of the only one":     {scope: tell, said: "write to P1", args: map[string]string{"/id": "s:P1"}, results: after(one, video)},
		"no slot of one of two":      {scope: tell, said: "write to P1", args: map[string]string{"/id": "s:P1"}, results: after(two, none)},
		"nobody looked for a doctor": {scope: tell, said: "write to P1", args: map[string]string{"/id": "s:P1"}, results: after(one, none)[1:]},
	}.run(t)
}
