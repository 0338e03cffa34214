package match

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/superlative"
	"github.com/remit-project/remit/scope"
)

// A criterion is in the words of a planner, and a program checks only what it reads whole: of "the
// cheapest, the newest if two are equal" or "the second to last" a part of the words means another
// value.

// criterion is what a choice is by: which of the values in an order are meant, or which of the list.
type criterion struct {
	rank
	order   *superlativeWords // nil for a place in the list
	fromEnd bool              // a place that is counted from the list's end
}

// criterion returns what a choice is by; false for a choice that no program can check.
func (c *Constraint) criterion() (criterion, bool) {
	if c.Pick != scope.Choice || c.By == "" {
		return criterion{}, false
	}
	by := words(c.By)
	if head, isPlace := inList(by); isPlace {
		return placeOf(head)
	}
	spoken := by[:len(by)-len(memberBehind(c.By))]
	s, ok := orderOf(spoken)
	if !ok {
		return criterion{}, false
	}

	of, at := rankOf(by, s)
	for i, w := range spoken {
		if ofOther := i != at && ordinalOf(w) > 0 && superlativeWith(w) == nil; ofOther {
			return criterion{}, false // the second of something else
		}
	}
	return criterion{rank: of, order: s}, true
}

// memberBehind returns the words of a member's name that stands behind "by" as programs write one: in
// "cheapest by priceSecond" nothing is the second.
func memberBehind(by string) []string {
	_, name, found := strings.Cut(by, " by ")
	all := words(name)
	if isOne := !strings.ContainsFunc(name, unicode.IsSpace); !found || !isOne || len(all) == 1 {
		return nil
	}
	return all
}

// isFromBegin reports whether a choice is by a place that is counted from the begin of a list, so that
// what follows doesn't matter.
func (c *Constraint) isFromBegin() bool {
	by, ok := c.criterion()
	return ok && by.order == nil && !by.fromEnd
}

// isPlace reports whether a choice is by a place in the list.
func (c *Constraint) isPlace() bool {
	by, ok := c.criterion()
	return ok && by.order == nil
}

// orderOf returns the only order that a criterion has, by its first superlative; false where it has
// none or several, where it leaves something out, and where it counts from the other end.
func orderOf(by []string) (*superlativeWords, bool) {
	var out *superlativeWords
	for i, w := range by {
		s := superlativeOf(by, i)
		isMember := i > 0 && i == len(by)-1 && by[i-1] == "by" // oldest by since

		bounds := i > 0 && by[i-1] == "at" && lexicon().Degrees.Has(w) // at least 4 stars
		switch {
		case superlative.IsRestricting(w) && !isMember, bounds, isSpan(by, i):
			return nil, false
		case i > 0 && by[i-1] == "next" && s != nil: // the next oldest is the second one, or the oldest to come
			return nil, false
		case s == nil:
		case i > 0 && by[i-1] == "to": // the second to last
			return nil, false
		case out == nil:
			out = s
		case !out.isLike(s):
			return nil, false
		}
	}
	return out, out != nil && !isFromEnd(by)
}

// superlativeOf returns the order of the superlative at a place of a criterion; nil for another word.
// The last month is none, and in "the first newest" and "most recent" the second word is the superlative. What is least
// recent is in the other order.
func superlativeOf(by []string, i int) *superlativeWords {
	next := ""
	if i+1 < len(by) {
		next = by[i+1]
	}
	isPart := (superlative.Ordinal(by[i]) > 0 || lexicon().Degrees.Has(by[i])) && (next == "most" || next == "least" || superlativeWith(next) != nil)
	if isPart || superlative.IsSpan(next) {
		return nil
	}
	s := superlativeWith(by[i])
	if s != nil && i > 0 && by[i-1] == "least" {
		return &superlativeWords{s.Words, s.Members, !s.Largest}
	}
	return s
}

// isSpan reports whether a word is that of a span of time: newest of last month. No member says which one it is.
func isSpan(by []string, i int) bool {
	follows := i+1 < len(by) && by[i+1] != "name" && superlative.IsSpan(by[i+1])
	return follows && superlativeWith(by[i]) != nil
}

func superlativeWith(word string) *superlativeWords {
	return (*superlativeWords)(superlative.Of(word))
}

// isLike reports whether two superlatives mean the same order: the best is the one with the highest
// rating.
func (s *superlativeWords) isLike(other *superlativeWords) bool {
	about := slices.Contains(s.Members, other.Members[0]) || slices.Contains(other.Members, s.Members[0])
	return s.Largest == other.Largest && about
}

// isFromEnd reports whether words count from an end that is not the first one.
func isFromEnd(by []string) bool {
	const reach = 2 // words, as in "from the end"
	end := func(w string) bool { return w == "end" || w == "bottom" || w == "last" || w == "back" }
	for i, w := range by {
		from := w == "from" && slices.ContainsFunc(by[i+1:min(len(by), i+1+reach)], end)
		if from || w == "penultimate" {
			return true
		}
	}
	return false
}

// inList returns the words of a criterion before "in the list", and whether it names a place there: by
// an ordinal or "last", and no other superlative.
func inList(by []string) (head []string, isPlace bool) {
	at := slices.Index(by, "list")
	if at < 0 {
		return nil, false
	}
	head, further := by[:at], by[at+1:]
	for _, w := range []string{"the", "in"} {
		if n := len(head); n > 0 && (head[n-1] == w || (w == "in" && slices.Contains([]string{"of", "on"}, head[n-1]))) {
			head = head[:n-1]
		}
	}
	if len(head) > 0 && head[0] == "the" {
		head = head[1:]
	}

	isOther := func(w string) bool { return superlativeWith(w) != nil && w != "first" && w != "last" }
	isCounted := func(w string) bool { return superlative.Ordinal(w) > 0 || w == "last" || w == "penultimate" }
	return slices.Concat(head, further), slices.ContainsFunc(head, isCounted) && !slices.ContainsFunc(by, isOther)
}

// placeForms are the ways to name a place in a list.
var placeForms = []struct {
	form             func() *regexp.Regexp
	several, fromEnd bool // whether a number says how many are meant, and whether it is counted from the end
}{
	{pattern.OnUse(`^(\w+) (?:to last|last|from (?:the )?(?:end|bottom|last|back))\b`), false, true},
	{pattern.OnUse(`^(?:penultimate|last but one)\b()`), false, true},
	{pattern.OnUse(`^(?:first (\w+)|(\w+) first)\b`), true, false},
	{pattern.OnUse(`^(?:last (\w+)|(\w+) last)\b`), true, true},
	{pattern.OnUse(`^(last)\b`), false, true},
	{pattern.OnUse(`^(\w+)\b`), false, false},
}

// numbersOf are the numbers of a place: its ordinal, and without one the last, or the one before it.
var numbersOf = map[string]int{"": 2, "last": 1}

// placeOf returns the place in a list that words name: "second", "first two", "last but one", "third from
// the bottom"; false where they say more than that and what is listed.
func placeOf(head []string) (criterion, bool) {
	text := strings.Join(head, " ")
	for _, f := range placeForms {
		found := f.form().FindStringSubmatch(text)
		if found == nil {
			continue
		}
		said := strings.Join(found[1:], "")
		n := max(ordinalOf(said), numbersOf[said])
		if f.several {
			n = countOf(said)
		}
		if n == 0 {
			continue
		}

		of := rank{n, n}
		if f.several {
			of.from = 1
		}
		return criterion{rank: of, fromEnd: f.fromEnd}, !slices.ContainsFunc(words(text[len(found[0]):]), isCounting)
	}
	return criterion{}, false
}

// isCounting reports whether a word may say which of several things is meant, or from where they are counted.
func isCounting(w string) bool {
	return superlative.Ordinal(w) > 0 || superlativeWith(w) != nil || superlative.IsRestricting(w) || lexicon().Counting.Has(w)
}
