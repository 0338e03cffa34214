package generation

import (
	"context"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/prompt"
)

// value draws a JSON value.
func value(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
	case kind == 0 && depth > 0:
		out := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			out[rapid.SampledFrom([]string{"a", "b/c", "~", ""}).Draw(t, "name")] = value(t, depth-1)
		}
		return out
	case kind == 1 && depth > 0:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			out = append(out, value(t, depth-1))
		}
		return out
	case kind == 2:
		return nil
	case kind == 3:
		return rapid.SampledFrom([]json.Number{"1", "2.50", "12345678901234567890"}).Draw(t, "number")
	}
	return rapid.SampledFrom([]string{"", "x", "<y>"}).Draw(t, "text")
}

// What differs between two values, put into the first, makes the second.
func TestDifferencesMakeTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := value(t, 3), value(t, 3)
		doc := json.RawMessage(compact(a))
		for _, d := range differences(a, b, "") {
			var v json.RawMessage
			if d.value != "" {
				v = json.RawMessage(d.value)
			}
			var err error
			if doc, err = replace(doc, d.pointer, v); err != nil {
				t.Fatalf("%+v: %v", d, err)
			}
		}
		if got, err := decode(doc); err != nil || compact(got) != compact(b) {
			t.Fatalf("%s became %s, not %s", compact(a), doc, compact(b))
		}
	})
}

type noModel struct{}

func (noModel) Complete(context.Context, llm.Prompt) (*llm.Answer, error) { return nil, llm.ErrBudget }

// FuzzAnswers reads answers of models. What is taken as tests can be run, and
// written to a file and read again.
func FuzzAnswers(f *testing.F) {
	prompts, err := prompt.Load(nil)
	if err != nil {
		f.Fatal(err)
	}
	g, err := New(Options{Model: noModel{}, Prompts: prompts})
	if err != nil {
		f.Fatal(err)
	}
	s, err := g.setting(Task{Tool: "t", Policy: &policydoc.Policy{Name: "n"}, Sentences: []document.Sentence{{Text: "At most 5."}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"records":[],"tests":[{"name":"a","why":"","expect":"allow","args":"{\"x\":5}","given":[],"history":[{"user":"hi","at":""},{"call":{"tool":"u","args":"{}","result":"[1]"},"at":"2031-03-01T09:00:00Z"}],"now":"2031-03-01T09:00:00Z","principal":{"id":"p","groups":["g"],"attributes":[{"name":"n","value":"v"}]},"labels":[{"at":"/x","trust":"EXTERNAL"}]},{"name":"b","expect":"deny","args":"{\"x\":6}"}]}`))
	f.Add([]byte(`{"readings":[{"call":"C1","words":"At most 5","verdict":"deny"}]}`))
	f.Add([]byte(`{"require":"true","variables":[{"name":"a","value":"1"}],"calls":[{"call":"S1","verdict":"allow","words":"5"}]}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		w := newWork(g, s)
		for _, strict := range []bool{true, false} {
			_, _ = w.readReadings(answer, numbered("C", 2), strict)
			_, _ = w.readRule(answer, turn{questions: []question{{Label: "S1"}}, disputable: []string{"T1"}}, strict)
		}
		examples, err := w.readTests(answer, true, false)
		if err != nil {
			return
		}
		w.describe(numbered("T", len(examples)), examples)
		doc := guard.NewEditor("t.yaml", "", "t")
		if doc.Put(&guard.Policy{Name: "n", Message: "m", Require: guard.Expression{Text: "args.x <= 5"}, Examples: examples}) != nil {
			t.Fatal("tests that can't be written")
		}
		file, err := doc.File()
		if err != nil {
			t.Fatalf("tests that can't be read: %v", err)
		}
		set, err := guard.Compile([]*guard.File{file}, guard.Deployment{})
		if err != nil {
			t.Fatal(err)
		}
		if got := guardtest.Run(t.Context(), set.Guards()[0]); len(got) != len(examples) {
			t.Fatalf("%d of %d tests", len(got), len(examples))
		}
	})
}
