package generation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
)

// unseen is a state that a test gives a record, and that nobody shows the member to have.
type unseen struct {
	Test, Value string
	// At has the words that results show, or the definition lists.
	At state
}

// unseen returns the states of the records of tests that no result shows, no definition lists and the
// document doesn't quote: each word of a member once. A rule that waits for such a state waits for ever.
func (w *work) unseen(tests []guard.Example) []unseen {
	var out []unseen
	for i := range w.lookups {
		l := &w.lookups[i]
		known := l.statuses()
		note := func(test string, raw json.RawMessage) {
			texts(raw, func(path, value string) {
				values := known[path]
				said := slices.ContainsFunc(out, func(u unseen) bool { return u.At.Lookup == l.label && u.At.Path == path && u.Value == value })
				if len(values) > 0 && isState(value) && !said && !slices.Contains(values, value) && !w.quoted(value) {
					out = append(out, unseen{test, value, state{l.label, path, values}})
				}
			})
		}

		for _, e := range tests {
			for _, raw := range l.results(&e) {
				note(e.Name, raw)
			}
		}
	}
	return out
}

// waitsFor returns the states that a rule compares with and that nobody shows, in words.
func (w *work) waitsFor(p guard.Policy) []string {
	written := strings.Join(expressionsOf(&p), "\n")
	var out []string
	for _, u := range w.unseen(p.Examples) {
		if strings.Contains(written, strconv.Quote(u.Value)) || strings.Contains(written, "'"+u.Value+"'") {
			out = append(out, fmt.Sprintf("%q in %s of %s", u.Value, u.At.Path, u.At.Lookup))
		}
	}
	return out
}

// statuses returns the words of the members of a look-up that say what became of a thing, by where
// they are. What a model guessed of it shows none.
func (l *lookup) statuses() map[string][]string {
	out := map[string][]string{}
	if l.sample != nil && l.sample.Source == policydoc.Guessed {
		return out
	}
	declared(l.output(), "", func(path, value string) {
		if isStatus(state{Path: path}.name()) {
			out[path] = append(out[path], value)
		}
	})
	return out
}

// results returns what a look-up returns in a test: to the rule, and to the agent before.
func (l *lookup) results(e *guard.Example) []json.RawMessage {
	var out []json.RawMessage
	for _, f := range e.Given {
		if l.answers(f) {
			out = append(out, f.Result)
		}
	}
	for _, h := range e.History {
		if c := h.Call; c != nil && c.Tool == l.Name && c.Result != nil {
			out = append(out, c.Result.Structured)
		}
	}
	return out
}

// quotes are the signs that documents put around the words of a field, in texts and in tables.
const quotes = "\"'`“”„‘’‚«»‹›*_|"

// quoted reports whether the document gives a word as one that is written so, between signs.
func (w *work) quoted(word string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc(w.task.Document, func(s document.Sentence) bool {
		begun, rest, ok := strings.Cut(strings.ToLower(s.Text), word)
		for ok {
			begun, rest = strings.TrimRight(begun, " "), strings.TrimLeft(rest, " ,.;")
			if begun != strings.TrimRight(begun, quotes) && rest != strings.TrimLeft(rest, quotes) {
				return true
			}
			begun, rest, ok = strings.Cut(rest, word)
		}
		return false
	})
}
