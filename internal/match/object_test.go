package match_test

import "testing"

// TestNarrowedToTheObject: a listing that was narrowed late to what the call is about, which the scope itself finds, leaves
// out nothing that is meant.
func TestNarrowedToTheObject(t *testing.T) {
	const (
		course  = `{"from":[{"tool":"list_courses","field":"id","where":{"title":{"contains":"yoga"}}}],"kind":"id","pick":"only"}`
		itself  = `{"from":[{"tool":"get_course","field":"id"}],"kind":"id","pick":"only"}`
		courses = `[{"id":"Y1","title":"Yoga"},{"id":"S1","title":"Spin"}]`
		two     = `[{"id":"Y1","title":"Yoga"},{"id":"Y2","title":"Yoga early"}]`
		inYoga  = `{"id":"Y1","title":"Yoga","people":[{"member_no":"322","name":"Joost"},{"member_no":"310","name":"Els"}]}`
		inSpin  = `{"id":"S1","title":"Spin","people":[{"member_no":"9","name":"Joost"}]}`
	)
	out := func(of string) string {
		return `{"calls":[{"tool":"act","args":{"/course_id":` + of + `,"/member":{"from":[{"tool":"get_course","field":"member_no","where":{"name":{"is":"Joost"}}}],"kind":"id","pick":"only"}}}]}`
	}
	list := func(text string) returned { return returned{"list_courses", "", text} }
	look := func(id, text string) returned { return returned{"get_course", `{"course_id":"` + id + `"}`, text} }
	args := func(course, member string) map[string]string {
		return map[string]string{"/course_id": "s:" + course, "/member": "s:" + member}
	}
	askings{
		"the members of the course":              {scope: out(course), args: args("Y1", "322"), results: []returned{list(courses), look("Y1", inYoga)}, want: true},
		"another member":                         {scope: out(course), args: args("Y1", "310"), results: []returned{list(courses), look("Y1", inYoga)}},
		"the members of another course":          {scope: out(course), args: args("Y1", "9"), results: []returned{list(courses), look("S1", inSpin)}},
		"of two courses":                         {scope: out(course), args: args("Y1", "322"), results: []returned{list(two), look("Y1", inYoga)}},
		"a course that nothing finds":            {scope: out(course), args: args("Y1", "322"), results: []returned{look("Y1", inYoga)}},
		"a course that the listing itself tells": {scope: out(itself), args: args("Y1", "322"), results: []returned{look("Y1", inYoga)}},
	}.run(t)
}

// TestNarrowedToEachOther: of two things that are found where the other one is looked for, neither is what the scope finds.
func TestNarrowedToEachOther(t *testing.T) {
	const either = `{"calls":[{"tool":"act","args":{"/room":{"from":[{"tool":"list_rooms","field":"room"}],"kind":"id","pick":"only"},"/floor":{"from":[{"tool":"list_floors","field":"floor"}],"kind":"id","pick":"only"}}}]}`
	askings{
		"each narrowed to the other": {scope: either, args: map[string]string{"/room": "s:R9", "/floor": "s:F9"}, results: []returned{
			{"list_rooms", `{"floor":"F9"}`, `[{"room":"R9"}]`}, {"list_floors", `{"room":"R9"}`, `[{"floor":"F9"}]`},
		}},
		"each of a whole listing": {scope: either, args: map[string]string{"/room": "s:R9", "/floor": "s:F9"}, results: []returned{
			{"list_rooms", "", `[{"room":"R9"}]`}, {"list_floors", "", `[{"floor":"F9"}]`},
		}, want: true},
	}.run(t)
}

// TestNarrowedToWhatAnotherEntryFinds: what the scope finds for another call narrows under that very name.
func TestNarrowedToWhatAnotherEntryFinds(t *testing.T) {
	const (
		both = `{"calls":[{"tool":"update_client","args":{"/client_id":{"from":[{"tool":"find_clients","field":"client_id","where":{"name":{"is":"Jansen"}}}],"kind":"id","pick":"only"}}},
			{"tool":"act","args":{"/invoice":{"from":[{"tool":"list_invoices","field":"invoice_id","where":{"number":{"is":"88"}}}],"kind":"id","pick":"only"}}}]}`
		bare = `{"calls":[{"tool":"update_client","args":{"/id":{"from":[{"tool":"find_clients","field":"id","where":{"name":{"is":"Jansen"}}}],"kind":"id","pick":"only"}}},
			{"tool":"act","args":{"/invoice":{"from":[{"tool":"list_invoices","field":"invoice_id","where":{"number":{"is":"88"}}}],"kind":"id","pick":"only"}}}]}`
		place = `{"calls":[{"tool":"update_client","args":{"/city":{"from":[{"tool":"find_clients","field":"client_id","where":{"name":{"is":"Jansen"}}}],"kind":"name","pick":"only"}}},
			{"tool":"act","args":{"/invoice":{"from":[{"tool":"list_invoices","field":"invoice_id","where":{"number":{"is":"88"}}}],"kind":"id","pick":"only"}}}]}`
		clients  = `[{"client_id":"c6","name":"Jansen"},{"client_id":"c9","name":"Janssen"}]`
		invoices = `[{"invoice_id":"i1","number":"88"},{"invoice_id":"i2","number":"98"}]`
	)
	found := returned{"find_clients", "", clients}
	asked := func(args string) returned { return returned{"list_invoices", args, invoices} }
	invoice := map[string]string{"/invoice": "s:i1"}
	askings{
		"the client of the other call":  {scope: both, args: invoice, results: []returned{found, asked(`{"client_id":"c6"}`)}, want: false},
		"another client":                {scope: both, args: invoice, results: []returned{found, asked(`{"client_id":"c9"}`)}},
		"the client under another name": {scope: both, args: invoice, results: []returned{found, asked(`{"payer_id":"c6"}`)}},
		"an id of anything":             {scope: bare, args: invoice, results: []returned{{"find_clients", "", `[{"id":"c6","name":"Jansen"}]`}, asked(`{"id":"c6"}`)}},
		"where the client is":           {scope: place, args: invoice, results: []returned{found, asked(`{"city":"c6"}`)}},
		"nobody looked for the client":  {scope: both, args: invoice, results: []returned{asked(`{"client_id":"c6"}`)}},
	}.run(t)
}

// TestNarrowedToWhereTheObjectIs: for what can be taken back, the record of what the call is about says under the argument's
// own name where to look. Who wrote it may have written that.
func TestNarrowedToWhereTheObjectIs(t *testing.T) {
	const (
		resize = `{"calls":[{"tool":"act","args":{"/machine":{"from":[{"tool":"list_machines","field":"id","where":{"name":{"is":"b"}}}],"kind":"id","pick":"only"},
			"/plan":{"from":[{"tool":"list_plans","field":"plan"}],"kind":"id","pick":"choice","by":"cheapest by price"}}}]}`
		machines = `[{"id":"i1","name":"a","region":"west","note":"north"},{"id":"i2","name":"b","region":"east","note":"north"}]`
		plans    = `[{"plan":"g","price":9},{"plan":"h","price":11}]`
	)
	asked := func(args string) []returned {
		return []returned{{"list_machines", "", machines}, {"list_plans", args, plans}}
	}
	foreign := map[string]string{"/machine": "s:i2", "/plan": "s:g"}
	askings{
		"the region of the machine":     {scope: resize, args: foreign, results: asked(`{"region":"east"}`), reversible: true, want: true},
		"for what can't be taken back":  {scope: resize, args: foreign, results: asked(`{"region":"east"}`)},
		"the region of another machine": {scope: resize, args: foreign, results: asked(`{"region":"west"}`), reversible: true},
		"the state of the machine":      {scope: resize, args: foreign, results: []returned{{"list_machines", "", `[{"id":"i2","name":"b","state":"off"}]`}, {"list_plans", `{"state":"off"}`, plans}}, reversible: true},
		"what stands in another member": {scope: resize, args: foreign, results: asked(`{"region":"north"}`), reversible: true},
	}.run(t)
}
