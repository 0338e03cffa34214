package policydoc_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/policydoc"
)

const decidedMapping = `tool: lend
policies:
  # Seen by Ann.
  - name: few
    description: Few books.
    conflicts:
      - {field: description, generated: "'Few books: five.'"}
      - field: guard/require
        generated: |-
          variables:
            most: "5"
          require: args.count <= most
      - {field: guard/examples/six, generated: ""}
      - field: guard/examples/five
        generated: "{name: five, expect: allow, args: {count: 5}}"
      - {field: guard/message, generated: "Five."}
      - field: status
        generated: |-
          status: archived
          reason: nothing tells
`

const decidedGuard = `tool: lend
policies:
  - name: few
    require: args.count < 5 # Bob's
    message: Few.
    examples:
      - {name: six, expect: deny, args: {count: 6}}
`

// TestDecide decides about a policy in its files: what is not decided stays as it
// was written.
func TestDecide(t *testing.T) {
	for name, c := range map[string]struct {
		decide         func(d *policydoc.Directory) error
		mapping, guard *strings.Replacer // nil: the file is gone
	}{
		"approve": {func(d *policydoc.Directory) error { return d.Approve("lend", "few") },
			strings.NewReplacer("      - field: status\n        generated: |-\n          status: archived\n          reason: nothing tells\n", "", "    conflicts:\n", "    status: approved\n    conflicts:\n"), strings.NewReplacer()},
		"archive": {func(d *policydoc.Directory) error { return d.Archive("lend", "few", "the board said so") },
			nil, nil},
		"the description as generated": {resolve("description", true),
			strings.NewReplacer("Few books.\n", "'Few books: five.'\n", "      - {field: description, generated: \"'Few books: five.'\"}\n", ""), strings.NewReplacer()},
		"the description as it is": {resolve("description", false),
			strings.NewReplacer("      - {field: description, generated: \"'Few books: five.'\"}\n", ""), strings.NewReplacer()},
		"the condition with its variables": {resolve("guard/require", true),
			strings.NewReplacer("      - field: guard/require\n        generated: |-\n          variables:\n            most: \"5\"\n          require: args.count <= most\n", ""),
			strings.NewReplacer("    require: args.count < 5 # Bob's", "    variables:\n      most: '5'\n    require: args.count <= most # Bob's")},
		"an example less": {resolve("guard/examples/six", true),
			strings.NewReplacer("      - {field: guard/examples/six, generated: \"\"}\n", ""),
			strings.NewReplacer("    examples:\n      - {name: six, expect: deny, args: {count: 6}}\n", "")},
		"an example more": {resolve("guard/examples/five", true),
			strings.NewReplacer("      - field: guard/examples/five\n        generated: \"{name: five, expect: allow, args: {count: 5}}\"\n", ""),
			strings.NewReplacer("count: 6}}\n", "count: 6}}\n      - name: five\n        expect: allow\n        args: {count: 5}\n")},
		"the message": {resolve("guard/message", true),
			strings.NewReplacer("      - {field: guard/message, generated: \"Five.\"}\n", ""),
			strings.NewReplacer("message: Few.", "message: Five.")},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, map[string]string{"mapping/lend.yaml": decidedMapping, "guards/lend.yaml": decidedGuard})
			d := read(t, root)
			must(t, c.decide(d))
			must(t, d.Write())
			got := files(t, root)
			if c.mapping == nil {
				if m, err := policydoc.LoadMapping("a", []byte(got["mapping/lend.yaml"])); err != nil || m.Policies[0].Status != policydoc.Archived || m.Policies[0].Reason != "the board said so" {
					t.Errorf("got\n%s", got["mapping/lend.yaml"])
				}
				if strings.Contains(got["guards/lend.yaml"], "few") {
					t.Errorf("the rule is still there:\n%s", got["guards/lend.yaml"])
				}
				return
			}
			if want := c.mapping.Replace(decidedMapping); got["mapping/lend.yaml"] != want {
				t.Errorf("got\n%swant\n%s", got["mapping/lend.yaml"], want)
			}
			if want := c.guard.Replace(decidedGuard); got["guards/lend.yaml"] != want {
				t.Errorf("got\n%swant\n%s", got["guards/lend.yaml"], want)
			}
		})
	}
}

func resolve(field string, theirs bool) func(*policydoc.Directory) error {
	return func(d *policydoc.Directory) error { return d.Resolve("lend", "few", field, theirs) }
}

// TestDecideMistakes says what there is instead of what was named.
func TestDecideMistakes(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"mapping/lend.yaml": strings.Replace(decidedMapping, `generated: "Five."`, `generated: "[Five]"`, 1) + "      - {field: guard/duty, generated: a}\n",
		"guards/lend.yaml":  decidedGuard,
		"mapping/find.yaml": "tool: find\npolicies: [{name: a, description: b, conflicts: [{field: guard/message, generated: c}]}]\n",
	})
	d := read(t, root)
	for want, err := range map[string]error{
		`there is no mapping of "lnd": did you mean lend?`:             d.Approve("lnd", "few"),
		`lend has no policy "fewer": write few`:                        d.Approve("lend", "fewer"),
		`has no conflict about "guard/massage": did you mean guard/m`:  d.Resolve("lend", "few", "guard/massage", false),
		`is not valid: generated:`:                                     d.Resolve("lend", "few", "guard/message", true),
		`a policy has no key "duty"`:                                   d.Resolve("lend", "few", "guard/duty", true),
		`the policy a of find no longer has a rule: keep your version`: d.Resolve("find", "a", "guard/message", true),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestSettled clears conflicts that people settled by editing the files, and no
// others.
func TestSettled(t *testing.T) {
	root := t.TempDir()
	mapping := strings.Replace(decidedMapping, "description: Few books.", "description: >-\n      Few books:\n      five.", 1)
	rule := strings.NewReplacer("require: args.count < 5 # Bob's", "variables: {most: \"5\"}\n    require: |\n      args.count\n        <= most // Bob's", "message: Few.", "message: Fewer.",
		"      - {name: six, expect: deny, args: {count: 6}}", "      - {name: five, expect: allow, args: {count: 5}}").Replace(decidedGuard)
	write(t, root, map[string]string{"mapping/lend.yaml": mapping, "guards/lend.yaml": rule})
	must(t, read(t, root).Write())
	m, err := read(t, root).Mappings["lend"].Mapping()
	must(t, err)
	var left []string
	for _, c := range m.Policies[0].Conflicts {
		left = append(left, c.Field)
	}
	if got := strings.Join(left, " "); got != "guard/message status" {
		t.Errorf("left are %s", got)
	}
}
