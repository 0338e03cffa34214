package match

import (
	"strconv"
	"strings"
)

// Where a result is among those of a match, and which of them are of the same call, is looked up for each value: it is found once.

// sequence says where each result is among those of a match.
type sequence struct {
	places map[string]int // by the call's id
	// calls tells the calls apart: those with the same tool and arguments have the same number.
	calls []int
	// results are those of each of these, and latest is the last covered one; -1 for none.
	results [][]int
	latest  []int
}

// sequence returns the places of the results.
func (m *matcher) sequence() *sequence {
	if m.placed != nil {
		return m.placed
	}
	p, numbers := &sequence{places: make(map[string]int, len(m.results))}, make(map[string]int, len(m.results))
	for i, r := range m.results {
		key := r.callKey()
		m.work(len(key) / perStep) // to hash a text takes less than to look through it
		if _, known := p.places[r.Call]; !known {
			p.places[r.Call] = i
		}

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
	m.placed = p
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
