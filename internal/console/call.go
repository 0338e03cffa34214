package console

import (
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/internal/question"
	"github.com/remit-project/remit/internal/sighting"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

const (
	// maxWhole is how much of a value a question shows, in bytes: a person who agrees to a call
	// has to see what it does, and won't read more.
	maxWhole = 4000
	// maxShownTurn is how much of the user's words a question repeats, in bytes.
	maxShownTurn = 1200
	// maxArguments is how many arguments of a call are shown at first.
	maxArguments = 48
)

// call is a call with what is known about it.
type call struct {
	N int
	*remit.Decision
	Does string
	// Doubts are the arguments that the decision is about, Others the rest.
	Doubts, Others []argument
	// More counts the arguments that are not shown.
	More int
	// Whole is set where everything is shown that a person decides by. No other call can be
	// agreed to.
	Whole bool
}

// argument is a leaf of a call's arguments.
type argument struct {
	*remit.Finding
	Name string
	// Value is the value in pieces by trust.
	Value []run
	// Cut counts the bytes of the value that are not shown.
	Cut int
	// Unread is set where the call's own arguments were not read, or don't have the
	// value, and what is shown is what the decision repeats of it.
	Unread bool
	// Spelled is the value with everything beyond ASCII spelled out; empty where there is
	// nothing.
	Spelled string
	// Places are where the value appears, as the question has them.
	Places []sighting.Place
	// Chosen is set for the argument whose origins are shown.
	Chosen bool
}

// callOf prepares the n-th call of a question, from 0 on, with the whole of its values.
func callOf(n int, a store.Asked) call {
	doc, err := strictjson.Parse(a.Decision.Arguments, strictjson.DefaultLimits())
	if err != nil {
		doc = nil // the decision shows as much of each value as it has
	}
	return prepared(n, a, doc)
}

// prepared prepares a call; doc are its arguments, or nil for their beginnings alone.
func prepared(n int, a store.Asked, doc *strictjson.Document) call {
	d := a.Decision
	c := call{N: n + 1, Decision: d, Does: does[d.Effect]}
	bound, _ := question.Binding(d)
	c.Whole = doc != nil

	for i := range d.Findings {
		arg := argumentOf(&d.Findings[i], doc)
		cut := arg.Cut > 0 && question.Decisive(arg.Finding, bound)
		if arg.Unread || cut {
			c.Whole = false
		}
		for _, p := range a.Places {
			if p.Path == arg.Path {
				arg.Places = append(arg.Places, p)
			}
		}
		doubted := !arg.Satisfied || slices.ContainsFunc(d.Reasons, func(r remit.Reason) bool { return r.Path == arg.Path })
		switch {
		case doubted && len(c.Doubts) < maxArguments:
			c.Doubts = append(c.Doubts, arg)
		case !doubted && len(c.Others) < maxArguments:
			c.Others = append(c.Others, arg)
		default:
			c.More++
			c.Whole = false
		}
	}
	return c
}

// argumentOf prepares an argument; doc are the call's arguments, or nil where as much of the
// value is enough as the decision repeats.
func argumentOf(f *remit.Finding, doc *strictjson.Document) argument {
	a := argument{Finding: f, Name: f.Path, Unread: true}
	if f.Path == "" {
		a.Name = "(the whole)"
	}

	// Evidence counts the bytes of the whole value, of which the decision repeats the
	// beginning, and a sign where it is cut.
	shown := *f
	if doc != nil {
		if leaf, ok := doc.Get(f.Path); ok {
			shown.Value, a.Unread = leaf.Text, false
		}
	}
	if n := runeStart(shown.Value, min(len(shown.Value), maxWhole)); n < len(shown.Value) {
		a.Cut = len(shown.Value) - n
		shown.Value = shown.Value[:n]
	}
	for _, p := range explanation.Pieces(&shown) {
		a.Value = append(a.Value, run{Text: p.Text, Trust: p.Trust, Marked: true})
	}

	if !f.Role.AuthorityBearing() {
		return a
	}
	text := shown.Value
	if a.Unread && len(text) > remit.MaxShownValue {
		text = strings.TrimSuffix(text, "…")
	}
	if ascii := strconv.QuoteToASCII(text); ascii != strconv.Quote(text) {
		a.Spelled = ascii
	}
	return a
}

// authors says who wrote a text of some trust.
var authors = map[label.Trust]string{
	label.External: "anybody may have written it", label.ToolOutput: "the service itself says so",
	label.User: "the user's words", label.Trusted: "the deployment's own text",
}

// titleOf returns a name for the title of a page, which a browser shows on one short line.
func titleOf(name string) string {
	if len(name) > 60 {
		name = strings.ToValidUTF8(name[:60], "") + "…"
	}
	return name
}
