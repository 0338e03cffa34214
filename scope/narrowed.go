package scope

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// orders are the words of arguments that leave no record out: how a listing is written, and in
// which order.
var (
	orders = strings.Fields("format sort order ordering direction verbose")
	// besides are words of such names that mean nothing by themselves: sort_by is an order,
	// and order_status is not.
	besides = strings.Fields("by response output")
	// included are the words of what a listing has only where it is asked for.
	included = strings.Fields("include included including with show all")
)

// isOrder reports whether a name says no more than how a listing is written, or in which order.
func isOrder(name []string) bool {
	return oneOf(name, orders) && !slices.ContainsFunc(name, func(w string) bool { return !slices.Contains(orders, w) && !slices.Contains(besides, w) })
}

// pickedLate reports whether an argument that no source states may leave records out of a
// result, and may have been chosen by who wrote what the session read before it.
func (m *matcher) pickedLate(r *Result, a Argument) bool {
	key := argumentName(a.Pointer)
	if r.Early || oneOf(key, settings) {
		return false
	}

	n, err := whole(a.Text)
	isNumber := err == nil
	switch {
	case isNumber && (oneOf(key, lengths) || oneOf(key, limits)):
		return m.pages(r, a)
	case isNumber && oneOf(key, offsets):
		return n != 0
	case isNumber:
		return true
	}
	off := a.Text == "false" && !oneOf(key, included)
	return !off && !isOrder(key) && !m.statedFor(key, a.Text)
}

// leavesOut reports whether what an argument of an earlier call leaves out of its result is
// nothing that a source's conditions select: it says the same as one of them. Where all values
// are meant, one of several words ("candle" of "candle" and "candles") leaves out some of them,
// and adds none.
func (m *matcher) leavesOut(s *Source, a Argument, of *Constraint) bool {
	is := func(v Value) bool { return v != "" && same(string(v), a.Text, false) }
	isWord := func(words string) bool { return is(Value(words)) }
	some := of.Pick == All && !m.against && !m.strict
	onlyDays := s.days() == 1
	for i := range s.Where {
		w := &s.Where[i]
		if len(w.Or) > 0 {
			continue
		}
		if w.From != nil && m.filtersBy(w, a) {
			return true
		}
		if w.From != nil {
			continue
		}

		stated := (some || len(w.Is) == 1) && slices.ContainsFunc(w.Is, is)
		contained := (some || len(w.Contains) == 1) && slices.ContainsFunc(w.Contains, isWord)
		bounded := w.bounds(a) || w.boundsDays(a, onlyDays)
		if stated || contained || bounded || is(Value(w.Prefix)) || m.identifies(w, s, a) {
			return true
		}
	}
	return false
}

// identifies reports whether an argument of an earlier call is the id of what a condition names:
// the appointments of doctor D-12, where the request is about Hartwig, and a call of the scope
// found D-12 as the only one of that name.
func (m *matcher) identifies(w *Match, s *Source, a Argument) bool {
	key, name := argumentName(a.Pointer), head(w.name())
	isID := len(key) == len(name)+1 && key[len(key)-1] == "id" && slices.EqualFunc(key[:len(name)], name, sameWord)
	named := len(w.Is)+len(w.Contains) > 0 && !w.bounded() && !slices.Contains(w.Is, "")
	if m.against || m.joining || !isID || !named {
		return false
	}

	asked := map[[2]string]bool{}
	for _, r := range m.results {
		tool := [2]string{r.Server, r.Tool}
		listing := isTool(s.Server, s.Tool, r.Server, r.Tool)
		if listing || asked[tool] || !r.Covered || !r.Read || !m.work(perStep) {
			continue
		}
		asked[tool] = true
		if v, ok := m.idOfNamed(r, strings.Join(key, " "), w); ok && same(string(v), a.Text, true) {
			return true
		}
	}
	return false
}

// idOfNamed returns the id of the only record with the name of a condition that a tool of the
// scope listed, under the id's full name, or else as "id".
func (m *matcher) idOfNamed(r *Result, key string, w *Match) (Value, bool) {
	named := []Match{{Field: "name", Is: w.Is, Contains: w.Contains}}
	if v, ok := m.only([]Source{{Server: r.Server, Tool: r.Tool, Field: key, Where: named}}); ok {
		return v, true
	}
	return m.only([]Source{{Server: r.Server, Tool: r.Tool, Field: "id", Where: named}})
}

// days returns how many conditions of a source select days.
func (s *Source) days() int {
	n := 0
	for i := range s.Where {
		if first, last := s.Where[i].selectedDays(); !first.IsZero() || !last.IsZero() {
			n++
		}
	}
	return n
}

// filtersBy reports whether an argument of an earlier call asks for the value that a condition
// takes from another call, under the condition's own name: the tasks of the project that was found.
func (m *matcher) filtersBy(w *Match, a Argument) bool {
	if m.against || !slices.Equal(argumentName(a.Pointer), head(w.name())) {
		return false
	}
	v, ok := m.joined(w)
	return ok && same(string(v), a.Text, true)
}

// The words of arguments that bound what a listing has, on either side.
var (
	upper = strings.Fields("to until max maximum before end below")
	lower = strings.Fields("from since min minimum after start above")
)

// wholes are the members with no value between two numbers, so that "at most 1959" is "before
// 1960".
var wholes = strings.Fields("year years month months week weeks day days age persons guests seats nights")

// bounds reports whether an argument bounds a listing by the member of a condition, no tighter
// than the condition does: year_to 1959 leaves out nothing from before 1960.
func (w *Match) bounds(a Argument) bool {
	key := argumentName(a.Pointer)
	n, err := strconv.Atoi(a.Text)
	if err != nil || !w.isSideOf(key) {
		return false
	}

	below, belowErr := strconv.Atoi(string(w.Below))
	above, aboveErr := strconv.Atoi(string(w.Above))
	if oneOf(key, upper) {
		return belowErr == nil && (n >= below || (n == below-1 && oneOf(key, wholes)))
	}
	return aboveErr == nil && (n <= above || (n == above+1 && oneOf(key, wholes)))
}

// isSideOf reports whether an argument is called as one side of the member of a condition.
func (w *Match) isSideOf(key []string) bool {
	var of []string
	for _, word := range key {
		if !slices.Contains(upper, word) && !slices.Contains(lower, word) {
			of = append(of, word)
		}
	}
	return oneOf(key, upper) != oneOf(key, lower) && slices.EqualFunc(of, head(w.name()), sameWord)
}

// isBareSide reports whether an argument is called as a side of days, and of no member.
func isBareSide(key []string) bool {
	named := slices.ContainsFunc(key, func(word string) bool {
		return !slices.Contains(upper, word) && !slices.Contains(lower, word) && word != "date" && word != "day"
	})
	return !named && oneOf(key, upper) != oneOf(key, lower)
}

// excluding are the words of a side on which the day of the argument itself is left out.
var excluding = strings.Fields("before after below above")

// boundsDays reports whether an argument bounds a listing by days and leaves out none that a
// condition selects: the one on its member, or the source's only one on days where the argument
// names no member ("from").
func (w *Match) boundsDays(a Argument, only bool) bool {
	key := argumentName(a.Pointer)
	day, ok := moment(a.Text)
	bounds := w.isSideOf(key) || (only && isBareSide(key))
	if !ok || !isDay(Value(a.Text)) || !bounds {
		return false
	}

	beside := 0
	if oneOf(key, excluding) {
		beside = 1
	}
	first, last := w.selectedDays()
	if oneOf(key, upper) {
		return !last.IsZero() && !day.Before(last.AddDate(0, 0, beside))
	}
	return !first.IsZero() && !day.After(first.AddDate(0, 0, -beside))
}

// selectedDays returns the first and the last day that a condition selects; zero where it has none.
func (w *Match) selectedDays() (first, last time.Time) {
	if after, ok := moment(string(w.After)); ok && isDay(w.After) {
		first = after.AddDate(0, 0, 1)
	}
	if before, ok := moment(string(w.Before)); ok && isDay(w.Before) {
		last = before.AddDate(0, 0, -1)
	}
	if areDays(w.Is) {
		values := slices.Sorted(slices.Values(w.Is)) // as they are written, by time
		first, _ = moment(string(values[0]))
		last, _ = moment(string(values[len(values)-1]))
	}
	return first, last
}

// statedFor reports whether the scope states a value for an argument of a name, in whatever call:
// a calendar that the request is about.
func (m *matcher) statedFor(key []string, text string) bool {
	return slices.ContainsFunc(m.stating[strings.Join(key, " ")], func(v Value) bool { return same(string(v), text, true) })
}

// stating returns the values that a scope states, by the names of the arguments.
func (s *Scope) stating() map[string][]Value {
	out := map[string][]Value{}
	var note func(args []Arg)
	note = func(args []Arg) {
		for i := range args {
			a := &args[i]
			name := strings.Join(argumentName(a.Pointer), " ")
			out[name] = append(append(out[name], a.Is...), a.Date...)
			for _, from := range slices.Concat(a.From, a.Except, a.Sources) {
				note(from.Args)
			}
		}
	}
	for i := range s.Calls {
		note(s.Calls[i].Args)
	}
	return out
}
