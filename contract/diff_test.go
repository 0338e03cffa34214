package contract_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	const base = mail + manage
	for _, tt := range []struct {
		name, old, new string
		want           []string
	}{
		{"same", "", "", nil},
		{"order and comments", "      /subject:      {role: content}\n      /body:         {role: content}\n", "      /body: {role: content}\n      /subject: {role: content} # later\n", nil},
		{"lower floor", "floor: USER, discharge", "floor: TOOL_OUTPUT, discharge", []string{"! send_email args /recipients/* floor: USER → TOOL_OUTPUT"}},
		{"higher floor", "floor: USER, discharge", "floor: TRUSTED, discharge", []string{"  send_email args /recipients/* floor: USER → TRUSTED"}},
		{"role away from target", "role: target, floor: USER", "role: selector, floor: USER", []string{"! send_email args /recipients/* role: target → selector"}},
		{"role towards target", "/subject:      {role: content}", "/subject: {role: target}", []string{"  send_email args /subject role: content → target", "  send_email args /subject floor: EXTERNAL → USER"}},
		{"more procedures", "[directory, confirm]", "[directory, confirm, lookup]", []string{"! send_email args /recipients/* discharge: [directory, confirm] → [directory, confirm, lookup]"}},
		{"fewer procedures", "[directory, confirm]", "[confirm]", []string{"  send_email args /recipients/* discharge: [directory, confirm] → [confirm]"}},
		{"no procedures named", ", discharge: [directory, confirm]", "", []string{"! send_email args /recipients/* discharge: removed [directory, confirm]"}},
		{"a form", "/subject:      {role: content}", "/subject: {role: content, form: path}", []string{"! send_email args /subject form: added path"}},
		{"other reason", `why: "name 'recipients', format email"`, "why: known", []string{"  send_email args /recipients/* why: name 'recipients', format email → known"}},
		{"allowed value", "/subject:      {role: content}", "/subject: {role: content, allow: [hello]}", []string{"! send_email args /subject allow: added [hello]"}},
		{"forbidden origin", "/subject:      {role: content}", "/subject: {role: content, forbidden: [web]}", []string{"  send_email args /subject forbidden: added [web]"}},
		{"removed argument", "      /subject:      {role: content}\n", "", []string{"  send_email args /subject: removed content EXTERNAL"}},
		{"new argument", "      /subject:", "      /cc: {role: content}\n      /subject:", []string{"! send_email args /cc: added content EXTERNAL"}},
		{"argument behind a wildcard", "/recipients/*:", "/recipients/**:", []string{"! send_email args /recipients/**: added target USER", "  send_email args /recipients/*: removed target USER"}},
		{"output trust", "output: {trust: EXTERNAL, fields", "output: {trust: USER, fields", []string{"! read_inbox output trust: EXTERNAL → USER"}},
		{"output field", `"/*/id": TOOL_OUTPUT`, `"/*/id": USER`, []string{"! read_inbox output fields /*/id: TOOL_OUTPUT → USER"}},
		{"removed output field", `, fields: {"/*/id": TOOL_OUTPUT}`, "", []string{"  read_inbox output fields /*/id: removed TOOL_OUTPUT"}},
		{"derived", "output: {trust: TOOL_OUTPUT}", "output: {trust: TOOL_OUTPUT, derived: true}", []string{"  send_email output derived: false → true"}},
		{"certify", "max: USER}]", "max: TOOL_OUTPUT}]", []string{
			"! search_contacts output certify: added {procedure: directory, key: /query, key_floor: USER, field: /*/email, roles: [target], max: TOOL_OUTPUT}",
			"  search_contacts output certify: removed {procedure: directory, key: /query, key_floor: USER, field: /*/email, roles: [target], max: USER}",
		}},
		{"milder effect", "effect: egress ", "effect: write ", []string{"! send_email effect: egress → write"}},
		{"worse effect", "  search_contacts:\n    effect: read", "  search_contacts:\n    effect: egress", []string{"  search_contacts effect: read → egress"}},
		{"effect that can't be taken back either", "effect: egress ", "effect: destructive ", []string{"! send_email effect: egress → destructive"}},
		{"and the other way", "delete: {}", "delete: {effect: egress}", []string{"! manage variants delete effect: destructive → egress"}},
		{"removed tool", manage, "", []string{"  manage: removed effect destructive"}},
		{"new tool", manage, manage + "  more: {effect: read}\n", []string{"! more: added effect read"}},
		{"fingerprint", "sha256:0123", "sha256:4567", []string{"  fingerprint: sha256:0123 → sha256:4567"}},
		{"precision", "server: mail", "server: mail\nprecision: L1", []string{"  precision: added L1"}},
		{"mode", "server: mail", "server: mail\nsinks: off", []string{"! sinks: added off"}},
		{"new case", "delete: {}", "delete: {}, purge: {}", []string{"! manage variants purge: added effect destructive"}},
		{"case effect", "delete: {}", "delete: {effect: write}", []string{"! manage variants delete effect: destructive → write"}},
		{"removed case", ", delete: {}", "", []string{"  manage variants delete: removed effect destructive"}},
		{"no variants", "    variants: {argument: /method, default: get, cases: {get: {effect: read}, delete: {}}}\n", "", []string{"! manage variants: removed by /method"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(base, tt.old) {
				t.Fatalf("%q is not in the base file", tt.old)
			}
			var got []string
			for _, c := range contract.Diff(load(t, base), load(t, strings.Replace(base, tt.old, tt.new, 1))) {
				got = append(got, c.String())
				if c.Laxer && !c.Security {
					t.Errorf("laxer and not about security: %s", c)
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestDiffProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := file().Draw(t, "a"), file().Draw(t, "b")
		if changes := contract.Diff(a, a.Clone()); len(changes) > 0 {
			t.Fatalf("a file differs from its copy: %v", changes)
		}
		x, _ := a.Marshal()
		y, _ := b.Marshal()
		if len(contract.Diff(a, b)) == 0 && len(x) != len(y) {
			t.Fatalf("no change between\n%s\n%s", x, y)
		}
	})
}
