package contract

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/remit-project/remit/internal/strictyaml"
)

// Limits of a pattern. They are far above what schemas need, and they limit a match
// to at most maxPatternSegments comparisons per segment of the pointer.
const (
	maxPatternLength   = 2048
	maxPatternSegments = 64
)

// Pattern is a parsed pattern of an [Arg] or a [Field]: a JSON pointer in which the
// segment "*" matches exactly one segment and "**" matches any number of segments,
// including none. A member whose name is "*" is written "~2"; "~0" and "~1" are "~"
// and "/" as in RFC 6901.
type Pattern struct {
	// source is the pattern as written. Comparing segments as written is exact
	// because every name has only one spelling.
	source   string
	segments []segment
}

type segment struct {
	kind segmentKind
	text string
}

// segmentKind is ordered by specificity, least specific first.
type segmentKind uint8

const (
	anyDepth segmentKind = iota // **
	anyOne                      // *
	literal
)

// ParsePattern parses a pattern. The empty pattern matches the whole value.
func ParsePattern(s string) (Pattern, error) {
	if s == "" {
		return Pattern{}, nil
	}

	if s[0] != '/' {
		return Pattern{}, fmt.Errorf("pattern %q must begin with a slash: write %q", strictyaml.Clip(s), "/"+strictyaml.Clip(s))
	}
	if len(s) > maxPatternLength {
		return Pattern{}, fmt.Errorf("pattern is longer than %d bytes", maxPatternLength)
	}

	p := Pattern{source: s}
	for text := range strings.SplitSeq(s[1:], "/") {
		if len(p.segments) == maxPatternSegments {
			return Pattern{}, fmt.Errorf("pattern has more than %d segments", maxPatternSegments)
		}

		seg := segment{kind: literal, text: text}
		switch text {
		case "*":
			seg.kind = anyOne
		case "**":
			seg.kind = anyDepth
			if n := len(p.segments); n > 0 && p.segments[n-1].kind == anyDepth {
				return Pattern{}, fmt.Errorf("pattern %q has two segments ** in a row: one says the same", strictyaml.Clip(s))
			}
		default:
			if err := literalSegment(text); err != nil {
				return Pattern{}, fmt.Errorf("pattern %q: %w", strictyaml.Clip(s), err)
			}
			// JSON pointers have no escape for a star: compare the name with the
			// star itself.
			seg.text = strings.ReplaceAll(text, "~2", "*")
		}

		p.segments = append(p.segments, seg)
	}
	return p, nil
}

// literalSegment checks the escapes of a segment. It refuses a star inside a name,
// because "/user*" looks like a wildcard and would match only itself.
func literalSegment(text string) error {
	if strings.Contains(text, "*") {
		return fmt.Errorf("segment %q mixes a star with a name: write * alone, or ~2 for a star in a name", text)
	}
	for i := range len(text) {
		if text[i] == '~' && (i+1 == len(text) || text[i+1] < '0' || text[i+1] > '2') {
			return fmt.Errorf("segment %q has a lone ~: write ~0", text)
		}
	}
	return nil
}

// String returns the pattern as written.
func (p Pattern) String() string { return p.source }

// Deep reports whether the pattern has a segment "**" before its last segment.
// Patterns of arguments must not.
func (p Pattern) Deep() bool {
	for i := range p.segments[:max(len(p.segments)-1, 0)] {
		if p.segments[i].kind == anyDepth {
			return true
		}
	}
	return false
}

// Match reports whether the pattern matches a JSON pointer. It compares the pointer
// as written, without decoding it; text that is not a pointer doesn't match. Match
// doesn't allocate, and needs at most one comparison for each pair of a pattern
// segment and a pointer segment: when the part after a "**" fails to match, only
// the last "**" has to take one more segment, because it can take everything that
// an earlier one could.
func (p Pattern) Match(pointer string) bool { return p.within(pointer, len(pointer)) }

// within is Match, except that a "**" before the last segment matches at most the
// first reach bytes of the pointer.
func (p Pattern) within(pointer string, reach int) bool {
	if pointer != "" && pointer[0] != '/' {
		return false
	}

	at, pos := 0, 0
	retryAt, retryPos := -1, 0
	for pos < len(pointer) {
		if at < len(p.segments) {
			seg := &p.segments[at]
			if seg.kind == anyDepth {
				retryAt, retryPos = at, pos
				at++
				continue
			}

			end := segmentEnd(pointer, pos)
			if seg.kind == anyOne || seg.text == pointer[pos+1:end] {
				at, pos = at+1, end
				continue
			}
		}

		if retryAt < 0 {
			return false
		}
		retryPos = segmentEnd(pointer, retryPos)
		if retryPos > reach && retryAt+1 < len(p.segments) {
			return false
		}
		at, pos = retryAt+1, retryPos
	}

	for at < len(p.segments) && p.segments[at].kind == anyDepth {
		at++
	}
	return at == len(p.segments)
}

// segmentEnd returns the end of the segment whose slash is at pos.
func segmentEnd(pointer string, pos int) int {
	if i := strings.IndexByte(pointer[pos+1:], '/'); i >= 0 {
		return pos + 1 + i
	}
	return len(pointer)
}

// Compare orders patterns by specificity: positive if p is more specific than q,
// zero if neither is. The first segment of different kind decides: a literal is
// more specific than "*", and "*" than "**". Otherwise the longer pattern is more
// specific, unless its next segment is "**". If both of two equally specific
// patterns match, use the stricter entry.
func (p Pattern) Compare(q Pattern) int {
	for i := range min(len(p.segments), len(q.segments)) {
		if c := cmp.Compare(p.segments[i].kind, q.segments[i].kind); c != 0 {
			return c
		}
	}

	n := min(len(p.segments), len(q.segments))
	switch {
	case len(p.segments) > n:
		if p.segments[n].kind == anyDepth {
			return -1
		}
		return 1
	case len(q.segments) > n:
		if q.segments[n].kind == anyDepth {
			return 1
		}
		return -1
	}
	return 0
}
