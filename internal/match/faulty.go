package match

import (
	"slices"
	"strings"
)

// A number may stand for none: -999 is what a broken sensor reads, and what measured it may say itself that it isn't valid.

// isFaulty reports whether a number that a condition bounds stands for none, by itself or by a member that its name ties to it, or is a part in a
// hundred of which nobody spoke.
func (m *matcher) isFaulty(r *Result, f *field) bool {
	return f.isSentinel() || m.isInvalid(r, f) || slices.ContainsFunc(m.unitsOfField(r, f), func(o *field) bool { return m.isOtherRatio(o.text) })
}

// isSentinel reports whether a number below zero is what programs write for none: nothing but nines, or any of what is never below zero.
func (f *field) isSentinel() bool {
	digits, isNegative := strings.CutPrefix(strings.TrimSpace(f.text), "-")
	whole, _, _ := strings.Cut(digits, ".")
	isNines := len(whole) > 2 && strings.Trim(whole, "9") == ""
	isNumber := rational(f.text) != nil && strings.Trim(digits, "0.") != ""
	return isNegative && isNumber && (isNines || lexicon().Absolute.Ends(unitless(f.key)))
}

// isInvalid reports whether a member that is called after a number says that it isn't to be relied on: weight_valid: false, weight_error.
func (m *matcher) isInvalid(r *Result, f *field) bool {
	if !m.work(len(r.records[f.record]) * perStep) {
		return true
	}
	return slices.ContainsFunc(r.records[f.record], func(i int) bool {
		o := &r.fields[i]
		isOwn := len(f.key) > 0 && len(o.key) == len(f.key)+1 && slices.Equal(o.key[:len(f.key)], f.key) && slices.Equal(o.part, f.part)
		if !isOwn || o.null {
			return false
		}
		last, text := o.key[len(o.key)-1], fold(o.text)
		return (lexicon().Reliable.Has(last) && text == "false") || (lexicon().Failures.Has(last) && !slices.Contains(nothing, text)) || (lexicon().States.Has(last) && lexicon().Unreliable.Has(text))
	})
}

// isOtherRatio reports whether a unit is a part of a whole, and the request has none, or a part in a hundred where it is a plain one.
func (m *matcher) isOtherRatio(unit string) bool {
	isSaid := func(w string) bool { return strings.Contains(m.folded, w) }
	isHundredth := unit == "%" || slices.ContainsFunc(words(unit), lexicon().Ratios.Has)
	switch {
	case !m.work(len(m.folded) * len(lexicon().Ratios.Words())):
		return true
	case isHundredth:
		return !isSaid("%") && !slices.ContainsFunc(lexicon().Ratios.Words(), isSaid)
	}
	return slices.ContainsFunc(words(unit), func(w string) bool { return (w == "ratio" || w == "fraction") && !isSaid(w) })
}
