package compiler_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/compiler"
)

// guards makes the rules, and forgets what was asked before.
func (s *shop) guards(text string) []compiler.Failure {
	s.model.forget()
	d := s.read()
	failures := s.compiler().Guards(s.Context(), s.input(text), d)
	if err := d.Write(); err != nil {
		s.Fatal(err)
	}
	return failures
}

// rules are the expressions of a tool's rules by their names.
func (s *shop) rules(key string) map[string]string {
	out := map[string]string{}
	d := s.read()
	if d.Guards[key] == nil {
		return out
	}
	f, err := d.Guards[key].File()
	if err != nil {
		s.Fatal(err)
	}
	for i := range f.Policies {
		out[f.Policies[i].Name] = f.Policies[i].Require.Text
	}
	return out
}

// edit changes a file of the directory.
func (s *shop) edit(name, old, new string) {
	path := filepath.Join(s.root, name)
	data, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		s.Fatalf("%s doesn't say %q:\n%s", name, old, data)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), old, new, 1)), 0o644); err != nil {
		s.Fatal(err)
	}
}

func TestEveryEnforceablePolicyGetsARule(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	if failures := s.guards(hire); failures != nil {
		t.Fatal(failures)
	}
	for key, want := range map[string]map[string]string{
		"hire_item":         {"with-hire-item-at-most": `session.messages.exists(m, [m.text].exists(t, t.contains("customer")))`, "before-hire-item-the-customer": `session.messages.exists(m, [m.text].exists(t, t.contains("card")))`},
		"return_item":       {"with-return-item-the-machine": `session.messages.exists(m, [m.text].exists(t, t.contains("weighed")))`},
		policydoc.EveryTool: {"make-any-call-alone": `session.messages.exists(m, [m.text].exists(t, t.contains("alone")))`},
	} {
		if diff := cmp.Diff(want, s.rules(key)); diff != "" {
			t.Errorf("rules of %s (-want +got):\n%s", key, diff)
		}
	}
	var files []*guard.File
	d := s.read()
	for _, g := range d.Guards {
		f, err := g.File()
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	set, err := guard.Compile(files, s.input(hire).Deployment)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range set.Guards() {
		for _, r := range guardtest.Run(t.Context(), g) {
			if !r.Passed() {
				t.Errorf("%s of %s: %s says %s: %s", r.Example, r.Tool, r.Rule, r.Got, r.Failed)
			}
		}
	}
	if s.guards(hire); len(s.model.subjects) > 0 {
		t.Errorf("asked again: %q", s.model.subjects)
	}
}

func TestARuleIsMadeAnewWithItsPolicy(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	s.guards(hire)
	s.edit("mapping/hire_item.yaml", "the customer shows a card.", "the customer shows a passport.")
	if failures := s.guards(hire); failures != nil {
		t.Fatal(failures)
	}
	if got := s.rules("hire_item")["before-hire-item-the-customer"]; got != `session.messages.exists(m, [m.text].exists(t, t.contains("passport")))` {
		t.Errorf("the rule is %s", got)
	}
	if s.model.asked["tests"] != 1 {
		t.Errorf("questions: %v", s.model.asked)
	}
}

// TestPoliciesOfAToolThatAreMadeAgainShareQuestions edits two policies of a tool; the others are in no question.
func TestPoliciesOfAToolThatAreMadeAgainShareQuestions(t *testing.T) {
	s := newShop(t)
	text := strings.Replace(hire, "Before hire_item the customer shows a card.", "Before hire_item the customer shows a card.\n\nWithout hire_item nobody leaves.", 1)
	s.compile(text)
	s.guards(text)
	before := s.rules("hire_item")
	s.edit("mapping/hire_item.yaml", "the customer shows a card.", "the customer shows a passport.")
	s.edit("mapping/hire_item.yaml", "nobody leaves.", "nobody stays.")
	if failures := s.guards(text); failures != nil {
		t.Fatal(failures)
	}
	want := []string{"reading: hire_item before-hire-item-the-customer and 1 more", "rule: hire_item before-hire-item-the-customer and 1 more", "tests: hire_item before-hire-item-the-customer and 1 more"}
	asked := slices.DeleteFunc(slices.Clone(s.model.subjects), func(subject string) bool { return strings.HasPrefix(subject, "samples: ") })
	if slices.Sort(asked); !slices.Equal(asked, want) {
		t.Errorf("it was asked %q", asked)
	}

	changed := 0
	for name, rule := range s.rules("hire_item") {
		if before[name] != rule {
			changed++
		}
	}
	if changed != 2 {
		t.Errorf("of %v came %v", before, s.rules("hire_item"))
	}
}

func TestAnEditedRuleStays(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	s.guards(hire)
	s.edit("guards/hire_item.yaml", `session.messages.exists(m, [m.text].exists(t, t.contains("card")))`, `session.messages.exists(m, [m.text].exists(t, t.contains("card"))) && args.count < 9`)
	s.compile(strings.Replace(hire, "shows a card", "shows an identity", 1))
	if failures := s.guards(strings.Replace(hire, "shows a card", "shows an identity", 1)); failures != nil {
		t.Fatal(failures)
	}
	if got := s.rules("hire_item")["before-hire-item-the-customer"]; got != `session.messages.exists(m, [m.text].exists(t, t.contains("card"))) && args.count < 9` {
		t.Errorf("the rule is %s", got)
	}
	m, err := s.read().Mappings["hire_item"].Mapping()
	if err != nil {
		t.Fatal(err)
	}
	var conflicts []string
	for _, i := range m.Policies {
		for _, c := range i.Conflicts {
			conflicts = append(conflicts, i.Name+" "+c.Field+": "+c.Generated)
		}
	}
	if len(conflicts) != 1 || !strings.HasPrefix(conflicts[0], "before-hire-item-the-customer guard/require: ") || !strings.Contains(conflicts[0], "identity") {
		t.Errorf("the conflicts are %q", conflicts)
	}
}

func TestARuleGoesWithItsPolicy(t *testing.T) {
	t.Run("archived", func(t *testing.T) {
		s := newShop(t)
		s.compile(hire)
		s.guards(hire)
		d := s.read()
		if err := d.Archive("return_item", "with-return-item-the-machine", "it broke"); err != nil {
			t.Fatal(err)
		}
		if err := d.Write(); err != nil {
			t.Fatal(err)
		}
		s.guards(hire)
		if got := s.rules("return_item"); len(got) > 0 || len(s.model.subjects) > 0 {
			t.Errorf("there still is %v, after %q", got, s.model.subjects)
		}
	})
	t.Run("its sentence is gone", func(t *testing.T) {
		s := newShop(t)
		s.compile(hire)
		s.guards(hire)
		without := strings.Replace(hire, "With return_item the machine is weighed.\n", "", 1)
		s.compile(without)
		s.guards(without)
		if got := s.rules("return_item"); len(got) > 0 {
			t.Errorf("there still is %v", got)
		}
	})
	t.Run("and leaves those that people wrote", func(t *testing.T) {
		s := newShop(t)
		s.compile(hire)
		s.guards(hire)
		s.edit("guards/return_item.yaml", "policies:\n", "policies:\n  - name: mine\n    require: args.weight > 0\n    message: Weigh it.\n")
		without := strings.Replace(hire, "With return_item the machine is weighed.\n", "", 1)
		s.compile(without)
		s.guards(without)
		if got := slices.Sorted(maps.Keys(s.rules("return_item"))); !slices.Equal(got, []string{"mine"}) {
			t.Errorf("the rules are %v", got)
		}
	})
}

func TestAPolicyStopsCallsUntilItHasARule(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	s.model.fail = func(p llm.Prompt) error {
		if p.Stage == "tests" && strings.HasPrefix(p.Subject, "return_item ") {
			return llm.ErrBudget
		}
		return nil
	}
	failures := s.guards(hire)
	if len(failures) != 1 || failures[0].Policy != "with-return-item-the-machine" || !errors.Is(failures[0], llm.ErrBudget) {
		t.Fatalf("the failures are %v", failures)
	}
	if diff := cmp.Diff(map[string]string{"with-return-item-the-machine": ""}, s.rules("return_item")); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	s.model.fail = nil
	if s.guards(hire); s.rules("return_item")["with-return-item-the-machine"] == "" || s.model.asked["tests"] != 1 {
		t.Errorf("there is no rule after %v", s.model.asked)
	}
	s.model.fail = func(llm.Prompt) error { return llm.ErrBudget }
	s.edit("mapping/return_item.yaml", "the machine is weighed.", "the machine is cleaned.")
	if s.guards(hire); s.rules("return_item")["with-return-item-the-machine"] != `session.messages.exists(m, [m.text].exists(t, t.contains("weighed")))` {
		t.Errorf("a rule that was there became %v", s.rules("return_item"))
	}
}

func TestAMappingOfPeopleGetsRules(t *testing.T) {
	s := newShop(t)
	if err := os.MkdirAll(filepath.Join(s.root, "mapping"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.root, "mapping", "hire_item.yaml"), []byte(`tool: hire_item
policies:
  - name: card-first
    description: The customer shows a card.
    references: ["Before hire_item the customer shows a card."]
`), 0o644); err != nil {
		t.Fatal(err)
	}
	if failures := s.guards(hire); failures != nil {
		t.Fatal(failures)
	}
	if diff := cmp.Diff(map[string]string{"card-first": `session.messages.exists(m, [m.text].exists(t, t.contains("card")))`}, s.rules("hire_item")); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

// TestAPolicyOfPeopleStays compiles a document where people wrote a policy, with a
// rule, that it doesn't find by itself.
func TestAPolicyOfPeopleStays(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	s.edit("mapping/hire_item.yaml", "policies:\n", "policies:\n  - name: mine\n    description: The customer shows a badge.\n    references: [Be polite.]\n")
	s.guards(hire)
	for range 2 {
		if failures := append(s.compile(hire), s.guards(hire)...); failures != nil || len(s.model.subjects) > 0 {
			t.Fatalf("failures %v, questions %v", failures, s.model.subjects)
		}
	}
	s.rename = "-2"
	s.compile(hire)
	s.guards(hire)
	if got := s.policies("hire_item")["mine"]; got != "The customer shows a badge." || s.rules("hire_item")["mine"] != `session.messages.exists(m, [m.text].exists(t, t.contains("badge")))` {
		t.Errorf("there is %q with the rules %v", got, s.rules("hire_item"))
	}
}

// TestARuleStaysUntilThereIsAnother stops after the mapping, where a policy is
// replaced by one of another name.
func TestARuleStaysUntilThereIsAnother(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	s.guards(hire)
	text := strings.Replace(hire, "With return_item the machine is weighed.", "Nobody uses return_item unless the crew has tested all of it.", 1)
	if failures := s.compile(text); failures != nil {
		t.Fatal(failures)
	}
	if got := slices.Sorted(maps.Keys(s.rules("return_item"))); !slices.Equal(got, []string{"with-return-item-the-machine"}) {
		t.Errorf("before there is another the rules are %q", got)
	}
	s.compile(text)
	s.guards(text)
	if got := slices.Sorted(maps.Keys(s.rules("return_item"))); !slices.Equal(got, []string{"nobody-uses-return-item-unless"}) {
		t.Errorf("then the rules are %q", got)
	}
	if got := slices.Sorted(maps.Keys(s.read().Lock.Policies["return_item"])); !slices.Equal(got, []string{"nobody-uses-return-item-unless"}) {
		t.Errorf("the lock has %q", got)
	}
}

// TestRulesThatAFileHasNoRoomForLeaveTheOthers maps more policies than a guard file
// may have rules.
func TestRulesThatAFileHasNoRoomForLeaveTheOthers(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	var b strings.Builder
	b.WriteString("tool: return_item\npolicies:\n")
	for i := range guard.MaxPolicies + 1 {
		fmt.Fprintf(&b, "  - {name: p%d, description: The machine is weighed %d., references: [With return_item the machine is weighed.]}\n", i, i)
	}
	s.edit("mapping/return_item.yaml", string(s.files()["/mapping/return_item.yaml"]), b.String())
	s.model.fail = func(llm.Prompt) error { return llm.ErrBudget }
	failures := s.guards(hire)
	if len(s.rules("return_item")) != guard.MaxPolicies || len(s.rules("hire_item")) != 2 {
		t.Errorf("there are %d rules and %d", len(s.rules("return_item")), len(s.rules("hire_item")))
	}
	if !slices.ContainsFunc(failures, func(f compiler.Failure) bool {
		return f.Policy == "p256" && strings.Contains(f.Error(), "at most 256 rules")
	}) {
		t.Errorf("the failures are %v", failures)
	}
}

// TestARuleIsMadeOfItsOwnSentence has the same words under two headings.
func TestARuleIsMadeOfItsOwnSentence(t *testing.T) {
	s := newShop(t)
	const text = "# Gold\n\nWith hire_item nobody pays.\n\n# Silver\n\nWith hire_item nobody pays.\n"
	s.compile(text)
	var asked []string
	s.model.fail = func(p llm.Prompt) error {
		if p.Stage == "tests" {
			s.model.mu.Lock()
			defer s.model.mu.Unlock()
			for _, sentences := range strings.Split(p.Messages[0].Text, "The sentences of the policy:\n\n<document>\n")[1:] {
				heading, _, _ := strings.Cut(sentences, "\n")
				asked = append(asked, heading)
			}
		}
		return llm.ErrBudget
	}
	s.guards(text)
	if slices.Sort(asked); !slices.Equal(asked, []string{"[Gold]", "[Silver]"}) {
		t.Errorf("the rules are made of %q", asked)
	}
}

// TestARuleIsMadeAnewUnderAnotherHeading changes the heading of a sentence, and nothing in it.
// Until there is another, the rule stays and is marked.
func TestARuleIsMadeAnewUnderAnotherHeading(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	s.guards(hire)
	text := strings.Replace(hire, "## Returns", "## Returns of members", 1)
	s.compile(text)
	s.model.fail = func(llm.Prompt) error { return llm.ErrBudget }
	s.guards(text)
	made := func() string {
		return s.read().Lock.Policies["return_item"]["with-return-item-the-machine"].Rule.Made
	}
	if len(s.rules("return_item")) != 1 || made() != "" {
		t.Errorf("the rules are %v, made of %q", s.rules("return_item"), made())
	}
	s.model.fail = nil
	if s.guards(text); s.model.asked["tests"] != 2 || made() == "" { // and one about every call
		t.Errorf("questions: %v", s.model.asked)
	}
}
