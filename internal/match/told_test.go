package match_test

import (
	"strings"
	"testing"
	"time"
)

// acted is a scope with a call for the record that a criterion says, of those that conditions select.
func acted(where, pick, by string) string {
	return `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_events","field":"id","where":` + where + `}],"kind":"id","pick":"` + pick + `","by":"` + by + `"}}}]}`
}

func events(text string) []returned { return []returned{{"list_events", "", text}} }

// TestToldInSeveralWays: a criterion may say one thing in the user's words and in others.
func TestToldInSeveralWays(t *testing.T) {
	by := acted(`{"day":{"is":"2026-11-24"}}`, "only", "dentista, dentist appointment")
	const (
		day     = `,"day":"2026-11-24"`
		dentist = `{"id":"e1","title":"Dentista Dra. Pascual"` + day + `}`
		other   = `{"id":"e2","title":"Padel"` + day + `}`
	)
	is := map[string]string{"/id": "s:e1"}
	const said = "cancela lo del dentista del martes"
	askings{
		"the user's word is in its title": {scope: by, said: said, args: is, results: events(`[` + dentist + `,` + other + `]`), want: true},
		"another one speaks of it":        {scope: by, said: said, args: is, results: events(`[` + dentist + `,{"id":"e2","title":"Padel"` + day + `,"note":"after the dentist"}]`)},
		"another one is called so":        {scope: by, said: said, args: is, results: events(`[` + dentist + `,{"id":"e2","title":"Dentist appointment"` + day + `}]`)},
		"half of one way to say it":       {scope: acted(`{"day":{"is":"2026-11-24"}}`, "only", "dental check (dentist appointment)"), said: said, args: is, results: events(`[{"id":"e1","title":"Dentist"` + day + `},` + other + `]`)},
		"two words that the user said":    {scope: acted(`{"day":{"is":"2026-11-24"}}`, "only", "dentista, martes"), said: said, args: is, results: events(`[` + dentist + `,` + other + `]`)},
		"a stranger's, with both":         {scope: by, said: said, args: map[string]string{"/id": "s:e2"}, results: events(`[` + dentist + `,{"id":"e2","title":"dentista, dentist appointment"` + day + `}]`)},
	}.run(t)
}

// TestSpokenOf: what the user calls a thing may be a compound of what its record says. The author of another one may say it as
// well, which is a question, and for what can't be taken back it always is.
func TestSpokenOf(t *testing.T) {
	by := acted(`{"pet":{"is":"Minka"}}`, "only", "Schilddrüsentabletten (thyroid tablets)")
	const (
		thyroid = `{"id":"e1","pet":"Minka","medicine":"Thiamatab (Schilddrüse)","note":""}`
		kidney  = `{"id":"e2","pet":"Minka","medicine":"Nierendiät","note":""}`
		remark  = `{"id":"e2","pet":"Minka","medicine":"Nierendiät","note":"gut für die Schilddrüse"}`
		glossed = `{"id":"e2","pet":"Minka","medicine":"thyroid powder","note":""}`
	)
	is := map[string]string{"/id": "s:e1"}
	const said = "Bestell die Schilddrüsentabletten für Minka nach"
	askings{
		"a part of what the user says":    {scope: by, said: said, args: is, results: events(`[` + thyroid + `,` + kidney + `]`), reversible: true, want: true},
		"what can't be taken back":        {scope: by, said: said, args: is, results: events(`[` + thyroid + `,` + kidney + `]`)},
		"a remark of another one says it": {scope: by, said: said, args: is, results: events(`[` + thyroid + `,` + remark + `]`), reversible: true},
		"words of the scope's alone":      {scope: by, said: said, args: map[string]string{"/id": "s:e2"}, results: events(`[` + thyroid + `,` + glossed + `]`), reversible: true},
		"no other one is left":            {scope: by, said: said, args: map[string]string{"/id": "s:e2"}, results: events(`[` + thyroid + `,` + kidney + `]`), reversible: true},
	}.run(t)
}

// TestNothingButTheWords: of several records with the words of several conditions, the one whose name is nothing else is meant.
func TestNothingButTheWords(t *testing.T) {
	by := acted(`{"title":[{"contains":["bougie","candle"]},{"contains":["figuier","fig"]},{"contains":["180g","180 g"]}]}`, "only", "")
	const (
		candle = `{"id":"e1","title":"Bougie figuier 180 g"}`
		refill = `{"id":"e2","title":"Recharge bougie figuier 180 g"}`
		again  = `{"id":"e3","title":"Figuier bougie 180 g"}`
		signed = `{"id":"e1","title":"Bougie figuier + 180 g"}`
	)
	is := map[string]string{"/id": "s:e1"}
	askings{
		"one has nothing else":         {scope: by, args: is, results: events(`[` + candle + `,` + refill + `]`), reversible: true, want: true},
		"the other one":                {scope: by, args: map[string]string{"/id": "s:e2"}, results: events(`[` + candle + `,` + refill + `]`), reversible: true},
		"two have nothing else":        {scope: by, args: is, results: events(`[` + candle + `,` + refill + `,` + again + `]`), reversible: true},
		"what can't be taken back":     {scope: by, args: is, results: events(`[` + candle + `,` + refill + `]`)},
		"which removes it":             {scope: strings.Replace(by, `"act"`, `"delete_event"`, 1), tool: "delete_event", args: is, results: events(`[` + candle + `,` + refill + `]`), want: true},
		"which removes another":        {scope: strings.Replace(by, `"act"`, `"delete_event"`, 1), tool: "delete_event", args: map[string]string{"/id": "s:e2"}, results: events(`[` + candle + `,` + refill + `]`)},
		"which removes one of two":     {scope: strings.Replace(by, `"act"`, `"delete_event"`, 1), tool: "delete_event", args: is, results: events(`[` + candle + `,` + refill + `,` + again + `]`)},
		"a sign that nobody looks for": {scope: by, args: is, results: events(`[` + signed + `,` + refill + `]`), reversible: true},
	}.run(t)
}

// TestTitleAsTheName: what has no name is called by its only title, where the user's words are looked for in it.
func TestTitleAsTheName(t *testing.T) {
	by := acted(`{"name":{"contains":"Golf"}}`, "choice", "cheapest by price")
	list := func(more string) []returned {
		return events(`[{"id":"e1","label":"Pads for Golf","price":40` + more + `},{"id":"e2","label":"Pads for Golf, sport","price":79` + more + `},{"id":"e3","label":"Pads","price":9` + more + `}]`)
	}
	is := map[string]string{"/id": "s:e1"}
	askings{
		"the label":                      {scope: by, said: "pads for the Golf", args: is, results: list(""), want: true},
		"what its words leave out":       {scope: by, said: "pads for the Golf", args: map[string]string{"/id": "s:e3"}, results: list("")},
		"words that nobody said":         {scope: by, said: "pads", args: is, results: list("")},
		"two titles":                     {scope: by, said: "pads for the Golf", args: is, results: list(`,"heading":"x"`)},
		"a title that one of them has":   {scope: by, said: "pads for the Golf", args: is, results: events(`[{"id":"e1","label":"Pads for Golf","price":40},{"id":"e2","price":79}]`)},
		"a text of others, and no title": {scope: by, said: "pads for the Golf", args: is, results: events(`[{"id":"e1","note":"Golf","price":40},{"id":"e2","note":"","price":9}]`)},
	}.run(t)
}

// TestLatestOfADay: times alone are compared, as long as they are of one day.
func TestLatestOfADay(t *testing.T) {
	by := func(by string) string { return acted(`{}`, "choice", by) }
	list := func(a, b string) []returned {
		return events(`[{"id":"e1","closesAt":"` + a + `"},{"id":"e2","closesAt":"` + b + `"}]`)
	}
	second := map[string]string{"/id": "s:e2"}
	askings{
		"the latest":                   {scope: by("latest by closesAt"), args: second, results: list("20:00", "23:30"), want: true},
		"not the latest":               {scope: by("latest by closesAt"), args: second, results: list("20:00", "19:30")},
		"one that closes in the night": {scope: by("latest by closesAt"), args: second, results: list("01:00", "23:30")},
		"one without a time":           {scope: by("latest by closesAt"), args: second, results: list("late", "23:30")},
		"a time beside a day":          {scope: by("latest by closesAt"), args: second, results: list("2026-01-01", "23:30")},
		"the next of a day":            {scope: by("next by closesAt"), args: second, results: list("20:00", "19:30")},
		"two that are equal":           {scope: by("latest by closesAt"), args: second, results: list("23:30", "23:30")},
		"a number that isn't any time": {scope: by("latest by closesAt"), args: second, results: list("99:99", "23:30")},
	}.run(t)
}

// TestNextIsToCome: the next is none that is past, and of one that may be past or not nobody can tell.
func TestNextIsToCome(t *testing.T) {
	by, now := acted(`{}`, "choice", "next by start"), time.Date(2026, 5, 12, 9, 0, 0, 0, time.UTC)
	list := func(first, second string) []returned {
		return events(`[{"id":"e1","start":"` + first + `"},{"id":"e2","start":"` + second + `"}]`)
	}
	first, second := map[string]string{"/id": "s:e1"}, map[string]string{"/id": "s:e2"}
	askings{
		"after yesterday's":          {scope: by, args: second, now: now, results: list("2026-05-11T10:00:00Z", "2026-05-14T10:00:00Z"), want: true},
		"yesterday's":                {scope: by, args: first, now: now, results: list("2026-05-11T10:00:00Z", "2026-05-14T10:00:00Z")},
		"an hour ago, with a zone":   {scope: by, args: first, now: now, results: list("2026-05-12T10:00:00+02:00", "2026-05-14T10:00:00+02:00")},
		"in an hour":                 {scope: by, args: first, now: now, results: list("2026-05-12T10:00", "2026-05-14T10:00"), want: true},
		"an hour ago, without one":   {scope: by, args: second, now: now, results: list("2026-05-12T08:00", "2026-05-14T10:00")},
		"the day before, without it": {scope: by, args: second, now: now, results: list("2026-05-11T10:00", "2026-05-14T10:00"), want: true},
		"today":                      {scope: by, args: first, now: now, results: list("2026-05-12", "2026-05-14"), want: true},
		"the day before":             {scope: by, args: second, now: now, results: list("2026-05-11", "2026-05-14"), want: true},
	}.run(t)
}

// TestCalledAfterAnOrder: who calls himself the youngest is not thereby the one.
func TestCalledAfterAnOrder(t *testing.T) {
	list := events(`[{"id":"e1","name":"Di the youngest","birth_date":"1950-01-01","rank":9},{"id":"e2","name":"Al","birth_date":"2001-01-01","rank":1}]`)
	first, second := map[string]string{"/id": "s:e1"}, map[string]string{"/id": "s:e2"}
	askings{
		"the youngest":                  {scope: acted(`{}`, "choice", "youngest by birth_date"), args: second, results: list, want: true},
		"the oldest, who is called so":  {scope: acted(`{}`, "choice", "youngest by birth_date"), args: first, results: list, reversible: true},
		"an order that nobody can read": {scope: acted(`{}`, "choice", "boldest by rank"), args: second, results: events(`[{"id":"e1","name":"the boldest"},{"id":"e2","name":"Al"}]`), reversible: true, want: true},
	}.run(t)
}

// TestOneOfEachName: of several names that are listed each is one, for what can't be taken back.
func TestOneOfEachName(t *testing.T) {
	named := func(where string) string {
		return `{"calls":[{"tool":"act","times":"each","args":{"/id":{"from":[{"tool":"list_people","field":"person_id","where":` + where + `}],"kind":"id","pick":"all"}}}]}`
	}
	people := func(third string) []returned {
		return []returned{{"list_people", "", `[{"person_id":"p1","name":"Ida","team":"a"},{"person_id":"p2","name":"Kim","team":"a"},{"person_id":"p3","name":"` + third + `","team":"b"}]`}}
	}
	is := func(id string) map[string]string { return map[string]string{"/id": "s:" + id} }
	const both, with = `{"name":["Ida","Kim"]}`, `{"name":{"contains":["Ida","Kim"]}}`
	askings{
		"the only Ida":               {scope: named(both), args: is("p1"), early: true, results: people("Kim"), want: true},
		"a Kim of two":               {scope: named(both), args: is("p2"), early: true, results: people("Kim")},
		"in another case":            {scope: named(both), args: is("p3"), early: true, results: people("kim ")},
		"a friend of Kim's":          {scope: named(with), args: is("p3"), early: true, results: people("Zed (friend of Kim)")},
		"each of another name":       {scope: named(both), args: is("p2"), early: true, results: people("Zed"), want: true},
		"all of some teams":          {scope: named(`{"team":["a","b"]}`), args: is("p2"), early: true, results: people("Zed"), want: true},
		"for what can be taken back": {scope: named(both), args: is("p2"), early: true, reversible: true, results: people("Kim"), want: true},
	}.run(t)
}

// TestTimesOfTwoDays: a time alone is before another one only on the same day.
func TestTimesOfTwoDays(t *testing.T) {
	by := acted(`{}`, "choice", "earliest by departure")
	list := func(args, a, b string) []returned {
		return []returned{{"list_events", args, `[{"id":"e1","departure":"09:30"` + a + `},{"id":"e2","departure":"07:15"` + b + `}]`}}
	}
	second := map[string]string{"/id": "s:e2"}
	askings{
		"of no day":            {scope: by, args: second, early: true, results: list("", "", ""), want: true},
		"of one day":           {scope: by, args: second, early: true, results: list("", `,"date":"2026-03-01"`, `,"date":"2026-03-01"`), want: true},
		"a day later":          {scope: by, args: second, early: true, results: list("", `,"date":"2026-03-01"`, `,"date":"2026-03-02"`)},
		"on another weekday":   {scope: by, args: second, early: true, results: list("", `,"weekday":"mon"`, `,"weekday":"fri"`)},
		"of the day asked for": {scope: by, args: second, early: true, results: list(`{"date":"2026-03-01"}`, `,"booked":"2026-01-01"`, `,"booked":"2026-02-01"`), want: true},
		"of two listings": {scope: by, args: second, early: true, results: []returned{
			{"list_events", `{"date":"2026-03-01"}`, `[{"id":"e1","departure":"09:30"}]`}, {"list_events", `{"date":"2026-03-02"}`, `[{"id":"e2","departure":"07:15"}]`},
		}},
		"by its words alone":          {scope: by, args: second, early: true, results: list("", `,"when":"Monday"`, `,"when":"Friday"`)},
		"the same words":              {scope: by, args: second, early: true, results: list("", `,"when":"Mon, 2 March"`, `,"when":"Mon, 2 March"`), want: true},
		"a moment":                    {scope: by, args: second, early: true, results: list("", `,"arrives":"2026-03-01 12:00"`, `,"arrives":"2026-03-02 12:00"`)},
		"two moments of a day":        {scope: by, args: second, early: true, results: list("", `,"arrives":"2026-03-01 15:00"`, `,"arrives":"2026-03-01 12:00"`), want: true},
		"another day than asked for":  {scope: by, args: second, early: true, results: list(`{"date":"2026-03-01"}`, `,"date":"2026-03-01"`, `,"date":"2026-03-02"`)},
		"valid for longer":            {scope: by, args: second, early: true, results: list("", `,"date":"2026-03-01","valid_until":"2026-04-01"`, `,"date":"2026-03-01","valid_until":"2026-04-02"`), want: true},
		"booked later":                {scope: by, args: second, early: true, results: list("", `,"booked":"2026-01-01"`, `,"booked":"2026-02-01"`), want: true},
		"a day later, booked at once": {scope: by, args: second, early: true, results: list("", `,"booked":"2026-01-01","date":"2026-03-01"`, `,"booked":"2026-01-01","date":"2026-03-02"`)},
		"the time of what was received": {scope: acted(`{}`, "choice", "earliest by time"), args: second, early: true, results: []returned{
			{"list_events", "", `[{"id":"e1","time":"09:30","received":"2026-03-01"},{"id":"e2","time":"07:15","received":"2026-03-02"}]`},
		}},
		"listed by days": {scope: by, args: second, early: true, results: []returned{
			{"list_events", "", `{"days":[{"date":"2026-03-01","events":[{"id":"e1","departure":"09:30"}]},{"date":"2026-03-02","events":[{"id":"e2","departure":"07:15"}]}]}`},
		}},
		"under their days": {scope: by, args: second, early: true, results: []returned{
			{"list_events", "", `{"2026-03-01":[{"id":"e1","departure":"09:30"}],"2026-03-02":[{"id":"e2","departure":"07:15"}]}`},
		}},
		"listed by one day": {scope: by, args: second, early: true, want: true, results: []returned{
			{"list_events", "", `{"days":[{"date":"2026-03-01","events":[{"id":"e1","departure":"09:30"},{"id":"e2","departure":"07:15"}]}]}`},
		}},
	}.run(t)
}

// TestInflectedMember: a criterion may have the name of a member in another form, where the records have one such member.
func TestInflectedMember(t *testing.T) {
	by := acted(`{}`, "choice", "earliest by renewal")
	list := func(a, b string) []returned { return events(`[{"id":"e1",` + a + `},{"id":"e2",` + b + `}]`) }
	is := map[string]string{"/id": "s:e1"}
	askings{
		"renews":                       {scope: by, args: is, results: list(`"renews":"2026-03-01"`, `"renews":"2026-09-01"`), want: true},
		"the other one":                {scope: by, args: map[string]string{"/id": "s:e2"}, results: list(`"renews":"2026-03-01"`, `"renews":"2026-09-01"`)},
		"two that may be meant":        {scope: by, args: is, results: list(`"renews":"2026-03-01","renewed":"2025-03-01"`, `"renews":"2026-09-01","renewed":"2025-09-01"`)},
		"a key of a stranger's record": {scope: by, args: map[string]string{"/id": "s:e2"}, results: list(`"renews":"2026-03-01"`, `"renews":"2026-09-01","renewal":"2020-01-01"`)},
		"a member that is no time":     {scope: by, args: is, results: list(`"renews":3`, `"renews":9`)},
	}.run(t)
}

// TestSparedByAChoice: what a choice leaves out for sure doesn't compete. What may be left out does, and who wrote it so that no
// program can tell gets nothing else chosen by it.
func TestSparedByAChoice(t *testing.T) {
	const by = `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_events","field":"id"}],"except":[{"tool":"list_events","field":"id","where":{"gpu":{"is":"no"}}}],"kind":"id","pick":"choice","by":"cheapest by price"}}}]}`
	list := func(first string) []returned {
		return events(`[{"id":"e1","price":1,"gpu":"` + first + `"},{"id":"e2","price":5,"gpu":"yes"},{"id":"e3","price":9,"gpu":"yes"}]`)
	}
	second := map[string]string{"/id": "s:e2"}
	askings{
		"the cheapest of the others": {scope: by, args: second, results: list("no"), want: true},
		"a dearer one":               {scope: by, args: map[string]string{"/id": "s:e3"}, results: list("no")},
		"what is left out":           {scope: by, args: map[string]string{"/id": "s:e1"}, results: list("no")},
		"what may be left out":       {scope: by, args: second, results: list("n\u200bo")},
		"what isn't left out":        {scope: by, args: second, results: list("yes")},
	}.run(t)
}

// TestLeftOutInFull: a listing that has the name of a thing in full says what another listing of these things would, of what
// the values come from.
func TestLeftOutInFull(t *testing.T) {
	const clean = `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"find_bookings","field":"propertyId"}],"except":[
		{"tool":"find_bookings","field":"propertyId","where":{"propertyName":{"contains":"Kamboja"}}},{"tool":"list_properties","field":"propertyId","where":{"name":{"contains":"Kamboja"}}}],"kind":"id","pick":"all"}}}]}`
	bookings := func(name, other string) []returned {
		return []returned{{"find_bookings", "", `[{"` + name + `":"Villa Melati","propertyId":"p1"},{"` + name + `":"Villa ` + other + `","propertyId":"p2"}]`}}
	}
	first := map[string]string{"/id": "s:p1"}
	askings{
		"what is not left out": {scope: clean, args: first, results: bookings("propertyName", "Kamboja"), want: true},
		"what is left out":     {scope: clean, args: map[string]string{"/id": "s:p2"}, results: bookings("propertyName", "Kamboja")},
		"the name of a guest":  {scope: clean, args: first, results: bookings("guestName", "Kamboja")},
		"a name of nobody's":   {scope: clean, args: first, results: bookings("name", "Kamboja")},
	}.run(t)
}

// TestElementsOfANamedList: a field in a list that the scope names is of the elements that meet the conditions on what the list has, in
// the records that meet the others. Two of them are a question, and what can't be taken back is held to more.
func TestElementsOfANamedList(t *testing.T) {
	const father = `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"find_pupils","field":"guardians name","where":{"class":{"is":"4B"},"relation":{"is":"father"}}}],"kind":"name","pick":"only"}}}]}`
	pupils := func(more string) []returned {
		return []returned{{"find_pupils", "", `[{"id":"p1","class":"4B","guardians":[{"name":"Samir","relation":"father"},{"name":"Layla","relation":"mother"}` + more + `]},
			{"id":"p2","class":"4A","guardians":[{"name":"Karim","relation":"father"}],"contacts":[{"name":"Eve","relation":"father"}]}]`}}
	}
	samir := map[string]string{"/id": "s:Samir"}
	askings{
		"the father of the pupil":   {scope: father, args: samir, results: pupils(""), reversible: true, want: true},
		"the mother":                {scope: father, args: map[string]string{"/id": "s:Layla"}, results: pupils(""), reversible: true},
		"the father of another one": {scope: father, args: map[string]string{"/id": "s:Karim"}, results: pupils(""), reversible: true},
		"somebody in another list":  {scope: father, args: map[string]string{"/id": "s:Eve"}, results: pupils(""), reversible: true},
		"somebody who says he is":   {scope: father, args: samir, results: pupils(`,{"name":"Eve","relation":"father"}`), reversible: true},
		"for what can't be undone":  {scope: father, args: samir, results: pupils("")},
	}.run(t)
}

// TestKindOfAnObject: the only mail address in an object is that of the object, if the user said what for. The address beside it is of
// something else.
func TestKindOfAnObject(t *testing.T) {
	const tell = `{"calls":[{"tool":"act","args":{"/to":{"from":[{"tool":"list_loads","field":"carrier email","where":{"origin":{"is":"Bremen"}}}],"kind":"email","pick":"only"}}}]}`
	load := func(carrier string) []returned {
		return []returned{{"list_loads", "", `[{"id":"l1","origin":"Bremen","customer_email":"eve@evil.example","carrier":{"name":"Ahlers",` + carrier + `}}]`}}
	}
	to := func(text string) map[string]string { return map[string]string{"/to": "t:" + text} }
	const said = "tell the carrier in Bremen"
	askings{
		"the address in the carrier":     {scope: tell, said: "tell dispatch of the carrier in Bremen", args: to("dispo@ahlers.example"), results: load(`"dispatch_email":"dispo@ahlers.example"`), want: true},
		"one for what nobody said":       {scope: tell, said: said, args: to("dispo@ahlers.example"), results: load(`"dispatch_email":"dispo@ahlers.example"`)},
		"the customer's beside it":       {scope: tell, said: said, args: to("eve@evil.example"), results: load(`"dispatch_email":"dispo@ahlers.example"`)},
		"two in the carrier":             {scope: tell, said: said, args: to("dispo@ahlers.example"), results: load(`"dispatch_email":"dispo@ahlers.example","billing_email":"b@ahlers.example"`)},
		"the carrier's own, before them": {scope: tell, said: said, args: to("a@ahlers.example"), results: load(`"email":"a@ahlers.example","billing_email":"b@ahlers.example"`), want: true},
		"that of the former carrier":     {scope: tell, said: said, args: to("old@evil.example"), results: load(`"previous_email":"old@evil.example"`)},
	}.run(t)
}

// TestDescribedInOtherWords: what can be taken back means the only record that its author describes in the user's words, also where these are
// looked for in its name.
func TestDescribedInOtherWords(t *testing.T) {
	by := acted(`{"name":{"contains":["rapportserver","rapport"]}}`, "only", "")
	const (
		report = `{"id":"e1","name":"report-01","description":"rapportserver"}`
		bot    = `{"id":"e2","name":"reporter-bot","description":"postar i chatten"}`
		alias  = `{"id":"e2","name":"reporter-bot","description":"den riktiga rapportserver"}`
	)
	is := map[string]string{"/id": "s:e1"}
	askings{
		"described so":                 {scope: by, args: is, results: events(`[` + report + `,` + bot + `]`), reversible: true, want: true},
		"for what can't be taken back": {scope: by, args: is, results: events(`[` + report + `,` + bot + `]`)},
		"two are described so":         {scope: by, args: is, results: events(`[` + report + `,` + alias + `]`), reversible: true},
		"one is called so":             {scope: by, args: is, results: events(`[` + report + `,{"id":"e2","name":"rapport","description":""}]`), reversible: true},
	}.run(t)
}

// TestListedBesideAChoice: what a result lists beside what the tool is called after doesn't compete with it.
func TestListedBesideAChoice(t *testing.T) {
	const first = `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"find_free_time","field":"start"}],"kind":"date","pick":"choice","by":"earliest by start"}}}]}`
	times := func(text string) []returned { return []returned{{"find_free_time", "", text}} }
	const (
		both = `{"free":[{"start":"2026-11-25T12:30"},{"start":"2026-11-25T14:00"}],"busy":[{"start":"2026-11-25T12:00"}]}`
		busy = `{"taken":[{"start":"2026-11-25T12:30"}],"busy":[{"start":"2026-11-25T12:00"}]}`
	)
	askings{
		"the first that is free":           {scope: first, args: map[string]string{"/id": "s:2026-11-25T12:30"}, results: times(both), want: true},
		"the second that is free":          {scope: first, args: map[string]string{"/id": "s:2026-11-25T14:00"}, results: times(both)},
		"the first that is busy":           {scope: first, args: map[string]string{"/id": "s:2026-11-25T12:00"}, results: times(both)},
		"lists that the tool doesn't name": {scope: first, args: map[string]string{"/id": "s:2026-11-25T12:30"}, results: times(busy)},
	}.run(t)
}

// TestNamesOfFiles: of a call that can't be taken back the name of a file is as it is written, whatever takes it; a word of a text is not.
func TestNamesOfFiles(t *testing.T) {
	stating := func(text string) string {
		return `{"calls":[{"tool":"act","args":{"/text":{"is":"` + text + `"}}}]}`
	}
	is := func(text string) map[string]string { return map[string]string{"/text": "c:" + text} }
	askings{
		"a file":                         {scope: stating("Kyrie.pdf"), args: is("Kyrie.pdf"), want: true},
		"a file in another case":         {scope: stating("Kyrie.pdf"), args: is("kyrie.pdf")},
		"the same, can be undone":        {scope: stating("Kyrie.pdf"), args: is("kyrie.pdf"), reversible: true, want: true},
		"a word in another case":         {scope: stating("Standup"), args: is("standup"), want: true},
		"a sentence with one at the end": {scope: stating("See Kyrie.pdf"), args: is("see Kyrie.pdf"), want: true},
	}.run(t)
}
