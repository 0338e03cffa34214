// Package memo keeps what was worked out once for whoever asks again.
package memo

import "sync"

// Most is how many values a [Map] keeps. Beyond it, all are worked out again.
const Most = 4096

// Map keeps values by all that they were worked out of. The zero Map is empty. It is safe for
// concurrent use.
type Map[K comparable, V any] struct {
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
	if m.kept == nil || len(m.kept) >= Most {
		m.kept = map[K]V{}
	}
	m.kept[key] = v
	return v
}
