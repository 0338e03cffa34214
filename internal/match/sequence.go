package match

import (
	"slices"
	"strconv"
	"strings"
)

// Where a result is among those of a match, and which of them are of the same call, is looked up for each value: it is found once, and kept
// as long as there are no other results.

// sequence says where each result is among those of a match.
type sequence struct {
	of     []*Result
	steps  int            // that it takes, which each match is charged for: what a call may take doesn't depend on the calls before it
	places map[string]int // the first of a call's id
	ends   map[string]int // the last of it
	// calls tells the calls apart: those with the same tool and arguments have the same number.
	calls []int
	// results are those of each of these, and latest is the last covered one; -1 for none.
	results [][]int
	latest  []int
}

// sequence returns the places of the results.
func (m *matcher) sequence() *sequence {
	if m.placed == nil {
		if !slices.Equal(m.kept.of, m.results) {
			*m.kept = newSequence(m.results)
		}
		m.placed = m.kept
		m.steps -= m.placed.steps
	}
	return m.placed
}

func newSequence(results []*Result) sequence {
	p := sequence{of: slices.Clone(results), places: make(map[string]int, len(results)), ends: make(map[string]int, len(results))}
	numbers := make(map[string]int, len(results))
	for i, r := range results {
		key := r.callKey()
		p.steps += 1 + len(key)/(perStep*perStep) // to hash a text takes less than to look through it
		if _, known := p.places[r.Call]; !known {
			p.places[r.Call] = i
		}
		p.ends[r.Call] = i

		n, known := numbers[key]
		if !known {
			n = len(numbers)
			numbers[key], p.latest, p.results = n, append(p.latest, -1), append(p.results, nil)
		}
		p.calls, p.results[n] = append(p.calls, n), append(p.results[n], i)
		if r.Covered {
			p.latest[n] = i
		}
	}
	return p
}

// callKey identifies the call of a result by its tool and arguments.
func (r *Result) callKey() string {
	var key strings.Builder
	note := func(text string) {
		key.WriteString(strconv.Itoa(len(text)))
		key.WriteByte(':')
		key.WriteString(text)
	}
	note(r.Server)
	note(r.Tool)
	for _, a := range r.Args {
		note(a.Pointer)
		note(a.Text)
	}
	return key.String()
}

// ofCall returns the results from the first one of a call's id to the last. Those between may be of other calls.
func (m *matcher) ofCall(id string) []*Result {
	end, known := m.sequence().ends[id]
	if !known {
		return nil
	}
	return m.results[m.sequence().places[id] : end+1]
}

// placeOf returns where the result of a value is; -1 for a value out of a text.
func (m *matcher) placeOf(v candidate) int {
	if v.record == (recordID{}) || !m.step() {
		return -1
	}
	if i, known := m.sequence().places[v.call]; known {
		return i
	}
	return -1
}

// recordOf returns the result that a value is of, and its record there; nil for a value out of a text.
func (m *matcher) recordOf(v candidate) (*Result, string) {
	i := m.placeOf(v)
	if i < 0 {
		return nil, ""
	}
	return m.results[i], v.record.pointer
}

// isCutShort reports whether the call of a result was made again and returned a part: nothing says that what it had is all there is now.
func (m *matcher) isCutShort(place int) bool {
	again := m.sequence().results[m.sequence().calls[place]]
	last := again[len(again)-1]
	return last > place && m.results[last].more
}

// isStale reports whether the call that a value is of was made again: the later result is what there is.
func (m *matcher) isStale(v candidate) bool {
	i := m.placeOf(v)
	return i >= 0 && m.sequence().latest[m.sequence().calls[i]] > i
}
