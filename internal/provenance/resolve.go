package provenance

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/provenance/normal"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Form is the inner structure of a string, by which it is resolved part by
// part. The empty form lets the value itself say.
type Form string

// The forms, as contracts spell them.
const (
	FormURL     Form = "url"
	FormAddress Form = "address"
	FormPath    Form = "path"
	FormShell   Form = "shell"
	FormSQL     Form = "sql"
)

// Value is one leaf of a proposed call.
type Value struct {
	Pointer string
	Kind    strictjson.Kind
	Text    string
	Form    Form
	// Brief leaves single words out of what explains the value, and shows only
	// where it, or pieces of it, were copied from: enough where no answer
	// depends on it.
	Brief bool
}

// Resolution is what is known about one value.
type Resolution struct {
	Label label.Label
	// How names the way in which the label was found.
	How string
	// Evidence are the places that the label rests on, or that explain it.
	Evidence []label.Evidence
	// Witness reports whether something vouches for the value; otherwise the
	// label is the ambient one.
	Witness bool
	// Parts are the parts of a structured value; empty for a plain one. The
	// label is the merge of all of them.
	Parts []Part
	// Offers are those that the fields of results offer for the value.
	Offers []Offer
	// LooksLike is what the user wrote, when the value looks like it and is
	// something else.
	LooksLike string
	// Bounded reports whether the value is a plain number or date that was taken,
	// or computed, from the user's words and from fields of results that are
	// not external: a bounded format from a bounded source.
	Bounded bool
	// Unsaid reports whether the value gives a right, and the user said its word in
	// another sense.
	Unsaid bool

	numeric, right bool
	refs           []fieldRef // the fields of results that it was taken from
}

// take merges a part into a composed value.
func (r *Resolution) take(part Resolution) {
	r.Label = label.Merge(r.Label, part.Label)
	r.Evidence = append(r.Evidence, part.Evidence...)
	r.refs = append(r.refs, part.refs...)
}

// Part is one part of a structured value.
type Part struct {
	// Name is "host", "path", "query", "address", "name", "word" and so on.
	Name string
	Text string
	// Authority reports whether the part decides where the call goes or what it
	// does; other parts carry content.
	Authority bool
	Label     label.Label
}

// Authority returns the label of the parts that decide where a call goes or
// what it does: the whole label for a value without parts.
func (r *Resolution) Authority() label.Label {
	if len(r.Parts) == 0 {
		return r.Label
	}
	l, any := label.Identity(), false
	for _, p := range r.Parts {
		if p.Authority {
			l, any = label.Merge(l, p.Label), true
		}
	}
	if !any {
		return r.Label
	}
	return l
}

// Offer is what a field of a result offers to vouch for a value: a procedure
// turns it into a certificate where the contract lists the procedure.
type Offer struct {
	Procedure, Basis string
	// Key is what the user said, by which the value was looked up; empty where it
	// was named in another way.
	Key   string
	Roles label.RoleSet
	Max   label.Trust
}

// Bounds of a resolution.
const (
	// maxPieces is how many pieces a list, a path or a command line may have
	// to be resolved piece by piece.
	maxPieces = 64
	// fuelPerCall is how many comparisons the evidence of one call may cost.
	fuelPerCall = 4_000_000
)

// Resolve finds the labels of all leaves of a proposed call.
func (s *Session) Resolve(act Act, values []Value) []Resolution {
	bytes := 0
	for i := range values {
		bytes += len(values[i].Text) + len(values[i].Pointer)
	}
	s.work.begin(bytes, len(values))
	s.memo = memo{names: s.memo.names}

	out, fuel := make([]Resolution, len(values)), fuelPerCall
	for i := range values {
		q := query{s: s, act: act, v: values[i], n: s.name(values[i].Pointer, act.Tool), siblings: values}
		out[i] = q.resolution()
		r := &out[i]
		if !r.Witness {
			s.lookalike(values[i].Text, r)
		}
		partly := len(r.Parts) > 0 && r.Label.Trust <= s.ambient.Trust
		if partly || !r.Witness {
			r.Evidence = append(r.Evidence, s.explain(&values[i], &fuel)...)
		}
	}
	return out
}

// resolution resolves the value, and takes back what its call gives no reason for.
func (q *query) resolution() Resolution {
	s := q.s
	var r Resolution
	if !s.work.spent() {
		r = q.resolve()
	}

	if s.ambient.Trust >= label.User {
		// Only the user has had a word yet, so that the user's words alone led to
		// whatever was picked.
		r.Label.Obligations &^= unsteered
		for i := range r.Parts {
			r.Parts[i].Label.Obligations &^= unsteered
		}
	} else if q.act.Effect != Reads {
		r.Offers = slices.DeleteFunc(r.Offers, func(o Offer) bool { return o.Key != "" && !q.keyRequested(o.Key) })
	}
	if r.Bounded && r.Label.Trust < label.User && q.outbid() {
		r.Bounded = false
	}

	if s.work.spent() {
		return exhausted(s.Ambient())
	}
	return r
}

// unsteered are the doubts that matter only where somebody else had a word.
const unsteered = label.LowInfo | label.AmbiguousBinding | label.Unrequested

// exhausted is the resolution of a value that was not looked at to the end.
func exhausted(ambient label.Label) Resolution {
	l := label.Merge(ambient, label.Label{Origins: label.OriginsOf(label.OriginUnknown), Trust: label.External})
	l.Obligations |= unsteered
	return Resolution{Label: l, How: "not looked at: the call takes too many steps"}
}

// query is the resolution of one value.
type query struct {
	s        *Session
	act      Act
	v        Value
	n        name
	siblings []Value
}

func (q *query) resolve() Resolution {
	v := q.v
	switch v.Kind {
	case strictjson.Null, strictjson.Object, strictjson.Array:
		// An absent or empty value has nothing to choose.
		return Resolution{Label: label.Label{Origins: label.OriginsOf(label.OriginConfig), Trust: label.Trusted}, How: "empty", Witness: true}
	case strictjson.Bool:
		return q.flag()
	case strictjson.Number:
		if r, ok := q.number(); ok {
			return r
		}
		return q.ambient()
	}
	if v.Text == "" {
		return q.ambient()
	}

	if r, ok := q.text(v.Text); ok {
		return r
	}
	if q.v.Form == FormSQL && q.act.Effect == Reads && q.act.Tool != "" && onlyReads(v.Text) {
		return q.settled("a query that only reads", "one SELECT, in a call that only reads")
	}
	if r, ok := q.structured(); ok {
		return r
	}
	if q.v.Form == FormShell || q.v.Form == FormSQL {
		return q.ambient() // code is not put together from pieces
	}

	if r, ok := q.derived(); ok {
		return r
	}
	for _, try := range [...]func(string) (Resolution, bool){q.pathBelow, q.constant, q.setting} {
		if r, ok := try(v.Text); ok {
			return r
		}
	}
	return q.ambient()
}

// text resolves a string as a whole: by exact or typed equality, or as a field.
func (q *query) text(text string) (Resolution, bool) {
	if !q.s.work.spend(len(text)) {
		return Resolution{}, false
	}
	if clean(text) {
		if r, ok := q.exact(text); ok {
			return r, true
		}
		if r, ok := q.typed(text); ok {
			return r, true
		}
	}

	v := q.v
	v.Text = text
	if r, ok := q.s.field(v, q.n); ok && r.Label.Trust > q.s.ambient.Trust {
		r.Bounded = r.Bounded || r.numeric
		return r, true
	} else if ok && len(r.Offers) > 0 {
		return r, true
	}
	return Resolution{}, false
}

// ambient is the resolution of a value that nothing vouches for.
func (q *query) ambient() Resolution {
	return Resolution{Label: q.s.Ambient(), How: "ambient"}
}

// clean reports whether a value may be vouched for at all: text in one normal
// form, without characters that a person doesn't see.
func clean(s string) bool {
	for i := range len(s) {
		c := s[i]
		visible := ' ' <= c && c < 0x7f
		if !visible && c != '\n' && c != '\t' && c != '\r' {
			ok, _ := normal.CleanText(s)
			return utf8.ValidString(s) && ok
		}
	}
	return true
}

// plain is clean, on one line, and in one piece.
func plain(s string) bool { return !strings.ContainsAny(s, "\n\t\r ") && clean(s) }

// exact resolves a value that appears word for word in vouching text. Of several
// occurrences the best counts: to repeat a value doesn't change it.
func (q *query) exact(text string) (Resolution, bool) {
	found := q.s.vouch.find(text, false)
	return q.best(text, found, "exact", false)
}

func (q *query) best(text string, found []occurrence, how string, folded bool) (Resolution, bool) {
	var best Resolution
	ok := false
	for _, o := range found {
		if q.s.work.spent() {
			return Resolution{}, false
		}
		r, vouches := q.judge(text, o, folded)
		if !vouches {
			continue
		}
		r.How = how
		fewerDoubts := r.Label.Trust == best.Label.Trust && r.Label.Obligations < best.Label.Obligations
		if !ok || fewerDoubts || r.Label.Trust > best.Label.Trust {
			best, ok = r, true
		}
	}
	return best, ok
}

// judge decides whether an occurrence vouches, and with which obligations.
func (q *query) judge(text string, o occurrence, folded bool) (Resolution, bool) {
	vouch := &q.s.vouch
	src := &vouch.sources[o.source]
	r := Resolution{Label: src.label, Witness: true, Evidence: []label.Evidence{q.s.vouchEvidence(o, len(text))}}
	if q.ruledOut(text, o) || q.anotherValue(text, o) {
		return r, false
	}
	if !q.requestedAt(o) {
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
		amount := q.quantityLike() && !counted(right)
		return r, amount || q.cuedNumber(left, right)
	}

	r.Unsaid = q.unsaidRight(text, o, left, right)
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
	if !calendarWord(text) || q.momentLike() || q.n.cued(left) {
		return false
	}
	return folded || inTime(left, right)
}

// saysLittle reports whether a value is an ordinary word, or a host that was made from
// a name with dots.
func (q *query) saysLittle(text string, o occurrence, left, right []string) bool {
	source := q.s.vouch.sources[o.source].text
	ordinary := !typedAtom(text) && q.lowInformation(text, source, o, left, right)
	return ordinary || (schemeAdded(text, source[o.start:o.end]) && !visited(left, right))
}

// isCode reports whether the value is a command or a query.
func (q *query) isCode() bool { return q.v.Form == FormShell || q.v.Form == FormSQL }

// ruledOut reports whether the user named a value, or an address in it, to rule it
// out.
func (q *query) ruledOut(text string, o occurrence) bool {
	if (q.isCode() || typedAtom(text)) && q.s.vouch.negated(o) {
		return true
	}
	return manyAtoms(text) && q.anyNegated(o)
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
		minus, unclear := signBefore(q.s.vouch.sources[o.source].text, o.start)
		return minus || unclear || q.s.vouch.misread(o)
	}
	return false
}

// manyAtoms reports whether a value is a list of addresses in one string.
func manyAtoms(text string) bool {
	return strings.Count(text, "@") > 1 && strings.ContainsAny(text, ", ;\n")
}

// anyNegated reports whether the user ruled out an address inside of a text.
func (q *query) anyNegated(o occurrence) bool {
	text := q.s.vouch.sources[o.source].text
	n := 0
	q.s.work.spend(o.end - o.start)
	for start, end := range atoms(text[o.start:o.end]) {
		if strings.IndexByte(text[o.start+start:o.start+end], '@') <= 0 {
			continue
		}
		if n++; n == maxPieces || q.s.vouch.negated(occurrence{source: o.source, start: o.start + start, end: o.start + end}) {
			return true
		}
	}
	return false
}

// schemeAdded reports whether a URL was made from a word with dots in it. The
// user may have meant a file or a variable: "order.id" is a host as well.
func schemeAdded(value, source string) bool {
	return strings.Contains(value, "://") && !strings.Contains(source, "://") && !strings.Contains(source, "/") &&
		!strings.HasPrefix(asciiLower(source), "www.")
}

// visited reports whether the words around a host say that it is one.
func visited(left, right []string) bool {
	return hostWords.in(left) || hostWords.in(right)
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
		if isDigit(s[i]) {
			digits++
		} else if !isAlnum(s[i]) && s[i] != '-' {
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
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// quantityLike reports whether an argument asks for an amount, for which a bare
// number in the user's text is the ordinary way to say it.
func (q *query) quantityLike() bool {
	return quantityWords.in(q.n.last) || contains(q.n.last, "n")
}

// counted reports whether the word after a number is what it counts.
func counted(right []string) bool { return len(right) > 0 && !uncounted.has(right[0]) }

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
	cuedAfter := len(right) > 0 && q.n.cued(right[:1])
	verbAfter := cuedAfter && len(q.n.tool) > 0 && right[0] == q.n.tool[0]
	if q.n.cued(near) || (cuedAfter && !verbAfter) {
		return false // "the general channel", but not "in general, post less"
	}
	return !q.destination(source, o.end, left)
}

// ordinaryWords counts the words of a value, and reports whether one has a capital or
// another script, and whether one is a word that begins sentences.
func ordinaryWords(text string) (n int, capital, common bool) {
	for start, end := range words(text) {
		n++
		c := text[start]
		capital = capital || ('A' <= c && c <= 'Z') || c >= utf8.RuneSelf
		common = common || starters.has(strings.ToLower(text[start:end]))
	}
	return n, capital, common
}

// destination reports whether the words before a value say that something goes there.
func (q *query) destination(source string, end int, left []string) bool {
	for len(left) > 0 {
		switch last := left[len(left)-1]; {
		case destining.has(last):
			return true
		case last == "in" || last == "on" || last == "at":
			// A place, where it closes what the user asked the tool to do:
			// "post the figures in general.", not "in general terms".
			return closes(source, end) && q.asked(left)

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

// wholeCommand reports whether text[start:end] is all of a command that the user
// asked to run: a line or a clause of its own, or the text behind the word for
// running it.
func wholeCommand(text string, start, end int) bool {
	if !closes(text, end) {
		return false
	}
	before := strings.TrimRight(text[:start], " \t\"'`")
	if before == "" || strings.IndexByte(".!?:;,\n", before[len(before)-1]) >= 0 {
		return true
	}

	rest, last := cutLastWord(before)
	for requests.marks[plainWord(last)]&(conjunction|opener) != 0 && rest != "" {
		rest, last = cutLastWord(strings.TrimRight(rest, " \n")) // "then", "please"
	}
	joined := slices.ContainsFunc(requests.joined, func(w joinedWord) bool {
		return w.deed&toRun != 0 && strings.HasSuffix(last, w.text)
	})
	return joined || running.has(last) || requests.deeds[plainWord(last)]&toRun != 0
}

// cutLastWord cuts the last word off a text, and returns it in lower case.
func cutLastWord(text string) (rest, word string) {
	i := strings.LastIndexAny(text, " \n") + 1
	return text[:i], strings.ToLower(text[i:])
}

// closes reports whether a clause ends after text[:end].
func closes(text string, end int) bool {
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
	says := saying.has(verb) && saying.in(words)
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
		// The sender of what is to be read is named, and not as somebody to write
		// to, unless an answer was asked for.
		sender := len(left) > 0 && (left[len(left)-1] == "from" || left[len(left)-1] == "by")
		return sender && !q.s.answerAsked()
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
		case recipientWords.has(w):
			return false
		case sourceWords.has(w):
			return true
		case smallOr.has(w):
			near = len(left)
		}
		near--
	}
	return !q.n.cued(left[max(0, len(left)-3):])
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

// answerAsked reports whether the user asked for an answer to what others sent.
func (s *Session) answerAsked() bool {
	for w := range vocabulary[answerWords] {
		if len(s.vouch.words[w]) > 0 {
			return true
		}
	}
	return false
}

// number resolves a JSON number.
func (q *query) number() (Resolution, bool) {
	if r, ok := q.typedNumber(q.v.Text); ok {
		return r, true
	}
	if r, ok := q.s.field(q.v, q.n); ok && (r.Label.Trust > q.s.ambient.Trust || len(r.Offers) > 0) {
		r.Bounded = r.Label.Trust >= label.ToolOutput
		return r, true
	}
	return q.arithmetic(q.v.Text)
}
