package match_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// step is a call of a session and what it returned.
type step struct{ tool, args, text string }

// correcting is a call of update_event after some steps.
type correcting struct {
	where, by string
	title     string // a new title, which the scope leaves open
	id        string
	steps     []step
	change    func(results []*match.Result)
}

const correction = "Sorry, Thursday rather, and call it call with Ida."

func (c correcting) covered(t testing.TB, irreversible bool) (bool, []string) {
	t.Helper()
	by, err := json.Marshal(c.by)
	if err != nil {
		t.Fatal(err)
	}
	text := `{"calls":[{"tool":"update_event","args":{"/event_id":{"from":[{"tool":"list_events","field":"event_id","where":` + c.where + `}],"kind":"id","pick":"only","by":` + string(by) + `},"/title":{"any":true}}}]}`
	s, refused, err := scope.Parse([]byte(text), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}

	var results []*match.Result
	for i, have := range c.steps {
		r := &match.Result{Call: "r" + strconv.Itoa(i), Server: "s", Tool: have.tool, Args: contents(t, have.args), Covered: true, Read: strings.HasPrefix(have.tool, "list"), Early: true}
		r.SetContent(have.text, serialized.Read(have.text, "", serialized.Trust{}))
		results = append(results, r)
	}
	if c.change != nil {
		c.change(results)
	}

	p := &match.Proposal{Server: "s", Tool: "update_event", Call: "c", Digest: c.id, Irreversible: irreversible, Role: func(string) label.Role { return label.Content },
		Args: []match.Argument{{Pointer: "/event_id", Text: c.id, Role: label.Selector, Doubtful: true, Foreign: true}}}
	if c.title != "" {
		p.Args = append(p.Args, match.Argument{Pointer: "/title", Text: c.title, Role: label.Content})
	}
	_, misses, ok := match.NewTask(s, correction).Match(p, results)
	return ok, misses
}

// contents are the arguments of a call, as JSON, with the role of content.
func contents(t testing.TB, text string) []match.Argument {
	t.Helper()
	if text == "" {
		return nil
	}
	doc := serialized.Read(text, "", serialized.Trust{})
	if doc == nil {
		t.Fatal(text)
	}
	var out []match.Argument
	for _, l := range doc.Leaves() {
		out = append(out, match.Argument{Pointer: l.Pointer, Text: l.Text, Role: label.Content, Empty: l.Text == ""})
	}
	return out
}

// TestWhatTheSessionMade: a record that the session made itself counts beside the listing that was read
// before it, by the id that the service gave it and by what the call set.
func TestWhatTheSessionMade(t *testing.T) {
	const (
		call    = `{"title":"Call with Ada","start":"2026-05-06T10:00"}`
		made    = `{"event_id":"e9"}`
		friday  = `{"start":"2026-05-08"}`
		sixth   = `{"start":"2026-05-06"}`
		ofAda   = `{"title":{"contains":"Ada"}}`
		other   = `[{"event_id":"e1","title":"Choir","start":"2026-05-06T18:00"}]`
		foreign = `[{"event_id":"e1","title":"Call from Ada","start":"2026-05-06T18:00"}]`
	)
	listed := func(text string) step { return step{"list_events", "", text} }
	create := step{"create_event", call, made}
	creating := func(text string) step { return step{"create_event", call, text} }
	change := func(f func(r *match.Result)) func([]*match.Result) {
		return func(all []*match.Result) { f(all[len(all)-1]) }
	}

	for name, c := range map[string]struct {
		correcting
		reversibly, otherwise bool
	}{
		"the only one that meets the conditions": {correcting{where: ofAda, id: "e9", steps: []step{listed(other), create}}, true, true},
		"what was listed":                        {correcting{where: ofAda, id: "e1", steps: []step{listed(other), create}}, false, false},
		"beside another one that meets them":     {correcting{where: sixth, id: "e9", steps: []step{listed(other), create}}, false, false},
		"the other one":                          {correcting{where: sixth, id: "e1", steps: []step{listed(other), create}}, false, false},
		"the words tell it":                      {correcting{where: sixth, by: "appointment with Ada", id: "e9", steps: []step{listed(other), create}}, true, false},
		"a word of what the user calls it":       {correcting{where: sixth, by: "call with Ida", id: "e9", steps: []step{listed(other), create}}, false, false},
		"a stranger's takes the words":           {correcting{where: sixth, by: "appointment with Ada", id: "e9", steps: []step{listed(foreign), create}}, false, false},
		"a stranger's own":                       {correcting{where: sixth, by: "appointment with Ada", id: "e1", steps: []step{listed(foreign), create}}, false, false},
		"it is of another day":                   {correcting{where: friday, by: "call", id: "e9", steps: []step{listed(other), create}}, false, false},
		"nothing was listed":                     {correcting{where: ofAda, id: "e9", steps: []step{create}}, true, false},
		"nothing was listed, told by words":      {correcting{where: `{}`, by: "Ada", id: "e9", steps: []step{create}}, true, false},
		"nothing was listed, and nothing tells":  {correcting{where: `{}`, id: "e9", steps: []step{create}}, false, false},
		"the only one there is":                  {correcting{where: `{}`, id: "e9", steps: []step{listed(`[]`), create}}, true, true},
		"two of its kind":                        {correcting{where: ofAda, id: "e9", steps: []step{listed(other), create, {"create_event", `{"title":"Ada again"}`, `{"event_id":"e10"}`}}}, false, false},
		"in an object around it":                 {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`{"ok":true,"event":{"event_id":"e9"}}`)}}, true, true},
		"under a bare id":                        {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`{"id":"e9"}`)}}, true, true},
		"the service says otherwise":             {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`{"event_id":"e9","title":"Busy"}`)}}, false, false},

		"a text that says so":                 {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`Created. event_id: e9`)}}, false, false},
		"an element of a list":                {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`{"conflicts":[{"event_id":"e9"}]}`)}}, false, false},
		"an id in an object beside its own":   {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`{"event_id":"e9","notes":{"event_id":"e1"}}`)}}, true, true},
		"the id of what it repeats":           {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`{"ok":true,"copies":{"event_id":"e9"}}`)}}, false, false},
		"two ids":                             {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`{"event_id":"e9","event":{"event_id":"e1"}}`)}}, false, false},
		"it was there":                        {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`{"event_id":"e9","created":false}`)}}, false, false},
		"it was there, in other words":        {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`{"event_id":"e9","already_existed":true}`)}}, false, false},
		"it was there, in a sentence":         {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`{"event_id":"e9","message":"An event of that title already exists."}`)}}, false, false},
		"a title that says so":                {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`{"event_id":"e9","title":"Call with Ada, already moved"}`)}}, true, true},
		"an error":                            {correcting{where: ofAda, id: "e9", steps: []step{listed(other), creating(`{"event_id":"e9","error":"no such calendar"}`)}}, false, false},
		"the tool failed":                     {correcting{where: ofAda, id: "e9", steps: []step{listed(other), create}, change: change(func(r *match.Result) { r.Failed = true })}, false, false},
		"a call that no scope covered":        {correcting{where: ofAda, id: "e9", steps: []step{listed(other), create}, change: change(func(r *match.Result) { r.Covered = false })}, false, false},
		"a call that only reads":              {correcting{where: ofAda, id: "e9", steps: []step{listed(other), create}, change: change(func(r *match.Result) { r.Read = true })}, false, false},
		"another server":                      {correcting{where: ofAda, id: "e9", steps: []step{listed(other), create}, change: change(func(r *match.Result) { r.Server = "evil" })}, false, false},
		"a thing of another kind":             {correcting{where: ofAda, id: "e9", steps: []step{listed(other), {"create_event_type", call, made}}}, false, false},
		"a tool that makes nothing":           {correcting{where: ofAda, id: "e9", steps: []step{listed(other), {"import_event", call, made}}}, false, false},
		"an id that the agent gave":           {correcting{where: ofAda, id: "e9", steps: []step{listed(other), {"create_event", `{"title":"Call with Ada","copy_of":"e9"}`, made}}}, false, false},
		"an id that was there":                {correcting{where: ofAda, id: "e1", steps: []step{listed(other), creating(`{"event_id":"e1"}`)}}, false, false},
		"an id in another result":             {correcting{where: ofAda, id: "e9", steps: []step{listed(other), {"list_mails", "", `[{"subject":"e9"}]`}, create}}, false, false},
		"the older one, and its id elsewhere": {correcting{where: ofAda, id: "e1", steps: []step{listed(foreign), create, {"list_mails", "", `[{"subject":"e9"}]`}}}, false, false},
		"the older one, made in words":        {correcting{where: ofAda, id: "e1", steps: []step{listed(foreign), creating(`Created event e9.`)}}, false, false},
		"the older one, of another name":      {correcting{where: `{"title":{"contains":"Choir"}}`, id: "e1", steps: []step{listed(other), creating(`Created event e9.`)}}, true, true},
		"changed since":                       {correcting{where: ofAda, id: "e9", steps: []step{listed(other), create, {"update_event", `{"event_id":"e9","title":"Choir"}`, `{"ok":true}`}}}, false, false},
		"a later listing doesn't have it":     {correcting{where: ofAda, id: "e9", steps: []step{create, listed(other)}}, false, false},
		"a later listing has it, and others":  {correcting{where: ofAda, id: "e9", steps: []step{create, listed(`[{"event_id":"e9","title":"Call with Ada"},{"event_id":"e1","title":"Ada"}]`)}}, false, false},

		"words of the user's, and of its own": {correcting{where: ofAda, title: "Call with Ida", id: "e9", steps: []step{listed(other), create}}, true, true},
		"a word that nobody said":             {correcting{where: ofAda, title: "Call with Eve", id: "e9", steps: []step{listed(other), create}}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, irreversible := range []bool{false, true} {
				want := c.reversibly
				if irreversible {
					want = c.otherwise
				}
				if got, misses := c.covered(t, irreversible); got != want {
					t.Errorf("irreversible %v: covered %v, want %v (%v)", irreversible, got, want, misses)
				}
			}
		})
	}
}

// TestNothingElseIsMade: whatever strangers write into a listing and into what a service echoes, no id but
// that of the record which the session made counts as its own.
func TestNothingElseIsMade(t *testing.T) {
	ids := []string{"e1", "e2", "e9"}
	rapid.Check(t, func(rt *rapid.T) {
		var list []map[string]string
		for _, id := range ids[:2] {
			list = append(list, map[string]string{"event_id": id, "title": rapid.SampledFrom([]string{"Choir", "Busy", "x"}).Draw(rt, "title")})
		}
		listing, _ := json.Marshal(list)
		returned := map[string]any{"event_id": rapid.SampledFrom(ids).Draw(rt, "id")}
		if rapid.Bool().Draw(rt, "echoes") {
			echoed := rapid.SampledFrom([]any{map[string]any{"event_id": "e1"}, []any{map[string]any{"event_id": "e2"}}, `{"event_id":"e1"}`}).Draw(rt, "echo")
			returned[rapid.SampledFrom([]string{"notes", "id", "event"}).Draw(rt, "member")] = echoed
		}
		made, _ := json.Marshal(returned)

		for _, id := range ids {
			c := correcting{where: `{"title":{"contains":"Ada"}}`, id: id, steps: []step{{"list_events", "", string(listing)}, {"create_event", `{"title":"Call with Ada"}`, string(made)}}}
			covered, _ := c.covered(t, rapid.Bool().Draw(rt, "irreversible"))
			if covered && (id != "e9" || returned["event_id"] != "e9") {
				rt.Errorf("%s is covered: %s, %s", id, listing, made)
			}
		}
	})
}
