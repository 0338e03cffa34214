package normal

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// slowSkeleton is what [Skeleton] says, character by character, without its short cuts.
func slowSkeleton(s string) string {
	table := lookalikesOnce().of
	var out strings.Builder
	space := false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.IsSpace(r), blank(r):
			if !space {
				out.WriteByte(' ')
			}
			space = true
			continue
		case ignorable(r), unicode.Is(unicode.Mn, r), unicode.Is(unicode.Cc, r):
			continue
		}
		space = false
		if _, ok := table[r]; !ok {
			r = orbitLeast(r)
		}
		if to, ok := table[r]; ok {
			out.WriteString(to)
		} else {
			out.WriteRune(r)
		}
	}
	return strings.NewReplacer("rn", "m", "vv", "w", "cl", "d").Replace(out.String())
}

// The short cuts of a skeleton change nothing of it.
func TestSkeletonIsThatOfEachCharacter(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.StringMatching(`[rnvclI1 \x00-\x7f]{0,24}`))
	rapid.Check(t, func(t *rapid.T) {
		s := texts.Draw(t, "text")
		if got, want := Skeleton(s), slowSkeleton(s); got != want {
			t.Fatalf("Skeleton(%q) = %q, want %q", s, got, want)
		}
		if got, want := string(AppendSkeleton([]byte("rn"), s)), "rn"+slowSkeleton(s); got != want {
			t.Fatalf("AppendSkeleton(%q) = %q, want %q", s, got, want)
		}
	})
}
