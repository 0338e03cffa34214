package policydoc_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/strictyaml"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const lending = `# What the library says of lending.
tool: lend
server: desk
policies:
  # Ann looked at it.
  - name: five-books
    description: A member has five books at most.
    references:
      - "Members may borrow up to five books."
    status: approved
    compliance_examples: [A member with four books borrows one.]
    violation_examples:
      - A member with five books borrows one.
    conflicts:
      - field: description
        generated: A member has five books, and no more.
      - {field: guard/message, generated: "Five books."}
  - name: be-kind
    description: Staff is kind.
    status: archived
    reason: nothing in a call tells
  - name: no-fines
    description: >
      Members who owe a fine
      borrow nothing.
`

// TestLoadMapping reads a file with everything in it.
func TestLoadMapping(t *testing.T) {
	m, err := policydoc.LoadMapping("lend.yaml", []byte(lending))
	must(t, err)
	for i := range m.Policies {
		if m.Policies[i].Position.Line == 0 {
			t.Error("a policy without its place")
		}
		m.Policies[i].Position = strictyaml.Position{}
	}
	want := []policydoc.Policy{{
		Name: "five-books", Description: "A member has five books at most.", References: []string{"Members may borrow up to five books."},
		Status: policydoc.Approved, Compliance: []string{"A member with four books borrows one."}, Violations: []string{"A member with five books borrows one."},
		Conflicts: []policydoc.Conflict{{Field: "description", Generated: "A member has five books, and no more."}, {Field: "guard/message", Generated: "Five books."}},
	}, {
		Name: "be-kind", Description: "Staff is kind.", Status: policydoc.Archived, Reason: "nothing in a call tells",
	}, {
		Name: "no-fines", Description: "Members who owe a fine borrow nothing.\n", Status: policydoc.Proposed,
	}}
	if m.Server != "desk" || m.Tool != "lend" || !reflect.DeepEqual(m.Policies, want) {
		t.Errorf("got %+v", m)
	}
}

// TestLoadMappingMistakes finds every mistake at its place, and says what to
// write.
func TestLoadMappingMistakes(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":            {"# later", "the file is empty; write 'tool:' and 'policies:'"},
		"no tool":            {"policies: []", "a.yaml:1:1: the tool's name is missing; write 'tool: NAME'"},
		"no policies":        {"tool: a", "a.yaml:1:1: there are no policies; write 'policies:'"},
		"a misspelt key":     {"tool: a\npolicies:\n  - {name: b, description: c, staus: approved}", "a.yaml:3:31: a policy has no key \"staus\"; did you mean status?"},
		"an unknown status":  {"tool: a\npolicies:\n  - {name: b, description: c, status: accepted}", "a.yaml:3:39: unknown status \"accepted\"; write proposed, approved or archived"},
		"no name":            {"tool: a\npolicies:\n  - description: c", "a.yaml:3:5: the policy has no name; add 'name:'"},
		"no description":     {"tool: a\npolicies:\n  - name: c", "a.yaml:3:5: the policy has no description; add 'description:'"},
		"a name with spaces": {"tool: a\npolicies:\n  - {name: No Fines, description: c}", "a.yaml:3:12: \"No Fines\" can't be the name of a policy; use lower-case letters"},
		"a name twice":       {"tool: a\npolicies:\n  - {name: b, description: c}\n  - {name: b, description: d}", "a.yaml:4:12: there is a policy named \"b\" already"},
		"one reference":      {"tool: a\npolicies:\n  - {name: b, description: c, references: d}", "a.yaml:3:43: references must be a list; write [d]"},
		"half a conflict":    {"tool: a\npolicies:\n  - {name: b, description: c, conflicts: [{field: d}]}", "a.yaml:3:43: the conflict lacks a field or a value"},
		"too many":           {"tool: a\npolicies:\n" + strings.Repeat("  - \n", policydoc.MaxPolicies+1), "a tool has more than 1000 policies"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := policydoc.LoadMapping("a.yaml", []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) && name != "too many" {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestLoadUnmapped reads the sentences that nothing refers to.
func TestLoadUnmapped(t *testing.T) {
	u, err := policydoc.LoadUnmapped("unmapped.yaml", []byte("document: rules.md\nsentences:\n  - text: Be kind.\n    reason: nothing in a call tells\n  - text: Welcome.\n"))
	must(t, err)
	want := policydoc.Unmapped{Document: "rules.md", Sentences: []policydoc.UnmappedSentence{{Text: "Be kind.", Reason: "nothing in a call tells"}, {Text: "Welcome."}}}
	if !reflect.DeepEqual(*u, want) {
		t.Errorf("got %+v", u)
	}
	if _, err := policydoc.LoadUnmapped("unmapped.yaml", []byte("sentences: [{reason: a}]")); err == nil || err.Error() != "unmapped.yaml:1:13: the sentence has no text; write {text: …, reason: …}" {
		t.Errorf("got %v", err)
	}
}

// TestMappingDocument edits a file: what is not touched stays as it was written.
func TestMappingDocument(t *testing.T) {
	d, err := policydoc.EditMapping("lend.yaml", []byte(lending))
	must(t, err)
	m, err := d.Mapping()
	must(t, err)
	for i := range m.Policies {
		d.Put(&m.Policies[i])
	}
	if same, err := d.Marshal(); err != nil || string(same) != strings.Replace(lending, "fine\n      borrow", "fine borrow", 1) {
		t.Errorf("edited to be the same it is\n%s, %v", same, err)
	}
	changed := m.Policies[0]
	changed.Status, changed.Conflicts = policydoc.Proposed, changed.Conflicts[1:]
	d.Put(&changed)
	d.Put(&policydoc.Policy{Name: "new", Description: "true", References: []string{"- A: b."}, Status: policydoc.Proposed})
	if !d.Remove("no-fines") || d.Remove("no-fines") {
		t.Error("a policy is removed once")
	}
	got, err := d.Marshal()
	must(t, err)
	want := lending[:strings.Index(lending, "  - name: no-fines")] + "  - name: new\n    description: 'true'\n    references:\n      - '- A: b.'\n"
	want = strings.Replace(want, "approved", "proposed", 1)
	want = strings.Replace(want, "      - field: description\n        generated: A member has five books, and no more.\n", "", 1)
	if string(got) != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}
