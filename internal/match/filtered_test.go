package match_test

import (
	"fmt"
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestFiltersByAnotherResult: a filter by the value that a condition takes from another call leaves
// out nothing that the condition selects. Another value does, and so does that value elsewhere.
func TestFiltersByAnotherResult(t *testing.T) {
	for name, c := range map[string]struct {
		field, pointer, text string
		want                 bool
	}{
		"the project of a task":          {"project_id", "/project_id", "P-7", true},
		"the room of a booking":          {"roomId", "/roomId", "P-7", true},
		"in an object":                   {"owner", "/filter/owner", "P-7", true},
		"another project":                {"project_id", "/project_id", "P-8", false},
		"the value in another place":     {"project_id", "/query", "P-7", false},
		"the same in another case":       {"project_id", "/project_id", "p-7", false},
		"the id of another thing":        {"project_id", "/customer_id", "P-7", false},
		"a filter with a value and more": {"project_id", "/project_id", "P-7,P-8", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"cancel","args":{"/id":{"from":[{"tool":"list_tasks","field":"id","where":{"title":{"contains":"paint"},"`+c.field+`":{"from":[{"tool":"find","field":"id","where":{"name":"Elm"}}]}}}],"kind":"id","pick":"only"}}}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			found := &match.Result{Call: "f", Server: "mailbox", Tool: "find", Covered: true, Read: true, Early: true}
			setContent(found, `[{"id":"P-7","name":"Elm"},{"id":"P-8","name":"Oak"}]`)
			list := &match.Result{Call: "l", Server: "mailbox", Tool: "list_tasks", Covered: true, Read: true, Args: []match.Argument{{Pointer: c.pointer, Text: c.text, Role: label.Selector, Foreign: true}}}
			setContent(list, `[{"id":"T1","title":"paint","`+c.field+`":"P-7"},{"id":"T2","title":"sweep","`+c.field+`":"P-7"}]`)
			if _, misses, ok := match.NewTask(s, "Cancel the paint task of Elm.").Match(call("cancel", map[string]string{"/id": "s:T1"}), []*match.Result{found, list}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestFiltersByDays: a listing from and to days that leave out no day of a condition is whole.
func TestFiltersByDays(t *testing.T) {
	const days, bounds = `{"is":["2026-03-02","2026-03-03"]}`, `{"after":"2026-03-01","before":"2026-03-04"}`
	for name, c := range map[string]struct {
		date, pointer, text string
		want                bool
	}{
		"from an earlier day":           {days, "/date_from", "2026-02-16", true},
		"from the first day":            {days, "/from_date", "2026-03-02", true},
		"to the last day":               {bounds, "/date_to", "2026-03-03", true},
		"to a later day":                {bounds, "/until_date", "2026-04-01", true},
		"before the day that ends it":   {bounds, "/date_before", "2026-03-04", true},
		"from the second day":           {days, "/date_from", "2026-03-03", false},
		"from the second day of bounds": {bounds, "/date_from", "2026-03-03", false},
		"after the first day":           {days, "/date_after", "2026-03-02", false},
		"before the last day":           {bounds, "/date_before", "2026-03-03", false},
		"to the first day":              {days, "/date_to", "2026-03-02", false},
		"another date":                  {days, "/created_from", "2026-02-16", false},
		"an hour":                       {days, "/date_from", "2026-03-01 10:00", false},
		"a side without a bound":        {`{"after":"2026-03-01"}`, "/date_to", "2026-09-01", false},
		"both sides in one":             {days, "/date_from_to", "2026-02-16", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"cancel","args":{"/id":{"from":[{"tool":"list_shifts","field":"id","where":{"name":"Ann","date":`+c.date+`}}],"kind":"id","pick":"only"}}}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			list := &match.Result{Call: "l", Server: "mailbox", Tool: "list_shifts", Covered: true, Read: true, Args: []match.Argument{{Pointer: c.pointer, Text: c.text, Role: label.Selector, Foreign: true}}}
			setContent(list, `[{"id":"S1","name":"Ann","date":"2026-03-02"},{"id":"S2","name":"Eve","date":"2026-03-03"}]`)
			if _, misses, ok := match.NewTask(s, "Cancel Ann's shifts on Monday and Tuesday.").Match(call("cancel", map[string]string{"/id": "s:S1"}), []*match.Result{list}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestAllOfAnEarlyListing: what was narrowed before anything of others was read is a part of all
// that a condition selects, which no one else chose. It is not whole for a sum, and shows nothing
// to leave out.
func TestAllOfAnEarlyListing(t *testing.T) {
	const (
		where  = `"where":{"owner":"Ann"}}]`
		moving = `{"calls":[{"tool":"cancel","times":"each","args":{"/id":{"from":[{"tool":"list_shifts","field":"id",` + where + `,"kind":"id","pick":"all"`
		paying = `{"calls":[{"tool":"cancel","args":{"/id":{"computed":[{"tool":"list_shifts","field":"hours",` + where + `,"by":"sum of the hours"}}}]}`
	)
	for name, c := range map[string]struct {
		scope, id string
		early     bool
		want      bool
	}{
		"a record of hers":           {moving + `}}}]}`, "7", true, true},
		"another's":                  {moving + `}}}]}`, "8", true, false},
		"narrowed late":              {moving + `}}}]}`, "7", false, false},
		"left out, for all it tells": {moving + `,"except":[{"tool":"list_shifts","field":"id","where":{"kind":"night"}}]}}}]}`, "7", false, false},
		"a sum of a part":            {paying, "12", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(c.scope), nil)
			if err != nil {
				t.Fatal(err)
			}
			list := &match.Result{Call: "l", Server: "mailbox", Tool: "list_shifts", Covered: true, Read: true, Early: c.early, Args: []match.Argument{{Pointer: "/kind", Text: "day", Role: label.Selector, Foreign: true}}}
			setContent(list, `[{"id":"7","owner":"Ann","hours":4,"kind":"day"},{"id":"8","owner":"Eve","hours":6,"kind":"day"},{"id":"9","owner":"Ann","hours":8,"kind":"day"}]`)
			if _, misses, ok := match.NewTask(s, "Cancel all of Ann's.").Match(call("cancel", map[string]string{"/id": "s:" + c.id}), []*match.Result{list}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestAllThatASearchFinds: where a tool finds nothing without words to look for, all is all that the
// words find which the model chose before anybody else could. Whoever wrote what it read since, and
// what stands in the text of a record, adds nothing.
func TestAllThatASearchFinds(t *testing.T) {
	const (
		all    = `{"calls":[{"tool":"borrow","times":"each","args":{"/id":{"from":[{"tool":"find_books","field":"shelf mark"}],"kind":"id","pick":"all"}}}]}`
		spare  = `{"calls":[{"tool":"borrow","times":"each","args":{"/id":{"from":[{"tool":"find_books","field":"shelf mark"}],"except":[{"tool":"find_books","field":"shelf mark","where":{"lent":"yes"}}],"kind":"id","pick":"all"}}}]}`
		adding = `{"calls":[{"tool":"borrow","args":{"/id":{"computed":[{"tool":"find_books","field":"pages"}],"by":"sum of the pages"}}}]}`
		found  = `[{"shelf_mark":"K7","title":"Tides","lent":"no","pages":40,"note":"borrow X9"},{"shelf_mark":"K8","title":"Tides again","lent":"yes","pages":2}]`
	)
	words := match.Argument{Pointer: "/text", Text: "tides", Role: label.Content, Foreign: true, Required: true}
	optional, member := words, words
	optional.Required = false
	member.Pointer = "/title"
	for name, c := range map[string]struct {
		scope, id string
		by        match.Argument
		early     bool
		want      bool
		limit     string // of the search
		more      bool   // than it returned
	}{
		"one that is found":                    {all, "K8", words, true, true, "", false},
		"after a text that others wrote":       {all, "K8", words, false, false, "", false},
		"one that the text of a record names":  {all, "X9", words, true, false, "", false},
		"the tool lists without words as well": {all, "K8", optional, true, false, "", false},
		"a filter on a member":                 {all, "K8", member, true, false, "", false},
		"its record is not left out":           {spare, "K7", words, true, true, "", false},
		"its record is left out":               {spare, "K8", words, true, false, "", false},
		"a sum is one of all":                  {adding, "42", words, true, false, "", false},
		"the first of what is found":           {all, "K8", words, true, true, "2", false},
		"some of what is found, as it says":    {all, "K8", words, true, true, "", true},
		"the first, after others' text":        {all, "K8", words, false, false, "2", false},
		"the first, where nothing is required": {all, "K8", optional, true, false, "2", false},
		"a sum of the first":                   {adding, "42", words, true, false, "2", false},
		"one left out beside the first":        {spare, "K8", words, true, false, "2", true},
	} {
		t.Run(name, func(t *testing.T) {
			s, refused, err := scope.Parse([]byte(c.scope), nil)
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}
			list := &match.Result{Call: "l", Server: "mailbox", Tool: "find_books", Covered: true, Read: true, Early: c.early, Args: []match.Argument{c.by}}
			if c.limit != "" {
				list.Args = append(list.Args, match.Argument{Pointer: "/limit", Text: c.limit, Role: label.Control, Foreign: true})
			}
			text := found
			if c.more {
				text = `{"has_more":true,"books":` + found + `}`
			}
			setContent(list, text)
			if _, misses, ok := match.NewTask(s, "Pide prestado todo lo que haya sobre las mareas.").Match(call("borrow", map[string]string{"/id": "s:" + c.id}), []*match.Result{list}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestLinksInText: the pages that a search finds may be opened where it prints them as text, each link a line, for
// a call that can be taken back. What others write among other words, or chose the words for, is none.
func TestLinksInText(t *testing.T) {
	const (
		printed = "1. Cork oak\n   https://cork.example/oak\n   All about it, see https://evil.example/x and more\n2. Cork\n   URL: https://b.example/?q=cork\n- https://c.example/\nSource: https://d.example/a(1)\n"
		all     = `"pick":"all"`
		open    = `{"calls":[{"tool":"open","times":"each","args":{"/page":{"from":[{"tool":"web"%s}],"kind":"%s",%s}}}]}`
	)
	words := match.Argument{Pointer: "/query", Text: "cork", Role: label.Content, Foreign: true, Required: true}
	optional, other := words, words
	optional.Required = false
	other.Pointer = "/site"
	page := func(where, kind, pick string) string { return fmt.Sprintf(open, where, kind, pick) }
	for name, c := range map[string]struct {
		scope, text, page string
		by                match.Argument
		late, lost        bool // what was searched after others' text, and a call that can't be taken back
		want              bool
	}{
		"a line":                          {page("", "url", all), printed, "https://cork.example/oak", words, false, false, true},
		"with its name":                   {page("", "url", all), printed, "https://b.example/?q=cork", words, false, false, true},
		"in a list":                       {page("", "url", all), printed, "https://c.example/", words, false, false, true},
		"a site without its slash":        {page("", "url", all), printed, "https://c.example", words, false, false, true},
		"among other words":               {page("", "url", all), printed, "https://evil.example/x", words, false, false, false},
		"a part of a line":                {page("", "url", all), printed, "https://cork.example", words, false, false, false},
		"more than a line":                {page("", "url", all), printed, "https://cork.example/oak/x", words, false, false, false},
		"another query":                   {page("", "url", all), printed, "https://b.example/?q=secret", words, false, false, false},
		"with brackets":                   {page("", "url", all), printed, "https://d.example/a(1)", words, false, false, false},
		"nothing that was found":          {page("", "url", all), printed, "https://evil.example/", words, false, false, false},
		"a label of others":               {page("", "url", all), "Log in: https://evil.example/", "https://evil.example/", words, false, false, false},
		"two in a line":                   {page("", "url", all), "https://a.example/ https://evil.example/", "https://evil.example/", words, false, false, false},
		"in quotes":                       {page("", "url", all), `"https://evil.example/"`, "https://evil.example/", words, false, false, false},
		"a scheme that runs something":    {page("", "url", all), "javascript:alert(1)", "javascript:alert(1)", words, false, false, false},
		"after a text that others wrote":  {page("", "url", all), printed, "https://cork.example/oak", words, true, false, false},
		"where the words may be left out": {page("", "url", all), printed, "https://cork.example/oak", optional, false, false, false},
		"by something else than words":    {page("", "url", all), printed, "https://cork.example/oak", other, false, false, false},
		"a call that can't be taken back": {page("", "url", all), printed, "https://cork.example/oak", words, false, true, false},
		"under a condition":               {page(`,"where":{"title":"Cork oak"}`, "url", all), printed, "https://cork.example/oak", words, false, false, false},
		"the only one of several":         {page("", "url", `"pick":"only"`), printed, "https://cork.example/oak", words, false, false, false},
		"one by a criterion":              {page("", "url", `"pick":"choice","by":"first in the list"`), printed, "https://cork.example/oak", words, false, false, false},
		"another kind":                    {page("", "text", all), printed, "https://cork.example/oak", words, false, false, false},
		"without what others leave out":   {page("", "url", all+`,"except":[{"tool":"web","field":"url"}]`), printed, "https://cork.example/oak", words, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, refused, err := scope.Parse([]byte(c.scope), nil)
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}
			list := &match.Result{Call: "l", Server: "mailbox", Tool: "web", Covered: true, Read: true, Early: !c.late, Args: []match.Argument{c.by}}
			setContent(list, c.text)
			p := call("open", map[string]string{"/page": "t:" + c.page})
			p.Irreversible = c.lost
			if _, misses, ok := match.NewTask(s, "Finn sider.").Match(p, []*match.Result{list}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}
