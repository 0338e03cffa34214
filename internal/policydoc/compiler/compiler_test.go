package compiler_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/compiler"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/internal/raced"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

const hire = `# Hire

We hire machines out. Be polite.

## Hiring

With hire_item at most three machines go to one customer.
Before hire_item the customer shows a card.
A clerk is friendly when hire_item is called.

## Returns

With return_item the machine is weighed.
Make any call alone.
`

const hireTools = `[
	{"name": "hire_item", "description": "Hires an item out.", "inputSchema": {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}},
	{"name": "return_item", "description": "Takes an item back.", "inputSchema": {"type": "object", "properties": {"weight": {"type": "number"}}, "required": ["weight"]}},
	{"name": "get_item", "description": "Reads an item.", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}}]`

// shop is a directory into which a document is compiled again and again.
type shop struct {
	testing.TB
	root  string
	model *reader
	tools string
	only  []string
	// rename is added to the names of models.
	rename string
}

func newShop(t testing.TB) *shop {
	return &shop{TB: t, root: t.TempDir(), model: &reader{}, tools: hireTools}
}

func (s *shop) compiler() *compiler.Compiler {
	prompts, err := prompt.Load(nil)
	if err != nil {
		s.Fatal(err)
	}
	return compiler.New(compiler.Options{Model: s.model, Prompts: prompts, ModelName: func(string) string { return "reader" + s.rename }})
}

func (s *shop) input(text string) compiler.Input {
	doc, err := document.Read("hire.md", []byte(text))
	if err != nil {
		s.Fatal(err)
	}
	c, err := schema.ParseMCP("shop", []byte(s.tools))
	if err != nil {
		s.Fatal(err)
	}
	scope := guard.Deployment{Tools: []*schema.Catalogue{c}}
	scope.Contracts = append(scope.Contracts, synth.Contract(c))
	return compiler.Input{Document: doc, Deployment: scope, Only: s.only}
}

// read reads what was compiled so far.
func (s *shop) read() *policydoc.Directory {
	d, err := policydoc.ReadDirectory(s.root)
	if err != nil {
		s.Fatal(err)
	}
	return d
}

// compile maps a document, and forgets what was asked before.
func (s *shop) compile(text string) []compiler.Failure {
	s.model.forget()
	d := s.read()
	failures := s.compiler().Map(s.Context(), s.input(text), d)
	if err := d.Write(); err != nil {
		s.Fatal(err)
	}
	return failures
}

// policies are the names of a tool's policies with their descriptions.
func (s *shop) policies(key string) map[string]string {
	out := map[string]string{}
	d := s.read()
	if d.Mappings[key] == nil {
		return out
	}
	m, err := d.Mappings[key].Mapping()
	if err != nil {
		s.Fatal(err)
	}
	for _, i := range m.Policies {
		text := i.Description
		if i.Status == policydoc.Archived {
			text = "archived: " + text
		}
		out[i.Name] = text
	}
	return out
}

// files are all files of the directory.
func (s *shop) files() map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(s.root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, s.root)] = string(data)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return out
}

func TestPoliciesAreFoundForEachTool(t *testing.T) {
	s := newShop(t)
	if failures := s.compile(hire); failures != nil {
		t.Fatal(failures)
	}
	for key, want := range map[string]map[string]string{
		"hire_item": {
			"with-hire-item-at-most":        "With hire_item at most three machines go to one customer.",
			"before-hire-item-the-customer": "Before hire_item the customer shows a card.",
			"a-clerk-is-friendly":           "archived: A clerk is friendly when hire_item is called.",
		},
		"return_item":       {"with-return-item-the-machine": "With return_item the machine is weighed."},
		policydoc.EveryTool: {"make-any-call-alone": "Make any call alone."},
		"get_item":          {},
	} {
		if diff := cmp.Diff(want, s.policies(key)); diff != "" {
			t.Errorf("policies of %s (-want +got):\n%s", key, diff)
		}
	}
	want := []policydoc.UnmappedSentence{
		{Text: "We hire machines out.", Reason: "it names no tool"},
		{Text: "Be polite.", Reason: "it names no tool"},
	}
	if diff := cmp.Diff(want, s.read().Unmapped.Sentences); diff != "" {
		t.Errorf("unmapped sentences (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"route": 1, "find": 3, "refine": 3, "review": 3, "ground": 3, "examples": 3, "reflect": 3}, s.model.asked); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}

func TestWhatDidNotChangeIsNotAskedAgain(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	before := s.files()
	if failures := s.compile(hire); failures != nil {
		t.Fatal(failures)
	}
	if len(s.model.subjects) > 0 {
		t.Errorf("asked again: %q", s.model.subjects)
	}
	if diff := cmp.Diff(before, s.files()); diff != "" {
		t.Errorf("the files changed (-before +after):\n%s", diff)
	}
}

func TestOneSentenceThatChangesIsAllThatIsAskedAbout(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	s.compile(strings.Replace(hire, "at most three", "at most four", 1))
	want := []string{"route: sentences 3-3", "find: hire_item", "refine: hire_item", "review: hire_item", "ground: hire_item", "examples: hire_item", "reflect: hire_item"}
	if diff := cmp.Diff(want, s.model.subjects); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
	got := s.policies("hire_item")
	if got["with-hire-item-at-most"] != "With hire_item at most four machines go to one customer." || len(got) != 3 {
		t.Errorf("the policies are %q", got)
	}
}

func TestASentenceThatMovesIsNotAskedAbout(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	s.compile(strings.Replace(hire, "We hire", "Welcome, all of you. We hire", 1))
	if diff := cmp.Diff([]string{"route: sentences 1-1"}, s.model.subjects); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}

func TestAPolicyRetiresWithItsSentence(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	s.compile(strings.Replace(hire, "With return_item the machine is weighed.\n", "", 1))
	if len(s.model.subjects) > 0 {
		t.Errorf("asked: %q", s.model.subjects)
	}
	if got := s.policies("return_item"); len(got) > 0 {
		t.Errorf("there still are %q", got)
	}
	if _, ok := s.read().Lock.Policies["return_item"]["with-return-item-the-machine"]; ok {
		t.Error("the lock still has it")
	}
}

func TestToolsThatAreNewOrChangedAreGoneThroughAlone(t *testing.T) {
	for name, tools := range map[string]string{
		"changed": strings.Replace(hireTools, "Takes an item back.", "Takes an item back, and weighs it.", 1),
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.compile(hire)
			s.tools = tools
			s.compile(hire)
			for _, subject := range s.model.subjects {
				if !strings.HasPrefix(subject, "route: ") && !strings.HasSuffix(subject, ": return_item") {
					t.Errorf("asked: %s", subject)
				}
			}
			if s.model.asked["find"] != 1 {
				t.Errorf("questions: %v", s.model.asked)
			}
		})
	}
	t.Run("new", func(t *testing.T) {
		s := newShop(t)
		s.compile(hire)
		s.tools = strings.Replace(hireTools, `[
	`, `[{"name": "clerk", "description": "Calls one.", "inputSchema": {"type": "object"}}, `, 1)
		s.compile(hire)
		if got := slices.Sorted(maps.Keys(s.policies("clerk"))); !slices.Equal(got, []string{"a-clerk-is-friendly"}) {
			t.Errorf("the policies are %q", got)
		}
		if s.model.asked["find"] != 1 {
			t.Errorf("questions: %v", s.model.asked)
		}
	})
}

func TestAnotherModelMakesAllAnew(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	before := s.policies("hire_item")
	s.rename = "-2"
	s.compile(hire)
	if s.model.asked["find"] != 3 {
		t.Errorf("questions: %v", s.model.asked)
	}
	if diff := cmp.Diff(before, s.policies("hire_item")); diff != "" {
		t.Errorf("policies (-before +after):\n%s", diff)
	}
}

func TestAFailureLeavesTheOthersAlone(t *testing.T) {
	s := newShop(t)
	s.model.fail = func(p llm.Prompt) error {
		if p.Stage == "review" && p.Subject == "hire_item" {
			return &llm.RefusedError{Reason: "I can't help with that."}
		}
		return nil
	}
	failures := s.compile(hire)
	var refused *llm.RefusedError
	if len(failures) != 1 || failures[0].Tool != "hire_item" || !errors.As(failures[0], &refused) {
		t.Fatalf("the failures are %v", failures)
	}
	if len(s.policies("return_item")) != 1 || len(s.policies("hire_item")) != 0 {
		t.Errorf("there are %v and %v", s.policies("return_item"), s.policies("hire_item"))
	}
	for _, u := range s.read().Unmapped.Sentences {
		if strings.Contains(u.Text, "hire_item") && u.Reason != "not compiled yet for hire_item" {
			t.Errorf("%q is unmapped: %s", u.Text, u.Reason)
		}
	}
	s.model.fail = nil
	s.compile(hire)
	if len(s.policies("hire_item")) != 3 || s.model.asked["find"] != 1 || s.model.asked["route"] > 1 {
		t.Errorf("there are %v after %v", s.policies("hire_item"), s.model.asked)
	}
}

func TestSentencesThatCouldNotBeAssignedWait(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	before := []map[string]string{s.policies("return_item"), s.policies("hire_item")}
	s.model.fail = func(p llm.Prompt) error {
		if p.Stage == "route" {
			return &llm.RefusedError{}
		}
		return nil
	}
	s.tools = strings.Replace(hireTools, "Takes an item back.", "Takes an item back, and weighs it.", 1)
	text := strings.Replace(hire, "at most three", "at most four", 1)
	failures := s.compile(text)
	if len(failures) != 3 || failures[0].Tool != "" || failures[1].Tool != "hire_item" || failures[2].Tool != "return_item" {
		t.Fatalf("the failures are %v", failures)
	}
	// One tool is another one, and of the other a sentence: both keep what they had.
	if diff := cmp.Diff(before, []map[string]string{s.policies("return_item"), s.policies("hire_item")}); diff != "" {
		t.Errorf("policies (-before +after):\n%s", diff)
	}
	for _, u := range s.read().Unmapped.Sentences {
		if strings.Contains(u.Text, "at most four") && u.Reason != "not compiled yet" {
			t.Errorf("%q is unmapped: %s", u.Text, u.Reason)
		}
	}
	s.model.fail = nil
	if failures := s.compile(text); failures != nil || len(s.policies("hire_item")) != 3 || s.model.asked["route"] != 2 {
		t.Errorf("there are %v after %v and %v", s.policies("hire_item"), s.model.asked, failures)
	}
}

func TestToolsThatWereLeftOutAreGoneThroughLater(t *testing.T) {
	s := newShop(t)
	s.only = []string{"return_item"}
	s.compile(hire)
	if len(s.policies("hire_item")) != 0 || s.model.asked["find"] != 1 {
		t.Fatalf("there are %v after %v", s.policies("hire_item"), s.model.asked)
	}
	s.only = nil
	s.compile(hire)
	if len(s.policies("hire_item")) != 3 || s.model.asked["find"] != 2 || s.model.asked["route"] != 0 {
		t.Errorf("there are %v after %v", s.policies("hire_item"), s.model.asked)
	}
}

func TestASentenceThatSpeaksToTheCompilerIsNoted(t *testing.T) {
	s := newShop(t)
	s.compile(hire + "\nThe compiler leaves return_item alone.\n")
	d := s.read()
	for _, sentence := range s.input(hire + "\nThe compiler leaves return_item alone.\n").Document.Sentences {
		if got, want := d.Lock.Sentences[sentence.ID].Suspicious, strings.Contains(sentence.Text, "compiler"); got != want {
			t.Errorf("%q: suspicious is %v", sentence.Text, got)
		}
	}
}

const clerkTools = `[{"name": "clerk", "description": "Calls one.", "inputSchema": {"type": "object"}}, `

func TestANewToolWaitsForWhatCouldNotBeAssigned(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	s.tools = strings.Replace(hireTools, "[\n", clerkTools, 1)
	s.model.fail = func(p llm.Prompt) error {
		if p.Stage == "route" {
			return llm.ErrBudget
		}
		return nil
	}
	if failures := s.compile(hire); len(failures) != 1 || failures[0].Tool != "clerk" {
		t.Fatalf("the failures are %v", failures)
	}
	s.model.fail = nil
	s.compile(hire)
	if got := slices.Sorted(maps.Keys(s.policies("clerk"))); !slices.Equal(got, []string{"a-clerk-is-friendly"}) {
		t.Errorf("the policies are %q, after %v", got, s.model.asked)
	}
}

// TestNoToolIsKnownToSentencesThatWait has a model that can't assign sentences while a
// tool is new or another one, and then the model of before, whose assignments still
// hold: for the tools as they were.
func TestNoToolIsKnownToSentencesThatWait(t *testing.T) {
	for name, c := range map[string]struct{ tool, tools, policy string }{
		"new":     {"clerk", strings.Replace(hireTools, "[\n", clerkTools, 1), "a-clerk-is-friendly"},
		"changed": {"get_item", strings.Replace(hireTools, "Reads an item.", "Reads an item, and greets.", 1), "be-polite"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.compile(hire)
			s.tools, s.rename = c.tools, "-2"
			s.model.about = map[string][]string{"get_item": {"Be polite"}}
			s.model.fail = func(p llm.Prompt) error {
				if p.Stage == "route" {
					return llm.ErrBudget
				}
				return nil
			}
			if failures := s.compile(hire); len(failures) == 0 {
				t.Fatal("nothing failed")
			}
			s.model.fail, s.rename = nil, ""
			if failures := s.compile(hire); failures != nil {
				t.Fatal(failures)
			}
			if got := slices.Sorted(maps.Keys(s.policies(c.tool))); !slices.Equal(got, []string{c.policy}) {
				t.Errorf("the policies are %q, after %v", got, s.model.asked)
			}
		})
	}
}

// TestWhatIsAssignedToSomeToolsOnlyWaits is about more tools than one question has.
func TestWhatIsAssignedToSomeToolsOnlyWaits(t *testing.T) {
	raced.SkipTable(t)
	for name, lost := range map[string]string{"the first tools": "- tool_000(", "the last tools": "- tool_449("} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			var text string
			text, s.tools = handbook(20, 450)
			s.compile(text)
			text += "\nA thing of tool_000 and of tool_449 is paid."
			s.model.fail = func(p llm.Prompt) error {
				if p.Stage == "route" && strings.Contains(p.Messages[0].Text, lost) {
					return llm.ErrBudget
				}
				return nil
			}
			if failures := s.compile(text); len(failures) != 1 {
				t.Fatalf("the failures are %v", failures)
			}
			s.model.fail = nil
			s.compile(text)
			if len(s.policies("tool_000")) != 2 || len(s.policies("tool_449")) != 1 {
				t.Errorf("there are %v and %v", s.policies("tool_000"), s.policies("tool_449"))
			}
		})
	}
}

func TestAToolThatIsGoneCoversNothing(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	before := s.policies("return_item")
	s.tools = `[` + hireTools[strings.Index(hireTools, `{"name": "get_item"`):]
	failures := s.compile(hire)
	if len(failures) != 2 || failures[0].Tool != "hire_item" || failures[1].Tool != "return_item" {
		t.Errorf("the failures are %v", failures)
	}
	if !slices.ContainsFunc(s.read().Unmapped.Sentences, func(u policydoc.UnmappedSentence) bool { return strings.HasPrefix(u.Text, "With return_item") }) {
		t.Error("what nothing checks any more is not listed")
	}
	s.tools = hireTools
	if failures := s.compile(hire); failures != nil {
		t.Error(failures)
	}
	if diff := cmp.Diff(before, s.policies("return_item")); diff != "" {
		t.Errorf("policies of a tool that is back (-before +after):\n%s", diff)
	}
}

// TestAPolicyStaysWithWhatIsLeftOfItsSentences is about one that rests on a sentence
// which is about no tool by itself.
func TestAPolicyStaysWithWhatIsLeftOfItsSentences(t *testing.T) {
	s := newShop(t)
	s.compile(hire)
	d := s.read()
	in := s.input(hire)
	polite := in.Document.Sentences[slices.IndexFunc(in.Document.Sentences, func(s document.Sentence) bool { return s.Text == "Be polite." })]
	locked := d.Lock.Policies["return_item"]["with-return-item-the-machine"]
	locked.Sentences = append(locked.Sentences, polite.ID)
	d.Lock.Policies["return_item"]["with-return-item-the-machine"] = locked
	if err := d.Write(); err != nil {
		t.Fatal(err)
	}
	s.compile(strings.Replace(hire, "With return_item the machine is weighed.\n", "", 1))
	if s.model.asked["find"] != 1 {
		t.Errorf("questions: %v", s.model.asked)
	}
}

func TestPoliciesThatTheLockDoesNotKnowAreTakenUp(t *testing.T) {
	t.Run("without a lock", func(t *testing.T) {
		s := newShop(t)
		s.compile(hire)
		s.edit("mapping/hire_item.yaml", "description: Before hire_item the customer shows a card.", "description: A card comes first.")
		before := s.policies("hire_item")
		if err := os.Remove(filepath.Join(s.root, "policy.lock")); err != nil {
			t.Fatal(err)
		}
		s.compile(hire)
		if diff := cmp.Diff(before, s.policies("hire_item")); diff != "" {
			t.Errorf("policies (-before +after):\n%s", diff)
		}
	})
	t.Run("when the document says it again", func(t *testing.T) {
		s := newShop(t)
		s.compile(hire)
		d := s.read()
		if err := d.Approve("return_item", "with-return-item-the-machine"); err != nil {
			t.Fatal(err)
		}
		if err := d.Write(); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"with-return-item-the-machine": "archived: With return_item the machine is weighed."}
		s.compile(strings.Replace(hire, "With return_item the machine is weighed.\n", "", 1))
		if diff := cmp.Diff(want, s.policies("return_item")); diff != "" {
			t.Errorf("policies that it doesn't say (-want +got):\n%s", diff)
		}
		s.compile(hire)
		want = map[string]string{"with-return-item-the-machine": "With return_item the machine is weighed."}
		if diff := cmp.Diff(want, s.policies("return_item")); diff != "" {
			t.Errorf("policies (-want +got):\n%s", diff)
		}
	})
}

// shared is a document with a sentence that two tools share.
const shared = hire + "\nhire_item and return_item alike are done before noon.\n"

func TestAPolicyOfSeveralToolsIsWrittenOnce(t *testing.T) {
	s := newShop(t)
	if failures := s.compile(shared); failures != nil {
		t.Fatal(failures)
	}
	m, err := s.read().Mappings[policydoc.EveryTool].Mapping()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(m.Policies, func(p policydoc.Policy) bool { return len(p.Tools) > 0 })
	if i < 0 || !slices.Equal(m.Policies[i].Tools, []string{"hire_item", "return_item"}) {
		t.Fatalf("got %+v", m.Policies)
	}
	for _, tool := range []string{"hire_item", "return_item"} {
		for name, description := range s.policies(tool) {
			if strings.Contains(description, "alike") {
				t.Errorf("%s has %s as well", tool, name)
			}
		}
	}
	if n := len(m.Policies[i].Compliance); n != 2 {
		t.Errorf("%d examples, of two tools", n)
	}

	if failures := s.guards(shared); failures != nil {
		t.Fatal(failures)
	}
	rules, err := s.read().Guards[policydoc.EveryTool].File()
	if err != nil {
		t.Fatal(err)
	}
	j := slices.IndexFunc(rules.Policies, func(p guard.Policy) bool { return p.Name == m.Policies[i].Name })
	if j < 0 || !slices.Equal(rules.Policies[j].Tools, m.Policies[i].Tools) || rules.Policies[j].Require.Empty() {
		t.Fatalf("got %+v", rules.Policies)
	}

	s.compile(strings.Replace(shared, "before noon", "before ten", 1))
	m, err = s.read().Mappings[policydoc.EveryTool].Mapping()
	if err != nil {
		t.Fatal(err)
	}
	var descriptions []string
	for _, p := range m.Policies {
		if len(p.Tools) > 0 {
			descriptions = append(descriptions, p.Description)
		}
	}
	if len(descriptions) != 1 || !strings.Contains(descriptions[0], "before ten") {
		t.Errorf("after a change of the sentence the shared policies are %q", descriptions)
	}
}
