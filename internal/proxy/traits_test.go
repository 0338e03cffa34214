package proxy_test

import (
	"testing"

	"github.com/remit-project/remit/internal/proxy"
)

// TestBroughtIsBounded: what a conversation brings takes no more memory than a bound, nothing that was brought is forgotten for it, and little
// else passes for it.
func TestBroughtIsBounded(t *testing.T) {
	const spread = 0x9e3779b97f4a7c15 // the keys of words are hashes
	key := func(i int) uint64 { return uint64(i) * spread }
	add, isOne, isText := proxy.Brought()
	for i := range proxy.MaxExact {
		add(key(i))
	}
	for i := range proxy.MaxExact {
		if !isOne(key(i)) || isText(key(i)) || isOne(key(i+proxy.MaxExact)) {
			t.Fatalf("word %d is not told apart", i)
		}
	}

	more := func() {
		for i := range 3 * proxy.MaxExact {
			add(key(i))
		}
	}
	add(key(proxy.MaxExact)) // the last one that may make a table
	if n := testing.AllocsPerRun(1, more); n > 0 {
		t.Errorf("%.0f allocations for words beyond the bound", n)
	}
	wrong := 0
	for i := range 3 * proxy.MaxExact {
		if !isOne(key(i)) {
			t.Fatalf("word %d is forgotten", i)
		}
		if isOne(^key(i)) || isText(key(i)) {
			wrong++
		}
	}
	if most := 3 * proxy.MaxExact / 20; wrong > most {
		t.Errorf("%d words pass for others, at most %d", wrong, most)
	}
}
