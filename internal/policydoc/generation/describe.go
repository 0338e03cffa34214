package generation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

// described is a test as prompts say it.
type described struct {
	// Label is T1, T2 … or C1, C2 …; Name and Expect are for its author only.
	Label, Name string
	Expect      label.Verdict
	Why         string
	// Lines are the call, and what is known about it.
	Lines []string
}

// maxDifferences is how many places are told of a result that is like another one;
// what differs more is told whole.
const maxDifferences = 4

// numbered are labels of so many tests.
func numbered(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s%d", prefix, i+1)
	}
	return out
}

// describe says tests in lines. A look-up's result that was told before is told by
// what is different.
func (w *work) describe(labels []string, examples []guard.Example) []described {
	out, _ := w.describeAll(labels, examples, nil, nil)
	return out
}

// describeAll says tests in lines, and what look-ups find in most of them: of those a
// test only says what it has otherwise. Told is what was told before.
func (w *work) describeAll(labels []string, examples []guard.Example, common []guard.Fixture, told []telling) ([]described, []string) {
	var out []described
	var shared []string
	var talks []talk
	for i := range common {
		shared = append(shared, found(&common[i], "that list", &told))
	}

	for i := range examples {
		e := &examples[i]
		d := described{Label: labels[i], Name: e.Name, Expect: e.Expect, Why: w.why[e.Name]}
		line := func(format string, args ...any) { d.Lines = append(d.Lines, fmt.Sprintf(format, args...)) }
		called := w.task.Tool
		if e.Tool != "" {
			called = policydoc.Key(e.Server, e.Tool)
		}
		line("call: %s %s", called, tell("call "+called, e.Args, d.Label, &told))
		if !e.Now.IsZero() {
			line("now: %s", e.Now.Format(time.RFC3339))
		}
		if p := e.Principal; p.ID != "" || len(p.Groups) > 0 || len(p.Attributes) > 0 {
			line("signed in: %s", compact(p))
		}
		for _, pointer := range slices.Sorted(maps.Keys(e.Labels)) {
			line("%s came from: %s", pointer, e.Labels[pointer])
		}
		if len(e.History) > 0 {
			next := talkOf(d.Label, e.History)
			before, same := next.begins(talks)
			if same == 0 {
				talks = append(talks, next)
			}
			line("before the call:%s", before)
			for _, h := range e.History[same:] {
				line("  %s", happened(&h, d.Label, &told))
			}
		}

		for _, f := range e.Given {
			if i := indexOf(common, &f); i < 0 || string(common[i].Result) != string(f.Result) {
				line("%s", found(&f, d.Label, &told))
			}
		}
		for i := range common {
			if indexOf(e.Given, &common[i]) < 0 {
				line("look-up: %s %s finds nothing here", policydoc.Key(common[i].Server, common[i].Tool), common[i].Args)
			}
		}
		out = append(out, d)
	}

	return out, shared
}

// indexOf returns the index of the look-up among fixtures that a fixture answers; -1 for none.
func indexOf(list []guard.Fixture, f *guard.Fixture) int {
	return slices.IndexFunc(list, func(o guard.Fixture) bool {
		return f.Judge == "" && o.Server == f.Server && o.Tool == f.Tool && string(o.Args) == string(f.Args) && (o.Args == nil) == (f.Args == nil)
	})
}

// fewest is the number of tests from which on what most of them find is told once.
const fewest = 3

// common returns the look-ups that most tests have, with what most of those find.
func common(examples []guard.Example) []guard.Fixture {
	var keys []guard.Fixture
	uses, results := map[int]int{}, map[int]map[string]int{}
	for i := range examples {
		for _, f := range examples[i].Given {
			if f.Result == nil {
				continue
			}
			at := indexOf(keys, &f)
			if at < 0 {
				at, keys = len(keys), append(keys, f)
				results[at] = map[string]int{}
			}
			uses[at]++
			results[at][string(f.Result)]++
		}
	}

	var out []guard.Fixture
	for at, f := range keys {
		if len(examples) < fewest || 2*uses[at] <= len(examples) {
			continue
		}
		for _, result := range slices.Sorted(maps.Keys(results[at])) {
			if results[at][result] > results[at][string(f.Result)] {
				f.Result = json.RawMessage(result)
			}
		}
		out = append(out, f)
	}
	return out
}

// talk is what happened before a test's call, an entry a line.
type talk struct {
	label string
	lines []string
}

func talkOf(label string, history []guard.Entry) talk {
	t := talk{label: label}
	for i := range history {
		var none []telling
		t.lines = append(t.lines, happened(&history[i], label, &none))
	}
	return t
}

// fewestAlike is the number of entries from which on a history is told by an earlier one that
// begins alike.
const fewestAlike = 2

// begins says that most of a history is as in an earlier one, which was told whole, and returns
// how many entries are told by that.
func (t talk) begins(earlier []talk) (told string, same int) {
	of := talk{}
	for _, o := range earlier {
		n := 0
		for n < min(len(o.lines), len(t.lines)) && o.lines[n] == t.lines[n] {
			n++
		}
		whole := n == len(o.lines) && n == len(t.lines)
		if n > same || (n == same && whole) {
			of, same = o, n
		}
	}

	switch {
	case same < fewestAlike || 2*same < len(t.lines):
		return "", 0
	case same < len(t.lines):
		return fmt.Sprintf(" the first %d entries as in %s, then", same, of.label), same
	case same < len(of.lines):
		return fmt.Sprintf(" the first %d entries as in %s, and no more", same, of.label), same
	}
	return fmt.Sprintf(" the same as in %s", of.label), same
}

func happened(h *guard.Entry, label string, told *[]telling) string {
	at := ""
	if !h.Time.IsZero() {
		at = " at " + h.Time.Format(time.RFC3339)
	}
	if h.Call == nil {
		return fmt.Sprintf("%s%s: %s", h.Kind, at, compact(h.Text))
	}
	if h.Kind == guard.DeniedEntry {
		return fmt.Sprintf("call%s: %s %s was denied, and did nothing", at, policydoc.Key(h.Call.Server, h.Call.Tool), h.Call.Arguments)
	}
	result := "hasn't returned yet"
	if r := h.Call.Result; r != nil {
		result = "returned " + resultText(r)
		if len(r.Structured) > 0 {
			result = "returned " + tell(policydoc.Key(h.Call.Server, h.Call.Tool), r.Structured, label, told)
		}
	}
	return fmt.Sprintf("call%s: %s %s %s", at, policydoc.Key(h.Call.Server, h.Call.Tool), h.Call.Arguments, result)
}

func resultText(r *guard.Result) string {
	if len(r.Structured) > 0 {
		return string(r.Structured)
	}
	return compact(r.Content)
}

// telling is a result that was told of already.
type telling struct {
	label, tool string
	value       any
}

// found says what a look-up finds.
func found(f *guard.Fixture, label string, told *[]telling) string {
	if f.Judge != "" {
		return fmt.Sprintf("judge: %s %v", compact(f.Judge), f.Answer)
	}

	tool := policydoc.Key(f.Server, f.Tool)
	args := "whatever it is asked for"
	if f.Args != nil {
		args = string(f.Args)
	}
	return fmt.Sprintf("look-up: %s %s finds %s", tool, args, tell(tool, f.Result, label, told))
}

// tell describes what a tool returned: by what differs from an earlier description, the one from
// which that is shortest.
func tell(tool string, result json.RawMessage, label string, told *[]telling) string {
	value, err := decode(result)
	if err != nil {
		value = string(result)
	}
	out, again := string(result), false
	for _, t := range *told {
		again = again || (t.tool == tool && t.label == label)
		if t.tool != tool || len(result) < minTold {
			continue
		}
		d := differences(t.value, value, "")
		if len(d) > maxDifferences || slices.ContainsFunc(d, func(d difference) bool { return d.pointer == "" }) {
			continue
		}
		if short := fmt.Sprintf("the same as in %s%s", t.label, but(d)); len(short) < len(out) {
			out = short
		}
	}

	// What is told by its differences is told of where no other result has its label: "the same
	// as in T3" would mean either.
	if whole := out == string(result); whole || !again {
		*told = append(*told, telling{label, tool, value})
	}
	return out
}

// minTold is the size from which on a result is told by its differences, in bytes.
const minTold = 40

func but(differences []difference) string {
	var parts []string
	for _, d := range differences {
		if d.value == "" {
			parts = append(parts, d.pointer+" is missing")
		} else {
			parts = append(parts, d.pointer+" is "+d.value)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ", but " + strings.Join(parts, ", ")
}

// key identifies an example by its content, whatever its name.
func key(e *guard.Example) string {
	return compact([]any{e.Server, e.Tool, json.RawMessage(e.Args), e.Given, e.History, e.Now, e.Principal, e.Labels})
}
