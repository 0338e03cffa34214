package match

import (
	"slices"
	"strconv"
	"time"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/scope"
)

// The parts of a scope as calls are held to it: what is found out of the form once, and what is
// known of a condition while a result is held to it. Their members are those of the form, where
// they are explained.
type (
	// Scope is a [scope.Scope].
	Scope struct {
		Calls     []Call
		Delegates []Source
	}
	// Call is a [scope.Call].
	Call struct {
		Server, Tool string
		Times        scope.Times
		Group        string
		If, Unless   []Source
		OnlyIf       []string
		Args         []Arg

		often       int             // what oftenest returns, once that is known
		conditioned map[string]bool // what conditionWords returns, once that is needed
	}
	// Arg is a [scope.Arg].
	Arg struct {
		Pointer string
		Constraint
	}
	// Constraint is a [scope.Constraint].
	Constraint struct {
		Is, Date     []scope.Value
		From, Except []Source
		Record       string
		Kind         scope.Kind
		Pick         scope.Pick
		By           string
		Computed     bool
		Sources      []Source
		Any          bool
		Absent       bool
		Unchanged    bool
		Template     string
		Holes        map[string]Constraint

		sources string        // identifies From, once it is known
		plain   bool          // each value of Is is a plain one
		scales  bool          // what takes its numbers may convert them
		apart   []scope.Value // those of Is that are others, where an entry is for several calls
	}
	// Source is a [scope.Source].
	Source struct {
		Server, Tool string
		Args         []Arg
		Field        string
		Or           []string
		Where        []Match
		By           string

		words []string // of Field, once they are known
	}
	// Match is a [scope.Match].
	Match struct {
		Field                       string
		Or                          []string
		Is                          []scope.Value
		From                        []Source
		Prefix, Ends                string
		Contains                    []string
		Before, After, Below, Above scope.Value

		words []string // of Field, once they are known
		days  bool     // Is lists days of which any time is meant, and the condition is on a time
		// What is known of a condition once a result is held to it: From gave no value or Is, which
		// is compared as it is; the values are of the day of the bounds; and what speaks against a
		// call does so in doubt.
		unknown, exact, sameDay, against bool
		compounds                        bool // Contains is met by the parts of compounds as well
		// zone is that of the user's place; nil where it is unknown.
		zone *time.Location
	}
)

// compile reads a scope as calls are held to it.
func compile(s *scope.Scope) *Scope {
	return &Scope{Calls: each(s.Calls, newCall), Delegates: each(s.Delegates, newSource)}
}

// each returns what a function makes of each of several parts; nil of none, and empty of an empty
// list.
func each[From, To any](all []From, of func(*From) To) []To {
	if all == nil {
		return nil
	}
	out := make([]To, 0, len(all))
	for i := range all {
		out = append(out, of(&all[i]))
	}
	return out
}

func newCall(c *scope.Call) Call {
	out := Call{
		Server: c.Server, Tool: c.Tool, Times: c.Times, Group: c.Group, OnlyIf: c.OnlyIf,
		If: each(c.If, newSource), Unless: each(c.Unless, newSource), Args: each(c.Args, newArg),
	}
	if out.Times.N > 1 {
		for i := range out.Args {
			out.Args[i].setApart()
		}
	}
	return out
}

// setApart notes which of the values that a constraint states are others.
func (c *Constraint) setApart() {
	c.apart = differing(c.Is)
	for name, hole := range c.Holes {
		hole.setApart()
		c.Holes[name] = hole
	}
}

func newArg(a *scope.Arg) Arg { return Arg{a.Pointer, newConstraint(&a.Constraint)} }

func newConstraint(c *scope.Constraint) Constraint {
	out := Constraint{
		Is: c.Is, Date: c.Days(), From: each(c.From, newSource), Except: each(c.Except, newSource), Record: c.Record, Kind: c.Kind, Pick: c.Pick, By: c.By,
		Computed: c.Computed, Sources: each(c.Sources, newSource), Any: c.Any, Absent: c.Absent, Unchanged: c.Unchanged, Template: c.Template,
	}
	out.plain = !slices.ContainsFunc(c.Is, func(v scope.Value) bool { return !isPlainValue(string(v)) })
	if c.From != nil {
		out.sources = sourcesKey(out.From)
	}
	if c.Holes != nil {
		out.Holes = make(map[string]Constraint, len(c.Holes))
	}
	for name, hole := range c.Holes {
		out.Holes[name] = newConstraint(&hole)
	}
	return out
}

func newSource(s *scope.Source) Source {
	return Source{
		Server: s.Server, Tool: s.Tool, Args: each(s.Args, newArg), Field: s.Field, Or: s.Or, Where: each(s.Where, newMatch), By: s.By,
		words: words(s.Field),
	}
}

func newMatch(w *scope.Match) Match {
	return Match{
		Field: w.Field, Or: w.Or, Is: w.Is, From: each(w.From, newSource), Prefix: w.Prefix, Ends: w.Ends, Contains: w.Contains,
		Before: w.Before, After: w.After, Below: w.Below, Above: w.Above,
		words: words(w.Field), days: areDays(w.Is),
	}
}

// Arg returns the constraint that an entry has at a pointer.
func (c *Call) Arg(pointer string) (Constraint, bool) {
	for _, a := range c.Args {
		if a.Pointer == pointer {
			return a.Constraint, true
		}
	}
	return Constraint{}, false
}

func (s *Source) name() []string {
	if s.words == nil {
		return words(s.Field)
	}
	return s.words
}

func (w *Match) name() []string {
	if w.words == nil {
		return words(w.Field)
	}
	return w.words
}

// each yields the condition on each of its fields.
func (w *Match) each(yield func(*Match) bool) {
	if !yield(w) {
		return
	}
	for _, field := range w.Or {
		other := *w
		other.Field, other.words, other.Or = field, words(field), nil
		if !yield(&other) {
			return
		}
	}
}

// hole is a place in a template.
var hole = pattern.OnUse(`\{(\w+)\}`)

// short is a text as messages have it.
type short string

func (s short) String() string { return clip([]byte(s)) }

// clip shortens text of a scope for a message.
func clip(data []byte) string {
	return strconv.Quote(display.Clip(string(data), 80))
}
