package match_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestSwitchLeftOut: a call says what is on, and what is off where its definition says on.
func TestSwitchLeftOut(t *testing.T) {
	for name, c := range map[string]struct {
		is, otherwise string // none where the definition doesn't say
		write         bool
		want          bool
	}{
		"off, and nobody says what it is":                    {"false", "", false, true},
		"off, as the definition says":                        {"false", "false", false, true},
		"off, and the definition says on":                    {"false", "true", false, false},
		"the same, of what can be taken back":                {"false", "true", true, false},
		"on, and nobody says what it is":                     {"true", "", true, false},
		"on, as the definition says":                         {"true", "true", false, true},
		"on or off, which the request says nothing about":    {`["true","false"]`, "", false, true},
		"on, and the definition says off":                    {"true", "false", true, false},
		"a text that is no switch, and nobody said its word": {`"plain"`, "", false, true},
		"one whose word was said":                            {`"number"`, "", false, false},
		"one whose word was said, of what can be taken back": {`"number"`, "", true, true},
	} {
		s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"end_line","args":{"/line":{"is":"L-1"},"/keep":{"is":`+c.is+`}}}]}`), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		p := &match.Proposal{Server: "s", Tool: "end_line", Call: "c", Irreversible: !c.write,
			Role: func(string) label.Role { return label.Control }, Default: func(string) (string, bool) { return c.otherwise, c.otherwise != "" },
			Args: []match.Argument{{Pointer: "/line", Text: "L-1", Role: label.Selector}}}
		if _, misses, ok := match.NewTask(s, "End L-1, its number need not stay.").Match(p, nil); ok != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, ok, c.want, misses)
		}
	}
}

// TestTimeLeftOut: what the request has a time for goes on for ever without it, and begins at once.
func TestTimeLeftOut(t *testing.T) {
	by := func(pointer, text string) string {
		return `{"calls":[{"tool":"act","args":{"/id":{"is":"4"},"` + pointer + `":{"is":"` + text + `"}}}]}`
	}
	now := time.Date(2026, 5, 20, 9, 0, 0, 0, time.UTC)
	content := func(p *match.Proposal) { p.Role = func(string) label.Role { return label.Content } }
	asked := func(scope string, want bool) asking {
		return asking{scope: scope, said: "Let Ida in at 4 until 31 May at six.", args: map[string]string{"/id": "s:4"}, now: now, change: content, want: want}
	}
	askings{
		"a moment":                asked(by("/expires", "2026-05-31T18:00:00"), false),
		"a time of the day":       asked(by("/until", "18:00"), false),
		"a day":                   asked(by("/expires", "2026-05-31"), false),
		"a begin that is to come": asked(by("/starts_on", "2026-05-21"), false),
		"a begin today":           asked(by("/starts_on", "2026-05-20"), true),
		"an end today":            asked(by("/ends_on", "2026-05-20"), false),
		"a text":                  asked(by("/note", "for six weeks"), false),
	}.run(t)
}

// TestNumberBelowZeroLeftOut: a number that the user said with its sign is left out as any other is; what stands between two numbers is no sign.
func TestNumberBelowZeroLeftOut(t *testing.T) {
	content := func(p *match.Proposal) { p.Role = func(string) label.Role { return label.Content } }
	of := func(said string, want bool) asking {
		return asking{scope: `{"calls":[{"tool":"act","args":{"/id":{"is":"4"},"/degrees":{"is":-18}}}]}`, said: said, args: map[string]string{"/id": "s:4"}, reversible: true, change: content, want: want}
	}
	askings{
		"as it is written":      of("Keep 4 at -18 degrees.", false),
		"with a sign for minus": of("Keep 4 at −18 degrees.", false),
		"the end of a span":     of("Keep 4 for 10-18 days.", true),
	}.run(t)
}

// TestEmptyElements: an empty element of a list is one more of what a call is for, where it can't be taken back, and no element that it leaves
// out.
func TestEmptyElements(t *testing.T) {
	const (
		each   = `"/claims/*/id":{"is":["31","32"]}`
		places = `"/claims/0/id":{"is":"31"},"/claims/1/id":{"is":"32"}`
		open   = `"/claims/*/id":{"is":["31","32"]},"/claims":{"any":true}`
	)
	for name, c := range map[string]struct {
		args    string
		further string // an empty argument of the call
		write   bool
		want    bool
	}{
		"none":                                        {each, "", false, true},
		"a further element":                           {each, "/claims/2", false, false},
		"beside elements by their places":             {places, "/claims/2", false, false},
		"of what can be taken back":                   {each, "/claims/2", true, true},
		"a member that an element leaves out":         {each, "/claims/1/note", false, true},
		"of a list that the request leaves open":      {open, "/claims/2", false, true},
		"of a list that the request doesn't speak of": {each, "/tags/0", false, false},
		"of a list that has to be left out":           {each + `,"/tags":{"absent":true}`, "/tags/0", false, false},
		"of a list that is left out":                  {each + `,"/tags":{"absent":true}`, "/tags", false, true},
	} {
		s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"pay_out","args":{`+c.args+`}}]}`), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		p := &match.Proposal{Server: "s", Tool: "pay_out", Call: "c", Irreversible: !c.write, Role: func(string) label.Role { return label.Content },
			Args: []match.Argument{{Pointer: "/claims/0/id", Text: "31"}, {Pointer: "/claims/1/id", Text: "32"}}}
		if c.further != "" {
			p.Args = append(p.Args, match.Argument{Pointer: c.further, Empty: true, Null: true, Role: label.Content})
		}
		if _, misses, ok := match.NewTask(s, "Pay out claims 31 and 32.").Match(p, nil); ok != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, ok, c.want, misses)
		}
	}
}

// TestStatedIsGiven: whatever a request states of a call that can't be taken back the call gives, unless the tool does it by default.
func TestStatedIsGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type stated struct{ value, otherwise, given string }
		values := rapid.SampledFrom([]string{"grote kist", "Hallo", "large", "третий", "7"})
		names := []string{"/title", "/size", "/rounds"}
		all, entry := map[string]stated{}, map[string]any{}
		isGiven := true
		p := &match.Proposal{Server: "s", Tool: "book_seat", Call: "c", Irreversible: true}
		for _, name := range names {
			of := stated{value: values.Draw(t, "value"), otherwise: rapid.SampledFrom([]string{"", "small", "Hallo", "large"}).Draw(t, "default")}
			of.given = rapid.SampledFrom([]string{"left out", "empty", of.value}).Draw(t, "given")
			all[name], entry[name] = of, map[string]string{"is": of.value}
			isGiven = isGiven && (of.given == of.value || of.otherwise == of.value)
			role := rapid.SampledFrom([]label.Role{label.Content, label.Control, label.Selector}).Draw(t, "role")
			if of.given != "left out" {
				p.Args = append(p.Args, match.Argument{Pointer: name, Text: strings.TrimPrefix(of.given, "empty"), Empty: of.given == "empty", Role: role})
			}
		}
		p.Role = func(string) label.Role { return label.Content }
		p.Default = func(pointer string) (string, bool) { return all[pointer].otherwise, all[pointer].otherwise != "" }

		data, err := json.Marshal(map[string]any{"calls": []any{map[string]any{"tool": "book_seat", "args": entry}}})
		if err != nil {
			t.Fatal(err)
		}
		s, refused, err := scope.Parse(data, nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		if _, _, ok := match.NewTask(s, "Neem dat.").Match(p, nil); ok && !isGiven {
			t.Errorf("%v is covered", all)
		}
	})
}
