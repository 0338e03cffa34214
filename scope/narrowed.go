package scope

import (
	"slices"
	"strconv"
	"strings"
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
// result, and may have been chosen by who wrote what the session read before it. The words of
// a condition leave out only what doesn't meet it.
func (m *matcher) pickedLate(s *Source, r *Result, a Argument) bool {
	key := argumentName(a.Pointer)
	first := len(m.results) > 0 && m.results[0] == r
	stated := slices.ContainsFunc(s.Where, func(w Match) bool {
		is := func(v Value) bool { return same(string(v), a.Text, false) }
		return slices.ContainsFunc(w.Is, is) || (w.Contains != "" && is(Value(w.Contains))) || (w.Prefix != "" && is(Value(w.Prefix)))
	})
	if first || stated || oneOf(key, settings) {
		return false
	}

	n, err := strconv.Atoi(a.Text)
	isNumber := err == nil
	switch {
	case isNumber && (oneOf(key, lengths) || oneOf(key, limits)):
		return m.pages(r, a)
	case isNumber && oneOf(key, offsets):
		return n != 0
	}
	off := a.Text == "false" && !oneOf(key, included)
	return !off && !isOrder(key)
}
