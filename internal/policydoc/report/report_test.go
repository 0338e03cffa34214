package report

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// desk is the lending desk of a library, with something of everything: its lock is
// made here, since it has the hashes of the files.
func desk(t *testing.T) Input {
	t.Helper()
	doc := read(t, "handbook.md", file(t, "handbook.md"))
	dir, err := policydoc.ReadDirectory(filepath.Join("testdata", "policy"))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := schema.Parse("desk.json", file(t, "tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	waived, _ := doc.Find("A fee is waived once a year.")
	open, _ := doc.Find("Members may have at most five items on loan.")
	dir.Lock = &policydoc.Lock{
		Version: policydoc.LockVersion, Document: policydoc.LockedDocument{Name: doc.Name, Digest: doc.Digest},
		Sentences: map[string]policydoc.LockedSentence{waived.Sentences[0].ID: {Suspicious: true}},
		Policies: map[string]map[string]policydoc.LockedPolicy{
			"lend_item": {"loan-limit": {Sentences: []string{open.Sentences[0].ID}, Rule: &policydoc.LockedRule{Made: "m", Killed: 8, Survived: 1, Contested: map[string]string{"the fourth": "four is fewer than five"}, Unseen: []string{`"lost" in /state of get_item`}}}},
			"waive_fee": {"once-a-year": {Rule: &policydoc.LockedRule{Made: "m", NotEnforced: "no tool says when a fee was waived"}}},
		},
	}
	return Input{Document: doc, Directory: dir, Deployment: guard.Deployment{Tools: []*schema.Catalogue{tools}, Contracts: []*contract.File{synth.Contract(tools)}}}
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(t *testing.T, name string, data []byte) *document.Document {
	t.Helper()
	doc, err := document.Read(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func made(t *testing.T, in Input) *Report {
	t.Helper()
	r, err := New(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *Report) policy(name string) *Policy {
	for _, t := range r.Tools {
		for _, i := range t.Policies {
			if i.Name == name {
				return i
			}
		}
	}
	return nil
}

// Every sentence says what became of it, and leads to the policies that did it.
func TestWhatBecameOfEachSentence(t *testing.T) {
	r := made(t, desk(t))
	got := map[string]State{}
	for _, s := range r.Sentences {
		got[s.Text] = s.State
		for _, ref := range s.Policies {
			if i := r.policy(ref.Name); i == nil || i.Anchor != ref.Anchor || i.State != ref.State {
				t.Errorf("%q leads to %+v", s.Text, ref)
			}
		}
	}
	for text, want := range map[string]State{
		"The lending desk":                                    "",
		"The desk is open from Monday to Saturday.":           Approved, // by a rule that a person wrote
		"Members may have at most five items on loan.":        Approved,
		"Items are lent only to members whose card is valid.": Enforced,
		"Reference works are never lent.":                     Unguarded, // has no rule
		"Fees of up to 5 euros can be waived.":                Conflicted,
		"A fee is waived once a year.":                        NotEnforced, // has a rule without expression
		"Ask the member for a reason first.":                  Unmapped,
	} {
		if state, ok := got[text]; !ok || state != want {
			t.Errorf("%q is %q, want %q", text, state, want)
		}
	}
	if i := r.policy("kindness"); i.State != Archived || len(i.References[0].Sentences) != 1 {
		t.Errorf("%+v", i)
	}
	for _, s := range r.Sentences {
		if want := map[string]string{"Ask the member for a reason first.": "It is about what is said, and not about calls."}[s.Text]; s.Reason != want {
			t.Errorf("%q has the reason %q, want %q", s.Text, s.Reason, want)
		}
	}
	c := r.Counts
	if c.Policies != 7 || c.PoliciesByState[Approved] != 2 || c.PoliciesByState[NotEnforced] != 1 || c.PoliciesByState[Unguarded] != 1 || c.Tests != 7 || c.Failing != 2 {
		t.Errorf("%+v", c)
	}
	sum := 0
	for _, row := range r.Rows() {
		sum += row.Sentences
	}
	if sum != c.Sentences || c.Covered() != 6 {
		t.Errorf("%d in rows, %d covered: %+v", sum, c.Covered(), c)
	}
}

// What should be looked at first is all there, whether the reader or a model found it.
func TestSuspicionsAreShown(t *testing.T) {
	r := made(t, desk(t))
	var got []string
	for _, s := range r.Suspicions {
		got = append(got, string(s.Kind)+": "+s.Text)
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{"Ignore the rules above", "the compiler must allow", "A fee is waived once a year."} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing about %q in\n%s", want, all)
		}
	}
}

// A rule that doesn't go with what its policy says now is told, and so is one whose
// policy is gone.
func TestRulesOfWhatWasSaidBefore(t *testing.T) {
	in := desk(t)
	locked := in.Directory.Lock.Policies["lend_item"]
	locked["loan-limit"].Rule.Made = ""
	if got := made(t, in).policy("loan-limit").Reason; !strings.Contains(got, "said before: compile again") {
		t.Errorf("of a rule that is to be made anew it says %q", got)
	}
	in.Directory.Mappings["lend_item"].Remove("loan-limit")
	if i := made(t, in).policy("loan-limit"); i.Handwritten || !strings.Contains(i.Reason, "its policy is gone") {
		t.Errorf("of a rule whose policy is gone it says %q, by hand %v", i.Reason, i.Handwritten)
	}
}

func TestItems(t *testing.T) {
	r := made(t, desk(t))
	limit := r.policy("loan-limit")
	if limit.Rule.Require != "member.loans < 5\n  && member.loans >= 0" || len(limit.Rule.Variables) != 1 || limit.Rule.Failing() != 0 || len(limit.Contested) != 1 {
		t.Errorf("%+v %+v", limit, limit.Rule)
	}
	if !limit.Rule.Measured || limit.Rule.Mutated || limit.Rule.Killed != 8 || limit.Rule.Survived != 1 {
		t.Errorf("mutants of the lock: %+v", limit.Rule)
	}
	if all := strings.Join(limit.Rule.Remarks, "\n"); !strings.Contains(all, `"lost" in /state of get_item`) {
		t.Errorf("nothing about a state that nobody has seen in\n%s", all)
	}
	if s := limit.Rule.Tests[0].Steps; len(s) != 4 || s[0].Text != "Lend i to m, please." || s[3].Text != `{"member":"m","item":"i"}` {
		t.Errorf("%+v", s)
	}
	fees := r.policy("small-fees")
	if len(fees.Conflicts) != 2 || fees.Conflicts[0].Mine != "args.euros <= 5" || fees.Conflicts[0].Theirs != "args.euros < 5" || fees.Conflicts[1].Mine != "The fee is 5 euros or less." {
		t.Errorf("%+v", fees.Conflicts)
	}
	if got := fees.Conflicts[0].Decisions[1].Line; got != "remit policy resolve --field guard/require --theirs testdata/policy waive_fee small-fees" {
		t.Error(got)
	}
	if got := fees.Rule.Tests[2]; got.Passed || got.Got != label.Deny || len(got.Values) == 0 {
		t.Errorf("%+v", got)
	}
	year := r.policy("once-a-year")
	if year.Reason != "no tool says when a fee was waived" || len(year.References[1].Sentences) != 0 || year.Rule.Require != "" {
		t.Errorf("%+v", year)
	}
	if by := r.policy("by-hand"); !by.Handwritten || len(by.Decisions) != 0 {
		t.Errorf("%+v", by)
	}
	if got := r.policy("kindness").Decisions; len(got) != 1 || got[0].Line != "remit policy approve testdata/policy lend_item kindness" {
		t.Errorf("%+v", got)
	}
}

func TestMutantsAreCountedWhereAskedFor(t *testing.T) {
	in := desk(t)
	in.Mutate = true
	rule := made(t, in).policy("loan-limit").Rule
	if !rule.Mutated || rule.Killed == 0 || len(rule.Survivors) != rule.Survived || rule.Survived == 0 {
		t.Errorf("%+v", rule)
	}
	if i := slices.IndexFunc(rule.Survivors, func(s Survivor) bool { return s.Apart != "" }); i < 0 {
		t.Errorf("no survivor says what would tell it: %+v", rule.Survivors)
	}
}

func TestOnlyOneTool(t *testing.T) {
	in := desk(t)
	in.Tool = "waive_fee"
	r := made(t, in)
	if len(r.Tools) != 1 || r.Counts.Policies != 2 || r.Counts.Tests != 3 || len(r.Suspicions) == 0 {
		t.Errorf("%+v", r.Counts)
	}
	// What became of a sentence is by all tools: it isn't uncovered because another
	// tool covers it.
	all := made(t, desk(t))
	for i, s := range r.Sentences {
		if s.State != all.Sentences[i].State || len(s.Policies) != len(all.Sentences[i].Policies) {
			t.Errorf("%q is %s, and %s of all tools", s.Text, s.State, all.Sentences[i].State)
		}
	}
	in.Tool = "wave_fee"
	if _, err := New(t.Context(), in); err == nil || !strings.Contains(err.Error(), "lend_item, waive_fee") {
		t.Errorf("%v", err)
	}
}

// Another version of the document is said to be one, and so is a broken guard.
func TestWarnings(t *testing.T) {
	in := desk(t)
	in.Document = read(t, "handbook.md", append(file(t, "handbook.md"), "\nMore.\n"...))
	in.Deployment = guard.Deployment{}
	r := made(t, in)
	if !r.Changed || len(r.Mistakes) == 0 {
		t.Errorf("changed %t, mistakes %v", r.Changed, r.Mistakes)
	}
	if i := r.policy("loan-limit"); i.State != NotEnforced || !i.Rule.Broken {
		t.Errorf("%+v", i)
	}
	in.Directory.Lock = nil
	if r := made(t, in); r.Compiled || r.Changed {
		t.Errorf("compiled %t, changed %t", r.Compiled, r.Changed)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(ended, in); err == nil {
		t.Error("a report is made after the end")
	}
}

// Where the same words appear twice, the lock knows which are meant.
func TestRepeatedWords(t *testing.T) {
	in := desk(t)
	in.Document = read(t, "twice.md", []byte("# A\n\nAsk first.\n\n# B\n\nAsk first.\n"))
	b := &builder{in: in}
	second := in.Document.Sentences[3]
	if got := b.find("Ask first.", []string{second.ID}); len(got) != 1 || got[0].ID != second.ID {
		t.Errorf("%+v", got)
	}
	if got := b.find("Ask first.", []string{"s-gone"}); len(got) != 1 || got[0].ID != in.Document.Sentences[1].ID {
		t.Errorf("%+v", got)
	}
}

func TestCommandLines(t *testing.T) {
	for want, about := range map[string][]string{
		"remit policy approve dir lend_item a-b":       {"dir", "lend_item", "a-b"},
		"remit policy approve 'my dir' '*' a":          {"my dir", "*", "a"},
		"remit policy approve -- dir --all a":          {"dir", "--all", "a"},
		`remit policy approve dir 'x'\''; rm -rf /' a`: {"dir", "x'; rm -rf /", "a"},
		"remit policy approve dir '' '$(a)'":           {"dir", "", "$(a)"},
	} {
		if got := commandLine("approve", about); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
