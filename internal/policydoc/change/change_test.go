package change_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/change"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const library = `{"tools": [
  {"name": "lend", "inputSchema": {"type": "object", "required": ["member", "count"], "properties": {"member": {"type": "string"}, "count": {"type": "integer"}}}},
  {"name": "get_member", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}}]}`

// side makes a side of files by their names.
func side(t *testing.T, files map[string]string) change.Side {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(text), 0o644))
	}
	d, err := policydoc.ReadDirectory(root)
	must(t, err)
	guards, err := d.GuardFiles()
	must(t, err)
	c, err := schema.Parse("library.json", []byte(library))
	must(t, err)
	set, err := guard.Compile(guards, guard.Deployment{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}})
	if set == nil {
		t.Fatal(err)
	}
	return change.Side{Directory: d, Guards: set}
}

// mapping and rules are the files of the tool lend with one policy, and its rule.
func mapping(policy string) string { return "tool: lend\npolicies:\n  - {" + policy + "}\n" }
func rules(rule string) string     { return "tool: lend\npolicies:\n  - {" + rule + "}\n" }

const (
	few     = `name: few, description: Few books., references: [Few.]`
	five    = `name: few, message: Few., require: args.count <= 5, examples: [{name: five, expect: allow, args: {member: m, count: 5}}, {name: six, expect: deny, args: {member: m, count: 6}}]`
	four    = `name: few, message: Few., require: args.count <= 4, examples: [{name: four, expect: allow, args: {member: m, count: 4}}, {name: five, expect: deny, args: {member: m, count: 5}}]`
	denying = `name: few, message: Few.`
	asking  = `name: few, message: Few., otherwise: ask`
	looking = `name: few, message: Few., require: 'tools.get_member({"id": args.member}).owes == 0', examples: [{name: debt, expect: deny, args: {member: m, count: 5}, given: [{tool: get_member, result: {owes: 1}}]}]`
)

// TestCompare says in words what becomes of a policy.
func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		oldMapping, oldRule, newMapping, newRule string
		want                                     string // headline, then statements
	}{
		"nothing changes":        {few, five, few, five, ""},
		"written otherwise":      {few, five, strings.Replace(few, "Few books.", `"Few  books."`, 1), strings.Replace(five, "args.count <= 5", `"args.count<=5 // five"`, 1), ""},
		"added":                  {"", "", few, five, `added; the document's sentence now "Few."; calls are checked for it now`},
		"added, not checked":     {"", "", few, denying, `added; the document's sentence now "Few."; it can't be checked: every call is denied`},
		"added, archived":        {"", "", few + ", status: archived, reason: nothing tells", "", `added, archived; because "nothing tells"; the document's sentence now "Few."; it is not enforced`},
		"retired":                {few, five, "", "", `retired; the document's sentence before "Few."; it is no longer enforced`},
		"archived":               {few, five, few + ", status: archived, reason: the board", "", `archived; because "the board"; it is no longer enforced; the rule before [args.count <= 5]`},
		"restored":               {few + ", status: archived", "", few + ", status: approved", five, `restored; it is approved now; calls are checked for it now; the rule now [args.count <= 5]; the agent is told now "Few."`},
		"approved":               {few, five, few + ", status: approved", five, `approved`},
		"described otherwise":    {few, five, strings.Replace(few, "Few books.", "Not many.", 1), five, `changed; it said "Few books."; it says now "Not many."`},
		"another sentence":       {few, five, strings.Replace(few, "[Few.]", "[Fewer.]", 1), five, `changed; the document's sentence before "Few."; the document's sentence now "Fewer."`},
		"renamed":                {few, five, strings.Replace(few, "few", "fewer", 1), strings.Replace(five, "few", "fewer", 1), `renamed; it was called "few"`},
		"stricter":               {few, five, few, four, `stricter; stricter: denied now, allowed before, in the example "five"; the rule before [args.count <= 5]; the rule now [args.count <= 4]`},
		"laxer":                  {few, four, few, five, `laxer; laxer: allowed now, denied before, in the example "five"; the rule before [args.count <= 4]; the rule now [args.count <= 5]`},
		"both":                   {few, five, few, strings.Replace(five, "args.count <= 5", "args.count != 5", 1), `stricter and laxer; stricter: denied now, allowed before, in the example "five"; laxer: allowed now, denied before, in the example "six"; the rule before [args.count <= 5]; the rule now [args.count != 5]`},
		"one variable of two":    {few, strings.Replace(five, "require: args.count <= 5", `variables: {most: "5", least: "1"}, require: args.count <= most`, 1), few, strings.Replace(five, "require: args.count <= 5", `variables: {most: "4", least: "1"}, require: args.count <= most`, 1), `stricter; stricter: denied now, allowed before, in the example "five"; what differs in the rule, before [most: 5]; what differs in the rule, now [most: 4]`},
		"nobody can tell":        {few, five, few, strings.Replace(five, "args.count <= 5", "args.count < 6", 1), `changed; the rule is another, and no example tells the difference: read both; the rule before [args.count <= 5]; the rule now [args.count < 6]`},
		"other things looked up": {few, five, few, looking, `stricter; stricter: denied now, allowed before, in the example "debt"; only one of the two rules can judge the example "five"; only one of the two rules can judge the example "six"; the rule before [args.count <= 5]; the rule now [tools.get_member({"id": args.member}).owes == 0]`},
		"no longer checked":      {few, five, few, asking, `stricter and laxer; it is no longer checked: every call is held back for a person; the rule before [args.count <= 5]`},
		"checked at last":        {few, denying, few, five, `laxer; calls are checked for it now, instead of every call being denied; the rule now [args.count <= 5]`},
		"asked, not denied":      {few, denying, few, asking, `laxer; it can't be checked: every call is held back for a person`},
		"broken, it asks":        {few, five, few, five + ", otherwise: ask", `laxer; calls that break it are held back for a person now, and denied before`},
		"a rule with mistakes":   {few, five, few, `name: few, message: Few., require: args.nobody == 1`, `changed; the rule is another, and no example tells the difference: read both; the rule before [args.count <= 5]; the rule now [args.nobody == 1]`},
		"a rule of no mapping":   {"", five, "", "", `retired; it is no longer enforced`},
	} {
		t.Run(name, func(t *testing.T) {
			make := func(item, rule string) change.Side {
				files := map[string]string{}
				if item != "" {
					files["mapping/lend.yaml"] = mapping(item)
				}
				if rule != "" {
					files["guards/lend.yaml"] = rules(rule)
				}
				return side(t, files)
			}
			r, err := change.Compare(t.Context(), make(c.oldMapping, c.oldRule), make(c.newMapping, c.newRule))
			must(t, err)
			if got := words(r.Policies); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// words brings what is said of policies into one line.
func words(policies []change.Policy) string {
	var parts []string
	for i := range policies {
		parts = append(parts, policies[i].Headline())
		for _, s := range policies[i].Statements() {
			says := s.Says
			if s.Quote != "" {
				says += ` "` + s.Quote + `"`
			}
			if len(s.Rule) > 0 {
				says += " [" + strings.Join(s.Rule, ", ") + "]"
			}
			parts = append(parts, says)
		}
	}
	return strings.Join(parts, "; ")
}

// TestCompareSentences lists the sentences that lose or get a policy, and reports whether the
// document is another. Duties that people wrote count as well.
func TestCompareSentences(t *testing.T) {
	lock := func(digest string) string {
		return `{"version": 1, "document": {"name": "rules.md", "digest": "` + digest + `"}}`
	}
	before := side(t, map[string]string{
		"policy.lock":   lock("a"),
		"unmapped.yaml": "document: rules.md\nsentences: [{text: Hello., reason: a greeting}, {text: Few., reason: open}, {text: Bye.}]\n",
	})
	after := side(t, map[string]string{
		"policy.lock":       lock("b"),
		"unmapped.yaml":     "document: rules.md\nsentences: [{text: Hello., reason: polite}, {text: Be kind., reason: nothing tells}]\n",
		"mapping/lend.yaml": mapping(few),
		"guards/lend.yaml":  "tool: lend\nduties: [{name: receipt, require: session.calls().size() > 1, message: Give a receipt.}]\n",
	})
	r, err := change.Compare(t.Context(), before, after)
	must(t, err)
	if r.Document != (change.Texts{Before: "rules.md", After: "rules.md"}) || !r.Edited {
		t.Errorf("the document is %+v, %v", r.Document, r.Edited)
	}
	if len(r.Unmapped) != 1 || r.Unmapped[0] != (change.Sentence{Text: "Be kind.", Reason: "nothing tells"}) {
		t.Errorf("unmapped are %+v", r.Unmapped)
	}
	if len(r.Mapped) != 1 || r.Mapped[0].Text != "Few." {
		t.Errorf("mapped are %+v", r.Mapped)
	}
	if got := words(r.Policies); got != `added; the document's sentence now "Few."; it is not enforced; added; calls are checked for it now` {
		t.Errorf("got %s", got)
	}
	same, err := change.Compare(t.Context(), after, after)
	must(t, err)
	if same.Edited || len(same.Policies)+len(same.Unmapped)+len(same.Mapped) > 0 {
		t.Errorf("of the same changes %+v", same)
	}
}
