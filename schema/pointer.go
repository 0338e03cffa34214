package schema

import (
	"iter"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// Patterns are JSON pointers (RFC 6901) with "*" for any list index or any
// member that is accepted and not listed. A star in a member's name is written
// "~2", an escape that JSON pointers don't have, so that a server can't name an
// argument in a way that makes its pattern match all others.

// escape encodes a member name as a pointer segment.
func escape(name string) string {
	if !strings.ContainsAny(name, "~/*") {
		return name
	}
	return strings.ReplaceAll(strictjson.EscapeToken(name), "*", "~2")
}

// unescape decodes a pointer segment.
func unescape(segment string) string {
	if strings.IndexByte(segment, '~') < 0 {
		return segment
	}
	return strictjson.UnescapeToken(strings.ReplaceAll(segment, "~2", "*"))
}

// segments iterates over a pointer's segments as written.
func segments(pointer string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := pointer; rest != ""; {
			rest = rest[1:]
			end := strings.IndexByte(rest, '/')
			if end < 0 {
				end = len(rest)
			}
			if !yield(rest[:end]) {
				return
			}
			rest = rest[end:]
		}
	}
}

// split returns the decoded segments of a pointer. "" has none.
func split(pointer string) []string {
	if pointer == "" {
		return nil
	}
	segments := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range segments {
		segments[i] = unescape(segments[i])
	}
	return segments
}

// index reports whether a segment is a list index.
func index(segment string) bool {
	if segment == "" || (segment[0] == '0' && len(segment) > 1) {
		return false
	}
	for i := range len(segment) {
		if segment[i] < '0' || segment[i] > '9' {
			return false
		}
	}
	return true
}
