package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestClearing: what a call on something there is gives as empty, clears what the thing has. That is not left out.
func TestClearing(t *testing.T) {
	const event = `[{"entry":"E-1","place":"Oslo","note":"","guests":["a@x.example","b@x.example"]}]`
	for name, c := range map[string]struct {
		tool, constraint string // none where the scope doesn't speak of the argument
		null, known      bool
		want             bool
	}{
		"not spoken of":                        {"move_entry", "", false, false, false},
		"left out by the request":              {"move_entry", `{"absent":true}`, false, false, false},
		"free content":                         {"move_entry", `{"any":true}`, false, false, false},
		"another value":                        {"move_entry", `{"is":"Rome"}`, false, false, false},
		"as it is, and it is something":        {"move_entry", `{"unchanged":true}`, false, false, false},
		"empty, as the request states it":      {"move_entry", `{"is":["Rome",""]}`, false, false, true},
		"empty text alone":                     {"move_entry", `{"is":""}`, false, false, true},
		"null, which many programs leave out":  {"move_entry", "", true, false, true},
		"empty by the definition":              {"move_entry", "", false, true, true},
		"of something new, which has none yet": {"create_entry", "", false, false, true},
	} {
		args := `"/entry":{"is":"E-1"}`
		if c.constraint != "" {
			args += `,"/place":` + c.constraint
		}
		s, refused, err := scope.Parse(fmt.Appendf(nil, `{"calls":[{"tool":"list_entries"},{"tool":%q,"args":{%s}}]}`, c.tool, args), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		r := &match.Result{Call: "r", Server: "s", Tool: "list_entries", Covered: true, Read: true}
		setContent(r, event)
		p := &match.Proposal{Server: "s", Tool: c.tool, Call: "c",
			Role:    func(string) label.Role { return label.Content },
			Default: func(string) (string, bool) { return "", c.known },
			Args:    []match.Argument{{Pointer: "/entry", Text: "E-1", Role: label.Selector}, {Pointer: "/place", Empty: true, Null: c.null, Role: label.Content}}}
		if _, misses, ok := match.NewTask(s, "Move E-1.").Match(p, []*match.Result{r}); ok != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, ok, c.want, misses)
		}
	}
}

// TestClearingWhatStays: what is to stay as it is isn't emptied, though the argument that says of what decides nothing by itself.
func TestClearingWhatStays(t *testing.T) {
	for begins, want := range map[string]bool{"": false, "10:00": false} {
		s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"set_rehearsal","args":{"/day":{"date":"2026-05-08"},"/starts":{"unchanged":true}}}]}`), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		p := &match.Proposal{Server: "s", Tool: "set_rehearsal", Call: "c", Role: func(string) label.Role { return label.Content },
			Args: []match.Argument{{Pointer: "/day", Text: "2026-05-08", Role: label.Content}, {Pointer: "/starts", Text: begins, Empty: begins == "", Role: label.Content}}}
		if _, misses, ok := match.NewTask(s, "Move that of 8 May.").Match(p, nil); ok != want {
			t.Errorf("%q: covered %v, want %v (%v)", begins, ok, want, misses)
		}
	}
}

// TestUnchangedList: a list that stays as it is has all its elements, each as often as before.
func TestUnchangedList(t *testing.T) {
	for guests, want := range map[string]bool{"a b": true, "b a": true, "a": false, "a a": false, "a b b": false, "a c": false, "A b": false, "": false} {
		s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"list_entries"},{"tool":"move_entry","args":{"/entry":{"is":"E-1"},"/guests":{"unchanged":true}}}]}`), nil)
		if err != nil || len(refused) > 0 {
			t.Fatal(err, refused)
		}
		r := &match.Result{Call: "r", Server: "s", Tool: "list_entries", Covered: true, Read: true}
		setContent(r, `[{"entry":"E-1","guests":["a","b"]},{"entry":"E-2","guests":[]}]`)
		p := &match.Proposal{Server: "s", Tool: "move_entry", Call: "c", Irreversible: true, Role: func(string) label.Role { return label.Content },
			Args: []match.Argument{{Pointer: "/entry", Text: "E-1", Role: label.Selector}}}
		for i, guest := range strings.Fields(guests) {
			p.Args = append(p.Args, match.Argument{Pointer: fmt.Sprint("/guests/", i), Text: guest, Role: label.Content})
		}
		if guests == "" {
			p.Args = append(p.Args, match.Argument{Pointer: "/guests", Empty: true, Role: label.Content})
		}
		if _, misses, ok := match.NewTask(s, "Move E-1.").Match(p, []*match.Result{r}); ok != want {
			t.Errorf("%q: covered %v, want %v (%v)", guests, ok, want, misses)
		}
	}
}
