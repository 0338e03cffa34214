// Package raced reports to tests whether the race detector watches them. A long table that one
// goroutine plays takes five times as long with it, and has no race to find.
package raced

import "testing"

// SkipTable skips a table that the gate plays in its run without the race detector: one that one
// goroutine plays, or whose goroutines meet in other tests of its package as they do in it.
func SkipTable(t *testing.T) {
	t.Helper()
	if enabled {
		t.Skip("this table has no race of its own to find: it is played without the race detector")
	}
}
