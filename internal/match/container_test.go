package match_test

import (
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestFoundIn: records that don't say where they are, are where the call looked that found them, if
// nobody else can have chosen the place, and the place goes with its records.
func TestFoundIn(t *testing.T) {
	const (
		own      = `{"from":[{"tool":"find_events","field":"calendar id","where":{"title":"Standup"}}],"kind":"id","pick":"only"}`
		same     = `{"unchanged":true}`
		event    = `[{"id":"e1","title":"Standup"}]`
		another  = `[{"id":"e2","title":"Standup"}]`
		saysSo   = `[{"id":"e1","title":"Standup","calendar_id":"team"}]`
		saysNone = `[{"id":"e1","title":"Standup","place":"Room 2"}]`
	)
	type look struct {
		calendar     string
		usual, early bool
		found        string
	}
	primary := look{"primary", true, false, event}
	for name, c := range map[string]struct {
		constraint string
		looks      []look
		calendar   string
		want       bool
	}{
		"the usual place":                         {own, []look{primary}, "primary", true},
		"one chosen before anything was read":     {own, []look{{"team", false, true, event}}, "team", true},
		"one chosen after others' text":           {own, []look{{"team", false, false, event}}, "team", false},
		"another place than the call looked in":   {own, []look{primary}, "team", false},
		"nothing is found there":                  {own, []look{{"primary", true, false, `[]`}}, "primary", false},
		"what is found there is not meant":        {own, []look{{"primary", true, false, `[{"id":"e1","title":"Retro"}]`}}, "primary", false},
		"the record says another place":           {own, []look{{"primary", true, false, saysSo}}, "primary", false},
		"the record says its place":               {own, []look{{"primary", true, false, saysSo}}, "team", true},
		"the record says something else":          {own, []look{{"primary", true, false, saysNone}}, "primary", true},
		"of two places, that of the record":       {own, []look{{"team", false, true, another}, primary}, "team", false},
		"unchanged, in the usual place":           {same, []look{primary}, "primary", true},
		"unchanged, in another place":             {same, []look{primary}, "team", false},
		"unchanged, where others may have chosen": {same, []look{{"team", false, false, event}}, "team", false},
		"unchanged, and the record says another":  {same, []look{{"primary", true, false, saysSo}}, "primary", false},
	} {
		t.Run(name, func(t *testing.T) {
			id := `{"from":[{"tool":"find_events","field":"id","where":{"title":"Standup"}}],"kind":"id","pick":"only"}`
			s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"delete_event","args":{"/event_id":`+id+`,"/calendar_id":`+c.constraint+`}}]}`), nil)
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}

			var results []*match.Result
			for _, l := range c.looks {
				r := &match.Result{Call: "r" + l.calendar, Server: "s", Tool: "find_events", Covered: true, Read: true, Early: l.early,
					Args: []match.Argument{{Pointer: "/calendar_id", Text: l.calendar, Role: label.Selector, Usual: l.usual}}}
				setContent(r, l.found)
				results = append(results, r)
			}
			p := &match.Proposal{Server: "s", Tool: "delete_event", Call: "c", Irreversible: true, Role: func(string) label.Role { return label.Selector },
				Args: []match.Argument{{Pointer: "/calendar_id", Text: c.calendar, Role: label.Selector}, {Pointer: "/event_id", Text: "e1", Role: label.Selector}}}
			if _, misses, ok := match.NewTask(s, "Delete the Standup.").Match(p, results); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestLookedForAsDescribed: a search for the words by which the scope describes the only record
// hides none that would be taken for it. Of several words, who wrote what was read before may have chosen one.
func TestLookedForAsDescribed(t *testing.T) {
	for asked, want := range map[struct {
		query string
		early bool
	}]bool{
		{"dentist", true}: true, {"Dentist", true}: true, {"dentist appointment", true}: true, {"dentist appointment", false}: true, {"Appointment: dentist", false}: true,
		{"dentist", false}: false, {"appointment", false}: false, {"dentist Bob", false}: false, {"doctor", false}: false, {"the", false}: false,
	} {
		t.Run(asked.query, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"cancel","args":{"/id":{"from":[{"tool":"find_events","field":"id"}],"kind":"id","pick":"only","by":"dentist appointment"}}}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			r := &match.Result{Call: "r", Server: "s", Tool: "find_events", Covered: true, Read: true, Early: asked.early, Args: []match.Argument{{Pointer: "/query", Text: asked.query, Role: label.Content}}}
			setContent(r, `[{"id":"e1","title":"Dentist"}]`)
			p := &match.Proposal{Server: "s", Tool: "cancel", Call: "c", Irreversible: true, Role: func(string) label.Role { return label.Selector },
				Args: []match.Argument{{Pointer: "/id", Text: "e1", Role: label.Selector}}}
			if _, misses, ok := match.NewTask(s, "Read the mail and cancel my dentist appointment.").Match(p, []*match.Result{r}); ok != want {
				t.Errorf("early %v: covered: %v, want %v (%v)", asked.early, ok, want, misses)
			}
		})
	}
}
