package provenance

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/label"
)

// Bounds of the vouching text. It is written by the user and the deployment
// alone, so these are not a defence against an attacker but against a paste
// that was meant as an attachment.
const (
	// MaxVouching is how much user and system text vouches in one session, in
	// bytes. The text that passes it begins over: nothing that was said before
	// vouches any more, since what comes after may have taken it back. A text
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
	numerals []numeral

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
	for _, q := range src.quotes {
		if t := strings.ToLower(strings.Trim(text[q.start:q.end], " .,")); len(t) >= 4 && len(src.quoted) < maxQuoted {
			src.quoted = append(src.quoted, t)
		}
	}
	n := int32(len(v.sources))
	if !src.system {
		v.latest = int(n)
	}
	v.sources = append(v.sources, src)
	for start, end := range words(text) {
		key := strings.ToLower(text[start:end])
		// One more than is looked at tells that the word is too frequent.
		if len(v.words[key]) <= maxPositions {
			v.words[key] = append(v.words[key], position{n, int32(start), int32(end)})
		}
	}
	v.addAddresses(n, text)
	v.addQuantities(n, text)
	v.addMoments(int(n), text, clock)
	return true
}

// words yields the maximal runs of letters and digits of a text. Where a script
// without spaces meets another, a run ends.
func words(text string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		start := -1
		spaceless := false
		for i, r := range text {
			if r < utf8.RuneSelf && isAlnum(byte(r)) || r >= utf8.RuneSelf && (wordRune(r) || unicode.Is(unicode.Mn, r)) {
				if s := scriptless(r); start < 0 {
					start, spaceless = i, s
				} else if s != spaceless && !unicode.Is(unicode.Mn, r) {
					if !yield(start, i) {
						return
					}
					start, spaceless = i, s
				}
				continue
			}
			if start >= 0 {
				if !yield(start, i) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(start, len(text))
		}
	}
}

// quotations finds quoted strings, code spans and fenced code. Inside them the
// words belong together: one word of a quotation says little by itself.
func quotations(text string) []span {
	var out []span
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		var closing string
		switch r {
		case '"':
			closing = `"`
		case '“':
			closing = "”"
		case '„':
			closing = "“"
		case '«':
			closing = "»"
		case '‘':
			closing = "’"
		case '‚':
			closing = "‘"
		case '‹':
			closing = "›"
		case '`':
			closing = "`"
			if strings.HasPrefix(text[i:], "```") {
				closing, size = "```", 3
			}
		case '\'':
			if boundedLeft(text, i) {
				closing = "'"
			}
		}
		if closing == "" {
			i += size
			continue
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
		if closing != "'" || end+1 == len(text) || !startsWithWord(text[end+1:]) {
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
	// Start from the rarest of the value's first words.
	var candidates []position
	offset, seen := 0, 0
	for start, end := range words(value) {
		list := v.words[strings.ToLower(value[start:end])]
		if len(list) == 0 {
			return nil
		}
		if seen == 0 || len(list) < len(candidates) {
			candidates, offset = list, start
		}
		if seen++; seen == maxRuns {
			break
		}
	}
	if seen == 0 || len(candidates) > maxPositions {
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
		if got != value && (!foldCase || !strings.EqualFold(got, value)) {
			continue
		}
		if !bounded(src.text, start, end) || groupOf(src.text, start, end) {
			continue
		}
		out = append(out, v.occurrence(int(c.source), start, end))
	}
	return out
}

func (v *vouching) occurrence(source, start, end int) occurrence {
	o := occurrence{source: source, start: start, end: end}
	// Quotations stand in a row, none in another.
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

// negated tells whether the user named the value to rule it out.
func (v *vouching) negated(o occurrence) bool {
	v.work.spend(negatedWork)
	text := v.sources[o.source].text
	window := text[max(0, o.start-negationWindow):o.start]
	if i := strings.LastIndexAny(window, ".!?\n"); i >= 0 {
		// A dot inside an address or a number ends no sentence.
		if i+1 == len(window) || window[i+1] == ' ' || window[i] == '\n' {
			window = window[i+1:]
		}
	}
	if ruledOut(text[o.end:min(len(text), o.end+negationWindow)]) {
		return true
	}
	fields := strings.Fields(window)
	for i := len(fields) - 1; i >= 0 && len(fields)-i <= negationWords; i-- {
		w := strings.ToLower(strings.Trim(fields[i], ",;:()'\"“”"))
		if i+1 < len(fields) && harmless(fields[i+1]) {
			continue
		}
		switch w {
		case "block", "refuse", "unsubscribe", "stop", "blockiere":
			return true
		case "no":
			// "No mail may go to …", but not "No problem, write to …".
			if slices.ContainsFunc(fields[i+1:], func(f string) bool { return permitted.has(strings.ToLower(f)) }) {
				return true
			}
		case "not", "never", "avoid", "except", "without", "nor", "neither", "cannot",
			"ignore", "ignoring", "beware", "distrust", "excluding", "besides", "exclude",
			"nicht", "nie", "niemals", "kein", "keine", "keinen", "keinesfalls", "außer", "ohne",
			"jamais", "sauf", "sans", "pas", "nunca", "excepto", "sin", "jamás":
			return true
		}
		if strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") {
			return true
		}
		if i+1 < len(fields) && (w == "instead" && strings.EqualFold(fields[i+1], "of") ||
			(w == "other" || w == "rather") && strings.EqualFold(fields[i+1], "than")) {
			return true
		}
	}
	return false
}

// Names tells whether an argument may say which record the user meant: the user
// did not rule it out wherever it was said, and it says more than that some
// such thing exists, as "project" does to a tool for projects.
func (s *Session) Names(tool string, key Resolved) bool {
	s.work.begin(len(key.Text), 1)
	if key.Label.Obligations&^label.LowInfo != 0 {
		return false
	}
	if key.Label.Obligations != 0 {
		w := strings.ToLower(key.Text)
		if len(w) < 3 || starters.has(w) || states.has(w) || contains(Words(tool), stem(w)) {
			return false
		}
	}
	found := s.vouch.find(key.Text, true)
	for _, o := range found {
		if !s.vouch.negated(o) && (key.Label.Obligations == 0 || strings.Contains(key.Text, " ") || s.vouch.namesOne(o)) {
			return true
		}
	}
	return len(found) == 0 && !s.work.spent() // worked out, and not said in so many words
}

// namesOne reports whether an ordinary word names one thing where the user said
// it: as the person whom something is sent to, as somebody's own, or as what tells
// one thing of a kind from others. "The offer for Bob" names no offer.
func (v *vouching) namesOne(o occurrence) bool {
	left, right := v.around(o, 2, 1)
	if len(left) > 0 {
		w := plainWord(left[len(left)-1])
		if addressing.has(w) || requests.deeds[w]&toSend != 0 {
			return true
		}
	}
	if len(right) == 0 || len(left) == 0 {
		return false
	}
	// "My dentist appointment": before a noun that is no word of the grammar.
	w := plainWord(right[0])
	return requests.marks[w] == 0 && !starters.has(w) && (possessives.has(left[len(left)-1]) || left[len(left)-1] == "the")
}

// harmless tells whether a word after "not" makes it no negation of what
// follows: "don't forget to write to Bob".
func harmless(w string) bool {
	switch strings.ToLower(strings.Trim(w, ",;:()'\"")) {
	case "forget", "hesitate", "fail", "miss", "only", "just", "vergessen", "oublier":
		return true
	}
	return false
}

// ruledOut tells whether what follows a value rules it out: "mallory@evil.com
// must not get this", "… is a scam".
func ruledOut(after string) bool {
	fields := strings.Fields(after)
	if len(fields) == 0 || len(after) > 0 && strings.IndexByte(".!?,;\n", after[0]) >= 0 {
		return false
	}
	for i := 0; i < len(fields) && i < 5; i++ {
		w := strings.ToLower(strings.Trim(fields[i], ",;:()'\"“”.!?"))
		switch w {
		case "is", "are", "must", "should", "may", "shall", "can", "does", "looks", "seems", "was", "ist", "darf", "soll", "est", "ne", "no":
			continue
		case "not", "never", "cannot", "nicht", "nie", "niemals", "jamais", "nunca", "pas",
			"scam", "spam", "phishing", "fake", "malicious", "suspicious", "fraud", "fraudulent", "blocked", "compromised", "dangerous":
			// Without a verb before it, the word belongs to what comes next:
			// "write to bob@corp.com, not to eve".
			return i > 0
		case "isn't", "mustn't", "shouldn't", "can't", "won't", "doesn't":
			return true
		case "a", "an", "the", "ein", "eine", "un", "une", "likely", "probably", "definitely", "surely":
			if i > 0 {
				continue
			}
		}
		return false
	}
	return false
}

// around returns the lower-cased words of the sentence around an occurrence,
// up to the given numbers of words before and after it.
func (v *vouching) around(o occurrence, before, after int) (left, right []string) {
	const window = 160
	v.work.spend(aroundWork)
	text := v.sources[o.source].text
	l := text[max(0, o.start-window):o.start]
	if i := lastSentenceEnd(l); i >= 0 {
		l = l[i:]
	}
	r := text[o.end:min(len(text), o.end+window)]
	if i := firstSentenceEnd(r); i >= 0 {
		r = r[:i]
	}
	var spans [window]span
	n := 0
	for start, end := range words(l) {
		spans[n] = span{start, end}
		n++
	}
	near := spans[max(0, n-before):n]
	out := make([]string, 0, len(near)+after)
	for _, w := range near {
		out = append(out, strings.ToLower(l[w.start:w.end]))
	}
	left = out[:len(out):len(out)]
	for start, end := range words(r) {
		if len(out)-len(left) == after {
			break
		}
		out = append(out, strings.ToLower(r[start:end]))
	}
	return left, out[len(left):]
}

func lastSentenceEnd(s string) int {
	for i := len(s) - 1; i > 0; i-- {
		if s[i] == '\n' || s[i] == ' ' && (s[i-1] == '.' || s[i-1] == '!' || s[i-1] == '?') {
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
		if (s[i] == '.' || s[i] == '!' || s[i] == '?') && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n') {
			return i
		}
	}
	return -1
}
