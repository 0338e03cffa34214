package match_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
)

// TestTitled: a title is found in one pass, as these expressions find it in many.
func TestTitled(t *testing.T) {
	titled := regexp.MustCompile(`^[ \t]*[-–—_=*~]{3,}[ \t]*\pL.*[-–—_=*~]{3,}[ \t]*$|-{4,}[ \t]*\pL[^-]*-{4,}`)
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"-", "--", "---", "----", "–––", "—", "===", "* * *", " ", "\t", "Ann", "é", "7", ":"}), 0, 9).Draw(t, "parts")
		line := strings.Join(parts, "")
		if got, want := match.IsTitled(line), titled.MatchString(line); got != want {
			t.Fatalf("%q: %v, want %v", line, got, want)
		}
	})
}
