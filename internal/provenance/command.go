package provenance

import (
	"strings"

	"github.com/remit-project/remit/internal/shell"
	"github.com/remit-project/remit/label"
)

// maxQuery is the longest query that is read token by token, in bytes.
const maxQuery = 16 << 10

// shell resolves a command line word by word. The words of every command, its
// redirections and its pipes all decide; only "cd" and the operators between
// commands are nobody's choice. What only the shell will know (expansions,
// substitutions) has the ambient label.
func (q *query) shell(text string) (Resolution, bool) {
	if !clean(text) {
		return Resolution{}, false
	}
	if !q.s.work.spend(parseWork * len(text)) {
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
		if whole, ok := q.exact(source); ok && len(c.Words) > 0 {
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
	if part, ok := q.text(word); ok {
		// Words of the user's put together anew are another command.
		part.Label.Obligations |= label.AmbiguousBinding
		l, ev, r.Witness = part.Label, part.Evidence, true
	}
	r.add(Part{Name: "word", Text: word, Authority: true, Label: l}, ev)
}

// sqlFunctions are functions of queries that only compute.
var sqlFunctions = wordSet("count sum avg min max total coalesce ifnull nullif lower upper round abs length substr substring trim ltrim rtrim replace instr cast " +
	"date datetime time strftime julianday year month day extract concat group_concat string_agg row_number rank dense_rank lag lead over partition " +
	"in exists values filter and or not on as when then else using from where having by select distinct union all between like with case end is")

// sqlChanging are words with which a query does more than to read.
var sqlChanging = wordSet("into insert update delete drop alter create replace attach detach pragma call exec execute copy set grant revoke lock truncate merge vacuum reindex do load import for")

// onlyReads reports whether a text is one query that only reads: a SELECT without
// words that change something, and with functions that compute.
func onlyReads(text string) bool {
	body := strings.TrimRight(strings.TrimSpace(text), "; \n\t")
	if len(body) > maxQuery || !clean(body) || strings.Contains(body, "--") || strings.Contains(body, "/*") {
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
		if w := strings.ToLower(t.text); !t.quoted && sqlChanging[w] && !sqlFunctions[w] {
			return false
		}
	}

	// Whatever is called must be known.
	for i := 1; i < len(body); i++ {
		if body[i] != '(' {
			continue
		}
		end := i
		for end > 0 && (body[end-1] == ' ' || body[end-1] == '\t' || body[end-1] == '\n') {
			end--
		}
		start := end
		for start > 0 && (isAlnum(body[start-1]) || strings.IndexByte("_.\"`]", body[start-1]) >= 0) {
			start--
		}
		if name := strings.ToLower(body[start:end]); name != "" && !sqlFunctions[name] {
			return false
		}
	}
	return true
}

type sqlToken struct {
	text   string
	quoted bool
}

func sqlTokens(s string) ([]sqlToken, bool) {
	var out []sqlToken
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\'' || c == '"' || c == '`':
			end := strings.IndexByte(s[i+1:], c)
			if end < 0 || i+end+2 < len(s) && s[i+end+2] == c {
				return nil, false // unterminated, or an escaped quote
			}
			out = append(out, sqlToken{s[i+1 : i+1+end], c == '\''})
			i += end + 2
		case isAlnum(c) || c == '_' || c >= 0x80:
			start := i
			for i < len(s) && (isAlnum(s[i]) || s[i] == '_' || s[i] >= 0x80 || s[i] == '-' && i+1 < len(s) && isAlnum(s[i+1])) {
				i++
			}
			out = append(out, sqlToken{s[start:i], false})
		case strings.IndexByte(" \t\r\n,()*.=<>!+-/%", c) >= 0:
			i++
		default:
			return nil, false // ";" inside, backslashes, parameters
		}
		if len(out) > 8*maxPieces {
			return nil, false
		}
	}
	return out, true
}
