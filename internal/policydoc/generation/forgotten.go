package generation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// failedCall is what an earlier call returned that did nothing.
const failedCall = "Error: the call failed, and nothing was done."

// forgotten are calls that tests often lack, each made of a test: one after an earlier call that
// failed, one with lists of unequal length, one with an id that no record has, and one in which
// somebody says how a thing is and the record says otherwise. The second reader reads the first of each kind with the tests, and what is decided so is a test, which the
// author of the rule may dispute.
func (w *work) forgotten(tests []guard.Example) []question {
	var out []question
	states := w.states(tests)
	claimed := func(e *guard.Example) (guard.Example, string, bool) { return w.claimed(e, states) }
	for _, without := range []func(*guard.Example) (guard.Example, string, bool){w.afterFailure, unequal, foreign, claimed} {
		for i := range tests {
			if call, where, ok := without(&tests[i]); ok && w.possible(&call) {
				out = append(out, question{Example: tests[i].Name, Where: where, call: call})
				break
			}
		}
	}
	return out
}

// afterFailure returns a test in which the latest call that does more than read has failed.
func (w *work) afterFailure(e *guard.Example) (guard.Example, string, bool) {
	for i := len(e.History) - 1; i >= 0; i-- {
		c := e.History[i].Call
		if e.History[i].Kind != guard.CallEntry || c.Result == nil || w.reads(c.Tool) {
			continue
		}
		out, failed := *e, *c
		failed.Result = &guard.Result{Content: failedCall}
		out.History = slices.Clone(e.History)
		out.History[i].Call = &failed
		after := i + 1 // what the agent said of its success
		for after < len(out.History) && out.History[after].Kind == guard.AssistantEntry {
			after++
		}
		out.History = slices.Delete(out.History, i+1, after)
		return out, "the earlier call of " + c.Tool + " failed", true
	}
	return guard.Example{}, "", false
}

func (w *work) reads(tool string) bool {
	return slices.ContainsFunc(w.lookups, func(l lookup) bool { return l.Name == tool })
}

// unequal returns a test to be allowed with two lists of one length, of which the second has an
// element less.
func unequal(e *guard.Example) (guard.Example, string, bool) {
	doc, err := strictjson.Parse(e.Args, strictjson.DefaultLimits())
	if err != nil || e.Expect != label.Allow {
		return guard.Example{}, "", false
	}

	length := 0
	for name, v := range doc.Root().Members() {
		switch {
		case v.Kind() != strictjson.Array || v.Len() == 0:
		case length != v.Len():
			length = v.Len()
		default:
			fewer := []json.RawMessage{}
			for _, one := range v.Elements()[:length-1] {
				fewer = append(fewer, one.Raw())
			}
			raw, err := json.Marshal(fewer)
			if err != nil {
				return guard.Example{}, "", false
			}
			out := *e
			out.Args = strictjson.Set(e.Args, name, raw)
			return out, fmt.Sprintf("args/%s has an element less than the other list", name), true
		}
	}
	return guard.Example{}, "", false
}

// foreign returns a test to be allowed in which an id of the arguments, which some look-up
// returns, is another one of the same form that none does. Ids of the arguments' own members come before
// those in their lists and objects.
func foreign(e *guard.Example) (guard.Example, string, bool) {
	if e.Expect != label.Allow {
		return guard.Example{}, "", false
	}

	var own, inner []string
	texts(e.Args, func(path, value string) {
		if strings.Count(path, "/") == 1 {
			own = append(own, path)
		} else {
			inner = append(inner, path)
		}
	})
	for _, path := range append(own, inner...) {
		if out, other, ok := withForeign(e, path); ok {
			return out, fmt.Sprintf("args%s is %s, which no record has", path, compact(other)), true
		}
	}
	return guard.Example{}, "", false
}

// days finds texts that are days, or moments of them: those are no ids.
var days = pattern.OnUse(`^\d{4}-\d\d-\d\d`)

// withForeign returns a test in which the first id at a place of the arguments that a look-up returns is
// another one; false where there is none.
func withForeign(e *guard.Example, at string) (guard.Example, string, bool) {
	args, err := decode(e.Args)
	if err != nil {
		return guard.Example{}, "", false
	}

	other := ""
	args = textsOf(args, "", func(path, value string) string {
		if path != at || other != "" || !strings.ContainsFunc(value, unicode.IsDigit) || days().MatchString(value) {
			return value
		}
		returned := slices.ContainsFunc(e.Given, func(f guard.Fixture) bool { return strings.Contains(string(f.Result), compact(value)) })
		asked := slices.ContainsFunc(e.Given, func(f guard.Fixture) bool { return strings.Contains(string(f.Args), compact(value)) })
		changed := otherDigits(value)
		if !returned || asked || strings.Contains(string(e.Args), changed) {
			return value
		}
		other = changed
		return changed
	})
	out := *e
	out.Args = json.RawMessage(compact(args))
	return out, other, other != ""
}

// otherDigits returns an id of the same form with other digits.
func otherDigits(id string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return '0' + (c-'0'+7)%10
		}
		return c
	}, id)
}
