package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/pattern"
)

// What programs write around the text of others, and people where they pass it on: before each line of it, or once before all of it.

// quoting is a text that may go on with what others wrote.
type quoting struct {
	text string // as it is shown
	// senders are what its record says of who sent it; inRecord tells a text in a record from one that is all of a result.
	senders  []string
	inRecord bool
	isMail   bool
	headings int // that were looked at
}

// maxHeadings bounds the headers of a text that are looked at.
const maxHeadings = 64

// mayQuote reports whether a text may have something that is quoted: most members of a record are a word, a number or a time.
func mayQuote(text string) bool {
	isLine := !strings.ContainsAny(text, "\n\r\v\f\u0085\u2028\u2029")
	isSaid := strings.ContainsAny(text, " <") && strings.ContainsAny(text, ":：")
	return !isLine || isSaid || strings.ContainsAny(text, ">|&") || strings.Contains(text, strokes)
}

// strokes are the dashes before and behind the words that begin another message.
const strokes = "----"

// begin returns where the text goes on with what others wrote, or its end.
func (q *quoting) begin() int {
	before := 0 // where the line before begins
	for start := 0; start < len(q.text); {
		end := len(q.text)
		if i := strings.IndexByte(q.text[start:], '\n'); i >= 0 {
			end = start + i
		}
		line := q.text[start:end]
		if isQuote(line) || q.isTitle(line) || q.isHeader(start, end) || q.introduces(line) {
			return start
		}
		if isIntroduction(q.text[before:start], line) {
			return before
		}
		before, start = start, end+1
	}
	return len(q.text)
}

// isQuote reports whether a line begins with the mark of one that is quoted.
func isQuote(line string) bool {
	line = strings.TrimLeft(line, " \t")
	if len(line) == 0 || !strings.ContainsRune(">&|", rune(line[0])) {
		return false
	}
	return line[0] == '>' || strings.HasPrefix(line, "&gt;") || strings.HasPrefix(line, "&#62;") || (line[0] == '|' && strings.Count(line, "|") == 1)
}

// isTitle reports whether a line between dashes says that a message follows. In a mail it may say anything, and so may one that is too long to
// be looked through.
func (q *quoting) isTitle(line string) bool {
	const longest = 2000 // bytes
	if !isBetweenStrokes(line) && !hasBetweenDashes(line) {
		return false
	}
	return (q.isMail && strings.Contains(line, strokes)) || len(line) > longest || messages().MatchString(line)
}

// isStroke reports whether a sign draws a line.
func isStroke(r rune) bool { return strings.ContainsRune("-–—_=*~", r) }

// isBetweenStrokes reports whether a line is words with three strokes before and behind them, or more.
func isBetweenStrokes(line string) bool {
	line = strings.Trim(line, " \t")
	words := strings.TrimLeftFunc(line, isStroke)
	isBegun := utf8.RuneCountInString(line[:len(line)-len(words)]) >= minStrokes
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(words, " \t"))
	if !isBegun || !unicode.IsLetter(first) {
		return false
	}
	return utf8.RuneCountInString(words[len(strings.TrimRightFunc(words, isStroke)):]) >= minStrokes
}

// minStrokes is how many signs in a row draw a line.
const minStrokes = 3

// hasBetweenDashes reports whether a line has words between four dashes each, or more.
func hasBetweenDashes(line string) bool {
	isOpen := false // behind dashes that go on with a letter
	for line != "" {
		at := strings.IndexByte(line, '-')
		if at < 0 {
			return false
		}
		behind := strings.TrimLeft(line[at:], "-")
		isLong := len(line)-at-len(behind) >= len(strokes)
		if isLong && isOpen {
			return true
		}
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(behind, " \t"))
		isOpen, line = isLong && unicode.IsLetter(first), behind
	}
	return false
}

// messages matches what a line between dashes says where a mail follows it, and no part of a bill, and the names of tools that return mails.
var messages = pattern.OnUse(`(?i)mess?a[gj]|mensa|mail|original|forward|nachricht|weitergeleitet|ursprünglich|origine|transf|reenvi|encaminh|messaggio|inoltr|bericht|doorgest|oorspronk|meddel|melding|vidare|videres|` +
	`viesti|ileti|wiadomo|zpráva|správa|wrote|schrieb|сообщени|повідомл|письмо|лист|邮件|郵件|メール|メッセージ|転送|메시지|메일|رسالة|הודעה`)

// isHeader reports whether a line is the header of another mail that says who wrote it, or has one beside others.
func (q *quoting) isHeader(start, end int) bool {
	line := q.text[start:end]
	label, value, ok := cutLabel(line)
	if !ok {
		return false
	}
	if !isSender(label) || strings.TrimSpace(value) == "" {
		return hasHeaders(line)
	}

	if q.headings++; q.headings > maxHeadings {
		return true
	}
	isOwn := !q.inRecord && q.headings == 1 && isBegin(q.text[:start]) // who wrote it is said once
	if q.inRecord {
		isOwn = isOfAny(value, q.senders)
	}
	if isOwn {
		q.isMail = true
		return hasHeaders(value)
	}
	isOther := q.isMail || strings.Contains(value, "@") || hasHeaders(line) || isMailed(q.text, start, end)
	return isOther && !periodBegin().MatchString(value)
}

// cutLabel parts a line at its first colon.
func cutLabel(line string) (label, value string, ok bool) {
	line = strings.ReplaceAll(line, "：", ":")
	label, value, ok = strings.Cut(line, ":")
	return strings.TrimSpace(label), value, ok
}

// isSender and isBesides report whether the label of a line is the header of a mail that says who wrote it, or one that mails have beside it and
// bills don't.
func isSender(label string) bool {
	return isShortLabel(label) && lexicon().SenderHeaders.Has(unsigned(label))
}
func isBesides(label string) bool {
	return isShortLabel(label) && lexicon().OtherHeaders.Has(unsigned(label))
}

func isShortLabel(label string) bool { return len(label) <= maxLabel }

// hasHeaders reports whether a line has the header that says who wrote a mail, and another one behind it, where a program wrote a mail into one
// line.
func hasHeaders(line string) bool {
	const reach = 200 // bytes
	from := -1
	for at := 0; ; {
		i := strings.IndexByte(line[at:], ':')
		if i < 0 {
			return false
		}
		label := line[max(at, at+i-maxLabel) : at+i]

		if isNear := from >= 0 && at+i-from <= reach; isNear && endsAsHeader(label, isBesides) {
			return true
		}
		if endsAsHeader(label, isSender) {
			from = at + i
		}
		at += i + 1
	}
}

// endsAsHeader reports whether the last words of a text are a header.
func endsAsHeader(text string, is func(label string) bool) bool {
	const longest = 3 // words
	words := strings.Fields(text)
	for n := range min(longest, len(words)) {
		if is(strings.Join(words[len(words)-n-1:], " ")) {
			return true
		}
	}
	return false
}

// isMailed reports whether a header is in one paragraph with others of a mail, or in one that is too long for a look.
func isMailed(text string, begin, end int) bool {
	const blank, longest = "\n\n", 2000
	before := text[max(0, begin-longest):begin]
	behind := text[end:min(len(text), end+longest)]
	first, last := strings.LastIndex(before, blank), strings.Index(behind, blank)
	if (first < 0 && begin > longest) || (last < 0 && len(text)-end > longest) {
		return true
	}
	if last >= 0 {
		behind = behind[:last]
	}
	isOf := func(line string) bool {
		label, _, ok := cutLabel(line)
		return ok && isBesides(label)
	}
	return slices.ContainsFunc(strings.Split(before[max(0, first):]+behind, "\n"), isOf)
}

// isBegin reports whether nothing is before a line but other headers.
func isBegin(before string) bool {
	before = strings.TrimLeft(before, " \t\n")
	return !strings.Contains(before, "\n\n") && isRecord(before, []block{blockOf(strings.Split(before, "\n"))})
}

// periodBegin matches the value of a header that is a day, from which on something is: nobody wrote that.
var periodBegin = pattern.OnUse(`^\s*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}\s*$`)

// introduces reports whether a line says that somebody wrote what follows: by a verb before a colon, or ending in one, with an address or with
// the time of a message.
func (q *quoting) introduces(line string) bool {
	line = strings.TrimRight(strings.ReplaceAll(line, "：", ":"), " \t*")
	last := strings.LastIndexByte(line, ':')
	if last < 0 {
		return false
	}
	for segment := range strings.SplitSeq(line[:last], ":") {
		if tellsWriting(segment) {
			return true
		}
	}

	const longest = 200 // bytes
	if last < len(line)-1 || len(line) > longest {
		return false
	}
	isTimed := clockTime().MatchString(line) && yearIn().MatchString(line)
	isAddressed := strings.Contains(line, "@") && (q.isMail || isTimed || strings.Contains(line, "<"))
	return isAddressed || (q.isMail && isTimed)
}

// isIntroduction reports whether a line ends in the colon of an introduction whose verb is at the end of the line before.
func isIntroduction(before, line string) bool {
	line = strings.TrimRight(strings.ReplaceAll(line, "：", ":"), " \t")
	isEnd := line != "" && len(line) <= longestName && strings.IndexByte(line, ':') == len(line)-1
	return isEnd && tellsWriting(before[strings.LastIndexByte(before, ':')+1:])
}

// longestName bounds what stands between the verb of an introduction and its colon, in bytes.
const longestName = 80

// tellsWriting reports whether what stands before a colon ends in a verb of writing and a name.
func tellsWriting(text string) bool {
	text = strings.ToValidUTF8(text[max(0, len(text)-longestName):], "")
	if i := strings.LastIndexAny(text, "!?"); i >= 0 {
		text = text[i:]
	}
	text = fold(text)
	isIn := func(sign string) bool { return strings.Contains(text, sign) }
	return slices.ContainsFunc(strings.FieldsFunc(text, isSign), lexicon().Writing.Has) || slices.ContainsFunc(lexicon().WritingSigns.Words(), isIn)
}

// clockTime and yearIn match the time and the year of a message.
var (
	clockTime = pattern.OnUse(`(?:^|\D)\d{1,2}[:.]\d\d(?:\D|$)`)
	yearIn    = pattern.OnUse(`(?:^|\D)(?:19|20)\d\d(?:\D|$)`)
)

// laidOut returns a text with its lines as they are shown, each byte in its place: whatever ends a line is a line feed, and a tag is blank,
// with a line feed where it begins a line, and the mark of a quote where it begins one.
func laidOut(text string) string {
	if strings.ContainsAny(text, "\r\v\f\u0085\u2028\u2029") {
		text = lineEnds().ReplaceAllStringFunc(text, func(end string) string { return strings.Repeat(" ", len(end)-1) + "\n" })
	}
	if !strings.Contains(text, "<") {
		return text
	}
	return tags().ReplaceAllStringFunc(text, func(tag string) string {
		begin := "\n"
		name := strings.ToLower(strings.Trim(tag[1:strings.IndexFunc(tag[1:]+">", isTagEnd)+1], "/"))
		switch {
		case slices.Contains([]string{"blockquote", "q", "cite"}, name) || quoteClass().MatchString(tag):
			begin = "\n>"
		case slices.Contains([]string{"a", "b", "i", "u", "em", "strong", "span", "font", "code", "small", "big", "sub", "sup", "o:p", "wbr", "mark"}, name):
			begin = " "
		}
		return begin + strings.Repeat(" ", len(tag)-len(begin))
	})
}

// isTagEnd reports whether a sign ends the name of a tag.
func isTagEnd(r rune) bool { return r == '>' || unicode.IsSpace(r) }

// lineEnds match what ends a line, besides a line feed alone; tags those of HTML; and quoteClass the tag that a program gives a class for what
// is quoted.
var (
	lineEnds   = pattern.OnUse("\r\n|[\r\v\f\u0085\u2028\u2029]")
	tags       = pattern.OnUse(`</?[a-zA-Z][a-zA-Z0-9:-]*(?:[ \t\n/][^<>]*)?>`)
	quoteClass = pattern.OnUse(`(?i)quote|cite|forward|rplyfwd`)
)
