package generation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/schema"
)

// state is a member of what a look-up returns that tells by a word how a thing is: a status, a
// kind, a tier.
type state struct {
	// Lookup is the look-up's label, and Path where the member is, with * for each element.
	Lookup, Path string
	Values       []string
}

// name is the member's own name.
func (s state) name() string { return s.Path[strings.LastIndex(s.Path, "/")+1:] }

// fewestValues is how many words a member has at least that tells states: one that always
// says the same tells nothing.
const fewestValues = 2

// maxStates bounds the members of which the values are compared with what is said.
const maxStates = 200

// states returns the members that tell states: those whose words the look-up declares or results
// show, and those whose words differ between the records of some tests.
func (w *work) states(tests []guard.Example) []state {
	var out []state
	note := func(lookup, path, value string) {
		if !isState(value) {
			return
		}
		i := slices.IndexFunc(out, func(s state) bool { return s.Lookup == lookup && s.Path == path })
		if i < 0 {
			if len(out) == maxStates {
				return
			}
			i, out = len(out), append(out, state{Lookup: lookup, Path: path})
		}
		if !slices.Contains(out[i].Values, value) {
			out[i].Values = append(out[i].Values, value)
		}
	}

	for _, l := range w.lookups {
		declared(l.output(), "", func(path, value string) { note(l.label, path, value) })
		if l.sample != nil {
			texts(l.sample.Result, func(path, value string) { note(l.label, path, value) })
		}
		for i := range tests {
			for _, f := range tests[i].Given {
				if l.answers(f) {
					texts(f.Result, func(path, value string) { note(l.label, path, value) })
				}
			}
		}
	}
	return slices.DeleteFunc(out, func(s state) bool { return len(s.Values) < fewestValues })
}

// answers reports whether a fixture is a result of the look-up.
func (l *lookup) answers(f guard.Fixture) bool {
	return f.Judge == "" && f.Tool == l.Name && (f.Server == "" || f.Server == l.Server)
}

// isState reports whether a text is a word or a few, as states are told by.
func isState(text string) bool {
	const shortest, most = 4, 3
	letters := func(r rune) bool { return unicode.IsLetter(r) || strings.ContainsRune(" _-", r) }
	return len(text) >= shortest && !strings.ContainsFunc(text, func(r rune) bool { return !letters(r) }) && len(strings.Fields(spelt(text))) <= most
}

// declared yields the words that a schema lists, or that results were seen to have, with where
// they stand.
func declared(n *schema.Node, path string, yield func(path, value string)) {
	if n == nil {
		return
	}
	for _, raw := range n.Enum {
		var value string
		if json.Unmarshal([]byte(raw), &value) == nil {
			yield(path, value)
		}
	}

	if list, ok := strings.CutPrefix(n.Description, seenSoFar); ok {
		var values []string
		if json.Unmarshal([]byte("["+list+"]"), &values) == nil {
			for _, value := range values {
				yield(path, value)
			}
		}
	}

	declared(n.Items, path+"/*", yield)
	declared(n.Additional, path+"/*", yield)
	for _, p := range n.Properties {
		declared(p.Node, path+"/"+strictjson.EscapeToken(p.Name), yield)
	}
}

// texts yields the texts of a JSON value, with where they stand in it.
func texts(raw json.RawMessage, yield func(path, value string)) {
	v, err := decode(raw)
	if err != nil {
		return
	}
	textsOf(v, "", func(path, value string) string {
		yield(path, value)
		return value
	})
}

// textsOf puts others in the place of the texts of a value, each by where it stands.
func textsOf(v any, path string, other func(path, value string) string) any {
	switch v := v.(type) {
	case string:
		return other(path, v)
	case []any:
		for i := range v {
			v[i] = textsOf(v[i], path+"/*", other)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) { // prompts are recorded by what they say
			v[name] = textsOf(v[name], path+"/"+strictjson.EscapeToken(name), other)
		}
	}
	return v
}

// spelt returns the words of a text in one spelling, with a space around each: in lower case,
// without signs, and with single letters for double ones ("cancelled", "canceled").
func spelt(text string) string {
	out := []rune{' '}
	for _, r := range strings.ToLower(text) {
		last := out[len(out)-1]
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
			if last != ' ' {
				out = append(out, r)
			}
		case r != last:
			out = append(out, r)
		}
	}
	if out[len(out)-1] != ' ' {
		out = append(out, ' ')
	}
	return string(out)
}

// in returns the first of a state's words that a text says.
func (s state) in(text string) (string, bool) {
	said := spelt(text)
	i := slices.IndexFunc(s.Values, func(value string) bool { return strings.Contains(said, spelt(value)) })
	if i < 0 {
		return "", false
	}
	return s.Values[i], true
}

// sentences are the policy's own, and what it is described by, in one text.
func (w *work) sentences() string {
	all := w.task.Policy.Description
	for _, s := range w.task.Sentences {
		all += "\n" + s.Text
	}
	return all
}

// String is how models are told of a state.
func (s state) String() string {
	return fmt.Sprintf("%s tells it in %s (%s)", s.Lookup, s.Path, prompt.Clip(strings.Join(s.Values, ", "), maxSampleText))
}

// given reports whether tests have a record of a look-up.
func (w *work) given(lookup string, tests []guard.Example) bool {
	l, ok := w.find(lookup)
	return ok && slices.ContainsFunc(tests, func(e guard.Example) bool { return slices.ContainsFunc(e.Given, l.answers) })
}
