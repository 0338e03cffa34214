package provenance

import (
	"strings"
	"time"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/label"
)

// resolveTyped resolves a value that is equal to something in vouching text by the
// rules of its own kind: an e-mail address, a URL, a number, a handle, a code
// written in groups, a date.
func (q *query) resolveTyped(text string) (Resolution, bool) {
	vouch := &q.s.vouch
	if key, ok := mailKey(text); ok {
		if r, ok := q.resolvePlaces(text, vouch.mails[key], "e-mail address"); ok {
			return r, true
		}
	}
	if u, ok := parseURL(text, q.v.Form == FormURL); ok {
		if r, ok := q.resolvePlaces(text, vouch.urls[u.key()], "URL"); ok {
			return r, true
		}
	}

	for _, try := range [...]func(string) (Resolution, bool){q.resolveTypedNumber, q.resolveHandle, q.resolveGrouped, q.resolveMoment} {
		if r, ok := try(text); ok {
			return r, true
		}
	}
	return Resolution{}, false
}

// resolvePlaces resolves a value by positions of its equals.
func (q *query) resolvePlaces(text string, list []position, how string) (Resolution, bool) {
	var found []occurrence
	for _, p := range list[:min(len(list), maxPositions)] {
		if !q.s.work.spend(candidateWork) {
			return Resolution{}, false
		}
		source := q.s.vouch.sources[p.source].text
		if atom.IsBounded(source, int(p.start), int(p.end)) || strings.HasPrefix(source[p.start:], "mailto:") {
			found = append(found, q.s.vouch.occurrence(int(p.source), int(p.start), int(p.end)))
		}
	}
	return q.best(text, found, how, false)
}

// resolveTypedNumber resolves a number that is equal to one in vouching text.
func (q *query) resolveTypedNumber(text string) (Resolution, bool) {
	key, ok := numberKey(text)
	if !ok {
		return Resolution{}, false
	}

	for _, m := range q.s.vouch.numbers[key] {
		if !q.s.work.spend(candidateWork) {
			return Resolution{}, false
		}
		o := q.s.vouch.occurrence(int(m.source), int(m.start), int(m.end))
		cued, fits := q.fitsNumber(&m, o, key)
		if !fits {
			continue
		}
		r := q.numberAt(o, text)
		if vocabulary().IdentifierNames.In(q.n.last) && !cued {
			r.Label.Obligations |= label.LowInfo
		}
		return r, true
	}
	return q.resolveIssueNumber(text)
}

// numberAt returns the resolution of a number that the text has at a place.
func (q *query) numberAt(o occurrence, text string) Resolution {
	return Resolution{Label: q.s.vouch.sources[o.source].label, How: "number", Witness: true, Bounded: true,
		Evidence: []label.Evidence{q.s.vouchEvidence(o, len(text))}}
}

// fitsNumber reports whether a number of the text may be what the argument asks for,
// and whether the words around it say so.
func (q *query) fitsNumber(m *quantity, o occurrence, key string) (cued, fits bool) {
	// A sum of money identifies nothing, and half a balance is not fifty.
	if vocabulary().IdentifierNames.In(q.n.last) && (m.marked || m.percent) {
		return false, false
	}
	if m.percent && q.amountLike() {
		return false, false
	}

	left, right := q.s.vouch.around(o, 9, 3)
	cued = q.hasNumberCue(left, right)
	if q.moneyLike() && q.s.vouch.money && !m.marked && !cued {
		return cued, false // "the rent for January 2026, 900 EUR"
	}
	magnitude := strings.TrimPrefix(key, "-")
	if cued || m.marked || len(magnitude) > 3 {
		return cued, true
	}
	if m.percent && q.percentLike() {
		return cued, true
	}
	maybePronoun := m.spelled && maybePronoun(magnitude, left)
	return cued, q.quantityLike() && !isCounted(right) && !maybePronoun
}

// resolveIssueNumber resolves the number of "Issue #42".
func (q *query) resolveIssueNumber(text string) (Resolution, bool) {
	if !isIndex(text) {
		return Resolution{}, false
	}
	for _, o := range q.s.vouch.find("#"+text, false) {
		if left, _ := q.s.vouch.around(o, 3, 0); vocabulary().IdentifierNames.In(q.n.last) || q.n.hasCue(left) {
			return q.numberAt(o, text), true
		}
	}
	return Resolution{}, false
}

// nearCue is how many words before a number that counts something a cue for it is at
// most.
const nearCue = 6

// hasNumberCue reports whether the words around a number say that it is what the
// argument asks for. A number that counts something else has its cue near by, and
// none in what another number counts: "30 replicas, there were 0 errors".
func (q *query) hasNumberCue(left, right []string) bool {
	if q.n.hasCue(right) {
		return true
	}
	if !isCounted(right) || (len(left) > 0 && vocabulary().Destining.Has(left[len(left)-1])) {
		return q.n.hasCue(left) // also "scale web to three replicas"
	}
	for i, w := range left {
		if i < len(left)-nearCue {
			continue
		}
		if taken := i > 0 && isIndex(left[i-1]); !taken && q.n.hasCue([]string{w}) {
			return true
		}
	}
	return false
}

// maybePronoun reports whether a number in words may refer to what was spoken of:
// "the cheapest one", "compare the two".
func maybePronoun(magnitude string, left []string) bool {
	return magnitude == "1" || len(left) == 0 || !vocabulary().BeforeQuantity.Has(left[len(left)-1])
}

// moneyLike reports whether an argument asks for a sum of money.
func (q *query) moneyLike() bool {
	return vocabulary().MoneyWords.In(q.n.last) && !vocabulary().PercentNames.In(q.n.last)
}

// isOutbid reports whether the user said how much money it is, and asked for no
// computation: then what records have, or add up to, is another amount.
func (q *query) isOutbid() bool {
	if !q.moneyLike() || !q.s.vouch.money {
		return false
	}
	for _, w := range vocabulary().Computing.Words() {
		if len(q.s.vouch.words[w]) > 0 {
			return false
		}
	}
	return true
}

// percentLike reports whether an argument asks for a share.
func (q *query) percentLike() bool { return vocabulary().ShareWords.In(q.n.last) }

// amountLike reports whether an argument asks for an absolute amount.
func (q *query) amountLike() bool {
	return vocabulary().TotalNames.In(q.n.last) && !vocabulary().PercentNames.In(q.n.last)
}

// resolveHandle resolves a name that the user wrote with its sigil, "@bob" or
// "#general", to the name alone, or the other way round.
func (q *query) resolveHandle(text string) (Resolution, bool) {
	bare := strings.TrimLeft(text, "@#")
	if bare == "" || strings.ContainsAny(bare, " @#/") || len(text)-len(bare) > 1 {
		return Resolution{}, false
	}
	if atom.IsDigit(bare[0]) && !isIndex(bare) {
		return Resolution{}, false
	}

	if bare != text {
		// It is the bare name that the user wrote, as informative as that is.
		return q.best(bare, q.s.vouch.find(bare, false), "handle", false)
	}
	for _, sigil := range [...]string{"@", "#"} {
		if found := q.s.vouch.find(sigil+bare, false); len(found) > 0 {
			r, ok := q.best(text, found, "handle", false)
			r.Label.Obligations &^= label.LowInfo
			return r, ok
		}
	}
	return Resolution{}, false
}

// resolveGrouped resolves a code that the user wrote in groups: an IBAN or a card or
// phone number with blanks or hyphens between its parts, given without them.
func (q *query) resolveGrouped(text string) (Resolution, bool) {
	if !groupable(text) {
		return Resolution{}, false
	}

	var found []occurrence
	for k := 2; k < min(len(text), 9); k++ {
		for _, p := range q.s.vouch.words[strings.ToLower(strings.TrimPrefix(text[:k], "+"))] {
			if !q.s.work.spend(len(text)) {
				return Resolution{}, false
			}
			src := q.s.vouch.sources[p.source].text
			start := int(p.start)
			if text[0] == '+' {
				if start == 0 || src[start-1] != '+' {
					continue
				}
				start--
			}
			if end, ok := spelledInGroups(src[start:], text, bankAccount(text)); ok && wholeCode(src, start, start+end, text) {
				found = append(found, q.s.vouch.occurrence(int(p.source), start, start+end))
			}
		}
	}

	r, ok := q.best(text, found, "groups joined", false)
	r.Label.Obligations &^= label.LowInfo
	return r, ok
}

// groupable reports whether a value is a code that people write in groups: letters and
// digits in one run, with a plus before them or not.
func groupable(text string) bool {
	if len(text) < 8 || len(text) > 64 {
		return false
	}

	digits := 0
	for i := range len(text) {
		plus := i == 0 && text[0] == '+'
		if atom.IsDigit(text[i]) {
			digits++
		} else if !plus && !atom.IsAlphanumeric(text[i]) {
			return false
		}
	}
	return digits >= 4
}

// spelledInGroups returns how much of src spells a value in groups. The letters
// of an account number that checks may be small ones.
func spelledInGroups(src, value string, anyCase bool) (int, bool) {
	i := 0
	for j := 0; j < len(value); {
		if i >= len(src) {
			return 0, false
		}

		smallLetter := anyCase && !atom.IsDigit(value[j]) && src[i] == value[j]|0x20
		separator := src[i] == ' ' || src[i] == '-' || src[i] == '.'
		switch {
		case src[i] == value[j] || smallLetter:
			i++
			j++
		case value[0] == '+' && j > 1 && strings.HasPrefix(strings.TrimPrefix(src[i:], " "), "(0)"):
			// "+49 (0)89 5550": the zero is not dialled from abroad.
			i += strings.Index(src[i:], ")") + 1
		case separator && j > 0 && i+1 < len(src) && src[i+1] == value[j]:
			i++
		default:
			return 0, false
		}
	}
	return i, true
}

const groupSeparators = " -."

// wholeCode reports whether groups make one code, and all of it, and are not words
// that happen to be next to each other: an IBAN, or groups of digits, with
// one kind of separator between them.
func wholeCode(src string, start, end int, value string) bool {
	afterNumber := start > 1 && src[start-1] == ' ' && atom.IsDigit(src[start-2])
	if !atom.IsBounded(src, start, end) || afterNumber || anotherGroup(src[end:]) {
		return false
	}

	groups := strings.Replace(src[start:end], "(0)", "", 1)
	abroad := value[0] == '+'
	if !abroad && separatorsIn(groups) > 1 {
		return false
	}
	parts := strings.FieldsFunc(strings.TrimPrefix(groups, "+"), func(r rune) bool { return strings.ContainsRune(groupSeparators, r) })
	// Dots group telephone numbers, and digits of a number, which is the same
	// number without them; but decimals, versions and addresses of hosts too.
	if !abroad && strings.ContainsRune(groups, '.') && !areaAndNumber(parts) {
		return false
	}
	book := bookNumber(value) && strings.ContainsRune(groups, '-')
	if book || accountNumber(value) {
		return true
	}

	for _, p := range parts {
		tooShort := len(p) < 2 && groups[0] != '+'
		if tooShort || !isIndex(p) {
			return false
		}
	}
	return true
}

// anotherGroup reports whether what follows a code begins with another group of it.
func anotherGroup(rest string) bool {
	if rest == "" || strings.IndexByte(groupSeparators, rest[0]) < 0 {
		return false
	}
	for i := 1; i < len(rest) && atom.IsAlphanumeric(rest[i]); i++ {
		if atom.IsDigit(rest[i]) {
			return true
		}
	}
	return false
}

func separatorsIn(groups string) int {
	n := 0
	for _, r := range groupSeparators {
		if strings.ContainsRune(groups, r) {
			n++
		}
	}
	return n
}

// areaAndNumber reports whether groups are those of 555.123.4567.
func areaAndNumber(parts []string) bool {
	return len(parts) == 3 && len(parts[0]) == 3 && len(parts[1]) == 3 && len(parts[2]) == 4
}

// bankAccount reports whether a value is an IBAN with the right check digits.
func bankAccount(s string) bool {
	if !accountNumber(s) {
		return false
	}
	rest := 0
	for i := range len(s) {
		c := s[(i+4)%len(s)]
		if atom.IsDigit(c) {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return rest == 1
}

// bookNumber reports whether a value is an ISBN of thirteen digits with the right
// check digit: its groups may be single digits.
func bookNumber(s string) bool {
	prefixed := strings.HasPrefix(s, "978") || strings.HasPrefix(s, "979")
	if len(s) != 13 || !isIndex(s) || !prefixed {
		return false
	}
	sum := 0
	for i := range len(s) {
		sum += int(s[i]-'0') * (1 + i%2*2)
	}
	return sum%10 == 0
}

// resolveMoment resolves a date, a time of day, or both, or a duration. Each part must be
// vouched for by a mention.
func (q *query) resolveMoment(text string) (Resolution, bool) {
	if d, ok := parseDuration(text); ok {
		return q.resolveDuration(text, d)
	}
	m, ok := parseMoment(text)
	if !ok || m.at.Nanosecond() != 0 || !q.s.clock.sameZone(m.at) {
		return Resolution{}, false
	}

	r := Resolution{Label: label.Identity(), Witness: true, Bounded: true}
	if m.date {
		d, ok := q.s.vouch.findDate(m.at, q.s.clock)
		if !ok {
			return Resolution{}, false
		}
		q.takePlace(&r, d.position, text)
		r.How = d.how
	}
	midnight := m.at.Hour()+m.at.Minute()+m.at.Second() == 0
	if !m.clock || (m.date && midnight) {
		return r, true
	}

	places, how, ok := q.s.vouch.findTime(m.at)
	if !ok {
		return Resolution{}, false
	}
	for _, p := range places {
		q.takePlace(&r, p, text)
	}
	if m.date {
		how = "date and " + how
	}
	r.How = how
	return r, true
}

// takePlace merges a place of vouching text into the resolution of a value.
func (q *query) takePlace(r *Resolution, p position, text string) {
	o := occurrence{source: int(p.source), start: int(p.start), end: int(p.end)}
	r.Label = label.Merge(r.Label, q.s.vouch.sources[p.source].label)
	r.Evidence = append(r.Evidence, q.s.vouchEvidence(o, len(text)))
}

// resolveDuration resolves a length of time.
func (q *query) resolveDuration(text string, d time.Duration) (Resolution, bool) {
	for _, m := range q.s.vouch.durations {
		if m.length == d && d > 0 {
			r := Resolution{Label: label.Identity(), How: "duration", Witness: true, Bounded: true}
			q.takePlace(&r, m.position, text)
			return r, true
		}
	}
	return Resolution{}, false
}
