package match_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestUndoneWithoutAListing: what the session itself made may be undone where nobody listed such things since: all is then as it
// was before. What can't be taken back otherwise wants the listing.
func TestUndoneWithoutAListing(t *testing.T) {
	const (
		visit = `{"visit_id":"v7","pet":"Nacho","vet":"Okafor","start":"2027-02-03T10:20"}`
		later = `{"visit_id":"v8","pet":"Nacho","vet":"Okafor","start":"2027-02-03T16:10"}`
		ofDay = `{"pet":{"is":"Nacho"},"start":{"is":"2027-02-03","before":"12:00"}}`
	)
	for name, c := range map[string]struct {
		tool, where, id string
		steps           []step
		want            bool
	}{
		"the one that meets the conditions": {"cancel_visit", ofDay, "v7", []step{{"book_visit", `{"pet":"Nacho"}`, visit}, {"book_visit", `{"pet":"Nacho"}`, later}}, true},
		"the other one":                     {"cancel_visit", ofDay, "v8", []step{{"book_visit", `{"pet":"Nacho"}`, visit}, {"book_visit", `{"pet":"Nacho"}`, later}}, false},
		"both meet them":                    {"cancel_visit", `{"pet":{"is":"Nacho"}}`, "v7", []step{{"book_visit", `{"pet":"Nacho"}`, visit}, {"book_visit", `{"pet":"Nacho"}`, later}}, false},
		"nothing tells which":               {"cancel_visit", `{}`, "v7", []step{{"book_visit", `{"pet":"Nacho"}`, visit}}, false},
		"it is sent, and not undone":        {"send_visit", ofDay, "v7", []step{{"book_visit", `{"pet":"Nacho"}`, visit}}, false},
		"a thing of another kind is undone": {"cancel_visit_reminder", ofDay, "v7", []step{{"book_visit", `{"pet":"Nacho"}`, visit}}, false},
		"an older one, whose id was given":  {"cancel_visit", ofDay, "v7", []step{{"book_visit", `{"pet":"Nacho","after":"v7"}`, visit}}, false},
		"an id in a stranger's text":        {"cancel_visit", ofDay, "v7", []step{{"list_mails", "", `[{"subject":"v7"}]`}, {"book_visit", `{"pet":"Nacho"}`, visit}}, false},
		"a listing has another one":         {"cancel_visit", ofDay, "v7", []step{{"list_visits", "", `[{"visit_id":"v1","pet":"Nacho","start":"2027-02-03T09:00"}]`}, {"book_visit", `{"pet":"Nacho"}`, visit}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"`+c.tool+`","args":{"/visit_id":{"from":[{"tool":"list_visits","field":"visit_id","where":`+c.where+`}],"kind":"id","pick":"only"}}}]}`), nil)
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}
			var results []*match.Result
			for i, have := range c.steps {
				r := &match.Result{Call: "r" + strconv.Itoa(i), Server: "s", Tool: have.tool, Args: contents(t, have.args), Covered: true, Read: have.args == ""}
				r.SetContent(have.text, serialized.Read(have.text, "", serialized.Trust{}))
				results = append(results, r)
			}
			p := &match.Proposal{Server: "s", Tool: c.tool, Call: "c", Digest: c.id, Irreversible: true,
				Args: []match.Argument{{Pointer: "/visit_id", Text: c.id, Role: label.Selector, Doubtful: true, Foreign: true}}}
			if _, misses, ok := match.NewTask(s, "Sorry, another time: cancel Nacho's.").Match(p, results); ok != c.want {
				t.Errorf("covered %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestReadWithoutAFilter: a call that reads may leave out the filter that the scope has for it: what a source takes from the result is
// held to that. It may not leave out where it reads from, and what changes something leaves out nothing.
func TestReadWithoutAFilter(t *testing.T) {
	const list = `{"calls":[{"tool":"list_trainings","args":{"/group":{"is":"Minis"},"/site":{"is":"club.example"}}}]}`
	roles := func(pointer string) label.Role {
		return map[string]label.Role{"/group": label.Selector, "/site": label.Target}[pointer]
	}
	group := match.Argument{Pointer: "/group", Text: "Minis", Role: label.Selector}
	other := match.Argument{Pointer: "/group", Text: "Maxis", Role: label.Selector}
	site := match.Argument{Pointer: "/site", Text: "club.example", Role: label.Target}
	taking := func(args string) string {
		return `,{"tool":"act","args":{"/id":{"from":[{"tool":"list_trainings","field":"id","args":{` + args + `}}],"kind":"id","pick":"only"}}}`
	}
	for name, c := range map[string]struct {
		args    []match.Argument
		more    string // of the scope
		changes bool
		want    bool
	}{
		"with all that the scope has":      {[]match.Argument{group, site}, "", false, true},
		"without the filter":               {[]match.Argument{site}, "", false, true},
		"that a source has as well":        {[]match.Argument{site}, taking(`"/group":{"is":"Minis"}`), false, true},
		"that a source takes no notice of": {[]match.Argument{site}, taking(``), false, false},
		"that a source leaves open":        {[]match.Argument{site}, taking(`"/group":{"any":true}`), false, false},
		"with another one":                 {[]match.Argument{other, site}, "", false, false},
		"without where it reads from":      {[]match.Argument{group}, "", false, false},
		"without, and changing things":     {[]match.Argument{site}, "", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(strings.Replace(list, "]}", c.more+"]}", 1)), nil)
			if err != nil {
				t.Fatal(err)
			}
			p := &match.Proposal{Server: "s", Tool: "list_trainings", Call: "c", Digest: name, Read: !c.changes, Args: c.args, Role: roles}
			if _, misses, ok := match.NewTask(s, "the Minis").Match(p, nil); ok != c.want {
				t.Errorf("covered %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestMadeAndNotListed: another record that meets the conditions is not what the session made, where a later listing doesn't have that.
func TestMadeAndNotListed(t *testing.T) {
	const own = `{"visit_id":"v7","pet":"Nacho"}`
	made := step{"book_visit", `{"pet":"Nacho"}`, own}
	listed := func(text string) step { return step{"list_visits", "", text} }
	for name, c := range map[string]struct {
		id    string
		steps []step
		want  bool
	}{
		"it is listed":                   {"v7", []step{made, listed(`[` + own + `]`)}, true},
		"another one alone":              {"v1", []step{made, listed(`[{"visit_id":"v1","pet":"Nacho"}]`)}, false},
		"it has other words since":       {"v1", []step{made, listed(`[{"visit_id":"v7","pet":"Cat"},{"visit_id":"v1","pet":"Nacho"}]`)}, false},
		"the session has undone it":      {"v1", []step{made, {"cancel_visit", `{"visit_id":"v7"}`, `{}`}, listed(`[{"visit_id":"v1","pet":"Nacho"}]`)}, true},
		"what it made is something else": {"v1", []step{{"book_visit", `{"pet":"Cat"}`, `{"visit_id":"v7","pet":"Cat"}`}, listed(`[{"visit_id":"v1","pet":"Nacho"}]`)}, true},
		"its id is nowhere":              {"v1", []step{{"book_visit", `{"pet":"Nacho"}`, `{"ok":true}`}, listed(`[{"visit_id":"v1","pet":"Nacho"}]`)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got, misses := undoing(t, `"/visit_id":{"from":[{"tool":"list_visits","field":"visit_id","where":{"pet":"Nacho"}}],"kind":"id","pick":"only"}`, c.steps, map[string]string{"/visit_id": "s:" + c.id}); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestUnchangedSinceItWasMade: what a call made is as its service says, where nothing was listed since.
func TestUnchangedSinceItWasMade(t *testing.T) {
	made := step{"book_visit", `{"pet":"Nacho"}`, `{"visit":{"visit_id":"v7","pet":"Nacho","room":"2"}}`}
	for room, want := range map[string]bool{"2": true, "3": false} {
		got, misses := undoing(t, `"/visit_id":{"is":"v7"},"/room":{"unchanged":true}`, []step{made}, map[string]string{"/visit_id": "u:v7", "/room": "c:" + room})
		if got != want {
			t.Errorf("room %s: covered %v, want %v (%v)", room, got, want, misses)
		}
	}
}

// undoing reports whether a scope of one cancel_visit covers it after some steps.
func undoing(t *testing.T, constraints string, steps []step, args map[string]string) (covered bool, misses []string) {
	t.Helper()
	s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"cancel_visit","args":{`+constraints+`}}]}`), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	var results []*match.Result
	for i, have := range steps {
		r := &match.Result{Call: "r" + strconv.Itoa(i), Server: "mailbox", Tool: have.tool, Args: contents(t, have.args), Covered: true, Read: have.args == ""}
		r.SetContent(have.text, serialized.Read(have.text, "", serialized.Trust{}))
		results = append(results, r)
	}
	p := call("cancel_visit", args)
	_, misses, ok := match.NewTask(s, "Sorry, cancel Nacho's visit v7.").Match(p, results)
	return ok, misses
}

// TestUndoneWhereItWasMade: what the session made where the source of it looks is undone, as its call found that place, and nothing that it
// made elsewhere.
func TestUndoneWhereItWasMade(t *testing.T) {
	const scoped = `{"calls":[{"tool":"list_clinics"},{"tool":"cancel_visit","args":{"/visit_id":{"from":[{"tool":"list_visits","field":"visit_id",
		"args":{"/clinic_id":{"from":[{"tool":"list_clinics","field":"clinic_id"}],"kind":"id","pick":"choice","by":"smallest by rooms"}},
		"where":{"pet":"Nacho"}}],"kind":"id","pick":"only"}}}]}`
	for name, c := range map[string]struct {
		set, made string
		want      bool
	}{
		"there":                    {`{"pet":"Nacho","clinic_id":"C1"}`, `{"visit_id":"v7","pet":"Nacho","clinic_id":"C1"}`, true},
		"which only its call says": {`{"pet":"Nacho","clinic_id":"C1"}`, `{"visit_id":"v7","pet":"Nacho"}`, true},
		"elsewhere":                {`{"pet":"Nacho","clinic_id":"C2"}`, `{"visit_id":"v7","pet":"Nacho","clinic_id":"C2"}`, false},
		"elsewhere in the end":     {`{"pet":"Nacho","clinic_id":"C1"}`, `{"visit_id":"v7","pet":"Nacho","clinic_id":"C2"}`, false},
		"nobody says where":        {`{"pet":"Nacho"}`, `{"visit_id":"v7","pet":"Nacho"}`, false},
	} {
		s, refused, err := scope.Parse([]byte(scoped), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		listed := &match.Result{Call: "r0", Server: "s", Tool: "list_clinics", Covered: true, Read: true}
		setContent(listed, `[{"clinic_id":"C1","rooms":2},{"clinic_id":"C2","rooms":9}]`)
		made := &match.Result{Call: "r1", Server: "s", Tool: "book_visit", Args: contents(t, c.set), Covered: true}
		setContent(made, c.made)
		p := &match.Proposal{Server: "s", Tool: "cancel_visit", Call: "c", Irreversible: true,
			Args: []match.Argument{{Pointer: "/visit_id", Text: "v7", Role: label.Selector, Doubtful: true, Foreign: true}}}
		if _, misses, ok := match.NewTask(s, "Sorry, not at the small one: cancel Nacho's.").Match(p, []*match.Result{listed, made}); ok != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, ok, c.want, misses)
		}
	}
}
