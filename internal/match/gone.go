package match

import (
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/internal/pattern"
)

// A record may say itself that it is none any more, and a later result that there is no such thing.

// isSuperseded reports whether a record says that another one has taken its place, or that what it offers holds no longer. A call that prolongs or
// removes it may be for just that.
func (m *matcher) isSuperseded(r *Result, record string) bool {
	if !m.work(len(r.records[record]) * perStep) {
		return true
	}
	return slices.ContainsFunc(r.records[record], func(i int) bool {
		f := &r.fields[i]
		if f.part != nil || f.null || len(f.key) < 2 || slices.Contains(nothing, fold(f.text)) {
			return false
		}
		is := f.isOfSuccessor() || (m.isPassed(f) && !m.mayProlong())
		return is && !m.isConditioned(f)
	})
}

// mayProlong reports whether the call is of a tool that prolongs or removes a thing, by its name.
func (m *matcher) mayProlong() bool {
	return slices.ContainsFunc(words(m.proposal.Tool), func(w string) bool { return lexicon().Turning.Has(w) || lexicon().Undoing.Has(w) })
}

// isOfSuccessor reports whether a member says what took the place of its record, or of its end: superseded_by, merged_into, extended_to.
func (f *field) isOfSuccessor() bool {
	of, last := f.key[:len(f.key)-1], f.key[len(f.key)-1]
	isSuccessor := lexicon().Succeeded.In(of) && (last == "by" || last == "into" || last == "id")
	return isSuccessor || (lexicon().Prolonged.In(of) && lexicon().Upper.Has(last))
}

// isPassed reports whether a member says until when its record holds, and that is over, on whatever side of the world.
func (m *matcher) isPassed(f *field) bool {
	isValid := lexicon().Valid.Has(f.key[len(f.key)-2]) && lexicon().Upper.Has(f.key[len(f.key)-1])
	if !isValid || m.proposal.Now.IsZero() {
		return false
	}
	at, ok := moment(strings.TrimSpace(f.text))
	now := m.proposal.Now
	if isDay := len(strings.TrimSpace(f.text)) == len("2006-01-02"); isDay {
		at = at.AddDate(0, 0, 1)
	}
	return ok && !isNever(at) && asWritten(at).Before(asWritten(now))
}

// isLost reports whether a later result shows that a record isn't there any more: the look-up of the thing by its key found nothing, or a listing
// of what has a value that the record has, whole, has everything but the record.
func (m *matcher) isLost(place int, record string, key *field, alike map[int]likeness) bool {
	of, asked := m.results[place], m.askedFor()
	for _, i := range of.records[record] {
		if !m.step() {
			return true
		}

		for _, at := range asked[of.fields[i].text] {
			r := m.results[at]
			if at <= place || !m.step() || r.Server != of.Server || alike[at] != (likeness{}) {
				continue
			}

			isLookUp := r.isAskedBy(key) && (r.Tool == of.Tool || isOfOneThing(r, of))
			if isLookUp && m.findsNothing(r) {
				return true
			}
			if r.Tool == of.Tool && r.tellsNow(of) && !r.more && !r.partial && m.narrows(r, of, record) {
				return true
			}
		}
	}
	return false
}

// askedFor returns the last results of calls that changed nothing, by the texts of their arguments, which are looked up once.
func (m *matcher) askedFor() map[string][]int {
	if m.asked != nil {
		return m.asked
	}
	m.asked = map[string][]int{}
	for _, same := range m.sequence().results {
		last := same[len(same)-1]
		r := m.results[last]
		if !r.Read || !m.work((1+len(r.Args))*perStep) {
			continue
		}
		for i := range r.Args {
			if a := &r.Args[i]; !a.Empty {
				m.asked[a.Text] = append(m.asked[a.Text], last)
			}
		}
	}
	return m.asked
}

// findsNothing reports whether a look-up says that there is no such thing.
func (m *matcher) findsNothing(r *Result) bool {
	const longest = 1 << 10
	if r.structured && !r.failed() {
		return !r.hasAny()
	}
	return len(r.Text) <= longest && m.work(len(r.Text)) && notFound().MatchString(r.Text)
}

// notFound matches what a server says of a thing that isn't there.
var notFound = pattern.OnUse(`(?i)\b(?:not[ _-]?found|404|no such|no longer exists?|does(?: not|n't) exist|nicht gefunden|introuvable|no encontrad[oa]|não encontrad[oa]|non trovat[oa]|niet gevonden)\b|не найден|не знайден|未找到|找不到|見つかりません|찾을 수 없`)

// narrows reports whether a call lists what an earlier one did, but only what has values that a record has under the names of its arguments.
func (m *matcher) narrows(r, of *Result, record string) bool {
	narrower := false
	for i := range r.Args {
		a := &r.Args[i]
		isSame := func(b Argument) bool { return b.Pointer == a.Pointer && b.Text == a.Text }
		if a.Empty || slices.ContainsFunc(of.Args, isSame) {
			continue
		}
		name := argumentName(a.Pointer)
		has := func(i int) bool {
			f := &of.fields[i]
			return f.part == nil && !f.null && slices.Equal(f.key, name) && same(f.text, a.Text, false)
		}
		if !m.work(len(of.records[record])*perStep) || !slices.ContainsFunc(of.records[record], has) {
			return false
		}
		narrower = true
	}
	return narrower
}

// isOfOtherParty reports whether two members of one name say of whom a thing is in ways that have no word in common, and neither is an address
// or an id.
func (f *field) isOfOtherParty(other *field) bool {
	isName := func(text string) bool {
		return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsDigit(r) || r == '@' || r == '_' })
	}
	return lexicon().People.Ends(f.key) && f.words != nil && isName(f.text) && isName(other.text) && f.isOtherWord(other)
}
