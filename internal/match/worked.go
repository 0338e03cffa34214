package match

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// The sources of a computation say whether its result is a number, a moment or a text, and not how a call writes it: "800 EUR", "eight hundred"
// and "all" are as little the half of 80 as 800 is. A value that no check can read is refused.

// computed accepts a value that follows from the request and the sources: a number and a moment where a program works them out to be that, and a
// text where nothing that is computed from is a number or a time, no authority lies in it, and it selects nothing.
func (m *matcher) computed(c *Constraint, a Argument) (Grant, string) {
	g := Grant{Way: WayComputed, By: c.By}
	at, isTime := moment(strings.TrimSpace(a.Text))
	tells := m.irreversible && numbers().MatchString(c.By)
	checked := len(c.Sources) > 0 || ((a.Doubtful || tells) && a.Role != label.Content)
	miss := ""
	switch {
	case m.isPartOf(c, a.Text):
		return g, ""
	case readsAsNumber(a.Text) && checked:
		if v, ok := number(a.Text); !ok || !m.follows(v, c) {
			miss = m.say("%s doesn't follow from what the request and its sources say", short(a.Text))
		}
		return g, miss
	case isTime:
		is, why := m.isMoved(at, c, a)
		if is {
			return g, ""
		}
		miss = why
	case len(c.Sources) > 0:
		is, why := m.isWorded(c, &a)
		if is {
			return g, ""
		}
		miss = why
	}

	decides := a.authority() || a.Role == label.Selector || (m.irreversible && a.Role != label.Content)
	if miss == "" && a.Doubtful && decides {
		miss = errOpen
	}
	return g, miss
}

// isMoved reports whether a moment is that of the sources, as the words of a computation move it; or why it can't be. Where no program can tell, a
// call that can be taken back may have it.
func (m *matcher) isMoved(at time.Time, c *Constraint, a Argument) (is bool, miss string) {
	switch is, known := m.moved(at, isDay(scope.Value(a.Text)), c, a); {
	case is:
		return true, ""
	case known:
		return false, m.say("%s is not what the sources say, %s", short(a.Text), c.By)
	case m.irreversible && !m.mayFollow(at, c, &a):
		return false, m.say("nothing says that %s is what is computed, %s", short(a.Text), c.By)
	}
	return false, ""
}

// isWorded reports whether a text that is neither a number nor a moment is what a computation from sources says, or why it can't be.
func (m *matcher) isWorded(c *Constraint, a *Argument) (is bool, miss string) {
	given, called := m.given(c.Sources)
	isMeasured := slices.ContainsFunc(given, isMeasurement)
	none := m.say("%s is not in a form in which it can be held to what the sources say", short(a.Text))
	switch {
	case !called && m.irreversible:
		return false, m.unanswered(c.Sources, c)
	case m.isTimed(c, a, given), m.isAmount(c, a):
		return true, ""
	case (isMeasured || len(given) == 0) && isCalculation(c):
		return false, none
	case !isMeasured && (len(given) > 0 || a.Role == label.Content):
		return false, ""
	case a.Role != label.Content || (m.irreversible && !hasOnly(a.Text, given)):
		return false, none
	}
	return false, ""
}

// given returns what sources have in the member that a computation takes, as a whole, and whether one was called.
func (m *matcher) given(of []Source) (texts []string, called bool) {
	for _, pick := range []scope.Pick{scope.Only, scope.All} {
		o := m.offers(of, &Constraint{From: of, Pick: pick, Computed: true}, "")
		called = called || o.called
		for _, v := range o.values {
			if !v.missing {
				texts = append(texts, v.text)
			}
		}
	}
	return texts, called
}

// isMeasurement reports whether a text is a number or a time, or an amount with its unit.
func isMeasurement(text string) bool {
	const mostWords = 2
	text = strings.TrimSpace(text)
	_, isClock := clock(text)
	isNumber := readsAsNumber(text) || (len(strings.Fields(text)) <= mostWords && strings.ContainsFunc(text, unicode.IsDigit))
	return isNumber || isClock || isMoment(text)
}

// isCalculation reports whether the words of a computation work a number or a moment out of others.
func isCalculation(c *Constraint) bool {
	_, isPart, _ := shareOf(c)
	said := words(c.By)
	isLater := length().MatchString(fold(c.By)) && (lexicon().Forwards.In(said) || lexicon().Backwards.In(said))
	return isPart || isLater || isSum(said, c.Sources[0].name()) || len(operationsOf(c)) > 0
}

// isAmount reports whether a text is the number that is computed, with the currency that the call is in.
func (m *matcher) isAmount(c *Constraint, a *Argument) bool {
	parts := strings.Fields(a.Text)
	if len(parts) != 2 {
		return false
	}
	isTaken := func(u unit) bool { return u.of == "money" && slices.Contains(m.taken(), u) }
	for i, text := range parts {
		n, ok := number(text)
		if ok && slices.ContainsFunc(unitsCalled(fold(parts[1-i])), isTaken) {
			return m.follows(n, c)
		}
	}
	return false
}

// isPartOf reports whether a text is the year, the month or the day of the only moment that a computation is of, where its words are for nothing else.
func (m *matcher) isPartOf(c *Constraint, text string) bool {
	said := words(c.By)
	if len(c.Sources) != 1 || len(said) == 0 || len(partsOfDays()[said[0]]) == 0 || isCalculation(c) {
		return false
	}
	all := m.moments(c.Sources)
	isOf := func(form string) bool { return all[0].Format(form) == text }
	return len(all) == 1 && slices.ContainsFunc(partsOfDays()[said[0]], isOf)
}

// partsOfDays are the ways to write a part of a moment.
var partsOfDays = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"year": {"2006"}, "month": {"2006-01", "01", "1", "January", "Jan"}, "day": {time.DateOnly, "02", "2"}, "weekday": {"Monday", "Mon"},
	}
})

// isTimed reports whether a time of the day is that of a source, moved by the lengths of time in the words of a computation.
func (m *matcher) isTimed(c *Constraint, a *Argument, given []string) bool {
	want, ok := clock(a.Text)
	if !ok {
		return false
	}

	of := map[time.Duration]bool{}
	for _, text := range given {
		if at, isClock := clock(text); isClock {
			of[at] = true
		} else if t, isMoment := moment(strings.TrimSpace(text)); isMoment {
			of[t.Sub(dayOf(t))] = true
		}
	}
	if len(of) != 1 {
		return false // which of them is meant is a question
	}
	for from := range of {
		noon := time.Date(2000, 1, 15, 0, 0, 0, 0, time.UTC) // a day in the middle of days
		return slices.ContainsFunc(later(noon.Add(from), c.By), func(t time.Time) bool { return t.Sub(dayOf(t)) == want })
	}
	return false
}

// hasOnly reports whether a text has a number, and none that isn't in what it is computed from.
func hasOnly(text string, given []string) bool {
	in := map[string]bool{}
	for _, from := range given {
		for _, n := range digits().FindAllString(from, maxDigits) {
			in[strings.TrimLeft(n, "0")] = true
		}
	}
	all := digits().FindAllString(text, maxDigits)
	return len(all) > 0 && !slices.ContainsFunc(all, func(n string) bool { return !in[strings.TrimLeft(n, "0")] })
}

// tellsMoment reports whether a text of a source that has no such member tells a moment in words ("June 10th at 1 PM"): its day, and its hour.
func (m *matcher) tellsMoment(at time.Time, c *Constraint, a *Argument) bool {
	if a.Role != label.Content {
		return false
	}
	listing := &Constraint{From: c.Sources, Kind: scope.Date, Pick: scope.Only}
	says := func(text string) bool { return tellsMoment(text, at, isDay(scope.Value(a.Text))) }
	isBody := func(f *field) bool { return lexicon().Bodies.In(f.key) } // and no remark
	return slices.ContainsFunc(c.Sources, func(s Source) bool {
		return slices.ContainsFunc(m.results, func(r *Result) bool { return m.tells(&s, listing, r, isBody, says) })
	})
}

// tellsMoment reports whether a text has the numbers of a day and of an hour, and no other form of the moment.
func tellsMoment(text string, at time.Time, day bool) bool {
	inWords := instants().ReplaceAllString(text, " ") // which a program reads
	hour, half := strconv.Itoa(at.Hour()), strconv.Itoa((at.Hour()+11)%12+1)
	isHour := slices.ContainsFunc(digits().FindAllString(text, maxDigits), func(n string) bool {
		n = strings.TrimPrefix(n, "0")
		return n == hour || n == half
	})
	return hasDay(inWords, at.Day()) && (day || isHour)
}

// saysDay reports whether the words of a computation from no source, or the user's, name a day: today, or by its number.
func (m *matcher) saysDay(at time.Time, by string) bool {
	now := m.proposal.Now
	for away, name := range []string{"today", "tomorrow"} {
		if slices.Contains(words(by), name) {
			return !now.IsZero() && sameDay(at, now.AddDate(0, 0, away))
		}
	}
	return hasDay(by, at.Day()) || hasDay(m.folded, at.Day())
}
