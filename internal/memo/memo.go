// Package memo keeps what was worked out once for whoever asks again.
package memo

import (
	"cmp"
	"sync"
)

// Most is how many values a [Map] keeps that has no other bound.
const Most = 4096

// Map keeps values by all that they were worked out of. The zero Map is empty. It is safe for
// concurrent use.
type Map[K comparable, V any] struct {
	// Bound is how many values are kept; 0 for [Most]. Beyond it, all are worked out again.
	Bound int

	mu   sync.Mutex
	kept map[K]V
}

// Of returns the value of a key. Where it isn't kept, it is worked out, maybe by several at the same time.
func (m *Map[K, V]) Of(key K, work func() V) V {
	m.mu.Lock()
	v, ok := m.kept[key]
	m.mu.Unlock()
	if ok {
		return v
	}

	v = work()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil || len(m.kept) >= cmp.Or(m.Bound, Most) {
		m.kept = map[K]V{}
	}
	m.kept[key] = v
	return v
}
