package reply

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/pattern"
)

// pasted is what begins a message of another's, up to the end: a ruled line with words in it, or the line
// or head with which mail programs begin one.
var pasted = pattern.OnUse(`(?im)^[ \t]*[-_]{4,}[ \t]*\pL[^\n]*[-_]{4,}[ \t]*$|^[ \t]*begin forwarded message:|` +
	`^[ \t]*(?:from|von|de|da|van|od|от|kimden|发件人|差出人|من)[ \t]*[:：][^\n]*\n(?:[^\n]*\n){0,3}?[ \t]*(?:subject|betreff|objet|asunto|oggetto|assunto|onderwerp|temat|тема|konu|主题|件名|الموضوع)[ \t]*[:：]|` +
	`^[ \t]*(?:subject|betreff|objet|asunto|oggetto|assunto|onderwerp)[ \t]*[:：][^\n]*\n(?:[^\n]*\n){0,3}?[ \t]*(?:from|von|de|da|van)[ \t]*[:：]|` +
	`^[ \t]*(?:on|am|le|el|il|em|op|w dniu|dnia)[ \t][^\n]{4,160}(?:wrote|schrieb[^\n]*|écrit|escribió|scritto|escreveu|schreef[^\n]*|napisał[^\n]*|написал[^\n]*)[ \t]*:[ \t]*$`)

// marked is what is marked as another's line by line: quoted lines, and blocks of code.
// An export of a chat has the time before each line.
var marked = pattern.OnUse("(?ms)^\\s*[>＞][^\n]*$|^[ \t]*```.*?(?:^[ \t]*```|\\z)|^[ \t]*~~~.*?(?:^[ \t]*~~~|\\z)|<blockquote>.*?(?:</blockquote>|\\z)|" +
	`^[ \t]*\[?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?[ \t]+)?\d{1,2}:\d{2}(?::\d{2})?(?:[ \t]?[AaPp][Mm])?\]?[ \t]*(?:[-–][ \t]*)?\pL[^\n:]{0,40}(?::|[ \t][-–][ \t])[^\n]*$`)

// withoutPasted returns a text without what is pasted or forwarded.
func withoutPasted(said string) string {
	if strings.Contains(said, "\n") { // a message of another's has lines
		if at := pasted().FindStringIndex(said); at != nil {
			said = said[:at[0]]
		}
	}
	if !strings.ContainsAny(said, ">＞`~:") {
		return said
	}
	return marked().ReplaceAllString(said, ", ")
}

// quotation is a place between quotation marks, with them.
type quotation struct{ from, to int }

// closers are the marks that end a quotation, by those that begin it.
var closers = map[rune]string{'"': `"`, '“': "”“", '„': "“”", '«': "»", '「': "」", '『': "』", '‘': "’", '\'': "'", '‚': "‘’", '`': "`"}

// quotations finds what stands between quotation marks. Straight and single ones end in the line where they
// begin; an apostrophe is none.
func quotations(text string) []quotation {
	var out []quotation
	for at := 0; at < len(text); {
		mark, size := utf8.DecodeRuneInString(text[at:])
		ends, begins := closers[mark]
		if begins && at+size < len(text) && (!isSingle(mark) || opensSingle(text, at, size)) {
			if n := endOf(text[at+size:], mark, ends); n >= 0 {
				out = append(out, quotation{at, at + size + n})
				at += size + n
				continue
			}
		}
		at += size
	}
	return out
}

func isSingle(mark rune) bool { return mark == '\'' || mark == '‘' }

// opensSingle reports whether a single mark stands before a word and not in or after one, or before a year.
func opensSingle(text string, at, size int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+size:])
	return (at == 0 || !isWord(before)) && unicode.IsLetter(after)
}

// endOf returns the length up to the end of the mark that ends a quotation; -1 for none.
func endOf(rest string, mark rune, ends string) int {
	for i, c := range rest {
		straight := mark == '"' || isSingle(mark)
		if c == '\n' && straight {
			return -1
		}
		after, _ := utf8.DecodeRuneInString(rest[i+utf8.RuneLen(c):])
		apostrophe := isSingle(mark) && isWord(after)
		if strings.ContainsRune(ends, c) && !apostrophe {
			return i + utf8.RuneLen(c)
		}
	}
	return -1
}

func isWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// unquoted returns what of a reply is said in no quotation.
func unquoted(said string) string {
	said = withoutPasted(said)
	return without(said, quotations(said))
}

func without(text string, places []quotation) string {
	var out strings.Builder
	at := 0
	for _, q := range places {
		out.WriteString(text[at:q.from] + ", ")
		at = q.to
	}
	return out.String() + text[at:]
}

// Own returns what of a turn a user says as their own: not what they paste or forward, not what they quote
// of somebody ("my friend says 'take it'") or at length, and not what they only mention: see [withoutMentions]. A quotation that is the value
// itself is how they spell it. It also reports whether they say the same whatever the value is.
func Own(said, value string) (own string, always bool) {
	if len(said) > maxTold {
		return said, true
	}
	text := withoutPasted(said)
	all := quotations(text)
	l := bestOf(flat(sentences(text)), text, text)
	others := slices.DeleteFunc(slices.Clone(all), func(q quotation) bool {
		inside := strings.TrimFunc(text[q.from:q.to], func(c rune) bool { return !isWord(c) })
		spells := strings.EqualFold(inside, strings.TrimFunc(value, func(c rune) bool { return !isWord(c) }))
		around := text[sentenceBefore(text, q.from):q.from] + ", " + text[q.to:sentenceAfter(text, q.to)]
		return !reports(l, around) && (spells || !isLong(text[q.from:q.to]))
	})
	own, always = withoutMentions(l, withoutReport(l, without(text, others)), value)
	return own, always && len(all) == 0
}

// isLong reports whether a quotation is more than what a thing is called.
func isLong(quoted string) bool {
	const most = 6 // words of a name
	const least = 3
	words := len(strings.Fields(quoted))
	ends := strings.ContainsAny(strings.TrimRight(quoted, `"'”“’»」』`), sentenceSigns)
	return words > most || (words >= least && ends) || (words == 1 && utf8.RuneCountInString(quoted) > 3*most)
}

const (
	// sentenceSigns end a sentence, and sentenceEnds a line as well.
	sentenceSigns = ".!?。！？؟"
	sentenceEnds  = sentenceSigns + "\n"
)

func sentenceBefore(text string, at int) int {
	return strings.LastIndexAny(text[:at], sentenceEnds) + 1
}

func sentenceAfter(text string, at int) int {
	if i := strings.IndexAny(text[at:], sentenceEnds); i >= 0 {
		return at + i
	}
	return len(text)
}

// withoutReport returns a text without what follows a colon behind words of somebody's saying: up to the
// line's end, or where nothing follows in the line, to the text's.
func withoutReport(languages []*lexicon, text string) string {
	for at := 0; at < len(text); {
		i := strings.IndexAny(text[at:], ":：")
		if i < 0 {
			break
		}
		colon := at + i
		_, size := utf8.DecodeRuneInString(text[colon:])
		at = colon + size
		if !reports(languages, text[sentenceBefore(text, colon):colon]) {
			continue
		}

		line := strings.IndexByte(text[at:], '\n')
		if line < 0 || strings.TrimSpace(text[at:at+line]) == "" {
			return text[:at]
		}
		text = text[:at] + text[at+line:]
	}
	return text
}

// reports reports whether a sentence tells what somebody else says or writes.
func reports(languages []*lexicon, text string) bool {
	words := flat(sentences(text))
	return slices.ContainsFunc(languages, func(l *lexicon) bool {
		if l.joined {
			return l.reportsJoined(strings.Join(words, ""))
		}
		for i := 0; i < len(words); i++ {
			p := l.at(words, i, mine, report)
			switch {
			case p == nil:
			case p.kind == report:
				return true
			default:
				i += len(p.tokens) - 1
			}
		}
		return false
	})
}

func (l *lexicon) reportsJoined(text string) bool {
	for _, p := range l.byFirst[""] {
		if p.kind == mine {
			text = strings.ReplaceAll(text, p.tokens[0], used)
		}
	}
	return l.find(report, text) != ""
}
