package superlative_test

import (
	"testing"

	"github.com/remit-project/remit/internal/superlative"
)

// TestRestricts: a criterion restricts by a superlative, a place in a list, and words that leave values out. A span of time, and
// what a thing is called, is none of these.
func TestRestricts(t *testing.T) {
	for criterion, want := range map[string]bool{
		"the newest":             true,
		"the second in the list": true,
		"all but Ann's":          true,
		"older than a month":     true,
		"of last month":          false,
		"by first name":          true, // a place
		"by their names":         false,
		"":                       false,
	} {
		if got := superlative.Restricts(criterion); got != want {
			t.Errorf("%q: %v, want %v", criterion, got, want)
		}
	}
}
