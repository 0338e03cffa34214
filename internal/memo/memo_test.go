package memo_test

import (
	"strconv"
	"strings"
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

// What is kept is bounded by its bytes as well, of which a long text has many: a value is worked out again after too many of them, and at once
// after none.
func TestMapOfLongTexts(t *testing.T) {
	var m memo.Map[[2]string, string]
	worked := 0
	long := strings.Repeat("a", memo.MostBytes/8)
	of := func(key string) {
		m.Of([2]string{key, "said"}, func() string { worked++; return long })
	}

	for range 2 {
		of("first")
	}
	if worked != 1 {
		t.Errorf("worked out %d times", worked)
	}
	for i := range 8 {
		of(strconv.Itoa(i))
	}
	worked = 0
	if of("first"); worked != 1 {
		t.Error("more bytes are kept than the bound")
	}
	if of("first"); worked != 1 {
		t.Error("the last value is not kept")
	}
}
