package compiler_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/raced"
)

// company is a document and tools that change all the time.
type company struct {
	chapters []chapter
	tools    []string
	// describes says how often a tool's description was changed.
	describes map[string]int
	n         int // of texts so far
}

type chapter struct {
	heading   string
	sentences []string
}

func (c *company) sentence(t *rapid.T) string {
	c.n++
	tool := func() string { return rapid.SampledFrom(companyTools).Draw(t, "tool") }
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return fmt.Sprintf("We are glad of customer %d.", c.n)
	case 1:
		return fmt.Sprintf("Make any call with word%d.", c.n)
	case 2:
		return fmt.Sprintf("Rule %d is friendly to whom %s helps.", c.n, tool())
	case 3:
		return fmt.Sprintf("Rule %d holds %s and %s to word%d.", c.n, tool(), tool(), c.n)
	case 4:
		return fmt.Sprintf("Rule %d holds %s and %s alike to word%d.", c.n, tool(), tool(), c.n)
	}
	return fmt.Sprintf("Rule %d asks of %s the word%d.", c.n, tool(), c.n)
}

var companyTools = []string{"hire_item", "return_item", "get_item", "clean_item"}

func (c *company) text() string {
	var b strings.Builder
	b.WriteString("# Rules\n\n")
	for _, chapter := range c.chapters {
		fmt.Fprintf(&b, "## %s\n\n", chapter.heading)
		for _, s := range chapter.sentences {
			b.WriteString(s + "\n\n")
		}
	}
	return b.String()
}

func (c *company) definitions() string {
	var list []string
	for _, name := range c.tools {
		list = append(list, fmt.Sprintf(`{"name": %q, "description": "Deals with things, as version %d.", "annotations": {"readOnlyHint": %t},
			"inputSchema": {"type": "object", "properties": {"count": {"type": "integer"}, "weight": {"type": "number"}}}}`, name, c.describes[name], name == "get_item"))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// edit changes something.
func (c *company) edit(t *rapid.T) {
	at := rapid.IntRange(0, len(c.chapters)-1).Draw(t, "chapter")
	in := &c.chapters[at]
	which := func() int { return rapid.IntRange(0, len(in.sentences)-1).Draw(t, "sentence") }
	what := rapid.SampledFrom([]string{"add", "add", "add", "remove", "change", "move", "heading", "tool", "description"}).Draw(t, "edit")
	if len(in.sentences) == 0 && (what == "remove" || what == "change" || what == "move") {
		what = "add"
	}
	switch what {
	case "add":
		in.sentences = slices.Insert(in.sentences, rapid.IntRange(0, len(in.sentences)).Draw(t, "place"), c.sentence(t))
	case "remove":
		i := which()
		in.sentences = slices.Delete(in.sentences, i, i+1)
	case "change":
		in.sentences[which()] = c.sentence(t)
	case "move":
		i := which()
		s := in.sentences[i]
		in.sentences = slices.Delete(in.sentences, i, i+1)
		to := &c.chapters[rapid.IntRange(0, len(c.chapters)-1).Draw(t, "to")]
		to.sentences = slices.Insert(to.sentences, rapid.IntRange(0, len(to.sentences)).Draw(t, "place"), s)
	case "heading":
		c.n++
		in.heading = fmt.Sprintf("Chapter %d", c.n)
	case "tool":
		// The reader's tests of rules about every call are calls of the first.
		name := rapid.SampledFrom(companyTools[1:]).Draw(t, "tool")
		if i := slices.Index(c.tools, name); i < 0 {
			c.tools = append(c.tools, name)
		} else {
			c.tools = slices.Delete(slices.Clone(c.tools), i, i+1)
		}
	case "description":
		c.describes[rapid.SampledFrom(companyTools).Draw(t, "tool")]++
	}
}

// TestRunsComeToWhatOneRunDoes changes a document and tools at random, with runs in between that
// fail at some questions or are about some tools only. A whole run then results in what it
// results in in an empty directory.
func TestRunsComeToWhatOneRunDoes(t *testing.T) {
	raced.SkipTable(t)
	rapid.Check(t, func(r *rapid.T) {
		c := &company{chapters: []chapter{{heading: "First"}, {heading: "Second"}}, tools: slices.Clone(companyTools[:3]), describes: map[string]int{}}
		s := &shop{TB: t, root: filepath.Join(t.TempDir(), "d"), model: &reader{}}
		defer os.RemoveAll(s.root)
		for range rapid.IntRange(1, 3).Draw(r, "runs") {
			for range rapid.IntRange(1, 4).Draw(r, "edits") {
				c.edit(r)
			}
			s.tools = c.definitions()
			s.only = nil
			if rapid.Bool().Draw(r, "some tools only") {
				s.only = []string{rapid.SampledFrom(c.tools).Draw(r, "only")}
			}
			failing, rate := rapid.Uint32().Draw(r, "failing"), rapid.SampledFrom([]uint32{0, 2, 5}).Draw(r, "rate")
			s.model.fail = func(p llm.Prompt) error {
				h := fnv.New32()
				fmt.Fprint(h, failing, p.Stage, p.Subject)
				if rate > 0 && h.Sum32()%rate == 0 {
					return llm.ErrBudget
				}
				return nil
			}
			s.rename = rapid.SampledFrom([]string{"", "", "", "-2"}).Draw(r, "model")
			s.compile(c.text())
			if rapid.Bool().Draw(r, "rules") {
				s.guards(c.text())
			}
			s.coherent(r)
		}
		s.only, s.model.fail = nil, nil
		s.whole(r, c)
	})
}

// coherent checks what holds after every run, also one that failed.
func (s *shop) coherent(t *rapid.T) {
	if _, err := policydoc.ReadDirectory(s.root); err != nil {
		t.Fatal(err)
	}
}

// holdFor are the descriptions of a tool's policies, with those that it shares.
func (s *shop) holdFor(key string) []string {
	var out []string
	d := s.read()
	for of, file := range d.Mappings {
		m, err := file.Mapping()
		if err != nil {
			s.Fatal(err)
		}
		for _, p := range m.Policies {
			own := of == key && len(p.Tools) == 0
			if own || slices.Contains(p.Tools, key) {
				out = append(out, p.Description)
			}
		}
	}
	slices.Sort(out)
	return out
}

// whole makes a complete run, and checks what has to come of it.
func (s *shop) whole(t *rapid.T, c *company) {
	text := c.text()
	for _, f := range append(s.compile(text), s.guards(text)...) {
		if !slices.Contains(companyTools, f.Tool) || slices.Contains(c.tools, f.Tool) {
			t.Fatal(f)
		}
	}
	d := s.read()
	in := s.input(text)
	unmapped := map[string]string{}
	for _, u := range d.Unmapped.Sentences {
		unmapped[u.Text] = u.Reason
	}
	referred := map[string]bool{}
	for _, key := range append(c.tools, policydoc.EveryTool) {
		rules := s.rules(key)
		if m := d.Mappings[key]; m != nil {
			m, err := m.Mapping()
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range m.Policies {
				_, ruled := rules[i.Name]
				if enforced := i.Status != policydoc.Archived; ruled != enforced {
					t.Errorf("%s: %s is %s, and has a rule: %v", key, i.Name, i.Status, ruled)
				}
				delete(rules, i.Name)
				for _, r := range i.References {
					referred[r] = true
					if _, ok := in.Document.Find(r); !ok {
						t.Errorf("%s: %s refers to %q, which is gone", key, i.Name, r)
					}
				}
			}
		}
		if len(rules) > 0 {
			t.Errorf("%s has rules without a policy: %v", key, rules)
		}
	}
	for _, sentence := range in.Document.Sentences {
		if sentence.Kind == document.Heading {
			continue
		}
		locked, ok := d.Lock.Sentences[sentence.ID]
		if !ok || len(locked.Pending) > 0 {
			t.Errorf("%q is not done: %+v", sentence.Text, locked)
		}
		if reason := unmapped[sentence.Text]; referred[sentence.Text] == (reason != "") || strings.HasPrefix(reason, "not compiled") {
			t.Errorf("%q has policies: %v; the reason is %q", sentence.Text, referred[sentence.Text], reason)
		}
	}
	fresh := &shop{TB: s.TB, root: filepath.Join(s.root, "fresh"), model: &reader{}, tools: s.tools, rename: s.rename}
	fresh.compile(text)
	for _, key := range append(c.tools, policydoc.EveryTool) {
		want, got := fresh.holdFor(key), s.holdFor(key)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("policies of %s (-fresh +now):\n%s", key, diff)
		}
	}
	before := s.files()
	s.compile(text)
	asked := slices.Clone(s.model.subjects)
	s.guards(text)
	if asked = append(asked, s.model.subjects...); len(asked) > 0 {
		t.Errorf("asked again: %q", asked)
	}
	if diff := cmp.Diff(before, s.files()); diff != "" {
		t.Errorf("the files changed (-before +after):\n%s", diff)
	}
}
