package scalar_test

import (
	"slices"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/scalar"
)

// TestNumber: a plain number has one form, and what may be a code is none.
func TestNumber(t *testing.T) {
	for text, want := range map[string]string{"12": "12", "12.50": "12.5", "-0": "0", "1.0": "1", "0012": "", "1e3": "", "1,000": "", "+1": "", "": ""} {
		if got, ok := scalar.Number(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, ok, want)
		}
	}
}

// TestMoment: a day and a moment of a day are moments, with or without a zone.
func TestMoment(t *testing.T) {
	for text, zoned := range map[string]bool{"2026-01-31": false, "2026-01-31 14:00": false, "2026-01-31T14:00:05": false, "2026-01-31T14:00:00Z": true, "2026-01-31T14:00:00+02:00": true, "2026-01-31T14:00+02:00": true, "2026-01-31 14:00Z": true} {
		at, ok := scalar.Moment(text)
		if !ok || (at.Location() == scalar.Unzoned) == zoned || scalar.IsZoned(text) != zoned {
			t.Errorf("%q: %v, %v", text, at, ok)
		}
	}
	for _, text := range []string{"14:00", "2026-02-30", "Tuesday", "2026-01-31 14:00 sharp, at the station"} {
		if at, ok := scalar.Moment(text); ok {
			t.Errorf("%q: %v", text, at)
		}
	}
}

// TestClock: a time of the day alone is no moment.
func TestClock(t *testing.T) {
	for text, want := range map[string]time.Duration{"14:30": 14*time.Hour + 30*time.Minute, "2:30 pm": 14*time.Hour + 30*time.Minute, "09:00:05": 9*time.Hour + 5*time.Second} {
		if got, ok := scalar.Clock(text); !ok || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"25:00", "2026-01-31 14:00", "1430", "noon"} {
		if got, ok := scalar.Clock(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestWords: names in any casing have the same words.
func TestWords(t *testing.T) {
	for _, name := range []string{"dueDate", "due_date", "Due Date", "DUE-DATE"} {
		if got := scalar.Words(name); !slices.Equal(got, []string{"due", "date"}) {
			t.Errorf("%q: %q", name, got)
		}
	}
}
