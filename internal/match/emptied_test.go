package match_test

import (
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestEmptied: what a call gives an argument in place of a default that is something, is not left out.
func TestEmptied(t *testing.T) {
	const (
		absent = `{"absent":true}`
		text   = "text"
		empty  = "empty"
	)
	for name, c := range map[string]struct {
		constraint string // none where the scope doesn't speak of the argument
		as, value  string
		role       label.Role
		otherwise  string
		want       bool
	}{
		"a dry run that is turned off":    {absent, text, "false", label.Control, "true", false},
		"a limit that is turned off":      {absent, text, "false", label.Selector, "true", false},
		"no owner in place of me":         {absent, empty, "", label.Selector, "me", false},
		"none in place of done":           {absent, text, "none", label.Selector, "done", false},
		"all states in place of one":      {`{"is":"done"}`, empty, "", label.Selector, "done", false},
		"all states, not spoken of":       {"", empty, "", label.Selector, "done", false},
		"a setting, not spoken of":        {"", empty, "", label.Control, "plain", true},
		"a switch that is left empty":     {`{"is":true}`, empty, "", label.Control, "true", false},
		"off, as otherwise":               {absent, text, "false", label.Control, "false", true},
		"off, where nothing is known":     {absent, text, "false", label.Control, "", true},
		"the default":                     {absent, text, "plain", label.Control, "plain", true},
		"the default of where it goes":    {absent, text, "origin", label.Target, "origin", true},
		"another place than the default":  {absent, text, "fork", label.Target, "origin", false},
		"an empty place":                  {absent, text, "", label.Target, "", false},
		"empty, as otherwise":             {absent, empty, "", label.Control, "", true},
		"empty, which counts as nothing":  {absent, text, "none", label.Control, "", true},
		"empty in place of an empty text": {`{"is":["","done"]}`, empty, "", label.Control, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			args := "{}"
			if c.constraint != "" {
				args = `{"/arg":` + c.constraint + `}`
			}
			s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"act","args":`+args+`}]}`), nil)
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}
			p := &match.Proposal{Server: "s", Tool: "act", Call: "c", Irreversible: true,
				Role:    func(string) label.Role { return c.role },
				Default: func(string) (string, bool) { return c.otherwise, true },
				Args:    []match.Argument{{Pointer: "/arg", Text: c.value, Empty: c.as == empty, Role: c.role}}}
			if _, misses, ok := match.NewTask(s, "Do it.").Match(p, nil); ok != c.want {
				t.Errorf("covered: %v (%v)", ok, misses)
			}
		})
	}
}

// TestCollidingMembers: of two members that people can't tell apart others may have chosen one, so
// that neither meets a condition. Against a call either speaks.
func TestCollidingMembers(t *testing.T) {
	approved := only(of("list", "id", `{"status":"approved"}`))
	cases := loosenings{
		"approved":        {approved, "1", []returned{{"list", "", `[{"id":"1","status":"approved"},{"id":"2","status":"open"}]`}}, true},
		"one of two tags": {only(of("list", "id", `{"tags":"approved"}`)), "1", []returned{{"list", "", `[{"id":"1","tags":["new","approved"]},{"id":"2","tags":[]}]`}}, true},
		"against":         {unless(of("list", "id", `{"id":"1"}`), of("list", "id", `{"blocked":"yes"}`)), "1", []returned{{"list", "", `[{"id":"1","blocked":"no","Blocked":"yes"}]`}}, false},
	}
	for _, key := range []string{"Status", "status.", "status ", "status\\u200b", "-status", "STATUS"} {
		cases["beside "+key] = loosened{approved, "1", []returned{{"list", "", `[{"id":"1","status":"open","` + key + `":"approved"},{"id":"2","status":"open"}]`}}, false}
	}
	cases.run(t)
}
