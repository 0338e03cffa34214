package shell

import (
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

// checks are the readers of small languages. Each reports whether a script only
// changes or picks text, and doesn't run, read or write anything else.
var checks = map[string]func(string) bool{"sed": sed, "awk": awk, "jq": jq, "format": format}

// The parts of a sed script. Substitutions are read by hand; "w", "r", "e" and all
// other commands are refused.
var (
	sedAddress = pattern.OnUse(`^(?:[0-9]+|\$|/(?:[^/\\\[\n]|\\[^\n])*/I?)(?:,(?:[+~]?[0-9]+|\$|/(?:[^/\\\[\n]|\\[^\n])*/I?))? *!? *`)
	sedFlags   = pattern.OnUse(`^[gpiI0-9]*`)
	sedPlain   = pattern.OnUse(`^[pdDqGhHxnN=]`)
)

// sed reads a script of addresses, substitutions and plain commands.
func sed(script string) bool {
	for rest := strings.TrimLeft(script, " ;\n"); rest != ""; rest = strings.TrimLeft(rest, " ;\n") {
		rest = rest[len(sedAddress().FindString(rest)):]
		if plain := sedPlain().FindString(rest); plain != "" {
			rest = rest[1:]
		} else if rest = substitution(rest); rest == bad {
			return false
		}
		if rest != "" && strings.IndexByte(" ;\n", rest[0]) < 0 {
			return false
		}
	}
	return true
}

// bad is what a substitution that can't be read leaves: no script holds it.
const bad = "\x00"

// substitution takes "s/…/…/g" off a script.
func substitution(s string) (rest string) {
	if len(s) < 4 || (s[0] != 's' && s[0] != 'y') || strings.IndexByte("/|,#:!@%_=~", s[1]) < 0 {
		return bad
	}

	delimiter, at := s[1], 2
	for range 2 {
		bracket := false
		for ; at < len(s) && (s[at] != delimiter); at++ {
			switch s[at] {
			case '\\':
				at++
			case '[':
				bracket = true
			case '\n':
				return bad
			}
		}
		// Programs differ on a delimiter between brackets.
		if at >= len(s) {
			return bad
		}
		if goesOn := strings.IndexByte(s[at:], ']') >= 0; bracket && goesOn && !closed(s[2:at]) {
			return bad
		}
		at++
	}

	return s[at+len(sedFlags().FindString(s[at:])):]
}

// closed reports whether every bracket of a piece is closed in it.
func closed(s string) bool {
	return strings.LastIndexByte(s, ']') > strings.LastIndexByte(s, '[') && strings.Count(s, "[") <= strings.Count(s, "]")
}

// awkMore are the words and signs by which a script of awk reads, writes, runs or
// looks at more than its input.
var awkMore = pattern.OnUse(`system|getline|ARG|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|@|[|<>` + "`" + `]|\\\n`)

func awk(script string) bool {
	return !awkMore().MatchString(strings.NewReplacer("||", "", ">=", "", "<=", "").Replace(script))
}

// jqMore are the words by which a filter of jq reads more than its input.
var jqMore = pattern.OnUse(`\benv\b|\$ENV|\bimport\b|\binclude\b|modulemeta|\$__prog|input_filename|get_search_list|\bgetpath_env`)

func jq(filter string) bool { return !jqMore().MatchString(filter) }

// format is what curl prints after a transfer: a format that names no file.
func format(text string) bool {
	return !strings.HasPrefix(text, "@") && !strings.Contains(text, "%output") && !strings.Contains(text, "%header") && !strings.Contains(text, "%{stderr") && !strings.Contains(text, "{output")
}
