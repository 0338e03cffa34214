package provenance

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/provenance/numeral"
	"github.com/remit-project/remit/label"
)

// Bounds of the vouching text. Only the user and the deployment write it, so these
// are not a defence against an attacker but against a paste that was meant as an
// attachment.
const (
	// MaxVouching is how much user and system text vouches in one session, in
	// bytes. The text that passes it begins over: nothing that was said before
	// vouches any more, since the new text may have taken it back. A text
	// that is longer by itself vouches for nothing.
	MaxVouching = 256 << 10
	// maxPositions is how many occurrences of one word are looked at.
	maxPositions = 256
	// maxRuns is how many words of a value are considered in choosing the
	// rarest one to start from.
	maxRuns = 8
	// maxQuoted is how many quotations of one text may name records.
	maxQuoted = 64
)

// vouching is the text that can raise a value: the system's, the user's, and
// what was derived from them before anything external was read.
type vouching struct {
	work    *meter // of the decision that asks
	sources []vouchSource
	words   map[string][]position
	mails   map[string][]position
	urls    map[string][]position
	numbers map[string][]quantity
	shapes  map[string]position // typed atoms by what they look like
	order   []quantity          // the quantities in the order of the text
	size    int
	money   bool // an amount of money was said
	latest  int  // the user's last text

	dates     []dateMention
	times     []timeMention
	durations []durationMention
}

type vouchSource struct {
	event  int
	text   string
	label  label.Label
	system bool     // the deployment's text
	quotes []span   // quoted strings and code, without their quotes
	quoted []string // those of them that may name a record, in lower case
	// numerals are the numbers, those in doubt included.
	numerals []numeral.Numeral

	reading *reading
	// proposal is what the model said before, where the text agrees to it.
	proposal string
	offered  *reading
	// done are the tools that acted on a request of this text.
	done map[string]bool
}

type span struct{ start, end int }

// position is a place in a vouching source.
type position struct{ source, start, end int32 }

// occurrence is a bounded occurrence of a whole value in vouching text.
type occurrence struct {
	source     int
	start, end int
	quoted     bool // the value is exactly the inside of a quotation
	inside     bool // the value is only a part of a quotation
}

func newVouching(work *meter) vouching {
	return vouching{
		work:    work,
		words:   map[string][]position{},
		mails:   map[string][]position{},
		urls:    map[string][]position{},
		numbers: map[string][]quantity{},
		shapes:  map[string]position{},
	}
}

// fits reports whether text can vouch beside what does already.
func (v *vouching) fits(text string) bool {
	return v.size+len(text) <= MaxVouching && utf8.ValidString(text)
}

// add makes text vouch with the given label. It reports false when the text
// does not fit, in which case nothing of it vouches.
func (v *vouching) add(event int, text string, l label.Label, clock calendar) bool {
	if !v.fits(text) {
		return false
	}

	v.size += len(text)
	src := vouchSource{event: event, text: text, label: l, system: l.Trust > label.User, quotes: quotations(text)}
	src.reading = readRequests(text, src.quotes)
	src.quoted = quotedNames(text, src.quotes)
	n := int32(len(v.sources))
	if !src.system {
		v.latest = int(n)
	}
	v.sources = append(v.sources, src)

	for start, end := range atom.Words(text) {
		key := strings.ToLower(text[start:end])
		// One more than is looked at shows that the word is too frequent.
		if len(v.words[key]) <= maxPositions {
			v.words[key] = append(v.words[key], position{n, int32(start), int32(end)})
		}
	}
	v.addAddresses(n, text)
	v.addQuantities(n, text)
	v.addMoments(int(n), text, clock)
	return true
}

// quotedNames returns the quotations that may name a record, in lower case.
func quotedNames(text string, quotes []span) []string {
	var out []string
	for _, q := range quotes {
		if name := strings.ToLower(strings.Trim(text[q.start:q.end], " .,")); len(name) >= 4 && len(out) < maxQuoted {
			out = append(out, name)
		}
	}
	return out
}

// quotations finds quoted strings, code spans and fenced code. Inside them the
// words belong together: one word of a quotation says little by itself.
func quotations(text string) []span {
	var out []span
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		closing := closingQuote(text, i, r)
		if closing == "" {
			i += size
			continue
		}
		if closing == "```" {
			size = len(closing)
		}

		start := i + size
		end := closeQuote(text, start, closing)
		if end < 0 {
			i += size
			continue
		}
		out = append(out, span{start, end})
		i = end + len(closing)
	}
	return out
}

// closingQuotes has what closes a quotation, by the rune that opens it.
var closingQuotes = map[rune]string{'"': `"`, '“': "”", '„': "“", '«': "»", '‘': "’", '‚': "‘", '‹': "›", '`': "`"}

// closingQuote returns what closes the quotation that rune r opens at i; nothing where
// it opens none.
func closingQuote(text string, i int, r rune) string {
	switch {
	case strings.HasPrefix(text[i:], "```"):
		return "```"
	case r == '\'' && atom.IsBoundedLeft(text, i):
		return "'"
	}
	return closingQuotes[r]
}

// maxQuotation is how far a closing quote is looked for: without a bound, a
// text of opening quotes would take quadratic time.
const maxQuotation = 4096

func closeQuote(text string, start int, closing string) int {
	limit := min(len(text), start+maxQuotation)
	for i := start; i < limit; {
		j := strings.Index(text[i:limit], closing)
		if j < 0 {
			return -1
		}
		end := i + j
		if closing != "'" || end+1 == len(text) || !atom.StartsWithWord(text[end+1:]) {
			if end == start {
				return -1
			}
			return end
		}
		i = end + 1
	}
	return -1
}

// find returns the bounded occurrences of a whole value, the exact ones, or
// those that differ in case only.
func (v *vouching) find(value string, foldCase bool) []occurrence {
	if value == "" || len(value) > v.size || !v.work.spend(len(value)) {
		return nil
	}
	candidates, offset := v.rarest(value)
	if len(candidates) > maxPositions {
		return nil
	}

	var out []occurrence
	for _, c := range candidates {
		if !v.work.spend(len(value) + candidateWork) {
			return nil
		}
		src := &v.sources[c.source]
		start := int(c.start) - offset
		end := start + len(value)
		if start < 0 || end > len(src.text) {
			continue
		}
		got := src.text[start:end]
		same := got == value || (foldCase && strings.EqualFold(got, value))
		if same && atom.IsBounded(src.text, start, end) && !atom.IsPartOfGroups(src.text, start, end) {
			out = append(out, v.occurrence(int(c.source), start, end))
		}
	}
	return out
}

// rarest returns the places of the rarest of a value's first words, and where the word
// begins in the value. There are none where a word is nowhere.
func (v *vouching) rarest(value string) (places []position, offset int) {
	seen := 0
	for start, end := range atom.Words(value) {
		list := v.words[strings.ToLower(value[start:end])]
		if len(list) == 0 {
			return nil, 0
		}
		if seen == 0 || len(list) < len(places) {
			places, offset = list, start
		}
		if seen++; seen == maxRuns {
			break
		}
	}
	return places, offset
}

func (v *vouching) occurrence(source, start, end int) occurrence {
	o := occurrence{source: source, start: start, end: end}
	// Quotations are in a row, none in another.
	quotes := v.sources[source].quotes
	i := sort.Search(len(quotes), func(i int) bool { return quotes[i].end >= end })
	if i == len(quotes) || quotes[i].start > start {
		return o
	}
	v.work.spend(quotes[i].end - quotes[i].start)
	text := v.sources[source].text[quotes[i].start:quotes[i].end]
	o.quoted = strings.TrimFunc(text, trimmable) == v.sources[source].text[start:end]
	o.inside = !o.quoted
	return o
}

func trimmable(r rune) bool {
	return unicode.IsSpace(r) || r == '.' || r == ',' || r == '!' || r == '?' || r == ':' || r == ';'
}

// negationWindow is how far before a value a negation is looked for, in bytes
// and in words of the same sentence: enough for "never send anything to".
const (
	negationWindow = 96
	negationWords  = 6
)

// isNegated reports whether the user named the value to rule it out.
func (v *vouching) isNegated(o occurrence) bool {
	v.work.spend(negatedWork)
	text := v.sources[o.source].text
	if ruledOut(text[o.end:min(len(text), o.end+negationWindow)]) {
		return true
	}

	var space [negationWindow/2 + 1]string
	fields := space[:0]
	for field := range strings.FieldsSeq(sameSentence(text[max(0, o.start-negationWindow):o.start])) {
		fields = append(fields, field)
	}
	for i := len(fields) - 1; i >= 0 && len(fields)-i <= negationWords; i-- {
		if negates(fields, i) {
			return true
		}
	}
	return false
}

// sameSentence returns the end of a text from where its last sentence begins.
func sameSentence(text string) string {
	i := strings.LastIndexAny(text, ".!?\n")
	if i < 0 {
		return text
	}
	// A dot inside an address or a number ends no sentence.
	if rest := text[i+1:]; rest == "" || rest[0] == ' ' || text[i] == '\n' {
		return rest
	}
	return text
}

// negates reports whether a word before a value rules the value out.
func negates(fields []string, i int) bool {
	w := strings.ToLower(strings.Trim(fields[i], ",;:()'\"“”"))
	next := ""
	if i+1 < len(fields) {
		next = fields[i+1]
	}

	switch {
	case vocabulary().Harmless.Has(strings.ToLower(strings.Trim(next, ",;:()'\""))):
		return false // "don't forget to write to Bob"
	case vocabulary().Negations.Has(w) || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t"):
		return true
	case w == "no":
		// "No mail may go to …", but not "No problem, write to …".
		return slices.ContainsFunc(fields[i+1:], func(f string) bool { return vocabulary().Permitted.Has(strings.ToLower(f)) })
	case w == "instead":
		return strings.EqualFold(next, "of")
	case w == "other" || w == "rather":
		return strings.EqualFold(next, "than")
	}
	return false
}

// Names reports whether an argument may say which record the user meant: the user
// did not rule it out wherever it was said, and it says more than that some
// such thing exists, as "project" does to a tool for projects.
func (s *Session) Names(tool string, key Argument) bool {
	s.work.begin(len(key.Text), 1)
	if key.Label.Obligations&^label.LowInfo != 0 {
		return false
	}
	if key.Label.Obligations != 0 {
		w := strings.ToLower(key.Text)
		if len(w) < 3 || vocabulary().Starters.Has(w) || vocabulary().States.Has(w) || contains(Words(tool), stem(w)) {
			return false
		}
	}

	found := s.vouch.find(key.Text, true)
	telling := key.Label.Obligations == 0 || strings.Contains(key.Text, " ")
	for _, o := range found {
		if !s.vouch.isNegated(o) && (telling || s.vouch.namesOne(o)) {
			return true
		}
	}
	return len(found) == 0 && !s.work.spent() // worked out, and not said in so many words
}

// namesOne reports whether an ordinary word names one thing where the user said it: as the person
// whom something is sent to, after a possessive, or as what tells one thing of a kind from
// others. "The offer for Bob" names no offer.
func (v *vouching) namesOne(o occurrence) bool {
	left, right := v.around(o, 2, 1)
	if len(left) > 0 {
		w := plainWord(left[len(left)-1])
		if vocabulary().Addressing.Has(w) || requests().deeds[w]&toSend != 0 {
			return true
		}
	}
	if len(right) == 0 || len(left) == 0 {
		return false
	}
	// "My dentist appointment": before a noun that is not a word of the grammar.
	w := plainWord(right[0])
	return requests().marks[w] == 0 && !vocabulary().Starters.Has(w) && (vocabulary().Possessives.Has(left[len(left)-1]) || left[len(left)-1] == "the")
}

// ruledOut reports whether the text after a value rules it out: "mallory@evil.com must not get
// this", "… is a scam".
func ruledOut(after string) bool {
	if after == "" || strings.IndexByte(".!?,;\n", after[0]) >= 0 {
		return false
	}

	i := -1
	for field := range strings.FieldsSeq(after) {
		if i++; i == ruledOutWords {
			break
		}
		w := strings.ToLower(strings.Trim(field, ",;:()'\"“”.!?"))
		switch {
		case vocabulary().VerdictVerbs.Has(w), i > 0 && vocabulary().VerdictFiller.Has(w):
			continue
		case vocabulary().Verdicts.Has(w):
			// Without a verb before it, the word belongs to the next value: "write to
			// bob@corp.com, not to eve".
			return i > 0
		}
		return vocabulary().VerdictNegations.Has(w)
	}
	return false
}

// ruledOutWords is how many words after a value are looked at for what rules it out.
const ruledOutWords = 5

// aroundWindow is how far around an occurrence its sentence is looked at, in bytes.
const aroundWindow = 160

// around returns the lower-cased words of the sentence around an occurrence,
// up to the given numbers of words before and after it.
func (v *vouching) around(o occurrence, before, after int) (left, right []string) {
	v.work.spend(aroundWork)
	text := v.sources[o.source].text
	l := text[max(0, o.start-aroundWindow):o.start]
	if i := lastSentenceEnd(l); i >= 0 {
		l = l[i:]
	}
	r := text[o.end:min(len(text), o.end+aroundWindow)]
	if i := firstSentenceEnd(r); i >= 0 {
		r = r[:i]
	}

	var spans [aroundWindow]span
	n := 0
	for start, end := range atom.Words(l) {
		spans[n] = span{start, end}
		n++
	}
	near := spans[max(0, n-before):n]
	out := make([]string, 0, len(near)+after)
	for _, w := range near {
		out = append(out, strings.ToLower(l[w.start:w.end]))
	}

	left = out[:len(out):len(out)]
	for start, end := range atom.Words(r) {
		if len(out)-len(left) == after {
			break
		}
		out = append(out, strings.ToLower(r[start:end]))
	}
	return left, out[len(left):]
}

func lastSentenceEnd(s string) int {
	for i := len(s) - 1; i > 0; i-- {
		afterStop := s[i] == ' ' && strings.IndexByte(".!?", s[i-1]) >= 0
		if afterStop || s[i] == '\n' {
			return i + 1
		}
	}
	return -1
}

func firstSentenceEnd(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' {
			return i
		}
		last := i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n'
		if last && strings.IndexByte(".!?", s[i]) >= 0 {
			return i
		}
	}
	return -1
}
