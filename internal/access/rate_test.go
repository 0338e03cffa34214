package access

import (
	"strconv"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 7, 12, 0, 0, 0, time.UTC)

// Each caller has a rate of its own, which time gives back.
func TestRates(t *testing.T) {
	r := NewRates(60)
	for i := range 60 {
		if wait := r.Take("ann", noon); wait != 0 {
			t.Fatalf("request %d waits %s", i, wait)
		}
	}
	if wait := r.Take("ann", noon); wait != time.Second {
		t.Errorf("one too many waits %s", wait)
	}
	if wait := r.Take("bob", noon); wait != 0 {
		t.Errorf("another caller waits %s", wait)
	}

	// Who asks in vain loses nothing by that.
	later := noon.Add(time.Second)
	if wait := r.Take("ann", later); wait != 0 {
		t.Errorf("after a second it waits %s", wait)
	}
	if r.Take("ann", later) == 0 {
		t.Error("two in a second")
	}
}

// More callers than there is room for share a rate, and no caller can push another's out.
func TestRatesAreBounded(t *testing.T) {
	r := NewRates(2)
	for i := range 2 * maxRated {
		r.Take("c"+strconv.Itoa(i), noon)
	}
	if len(r.by) > maxRated+1 {
		t.Errorf("%d are kept", len(r.by))
	}
	if r.Take("c0", noon) != 0 || r.Take("c0", noon) == 0 {
		t.Error("the first caller's rate is not what it was")
	}
	if r.Take("new", noon) == 0 {
		t.Error("a new caller has a rate of its own")
	}
	if r.Take("new", noon.Add(time.Hour)) != 0 || len(r.by) > maxRated {
		t.Error("the silent ones have not gone")
	}
}

// Without a rate everything passes.
func TestNoRates(t *testing.T) {
	r := NewRates(0)
	for range 1000 {
		if r.Take("ann", noon) != 0 || r.PerMinute() != 0 {
			t.Fatal("a request waits")
		}
	}
}
