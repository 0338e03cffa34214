package match

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// "Half of the highest fine" is a part of one number, and nothing else that its words may mean: neither the number as a whole, nor a
// part of another one. The words of a computation are read whole, as those of a choice are, or they compute nothing.

// numeralForm is a number in digits or in a word, as a group of a form.
const numeralForm = `(\d+(?:[.,]\d+)?|[a-z]+)`

// parts are the ways to say a part or a multiple of a number before it, and after it. The groups of each are a numerator, and what
// it is divided by.
var (
	partsBefore = []struct {
		form func() *regexp.Regexp
		of   func(a, b string) *big.Rat
	}{
		{pattern.OnUse(`(?i)^(?:an? |one )?(half|twice|double|triple|treble|quadruple)(?: of)?()\s`), named},
		{pattern.OnUse(`(?i)^` + numeralForm + ` ?(%|per ?cent|pct)(?: of)?\s`), percentage},
		{pattern.OnUse(`(?i)^` + numeralForm + ` (halves|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?)(?: of)?\s`), fraction},
		{pattern.OnUse(`(?i)^(?:the )?()(third|quarter|fourth|fifth|sixth|seventh|eighth|ninth|tenth) of\s`), fraction},
		{pattern.OnUse(`(?i)^(\d+) ?/ ?(\d+)(?: of)?\s`), quotient},
		{pattern.OnUse(`(?i)^` + numeralForm + ` ?(?:times|[x×*])()\s`), quotient},
	}
	partsAfter = []struct {
		form func() *regexp.Regexp
		of   func(a, b string) *big.Rat
	}{
		{pattern.OnUse(`(?i),? (halved|doubled|tripled)()$`), named},
		{pattern.OnUse(`(?i)()(?:,? divided by | ?[/÷] ?|,? split (?:in|into|by|between|among) )` + numeralForm + `(?: ways| parts| people| persons)?$`), quotient},
		{pattern.OnUse(`(?i)(?: times | multiplied by | ?[x×*] )` + numeralForm + `()$`), quotient},
	}
)

// moreOrLess matches a number, or a part in a hundred, that is added or taken away last.
var moreOrLess = pattern.OnUse(`(?i)(,?) (plus|increased by|\+|minus|less|reduced by|[-−]) ?(\d+(?:[.,]\d+)?) ?` +
	`((?:%|per ?cent|pct)(?: (?:vat|tax|tip|interest|discount))?)?$`)

// factors are the words for a part or a multiple, and divisors those for what a number is parted into.
var (
	factors = sync.OnceValue(func() map[string]*big.Rat {
		return map[string]*big.Rat{
			"half": big.NewRat(1, 2), "halved": big.NewRat(1, 2), "twice": big.NewRat(2, 1), "double": big.NewRat(2, 1), "doubled": big.NewRat(2, 1),
			"triple": big.NewRat(3, 1), "treble": big.NewRat(3, 1), "tripled": big.NewRat(3, 1), "quadruple": big.NewRat(4, 1),
		}
	})
	divisors = sync.OnceValue(func() map[string]int64 {
		return map[string]int64{"halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}
	})
)

func named(word, _ string) *big.Rat { return factors()[word] }

func percentage(n, _ string) *big.Rat { return quotient(n, "100") }

func fraction(n, of string) *big.Rat {
	by := divisors()[strings.TrimSuffix(of, "s")]
	top := counted(n)
	if top == nil || by == 0 {
		return nil
	}
	return top.Mul(top, big.NewRat(1, by))
}

func quotient(n, of string) *big.Rat {
	top, by := counted(n), counted(of)
	if top == nil || by == nil || by.Sign() == 0 {
		return nil
	}
	return top.Quo(top, by)
}

// counted returns the number that a numeral is, and one for none; nil for another word, and where a comma may part thousands.
func counted(text string) *big.Rat {
	if n, named := numerals()[text]; named {
		return big.NewRat(int64(n), 1)
	}
	if text == "" {
		return big.NewRat(1, 1)
	}
	before, after, hasComma := strings.Cut(text, ",")
	if hasComma && len(after) == len("000") {
		return nil
	}
	if hasComma {
		text = before + "." + after
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return n
}

// share is what a computation makes of a number, and by what words that is found.
type share struct {
	by            string
	factor, added *big.Rat
}

// shareOf reads the words of a computation from one source; read is false where a part of them may mean another computation.
// Where they have none at all, there is nothing to read.
func shareOf(c *Constraint) (s share, any, read bool) {
	s = share{strings.TrimSpace(c.By), big.NewRat(1, 1), new(big.Rat)}
	before := s.cutBefore()
	after := s.cutAfter()
	comma, more := s.cutMore(after)
	isChain := more && comma && !after && s.cutAfter() // rate times 3, plus 20
	parts := 0
	for _, said := range []bool{before, after || isChain, more} {
		if said {
			parts++
		}
	}

	ambiguous := parts > 1 && !(parts == 2 && !after && more && comma) // half of the sum, or the sum with a half of it
	var member []string
	if len(c.Sources) > 0 {
		member = c.Sources[0].name()
	}
	left := slices.ContainsFunc(words(s.by), func(w string) bool { return isArithmetic(w) && !slices.Contains(member, w) })
	any = parts > 0 || left || calculating().MatchString(s.by)
	return s, any, any && !ambiguous && !left && !calculating().MatchString(s.by)
}

// cutBefore takes a part or a multiple from the begin of the words.
func (s *share) cutBefore() bool {
	for _, p := range partsBefore {
		if found := p.form().FindStringSubmatch(s.by); found != nil {
			if of := p.of(fold(found[1]), fold(found[2])); of != nil {
				s.by, s.factor = s.by[len(found[0]):], of
				return true
			}
		}
	}
	return false
}

// cutAfter takes a part or a multiple from the end of the words.
func (s *share) cutAfter() bool {
	for _, p := range partsAfter {
		if found := p.form().FindStringSubmatch(s.by); found != nil {
			if of := p.of(fold(found[1]), fold(found[2])); of != nil {
				s.by, s.factor = strings.TrimSuffix(s.by, found[0]), new(big.Rat).Mul(s.factor, of)
				return true
			}
		}
	}
	return false
}

// cutMore takes what is added or taken away from the end of the words, and reports whether a comma is before it.
func (s *share) cutMore(again bool) (comma, more bool) {
	found := moreOrLess().FindStringSubmatch(s.by)
	if found == nil || again {
		return false, found != nil
	}
	n := counted(found[3])
	if n == nil {
		return false, false
	}
	s.by = strings.TrimSuffix(s.by, found[0])
	if operationWords()[fold(strings.Fields(found[2])[0])] == minus || strings.ContainsAny(found[2], "-−") {
		n.Neg(n)
	}
	if found[4] == "" {
		s.added = n
	} else {
		s.factor = new(big.Rat).Mul(s.factor, n.Add(big.NewRat(1, 1), n.Quo(n, big.NewRat(100, 1))))
	}
	return found[1] != "", true
}

// calculating are the signs of a computation.
var calculating = pattern.OnUse(`[%+*×÷=]|\d ?/|/ ?\d`)

// isArithmetic reports whether a word computes something.
func isArithmetic(w string) bool {
	_, isPart := divisors()[strings.TrimSuffix(w, "s")]
	isPart = isPart && strings.HasSuffix(w, "s")
	return operationWords()[w] != otherwise || factors()[w] != nil || isPart || lexicon().Computing.Has(w)
}

// takesPart reports whether the words of a computation have a part or a multiple beside what is added up or taken away.
func takesPart(c *Constraint) bool {
	isPart := func(w string) bool {
		isName := slices.ContainsFunc(c.Sources, func(s Source) bool { return slices.Contains(s.name(), w) })
		return isArithmetic(w) && operationWords()[w] == otherwise && !isName
	}
	return slices.ContainsFunc(words(c.By), isPart)
}

// isShare reports whether a number is what a computation makes of the number of its only source, or of several of the one that
// its words single out.
func (m *matcher) isShare(want *big.Rat, c *Constraint, part share) bool {
	of := *c
	of.By = part.by
	text, ok := m.shared(&of)
	n, plain := new(big.Rat).SetString(text)
	return ok && plain && part.is(want, n)
}

// is reports whether a number is what a computation makes of another one. Of a number that isn't below zero it makes none that is.
func (s *share) is(want, of *big.Rat) bool {
	made := new(big.Rat).Mul(of, s.factor)
	made.Add(made, s.added)
	isBelow := made.Sign() < 0 && of.Sign() >= 0
	return !isBelow && equalToCent(made, want)
}

// isSingled reports whether the words of a computation single one number out of several.
func isSingled(by string) bool {
	which, ok := (&Constraint{Pick: scope.Choice, By: by}).criterion()
	return ok && which.order != nil && which.from == which.to
}

// shared returns the number that a computation takes a part of.
func (m *matcher) shared(c *Constraint) (string, bool) {
	of := Constraint{Kind: scope.Number, Pick: scope.Choice, By: c.By, From: c.Sources, Computed: true, scales: mayConvert(c)}
	if !isSingled(c.By) {
		return m.operand(c, c.Sources)
	}
	o := m.offers(c.Sources, &of, "")
	if !o.several(Argument{Role: label.Selector}) {
		return m.operand(c, c.Sources)
	}

	var one *candidate
	for _, best := range m.extremes(&of, o) {
		for i := range best {
			if one != nil && best[i].text != one.text {
				return "", false
			}
			if one == nil || m.isOfCall(c, best[i]) {
				one = &best[i]
			}
		}
		if len(best) == 0 {
			return "", false
		}
	}
	if one == nil || one.doubt != "" || !one.isPlain() || !m.isOfCall(c, *one) {
		return "", false
	}
	return one.text, true
}

// isOfCall reports whether a number of a computation's source is of a record that another value of the call
// is of, where one is of that listing. In a list it is one of the same element.
func (m *matcher) isOfCall(c *Constraint, v candidate) bool {
	used := false
	list, _ := elementIn("", m.element)
	for key, records := range m.bound.all {
		if in, place := elementIn("", key.choice); in != "" && in == list && place != m.element {
			continue
		}
		if slices.Contains(records, v.record) {
			return true
		}
		isOfListing := func(record recordID) bool { return record.call == v.call }
		used = used || key.of == sourcesKey(c.Sources) || slices.ContainsFunc(records, isOfListing)
	}
	return !used
}
