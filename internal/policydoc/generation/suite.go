package generation

import (
	"fmt"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
)

// suite are the tests that a rule has to pass. Each keeps its label when others
// come and go.
type suite struct {
	examples []guard.Example
	labels   []string
	given    int // labels so far
	// told are the labels that the author of the rule knows.
	told map[string]bool
	// revision counts the changes.
	revision int
}

func (s *suite) add(examples ...guard.Example) {
	for _, e := range examples {
		s.given++
		s.examples, s.labels = append(s.examples, e), append(s.labels, fmt.Sprintf("T%d", s.given))
	}
	if len(examples) > 0 {
		s.revision++
	}
}

// remove takes a test out.
func (s *suite) remove(label string) {
	if i := slices.Index(s.labels, label); i >= 0 {
		s.examples, s.labels = slices.Delete(slices.Clone(s.examples), i, i+1), slices.Delete(slices.Clone(s.labels), i, i+1)
		s.revision++
	}
}

// label is that of a test.
func (s *suite) label(name string) string {
	i := slices.IndexFunc(s.examples, func(e guard.Example) bool { return e.Name == name })
	if i < 0 {
		return ""
	}
	return s.labels[i]
}

// untold describes the tests that the author of the rule doesn't know yet, and
// notes that it does then.
func (w *work) untold() []described {
	all := w.describe(w.tests.labels, w.tests.examples)
	out := slices.DeleteFunc(all, func(d described) bool { return w.tests.told[d.Label] })
	w.tests.tellAll()
	return out
}

// tellAll notes that the author of the rule is told of all tests.
func (s *suite) tellAll() {
	s.told = map[string]bool{}
	for _, label := range s.labels {
		s.told[label] = true
	}
}

// without reports whether tests of both verdicts are left without some.
func (s *suite) without(labels []string) bool {
	var left []guard.Example
	for i, e := range s.examples {
		if !slices.Contains(labels, s.labels[i]) {
			left = append(left, e)
		}
	}
	return has(left, label.Allow) && has(left, label.Deny)
}

// hangsOnWords reports whether rules that pass the tests may have to ask what was said: something
// is said before each call that a test allows, or before one of which a test denies the very same
// call after other messages.
func (s *suite) hangsOnWords() bool {
	silent := func(e guard.Example) bool { return e.Expect == label.Allow && len(messages(&e)) == 0 }
	turned := func(a guard.Example) bool {
		return a.Expect == label.Allow && len(messages(&a)) > 0 && slices.ContainsFunc(s.examples, func(d guard.Example) bool {
			sameCall := a.Tool == d.Tool && string(a.Args) == string(d.Args)
			return d.Expect == label.Deny && sameCall && !slices.Equal(messages(&a), messages(&d))
		})
	}
	return !slices.ContainsFunc(s.examples, silent) || slices.ContainsFunc(s.examples, turned)
}

// messages returns what is said in a test, each with who says it.
func messages(e *guard.Example) []string {
	var out []string
	for _, h := range e.History {
		if h.Call == nil {
			out = append(out, string(h.Kind)+": "+h.Text)
		}
	}
	return out
}
