package memo_test

import (
	"testing"

	"github.com/remit-project/remit/internal/memo"
)

// A value is worked out once, and once more where too many others came after it.
func TestMap(t *testing.T) {
	var m memo.Map[int, int]
	worked := 0
	square := func(n int) int {
		return m.Of(n, func() int { worked++; return n * n })
	}

	for range 2 {
		if square(3) != 9 || worked != 1 {
			t.Errorf("worked out %d times", worked)
		}
	}
	for n := range memo.Most + 1 {
		square(n)
	}
	worked = 0
	if square(0) != 0 || worked != 1 {
		t.Errorf("more than %d are kept", memo.Most)
	}
}
