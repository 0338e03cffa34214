package provenance

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/wordlist"
	"github.com/remit-project/remit/label"
)

// resolveFlag resolves a boolean. Matching its text would decide nothing: the user's request
// must have the flag, all words of its name, together, in the clause that asks for the
// call.
func (q *query) resolveFlag() Resolution {
	if q.v.Text != "true" {
		return q.ambient()
	}
	name := slices.DeleteFunc(slices.Clone(q.n.last), vocabulary().FlagFiller.Has)
	if len(name) == 0 {
		return q.ambient()
	}

	for i, src := range q.s.vouch.current(q.act.Tool) {
		if at, ok := src.reading.says(q.s.work, name, q.act); ok {
			o := occurrence{source: i, start: at.start, end: at.end}
			return Resolution{Label: src.label, How: "named flag", Witness: true, Evidence: []label.Evidence{q.s.vouchEvidence(o, len(q.v.Text))}}
		}
	}
	return q.ambient()
}

// setting is how many words a clause of its own has at most that says only how:
// "recursively", "as a dry run".
const setting = 5

// says finds the words of a flag next to each other in a request for a call.
func (r *reading) says(work *meter, name []string, act Act) (span, bool) {
	if !work.spend(len(r.tokens) * len(name)) {
		return span{}, false
	}

	for i := range r.tokens {
		end, ok := r.together(i, name)
		if !ok {
			continue
		}
		at := span{r.tokens[i].start, r.tokens[end].end}
		requested, ok := r.requestedWith(work, at, act)
		if !ok {
			return span{}, false
		}
		if requested {
			return at, true
		}
	}
	return span{}, false
}

// requestedWith reports whether a request for a call has the words at a place, in the
// clause of its verb or in a short one of their own. It is not ok where no steps are
// left.
func (r *reading) requestedWith(work *meter, at span, act Act) (requested, ok bool) {
	for j := range r.requests {
		q := &r.requests[j]
		if !work.spend(candidateWork) {
			return false, false
		}
		covers := q.governs.start <= at.start && at.end <= q.governs.end
		asks := q.answers(act.deeds, act.words) || act.Effect == Reads
		if !covers || !asks || !q.directive || r.ruledOut(work, q, at.start, at.end) {
			continue
		}

		clause := r.clauseAt(at.start)
		if clause == r.clauseAt(q.verb.start) || r.wordsIn(clause) <= setting {
			return true, true
		}
	}
	return false, true
}

// together reports whether all words of a name are in the tokens from i on, with
// at most one other word between two of them, and returns the last one's place.
func (r *reading) together(i int, name []string) (end int, ok bool) {
	if !alike(r.tokens[i].word, name[0]) && (len(name) == 1 || !alike(r.tokens[i].word, name[len(name)-1])) {
		return 0, false
	}
	found := 0
	limit := min(len(r.tokens), i+2*len(name)+1)
	for _, w := range name {
		for j := i; j < limit; j++ {
			t := &r.tokens[j]
			if t.clause == r.tokens[i].clause && !t.quoted && alike(t.word, w) {
				found, end = found+1, max(end, j)
				break
			}
		}
	}
	return end, found == len(name)
}

// alike reports whether a word that was said is a word of a name, with another
// ending: "permanently" for "permanent", "drafts" for "draft".
func alike(said, name string) bool {
	if stem(said) == stem(name) {
		return true
	}
	short, long := said, name
	if len(short) > len(long) {
		short, long = long, short
	}
	return len(short) >= 5 && strings.HasPrefix(long, short) && len(long)-len(short) <= 3
}

func (r *reading) wordsIn(clause span) int {
	n := 0
	for i := range r.tokens {
		if r.tokens[i].start >= clause.start && r.tokens[i].end <= clause.end {
			n++
		}
	}
	return n
}

// isUnsaidRight reports whether a value that gives a right is a word that the user
// said in another sense: "the invite admin Carol knows" makes no one an admin.
func (q *query) isUnsaidRight(text string, o occurrence, left, right []string) bool {
	everybody := requests().marks[strings.ToLower(text)]&universalWord != 0
	if o.quoted || (!everybody && !vocabulary().RightNames.In(q.n.last)) {
		return false
	}
	if everybody && len(right) > 0 && requests().marks[plainWord(right[0])] == 0 {
		return false // "all attendees"
	}

	for len(left) > 0 && vocabulary().BeforeRight.Has(left[len(left)-1]) {
		left = left[:len(left)-1]
	}
	if len(left) > 0 && (vocabulary().AsRight.Has(left[len(left)-1]) || contains(q.n.last, stem(left[len(left)-1]))) {
		return false
	}
	source := q.s.vouch.sources[o.source].text
	for _, as := range [...]string{"为", "成", "作", "当", "に", "として"} {
		if strings.HasSuffix(source[:o.start], as) {
			return false
		}
	}
	if len(right) > 0 && (vocabulary().OfRight.Has(stem(right[0])) || q.n.hasCue(right[:1])) {
		return false
	}

	// "Make it public", "as the owner."
	return !vocabulary().Making.In(left) || !clauseEnds(source, o.end)
}

//go:embed settings.txt
var settingTable string

// serviceWords are the words of settings.txt, by kind, value or code.
type serviceWords struct {
	constants, settings, currencies map[string][]string
}

var services = sync.OnceValue(func() *serviceWords { return wordlist.Must(readSettings(settingTable)) })

// readSettings reads settings.txt.
func readSettings(table string) (*serviceWords, error) {
	rows, err := wordlist.Read(table)
	if err != nil {
		return nil, err
	}

	x := &serviceWords{constants: map[string][]string{}, settings: map[string][]string{}, currencies: map[string][]string{}}
	lists := map[string]map[string][]string{"constant": x.constants, "setting": x.settings, "currency": x.currencies}
	for _, r := range rows {
		kind, key, _ := strings.Cut(r.Name, " ")
		list := lists[kind]
		if list == nil || key == "" || strings.Contains(key, " ") {
			return nil, fmt.Errorf("%q is not a constant, a setting or a currency", r.Name)
		}
		list[key] = r.Words
	}
	return x, nil
}

// Settled is the procedure of values in which there is no choice, or that follow from
// what the user asked for: see [Offer].
const Settled = "settled"

// settled returns the resolution of a value that nothing vouches for, with a certificate for this
// place: its origins stay what they are.
func (q *query) settled(how, basis string) Resolution {
	r := q.ambient()
	r.How = how
	r.Offers = []Offer{{Procedure: Settled, Basis: basis, Max: label.User,
		Roles: label.RolesOf(label.Target, label.Selector, label.Control, label.Command)}}
	return r
}

// mentions reports whether the user's texts have one of the words.
func (v *vouching) mentions(words []string) bool {
	for i := range v.sources {
		if v.sources[i].system || !v.work.spend(len(v.sources[i].text)*len(words)) {
			continue
		}
		lower := strings.ToLower(v.sources[i].text)
		for _, w := range words {
			if strings.Contains(lower, w) {
				return true
			}
		}
	}
	return false
}

// resolveSetting resolves a value that is another form of what the user asked for: the
// state "closed" for "close issue 12", the right "writer" for "let Bob edit".
func (q *query) resolveSetting(text string) (Resolution, bool) {
	value := strings.ToLower(text)
	if names := services().currencies[value]; len(names) > 0 && contains(q.n.last, "currency") && q.s.vouch.mentions(names) {
		return q.settled("currency of the user's", "the code of the currency that the user named"), true
	}

	if q.act.Effect == Reads || len(value) > 24 || strings.ContainsAny(value, " /@.:") {
		return Resolution{}, false
	}
	for i, src := range q.s.vouch.current(q.act.Tool) {
		if at, ok := q.settingIn(src.reading, value); ok {
			r := q.settled("as the user asked", "another form of what the user asked for")
			r.Evidence = []label.Evidence{q.s.vouchEvidence(occurrence{source: i, start: at.start, end: at.end}, len(text))}
			return r, true
		}
	}
	return Resolution{}, false
}

func (q *query) settingIn(r *reading, value string) (span, bool) {
	for _, w := range services().settings[value] {
		if at, ok := r.says(q.s.work, []string{w}, q.act); ok {
			return at, true
		}
	}

	ofMethod := vocabulary().MethodNames.In(q.n.last)
	for i := range r.requests {
		p := &r.requests[i]
		if !q.s.work.spend(candidateWork) {
			return span{}, false
		}
		if !p.directive || p.unknown || !p.answers(q.act.deeds, q.act.words) {
			continue
		}
		sameDeed := ofMethod && requests().asksFor(value, "")&p.deeds != 0
		if sameDeed || isParticiple(value, p.word) {
			return p.verb, true
		}
	}
	return span{}, false
}

// isParticiple reports whether a value is the participle of an English verb: "closed"
// of "close", "cancelled" of "cancel".
func isParticiple(value, verb string) bool {
	if !requests().english[verb] {
		return false
	}
	return value == verb+"ed" || value == verb+verb[len(verb)-1:]+"ed" || (strings.HasSuffix(verb, "e") && value == verb+"d")
}

// resolveUntold resolves one of the values that the tool's definition lists, where no result had any
// text: nothing said which one it should be. Another value may be made up, since a look-up found nothing.
func (q *query) resolveUntold(string) (Resolution, bool) {
	if !q.v.Listed || q.s.told {
		return Resolution{}, false
	}
	return q.settled("nothing was read", "one of the values that the tool lists, and no result had any text"), true
}

// resolveConstant resolves a value that names the caller's own, in an argument of that
// kind: the calendar "primary". Where the user named another of the kind, it is a
// choice like any other.
func (q *query) resolveConstant(text string) (Resolution, bool) {
	for _, w := range q.n.last {
		if slices.Contains(services().constants[w], text) && !q.isOtherNamed(w) {
			return q.settled(HowConstant, "the service's own word for what is the caller's, or the ordinary case"), true
		}
	}
	return Resolution{}, false
}

// isOtherNamed reports whether the user named something of a kind: "the calendar
// Work", "branch release".
func (q *query) isOtherNamed(kind string) bool {
	for _, form := range [...]string{kind, kind + "s"} {
		if !q.s.work.spend(aroundWork * len(q.s.vouch.words[form])) {
			return true
		}
		if slices.ContainsFunc(q.s.vouch.words[form], q.s.vouch.hasNameAt) {
			return true
		}
	}
	return false
}

// hasNameAt reports whether a name is next to the word at a place: a word that is
// neither of the grammar nor a verb, or a quotation.
func (v *vouching) hasNameAt(p position) bool {
	o := occurrence{source: int(p.source), start: int(p.start), end: int(p.end)}
	left, right := v.around(o, 1, 1)
	for _, w := range append(left, right...) {
		word := plainWord(w)
		if requests().marks[word] == 0 && requests().deeds[word] == 0 && !vocabulary().Possessives.Has(w) {
			return true
		}
	}

	return slices.ContainsFunc(v.sources[p.source].quotes, func(quote span) bool {
		behind, before := quote.start-o.end, o.start-quote.end
		return (behind >= 0 && behind <= maxToQuote) || (before >= 0 && before <= maxToQuote)
	})
}

// maxToQuote is how far a quotation is from the word that it belongs to, in bytes.
const maxToQuote = 4
