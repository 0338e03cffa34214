package provenance

import (
	"strings"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/shell"
	"github.com/remit-project/remit/label"
)

// maxQuery is the longest query that is read, in bytes.
const maxQuery = 16 << 10

// resolveShell resolves a command line word by word. The words of every command, its
// redirections and its pipes all decide; "cd" and the operators between commands
// choose nothing. Words that only the shell will know (expansions, substitutions)
// have the ambient label.
func (q *query) resolveShell(text string) (Resolution, bool) {
	if !isClean(text) || !q.s.work.spend(parseWork*len(text)) {
		return Resolution{}, false
	}
	line, err := shell.Read(text)
	if err != nil {
		return Resolution{}, false
	}

	r := Resolution{Label: label.Identity(), How: "command words"}
	ambient := q.s.Ambient()
	unknown := func(name string, s shell.Span) {
		r.add(Part{Name: name, Text: text[s.Start:s.End], Authority: true, Label: ambient}, nil)
	}

	for _, c := range line.Commands {
		for _, a := range c.Assignments {
			unknown("assignment", a.Span)
		}
		for _, d := range c.Redirects {
			unknown("redirection", d.Span)
		}
		source := text[c.Start:c.End]
		if whole, ok := q.resolveExact(source); ok && len(c.Words) > 0 {
			r.Witness = true
			r.add(Part{Name: "command", Text: source, Authority: true, Label: whole.Label}, whole.Evidence)
			continue
		}
		for i, w := range c.Words {
			switch {
			case w.Kind != shell.Literal:
				unknown("word", w.Span)
			case i > 0 || w.Text != "cd":
				q.commandWord(&r, w.Text)
			}
		}
	}

	for _, s := range line.Pipes {
		unknown("pipe", s)
	}
	for _, s := range line.Opaque {
		unknown("construct", s)
	}
	if len(r.Parts) == 0 || len(r.Parts) > maxPieces {
		return Resolution{}, false
	}
	return r, true
}

func (q *query) commandWord(r *Resolution, word string) {
	l, ev := q.s.Ambient(), []label.Evidence(nil)
	if part, ok := q.resolveText(word); ok {
		// The user's words in another order are another command.
		part.Label.Obligations |= label.AmbiguousBinding
		l, ev, r.Witness = part.Label, part.Evidence, true
	}
	r.add(Part{Name: "word", Text: word, Authority: true, Label: l}, ev)
}

// onlyReads reports whether a text is one query that only reads: a SELECT without
// words that change something, and with functions that compute.
func onlyReads(text string) bool {
	body := strings.TrimRight(strings.TrimSpace(text), "; \n\t")
	if len(body) > maxQuery || !isClean(body) || strings.Contains(body, "--") || strings.Contains(body, "/*") {
		return false
	}
	tokens, ok := sqlTokens(body)
	if !ok || len(tokens) == 0 || tokens[0].quoted {
		return false
	}

	if first := strings.ToLower(tokens[0].text); first != "select" && first != "with" {
		return false
	}
	for _, t := range tokens {
		if w := strings.ToLower(t.text); !t.quoted && vocabulary().QueryChanges.Has(w) && !vocabulary().QueryFunctions.Has(w) {
			return false
		}
	}
	return onlyComputes(body)
}

// onlyComputes reports whether every function that a query calls is known to compute.
func onlyComputes(query string) bool {
	for i := 1; i < len(query); i++ {
		if query[i] != '(' {
			continue
		}

		name := strings.TrimRight(query[:i], " \t\n")
		start := len(name)
		for start > 0 && (atom.IsAlphanumeric(name[start-1]) || strings.IndexByte("_.\"`]", name[start-1]) >= 0) {
			start--
		}
		if name = strings.ToLower(name[start:]); name != "" && !vocabulary().QueryFunctions.Has(name) {
			return false
		}
	}
	return true
}

type sqlToken struct {
	text   string
	quoted bool
}

// maxSQLTokens is how many tokens of a query are read.
const maxSQLTokens = 8 * maxPieces

// sqlTokens reads the words and the quoted texts of a query. A query in which two
// readers may find other ones is not read.
func sqlTokens(s string) ([]sqlToken, bool) {
	var out []sqlToken
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\'' || c == '"' || c == '`':
			inside, rest, closed := strings.Cut(s[i+1:], string(c))
			if !closed || strings.HasPrefix(rest, string(c)) {
				return nil, false // unterminated, or an escaped quote
			}
			out = append(out, sqlToken{inside, c == '\''})
			i += len(inside) + 2
		case sqlWordByte(c):
			start := i
			for i < len(s) && (sqlWordByte(s[i]) || hyphenInside(s, i)) {
				i++
			}
			out = append(out, sqlToken{s[start:i], false})
		case strings.IndexByte(" \t\r\n,()*.=<>!+-/%", c) >= 0:
			i++
		default:
			return nil, false // ";" inside, backslashes, parameters
		}

		if len(out) > maxSQLTokens {
			return nil, false
		}
	}
	return out, true
}

func sqlWordByte(c byte) bool { return atom.IsAlphanumeric(c) || c == '_' || c >= 0x80 }

func hyphenInside(s string, i int) bool {
	return s[i] == '-' && i+1 < len(s) && atom.IsAlphanumeric(s[i+1])
}
