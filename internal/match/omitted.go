package match

import (
	"slices"
	"time"

	"github.com/remit-project/remit/internal/provenance/numeral"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// What a call with an effect leaves out, its service decides: a refund without an amount is one of all.

// isSaid reports whether a constraint states a time or a number of the user's, or for a call that can't be taken back anything: a call that
// says nothing of "2 boxes", of "until Friday" and of "to view" does something else, and the words for that may be in a language that no
// program reads. A currency may be what the service takes anyhow. Nobody says the number 1, nor that something is off, nor that what begins
// today begins now. The planner adds settings of which nobody spoke, which English tells, as definitions are written in.
func (m *matcher) isSaid(c *Arg, role label.Role) bool {
	isStated := func(v scope.Value) bool {
		_, isNumber := number(string(v))
		isNothing := !isNumber && (slices.Contains(nothing, fold(string(v))) || switches()[fold(string(v))] == "off")
		isUsual := v == "1" || isCurrency(string(v)) || (isNothing && !m.madeOf(string(v)))
		isNow := m.isToday(string(v)) && lexicon().Begins.In(argumentName(c.Pointer))
		isAdded := role == label.Control && !isNumber && m.isInEnglish() && !m.madeOf(string(v))
		return (isTime(string(v)) && !isNow) || (m.irreversible && !isUsual && !isNow && !isAdded) || (isNumber && m.madeOf(string(v)))
	}
	mayBeEmpty := slices.Contains(c.Is, "")
	return len(c.Date) > 0 || (!mayBeEmpty && slices.ContainsFunc(c.Is, isStated))
}

// isInEnglish reports whether the user's words are in English, so that they have the words of definitions.
func (m *matcher) isInEnglish() bool {
	return m.work(perStep*len(m.said)) && numeral.InEnglish(m.said)
}

// isToday reports whether a text is the day of the call by the user's clock.
func (m *matcher) isToday(text string) bool {
	now := m.proposal.Now
	return !now.IsZero() && text == now.Format(time.DateOnly)
}

// isFound reports whether a constraint takes a value from other calls, or makes one, which is not what the argument is anyhow. What is moved
// goes on as long as before, and a text that is content decides nothing: an event without its place is the same event.
// What an update leaves out stays as it is.
func (m *matcher) isFound(c *Arg, p *Proposal) bool {
	takes := len(c.From) > 0 || len(c.Sources) > 0 || c.Template != ""
	isText := c.Kind == scope.Text && c.Template == "" && p.Role(c.Pointer) == label.Content && !m.irreversible
	isLength := c.Computed && m.irreversible && length().MatchString(fold(c.By))
	name := words(p.Tool)
	isCurrency := lexicon().OfCurrency.In(argumentName(c.Pointer)) // which the service takes anyhow
	isUpdate := len(name) > 0 && lexicon().Updating.Has(name[0])
	if !(takes || isLength) || isText || isUpdate || isCurrency || slices.Contains(c.Is, "") || (c.Computed && isAsLong(c.By)) {
		return false
	}
	otherwise := p.otherwise(c.Pointer)
	if otherwise == "" {
		return true
	}
	_, miss := m.value(&c.Constraint, Argument{Pointer: c.Pointer, Text: otherwise, Role: p.Role(c.Pointer)})
	return miss != ""
}
