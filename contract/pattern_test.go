package contract_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"pgregory.net/rapid"
)

func TestPatternMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, pointer string
		want             bool
	}{
		{"", "", true},
		{"", "/a", false},
		{"/a", "/a", true},
		{"/a", "/a/b", false},
		{"/a", "/ab", false},
		{"/a", "a", false},
		{"/a", "", false},
		{"/", "/", true},
		{"/*", "/", true},
		{"/*", "/a", true},
		{"/*", "/a/b", false},
		{"/a/*", "/a/0", true},
		{"/a/*", "/a", false},
		{"/a/*/b", "/a/x/b", true},
		{"/a/*/b", "/a/x/y/b", false},
		{"/a/**", "/a", true},
		{"/a/**", "/a/b/c", true},
		{"/a/**", "/ab", false},
		{"/**", "", true},
		{"/**", "/a/b", true},
		{"/**/id", "/id", true},
		{"/**/id", "/0/emails/3/id", true},
		{"/**/id", "/0/id/x", false},
		{"/**/id/**", "/0/id/x", true},
		{"/**/a/*/b", "/a/a/x/b", true},
		{"/**/a/**/b", "/x/a/y/a/z/b", true},
		{"/**/a/**/b", "/x/b/a", false},
		{"/a~1b", "/a~1b", true},
		{"/a~1b", "/a/b", false},
		{"/a~0b", "/a~0b", true},
		{"/~2", "/*", true},
		{"/~2", "/a", false},
		{"/~2~2", "/**", true},
		{"/*", "/*", true},
	} {
		p, err := contract.ParsePattern(tt.pattern)
		if err != nil {
			t.Errorf("%q: %v", tt.pattern, err)
			continue
		}
		if got := p.Match(tt.pointer); got != tt.want {
			t.Errorf("%q matches %q: %v, want %v", tt.pattern, tt.pointer, got, tt.want)
		}
		if p.String() != tt.pattern {
			t.Errorf("%q is printed as %q", tt.pattern, p)
		}
	}
}

func TestPatternErrors(t *testing.T) {
	for name, tt := range map[string]struct{ pattern, want string }{
		"no slash":        {"a", "must begin with a slash"},
		"star in a name":  {"/user*", "mixes a star"},
		"three stars":     {"/***", "mixes a star"},
		"lone tilde":      {"/a~", "lone ~"},
		"unknown escape":  {"/a~3", "lone ~"},
		"doubled":         {"/**/**", "in a row"},
		"too long":        {"/" + strings.Repeat("a", 5000), "longer than"},
		"too many levels": {strings.Repeat("/a", 65), "segments"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := contract.ParsePattern(tt.pattern)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestPatternCompare(t *testing.T) {
	// From the least to the most specific one.
	order := []string{"/**", "/**/id", "/*/**", "/*", "/*/id", "/a/**", "/a/**/id", "/a", "/a/*/**", "/a/*", "/a/b/**", "/a/b"}
	for i, a := range order {
		for j, b := range order {
			p, _ := contract.ParsePattern(a)
			q, _ := contract.ParsePattern(b)
			got := p.Compare(q)
			if back := q.Compare(p); got != -back {
				t.Errorf("%s and %s: %d and %d", a, b, got, back)
			}
			if i == j && got != 0 {
				t.Errorf("%s is not itself: %d", a, got)
			}
			// Only patterns that can match the same pointer need an order.
			if i < j && got > 0 && overlap(a, b) {
				t.Errorf("%s says more than %s", a, b)
			}
		}
	}
}

// overlap reports whether two patterns match one pointer of a small set.
func overlap(a, b string) bool {
	p, _ := contract.ParsePattern(a)
	q, _ := contract.ParsePattern(b)
	for _, x := range []string{"", "/a", "/b", "/id", "/a/b", "/a/id", "/b/id", "/a/b/id", "/a/b/c"} {
		if p.Match(x) && q.Match(x) {
			return true
		}
	}
	return false
}

// slowMatch is the definition of matching, exponential and obvious.
func slowMatch(pattern, pointer []string) bool {
	if len(pattern) == 0 {
		return len(pointer) == 0
	}
	if pattern[0] == "**" {
		return slowMatch(pattern[1:], pointer) || len(pointer) > 0 && slowMatch(pattern, pointer[1:])
	}
	return len(pointer) > 0 && (pattern[0] == "*" || pattern[0] == pointer[0]) && slowMatch(pattern[1:], pointer[1:])
}

func TestPatternMatchesItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		segments := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "*", "**"}), 0, 7).Draw(t, "pattern")
		pointer := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 9).Draw(t, "pointer")
		p, err := contract.ParsePattern(join(segments))
		if err != nil {
			t.Skip(err)
		}
		if got, want := p.Match(join(pointer)), slowMatch(segments, pointer); got != want {
			t.Fatalf("%s on %s: %v", p, join(pointer), got)
		}
	})
}

func join(segments []string) string {
	s := ""
	for _, x := range segments {
		s += "/" + x
	}
	return s
}

func TestPatternMatchIsCheap(t *testing.T) {
	p, err := contract.ParsePattern(strings.Repeat("/**/a", 31) + "/b")
	if err != nil {
		t.Fatal(err)
	}
	pointer := strings.Repeat("/a", 20_000)
	allocs := testing.AllocsPerRun(1, func() { p.Match(pointer) })
	if allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkPatternHostile(b *testing.B) {
	p, err := contract.ParsePattern(strings.Repeat("/**/a", 31) + "/b")
	if err != nil {
		b.Fatal(err)
	}
	pointer := strings.Repeat("/a", 20_000)
	for b.Loop() {
		p.Match(pointer)
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("/a/*/**", "/a/b/c")
	f.Add("/~2/~0~1", "/*/~0~1")
	f.Fuzz(func(t *testing.T, pattern, pointer string) {
		p, err := contract.ParsePattern(pattern)
		if err != nil {
			return
		}
		p.Match(pointer)
		if again, err := contract.ParsePattern(p.String()); err != nil || again.Compare(p) != 0 {
			t.Fatalf("%q is not itself: %v", p, err)
		}
		if !strings.Contains(pattern, "*") && !p.Match(strings.ReplaceAll(pattern, "~2", "*")) {
			t.Fatalf("%q does not match itself", pattern)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	p, err := contract.ParsePattern("/messages/*/content/**")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Match("/messages/12/content/parts/0/text")
	}
}
