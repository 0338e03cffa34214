package provenance

import (
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/strictjson"
)

// Words splits a name in any casing (snake, camel, kebab, dotted) into lower
// case words, each without a plural ending, so that "fileIDs", "file_id" and
// "files" share "file".
func Words(name string) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if end > start {
			out = append(out, stem(strings.ToLower(name[start:end])))
		}
	}

	var prev rune
	for i, r := range name {
		camel := unicode.IsUpper(r) && unicode.IsLower(prev)
		number := unicode.IsDigit(r) != unicode.IsDigit(prev) && start < i && atom.IsWordRune(prev)
		acronymEnds := unicode.IsUpper(r) && unicode.IsUpper(prev) && i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z' && name[i+1] != 's'
		switch {
		case !atom.IsWordRune(r):
			flush(i)
			start = i + len(string(r))
		case camel || number || acronymEnds:
			flush(i)
			start = i
		}
		prev = r
	}

	flush(len(name))
	return out
}

// stem removes a plural ending, roughly: it only ever compares names with
// names, never vouches for a value.
func stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches")):
		return w[:len(w)-2]
	case len(w) > 2 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		return w[:len(w)-1]
	}
	return w
}

// name is what the names around a value say: the argument's own, the ones
// above it, and the tool's.
type name struct {
	last  []string // words of the nearest member name
	all   []string // words of all member names
	tool  []string // words of the tool's name
	short []string // initials of neighbouring words: "pr" of pull_request
}

// maxNames bounds the names that a session keeps; others are read again.
const maxNames = 1024

// name returns what the names of an argument, or of a field, say.
func (s *Session) name(pointer, tool string) name {
	key := nameKey{tool, pointer}
	if n, ok := s.nameOf[key]; ok {
		return n
	}
	if n, ok := s.memo.names[key]; ok {
		return n
	}

	n := newName(pointer, tool)
	if len(s.nameOf)+len(s.memo.names) < maxNames && len(pointer) <= 256 {
		s.memo.names = remember(s.memo.names, key, n)
	}
	return n
}

func newName(pointer, tool string) name {
	n := name{tool: Words(tool)}
	for segment := range strings.SplitSeq(pointer, "/") {
		if segment == "" || isIndex(segment) {
			continue
		}
		w := Words(strictjson.UnescapeToken(segment))
		n.last = w
		n.all = append(n.all, w...)
	}
	for _, list := range [][]string{n.tool, n.all} {
		for i := 1; i < len(list); i++ {
			if list[i-1] != "" && list[i] != "" {
				n.short = append(n.short, list[i-1][:1]+list[i][:1])
			}
		}
	}
	return n
}

func isIndex(segment string) bool {
	for i := 0; i < len(segment); i++ {
		if !atom.IsDigit(segment[i]) {
			return false
		}
	}
	return segment != ""
}

// hasCue reports whether one of the words around a value names what the argument
// or the tool is about.
func (n name) hasCue(words []string) bool {
	for _, w := range words {
		s := stem(w)
		short := contains(n.short, w)
		if vocabulary().Generic.Has(s) || (len(s) < 3 && !short) {
			continue
		}
		if short || contains(n.all, s) || contains(n.tool, s) {
			return true
		}
	}
	return false
}

func contains(list []string, w string) bool { return slices.Contains(list, w) }
