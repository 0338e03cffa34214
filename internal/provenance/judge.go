package provenance

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/provenance/numeral"
	"github.com/remit-project/remit/label"
)

// judge decides whether an occurrence vouches, and with which obligations.
func (q *query) judge(text string, o occurrence, folded bool) (Resolution, bool) {
	vouch := &q.s.vouch
	src := &vouch.sources[o.source]
	r := Resolution{Label: src.label, Witness: true, Evidence: []label.Evidence{q.s.vouchEvidence(o, len(text))}}
	if q.ruledOut(text, o) || q.anotherValue(text, o) {
		return r, false
	}
	if !q.isRequestedAt(o) {
		r.Label.Obligations |= label.Unrequested
	}
	if o.quoted && !folded {
		return r, true
	}
	if q.isCode() && !wholeCommand(src.text, o.start, o.end) {
		return r, false // a piece of a command is another command
	}

	left, right := vouch.around(o, 9, 3)
	if q.meansTime(text, left, right, folded) {
		return r, false // "in May" says nothing about Mr May
	}
	if bareNumber(text) {
		// "2 pages" says nothing about mail number 2.
		amount := q.quantityLike() && !isCounted(right)
		return r, amount || q.hasNumberCue(left, right)
	}

	r.Unsaid = q.isUnsaidRight(text, o, left, right)
	if q.v.Form == FormShell && !o.inside {
		return r, true // all of a command says what it is
	}
	if folded || o.inside || r.Unsaid || q.saysLittle(text, o, left, right) {
		r.Label.Obligations |= label.LowInfo
	}
	if typedAtom(text) && q.ambiguous(text, left) {
		r.Label.Obligations |= label.AmbiguousBinding
	}
	return r, true
}

// meansTime reports whether a calendar word is a time where the user said it, and the
// argument asks for none.
func (q *query) meansTime(text string, left, right []string, folded bool) bool {
	if !calendarWord(text) || q.momentLike() || q.n.hasCue(left) {
		return false
	}
	return folded || inTime(left, right)
}

// saysLittle reports whether a value is an ordinary word, or a host that was made from
// a name with dots.
func (q *query) saysLittle(text string, o occurrence, left, right []string) bool {
	source := q.s.vouch.sources[o.source].text
	ordinary := !typedAtom(text) && q.lowInformation(text, source, o, left, right)
	return ordinary || (addsScheme(text, source[o.start:o.end]) && !isVisited(left, right))
}

// isCode reports whether the value is a command or a query.
func (q *query) isCode() bool { return q.v.Form == FormShell || q.v.Form == FormSQL }

// ruledOut reports whether the user named a value, or an address in it, to rule it
// out.
func (q *query) ruledOut(text string, o occurrence) bool {
	if (q.isCode() || typedAtom(text)) && q.s.vouch.isNegated(o) {
		return true
	}
	return hasManyAtoms(text) && q.hasNegated(o)
}

// anotherValue reports whether an occurrence of a value's text is another value.
func (q *query) anotherValue(text string, o occurrence) bool {
	last := text[len(text)-1]
	switch {
	case typedAtom(text) && !o.quoted && strings.IndexByte(".,!?:;'", last) >= 0:
		return true // the punctuation of the sentence is not a part of the user's atom
	case q.v.Form == FormShell && (text[0] == '`' || last == '`'):
		return true // how the user marked the command; to a shell, to run its output
	case numberShape(text):
		// The sign is a part of it, or it is another number.
		minus, unclear := numeral.SignBefore(q.s.vouch.sources[o.source].text, o.start)
		return minus || unclear || q.s.vouch.isMisread(o)
	}
	return false
}

// hasManyAtoms reports whether a value is a list of addresses in one string.
func hasManyAtoms(text string) bool {
	return strings.Count(text, "@") > 1 && strings.ContainsAny(text, ", ;\n")
}

// hasNegated reports whether the user ruled out an address inside of a text.
func (q *query) hasNegated(o occurrence) bool {
	text := q.s.vouch.sources[o.source].text
	n := 0
	q.s.work.spend(o.end - o.start)
	for start, end := range atom.All(text[o.start:o.end]) {
		if strings.IndexByte(text[o.start+start:o.start+end], '@') <= 0 {
			continue
		}
		if n++; n == maxPieces || q.s.vouch.isNegated(occurrence{source: o.source, start: o.start + start, end: o.start + end}) {
			return true
		}
	}
	return false
}

// addsScheme reports whether a URL was made from a word with dots in it. The
// user may have meant a file or a variable: "order.id" is a host as well.
func addsScheme(value, source string) bool {
	return strings.Contains(value, "://") && !strings.Contains(source, "://") && !strings.Contains(source, "/") &&
		!strings.HasPrefix(asciiLower(source), "www.")
}

// isVisited reports whether the words around a host say that it is one.
func isVisited(left, right []string) bool {
	return vocabulary().HostWords.In(left) || vocabulary().HostWords.In(right)
}

func (s *Session) vouchEvidence(o occurrence, valueLength int) label.Evidence {
	src := &s.vouch.sources[o.source]
	return label.Evidence{
		Origin: s.events[src.event].name, Trust: src.label.Trust,
		Start: o.start, End: o.end, ValueEnd: valueLength,
		Text: s.events[src.event].text[o.start:o.end], Vouches: true,
	}
}

// typedAtom reports whether a value is an address, a path or a code: text that
// identifies one thing and is not written by accident.
func typedAtom(s string) bool {
	oneWord := !strings.ContainsAny(s, " \n")
	return (oneWord && strings.ContainsAny(s, "@/\\.:_")) || codeShape(s)
}

// codeShape reports whether a value is a run of letters and digits with digits in
// it, long enough to be an identifier.
func codeShape(s string) bool {
	if len(s) < 6 {
		return false
	}
	digits := 0
	for i := 0; i < len(s); i++ {
		if atom.IsDigit(s[i]) {
			digits++
		} else if !atom.IsAlphanumeric(s[i]) && s[i] != '-' {
			return false
		}
	}
	return digits >= 2
}

func bareNumber(s string) bool {
	if len(s) > 3 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !atom.IsDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// quantityLike reports whether an argument asks for an amount, for which a bare
// number in the user's text is the ordinary way to say it.
func (q *query) quantityLike() bool {
	return vocabulary().QuantityWords.In(q.n.last) || contains(q.n.last, "n")
}

// isCounted reports whether the word after a number is what it counts.
func isCounted(right []string) bool { return len(right) > 0 && !vocabulary().Uncounted.Has(right[0]) }

// lowInformation reports whether a value is so ordinary that its appearance in the
// text says little: one or two lower-case words that nothing next to them marks
// as what the argument asks for. "A general summary" names no channel.
func (q *query) lowInformation(text, source string, o occurrence, left, right []string) bool {
	n, capital, common := ordinaryWords(text)
	startsSentence := sentenceStart(source, o.start) && common
	if n >= 3 || (capital && !startsSentence) {
		return false
	}

	near := left[max(0, len(left)-3):]
	cuedAfter := len(right) > 0 && q.n.hasCue(right[:1])
	verbAfter := cuedAfter && len(q.n.tool) > 0 && right[0] == q.n.tool[0]
	if q.n.hasCue(near) || (cuedAfter && !verbAfter) {
		return false // "the general channel", but not "in general, post less"
	}
	return !q.destination(source, o.end, left)
}

// ordinaryWords counts the words of a value, and reports whether one has a capital or
// another script, and whether one is a word that begins sentences.
func ordinaryWords(text string) (n int, capital, common bool) {
	for start, end := range atom.Words(text) {
		n++
		c := text[start]
		capital = capital || ('A' <= c && c <= 'Z') || c >= utf8.RuneSelf
		common = common || vocabulary().Starters.Has(strings.ToLower(text[start:end]))
	}
	return n, capital, common
}

// destination reports whether the words before a value say that something goes there.
func (q *query) destination(source string, end int, left []string) bool {
	for len(left) > 0 {
		switch last := left[len(left)-1]; {
		case vocabulary().Destining.Has(last):
			return true
		case last == "in" || last == "on" || last == "at":
			// A place, where it closes what the user asked the tool to do:
			// "post the figures in general.", not "in general terms".
			return clauseEnds(source, end) && q.asked(left)

		case last == "and" || last == "or" || last == "und" || last == "et" || last == "y":
			// "Into general and design": what holds for the first holds here.
			if len(left) < 3 {
				return false
			}
			left = left[:len(left)-2]
		default:
			return false
		}
	}
	return false
}

// wholeCommand reports whether text[start:end] is all of a command that the user asked to run: a
// line or a clause of its own, or the text after the word for running it.
func wholeCommand(text string, start, end int) bool {
	if !clauseEnds(text, end) {
		return false
	}
	before := strings.TrimRight(text[:start], " \t\"'`")
	if before == "" || strings.IndexByte(".!?:;,\n", before[len(before)-1]) >= 0 {
		return true
	}

	rest, last := cutLastWord(before)
	for requests().marks[plainWord(last)]&(conjunction|opener) != 0 && rest != "" {
		rest, last = cutLastWord(strings.TrimRight(rest, " \n")) // "then", "please"
	}
	joined := slices.ContainsFunc(requests().joined, func(w joinedWord) bool {
		return w.deed&toRun != 0 && strings.HasSuffix(last, w.text)
	})
	return joined || vocabulary().Running.Has(last) || requests().deeds[plainWord(last)]&toRun != 0
}

// cutLastWord cuts the last word off a text, and returns it in lower case.
func cutLastWord(text string) (rest, word string) {
	i := strings.LastIndexAny(text, " \n") + 1
	return text[:i], strings.ToLower(text[i:])
}

// clauseEnds reports whether a clause ends after text[:end].
func clauseEnds(text string, end int) bool {
	rest := strings.TrimLeft(text[end:], "\"'”’`)*_")
	if rest == "" || strings.IndexByte(".,;:!?\n", rest[0]) >= 0 {
		return true
	}
	for _, w := range [...]string{" and ", " then ", " und ", " et ", " y ", " please", " aus", " per favore", " por favor", " s'il te"} {
		if strings.HasPrefix(rest, w) {
			return true
		}
	}
	return false
}

// asked reports whether one of the words is the verb that the tool's name begins
// with, or one that people say for it.
func (q *query) asked(words []string) bool {
	if len(q.n.tool) == 0 {
		return false
	}
	verb := q.n.tool[0]
	says := vocabulary().Saying.Has(verb) && vocabulary().Saying.In(words)
	return says || (len(verb) > 2 && contains(words, verb))
}

func sentenceStart(source string, start int) bool {
	before := strings.TrimRight(source[:start], " \t\"'(")
	if before == "" {
		return true
	}
	return strings.IndexByte(".!?\n:", before[len(before)-1]) >= 0
}

// ambiguous reports whether the user named several things of the value's kind,
// not all of them in this call, without saying that this one belongs here.
func (q *query) ambiguous(text string, left []string) bool {
	key, ok := mailKey(text)
	if !ok {
		return false
	}
	if len(q.s.vouch.mails) < 2 {
		// The sender of a message to read is named, and not as a recipient, unless an answer was
		// asked for.
		sender := len(left) > 0 && (left[len(left)-1] == "from" || left[len(left)-1] == "by")
		return sender && !q.s.asksForAnswer()
	}
	all, ok := q.usesAllMails(key)
	if !ok {
		return true
	}
	if all {
		return false
	}

	// The nearest word that says what an address is there for decides; "and"
	// carries it over from the address before.
	near := 3
	for i := len(left) - 1; i >= 0 && near > 0; i-- {
		switch w := left[i]; {
		case vocabulary().RecipientWords.Has(w):
			return false
		case vocabulary().SourceWords.Has(w):
			return true
		case vocabulary().SmallOr.Has(w):
			near = len(left)
		}
		near--
	}
	return !q.n.hasCue(left[max(0, len(left)-3):])
}

// usesAllMails reports whether the call has all e-mail addresses that the user named.
// It is not ok where no steps are left.
func (q *query) usesAllMails(key string) (all, ok bool) {
	used := map[string]bool{key: true}
	for _, v := range q.siblings {
		if !q.s.work.spend(candidateWork) {
			return false, false
		}
		if k, ok := mailKey(v.Text); ok {
			used[k] = true
		}
	}

	all = true
	for k := range q.s.vouch.mails {
		all = all && used[k] && q.s.work.spend(candidateWork)
	}
	return all, true
}

// asksForAnswer reports whether the user asked for an answer to what others sent.
func (s *Session) asksForAnswer() bool {
	for _, w := range vocabulary().AnswerWords.Words() {
		if len(s.vouch.words[w]) > 0 {
			return true
		}
	}
	return false
}
