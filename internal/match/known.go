package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// A contract may say which members a tool's results have. Such a member is the tool's, though a
// record may lack it; a guess at any other, for what can't be taken back, names none: it may be a
// key that an attacker added.

// note notes whether a member is one that the tool itself names, at every place where it is.
func (r *Result) note(name, pointer string) {
	if len(r.Returns) == 0 {
		return
	}
	if r.known == nil {
		r.known = map[string]bool{}
	}
	before, met := r.known[name]
	r.known[name] = (before || !met) && slices.ContainsFunc(r.Returns, func(p string) bool { return isAt(p, pointer) })
}

// isAt reports whether a pointer is at the place of a pattern, or in a list there.
func isAt(pattern, pointer string) bool {
	for pattern != "" && pointer != "" {
		var want, have string
		want, pattern = next(pattern)
		have, pointer = next(pointer)
		if want != have && (want != "*" || !strictjson.IsIndex(have)) {
			return false
		}
	}
	return pattern == "" && strings.Trim(pointer, "/0123456789") == ""
}

// guessable reports whether a guess may be about a member.
func (m *matcher) guessable(r *Result, name string) bool {
	return len(r.Returns) == 0 || r.known[name] || !m.irreversible || m.against
}
