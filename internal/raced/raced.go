// Package raced reports to tests whether the race detector watches them. A long table that one
// goroutine plays takes five times as long with it, and has no race to find.
package raced

import "testing"

// SkipTable skips a table that the gate plays in its run without the race detector.
func SkipTable(t *testing.T) {
	t.Helper()
	if enabled {
		t.Skip("no goroutines meet in this table: it is played without the race detector")
	}
}
