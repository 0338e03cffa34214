// Package memo keeps what was worked out once for whoever asks again.
package memo

import (
	"cmp"
	"sync"
)

const (
	// Most is how many values a [Map] keeps that has no other bound.
	Most = 4096
	// MostBytes bounds what a [Map] keeps, in bytes: the texts that others send may be long. The last value is kept whatever its size.
	MostBytes = 4 << 20
)

// Map keeps values by all that they were worked out of. The zero Map is empty. It is safe for
// concurrent use.
type Map[K comparable, V any] struct {
	// Bound is how many values are kept; 0 for [Most]. Beyond it, all are worked out again.
	Bound int

	mu    sync.Mutex
	kept  map[K]V
	bytes int // of the keys and values, as far as these say so
}

// Sized is a key or a value that says how much memory it takes.
type Sized interface {
	// Size returns that in bytes, roughly.
	Size() int
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
	size := sizeOf(key) + sizeOf(v)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil || len(m.kept) >= cmp.Or(m.Bound, Most) || m.bytes+size > MostBytes {
		m.kept, m.bytes = map[K]V{}, 0
	}
	m.kept[key] = v
	m.bytes += size
	return v
}

// sizeOf returns the size of a key or a value: that of its texts, or what it says; 0 for another one.
func sizeOf(of any) int {
	texts := 0
	switch of := of.(type) {
	case Sized:
		return of.Size()
	case string:
		return len(of)
	case []string:
		for _, s := range of {
			texts += len(s)
		}
	case [2]string:
		return len(of[0]) + len(of[1])
	case [3]string:
		return len(of[0]) + len(of[1]) + len(of[2])
	}
	return texts
}
