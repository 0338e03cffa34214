package proxy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/userturn"
)

// markMember marks a part of a message's content as material from others. The
// proxy removes it before the upstream sees the request.
const markMember = "remit_attached"

// MaxContainers bounds the kinds of containers: each text is searched for every
// one.
const MaxContainers = 32

// container delimits material that applications embed in the user's turn or in
// system text. A container without a close reaches to the end of the text, unless it
// has to have one: instructions name tags that they don't open.
type container struct {
	open, close string
	ends        bool
}

type containers []container

// parseContainers parses declarations of containers: the name of a tag, as in
// "document" for <document>…</document>, or a begin and an end with three dots
// between them, as in "--- CONTEXT ---...--- END ---".
func parseContainers(declared []string) (containers, error) {
	if len(declared) > MaxContainers {
		return nil, fmt.Errorf("there are %d kinds of containers: declare at most %d", len(declared), MaxContainers)
	}
	var out containers
	for _, d := range declared {
		d = strings.TrimSpace(d)
		if begin, end, ok := strings.Cut(d, "..."); ok && begin != "" && end != "" {
			out = append(out, container{open: lower(begin), close: lower(end)})
			continue
		}
		if d == "" || strings.ContainsFunc(d, func(r rune) bool {
			return r != '-' && r != '_' && r != ':' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		}) {
			return nil, fmt.Errorf("%q is not a container: write the name of a tag, or BEGIN...END", d)
		}
		out = append(out, element(lower(d)))
	}
	return out, nil
}

// defaultContainers returns the containers of known agents and frameworks, which
// apply without a declaration.
func defaultContainers() containers {
	var out containers
	for _, name := range userturn.Elements() {
		out = append(out, element(name))
	}
	for _, line := range userturn.Openings() {
		out = append(out, container{open: lower(line)})
	}
	return out
}

// documentContainers returns the containers that apply to the deployment's text without a
// declaration. The application itself writes the begin and the end around what it retrieves, so
// there is an end.
func documentContainers() containers {
	var out containers
	for _, name := range userturn.Documents() {
		c := element(name)
		c.ends = true
		out = append(out, c)
	}
	return out
}

// element returns the container of a tag.
func element(name string) container {
	return container{open: "<" + name, close: "</" + name}
}

// lower folds ASCII letters and keeps every byte offset.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// split removes the containers from a text. A container reaches from its first
// begin to its last end, because the author of its content may have written an
// end and another begin. An unclosed container reaches to the end of the text.
func (c containers) split(text string) (own string, found []string) {
	type span struct{ start, end int }
	var spans []span
	folded := ""
	for _, k := range c {
		if folded == "" {
			text = strings.ToValidUTF8(text, "\uFFFD")
			folded = lower(text)
		}
		start := opening(folded, k.open)
		if start < 0 {
			continue
		}
		end := strings.LastIndex(folded, k.close)
		if end < start {
			if k.ends {
				continue
			}
			end = len(text)
		} else if end += len(k.close); strings.HasPrefix(k.close, "</") {
			if n := strings.IndexByte(folded[end:], '>'); n >= 0 {
				end += n + 1
			} else {
				end = len(text)
			}
		}
		spans = append(spans, span{start, end})
	}

	if len(spans) == 0 {
		return text, nil
	}
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })

	var kept strings.Builder
	at := 0
	for _, s := range spans {
		if s.end <= at {
			continue
		}
		if s.start > at {
			kept.WriteString(text[at:s.start])
			kept.WriteByte('\n')
		}
		found = append(found, text[max(s.start, at):s.end])
		at = s.end
	}

	kept.WriteString(text[at:])
	return strings.TrimSpace(kept.String()), found
}

// opening finds where a container begins; a tag's name must end there.
func opening(text, open string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], open)
		if i < 0 {
			return -1
		}
		i += from
		rest := text[i+len(open):]
		if !strings.HasPrefix(open, "<") || rest == "" || strings.IndexByte(" \t\r\n/>", rest[0]) >= 0 {
			return i
		}
		from = i + 1
	}
}
