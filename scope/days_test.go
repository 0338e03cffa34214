package scope_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/scope"
)

// dated parses a scope whose argument is on some days.
func dated(t require, days string) (*scope.Scope, []scope.Refusal) {
	t.Helper()
	s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"book","args":{"/on":{"date":`+days+`}}}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, refused
}

// require is what a check of a test or of a property reports to.
type require interface {
	Helper()
	Fatal(args ...any)
}

// TestDays: a span has its ends and all days between, and no others.
func TestDays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 800).Draw(rt, "first"))
		length := rapid.IntRange(0, scope.MaxDays-1).Draw(rt, "length")
		last := first.AddDate(0, 0, length)
		s, refused := dated(rt, fmt.Sprintf("%q", first.Format(time.DateOnly)+"/"+last.Format(time.DateOnly)))
		if len(refused) > 0 {
			rt.Fatal(refused)
		}
		days := s.Calls[0].Args[0].Days()
		if len(days) != length+1 || !slices.IsSorted(days) || string(days[0]) != first.Format(time.DateOnly) || string(days[length]) != last.Format(time.DateOnly) {
			rt.Fatal(days)
		}
	})
}

// TestNoDays: what is no day, begins after it ends or has too many days is refused.
func TestNoDays(t *testing.T) {
	for _, days := range []string{`"2026-1-1"`, `"2026-01-02/2026-01-01"`, `"2026-01-01/"`, `"/2026-01-01"`, `"2026-01-01/2026-01-02/2026-01-03"`, `"2026-01-01/2027-01-02"`,
		`["2026-01-01/2026-12-31","2026-01-01","2026-01-02"]`, `"0001-01-01/9999-12-31"`} {
		if _, refused := dated(t, days); len(refused) != 1 || !strings.Contains(refused[0].Message, "date") {
			t.Errorf("%s: refused %v", days, refused)
		}
	}
}
