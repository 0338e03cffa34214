package match

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// candidate is a value that a source offers.
type candidate struct {
	text   string
	call   string
	record recordID // none for a value out of a text
	// numeric reports whether the value is a number, and not a text that may be one.
	numeric bool
	// missing reports whether the record has no value, and may be the one that is meant. The text, which no other value
	// is, stands for it.
	missing bool
	// aside reports whether the value is in what others may add to what is listed.
	aside bool
	// doubt is why the value doesn't do for a call that can't be taken back; empty where it
	// does.
	doubt string
	// made is the record that the session itself made, whose id the value is; nil for another value.
	made *made
}

// occurrence is a text in a record.
type occurrence struct {
	text   string
	record recordID
}

func (v candidate) occurrence() occurrence { return occurrence{v.text, v.record} }

// recordID identifies a record in the result of a call; the zero value is none.
type recordID struct{ call, pointer string }

// Pointers of what is no part of a result: what a call made, and several records together.
const (
	ofMade    = "made"
	ofSeveral = "several"
)

// offers are what the sources of a constraint offer.
type offers struct {
	values []candidate
	// called reports whether a source was called at all.
	called bool
	// loose are the results in whose texts a value without a shape may appear.
	loose []*Result
	// parts are the results that are parts of listings, and count for their order alone.
	parts []*Result
}

// several reports whether different values are offered, as far as they differ for the
// argument.
func (o offers) several(a Argument) bool {
	exact := a.authority() || a.Role == label.Selector
	return slices.ContainsFunc(o.values, func(v candidate) bool {
		first := o.values[0]
		text := Argument{Text: v.text, String: !first.numeric && !v.numeric}
		return !text.is(first.text, exact)
	})
}

// from accepts a value that appears in the result of a call of the scope.
func (m *matcher) from(c *Constraint, a Argument) (Grant, string) {
	if m.names(c, &a) {
		return Grant{Way: WaySaid}, ""
	}
	o := m.offersFor(c, a)
	switch {
	case !o.called && m.mayBeSaid(c, &a):
		return Grant{Way: WaySaid}, ""
	case !o.called:
		return Grant{}, m.unanswered(c.From, c)
	}

	var hits []candidate
	for _, v := range o.values {
		if m.work(len(v.text)) && !v.missing && a.takes(v.text) {
			hits = append(hits, v)
		}
	}
	if len(hits) == 0 {
		return m.quoted(c, a, o)
	}
	if m.leavesPlace(&a) {
		return Grant{}, m.say("%s has a step (..) out of its folder", short(a.Text))
	}
	hits, miss := m.picked(c, &a, o, hits)
	if miss != "" {
		return Grant{}, miss
	}
	if miss := m.excepted(c, a); miss != "" {
		return Grant{}, miss
	}

	if miss := m.bind(c, a, o, hits); miss != "" {
		return Grant{}, miss
	}
	if hits[0].made != nil {
		m.corrected = hits[0].made
	}
	return Grant{Way: WayFrom, Call: hits[0].call, By: c.By}, ""
}

// leavesPlace reports whether a value has a step to the folder around, where it says where a call with an effect goes or which object it is
// about. Whoever put something into a folder may have called it so.
func (m *matcher) leavesPlace(a *Argument) bool {
	if !m.effect || !(a.authority() || a.Role == label.Selector) || !stepsOut(a.Text) {
		return false
	}
	return !m.work(len(m.folded)) || !appears(m.folded, fold(a.Text))
}

// stepsOut reports whether a path or a link has a step to the folder around, in any spelling that a program may read so: escaped once or more,
// in wide letters, with a blank behind it or before a parameter.
func stepsOut(text string) bool {
	if isASCII(text) && !strings.ContainsAny(text, ".%") {
		return false // as most ids are
	}
	const escapings = 3 // of the sign of an escape itself
	for range escapings {
		text = strings.ReplaceAll(text, "%25", "%")
	}
	text = fold(escapes().Replace(text))
	overlong := strings.Contains(text, "%c0") || strings.Contains(text, "%c1") // which some read as a dot or a slash (RFC 3629, section 10)
	steps := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(`/\?#;`, r) })
	return slices.ContainsFunc(steps, func(step string) bool {
		return strings.TrimSpace(step) == ".." || (overlong && strings.Contains(step, ".."))
	})
}

// escapes are the ways to write a step in a link.
var escapes = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/", "%5c", "/", "%5C", "/")
})

// names reports whether a value is the user's name for the party whose account or address the
// source would give: Spotify.
func (m *matcher) names(c *Constraint, a *Argument) bool {
	if !a.Said || a.Doubtful || !a.authority() || shapes[c.Kind] == nil {
		return false
	}
	return !isOf(a.Text, c.Kind) && !readsAsNumber(a.Text) && m.stated(a.Text)
}

// picked returns the places of a value that are those that are meant, or says why there is none.
func (m *matcher) picked(c *Constraint, a *Argument, o offers, hits []candidate) (meant []candidate, miss string) {
	offered, doubt := len(o.values), hits[0].doubt
	switch c.Pick {
	case scope.Choice:
		o.values = m.withoutExcepted(c, undoubted(o.values), c.idOf(*a))
	case scope.Only:
		o.values = m.withoutExcepted(c, withoutAside(o.values), c.idOf(*a))
	}
	if len(o.values) < offered {
		hits = amongst(hits, o.values)
	}
	if len(hits) == 0 {
		return nil, cond(doubt, m.say("%s is not one of what may be chosen of %s", short(a.Text), from(c.From)))
	}
	several := o.several(*a)
	if c.Pick == scope.Only && several && m.correction(c, o) != a.Text {
		return nil, m.say("%s offers several: %s", from(c.From), m.distinguished(o.values))
	}
	if c.Pick == scope.Choice {
		chosen, miss := m.chosen(c, o, hits)
		by, _ := c.criterion()
		isFurther := by.to > 1 // the second of one there isn't
		if decided := several || isFurther || len(o.parts) > 0; decided && miss != "" {
			return nil, miss
		}
		if miss == "" {
			hits = chosen // and not another record with the same value
		}
	}

	if miss := m.unsure(c, a, hits); miss != "" {
		return nil, miss
	}
	return hits, ""
}

// unsure says why no place of a value is sure enough; empty where one is.
func (m *matcher) unsure(c *Constraint, a *Argument, hits []candidate) string {
	now, miss := m.present(c, a, hits)
	if miss != "" {
		return miss
	}
	decides := a.authority() || a.Role == label.Selector || sharp(c.Kind) || (m.irreversible && isMeasure(c.Kind))
	if decides && !slices.ContainsFunc(now, func(h candidate) bool { return h.doubt == "" }) {
		return now[0].doubt
	}
	return ""
}

// present returns the places of a value that a call which can't be taken back relies on: what is so now, and of one thing. It says why there is none.
func (m *matcher) present(c *Constraint, a *Argument, hits []candidate) (now []candidate, miss string) {
	if !m.irreversible || m.against {
		return hits, ""
	}
	now = hits
	if at := slices.IndexFunc(hits, m.isOutdated); at >= 0 {
		now = append(slices.Clip(hits[:at]), slices.DeleteFunc(slices.Clone(hits[at+1:]), m.isOutdated)...)
	}
	if len(now) == 0 {
		return nil, m.say("what has %s is not so any more, by what was read later", short(a.Text))
	}

	isContrary := func(h candidate) bool { return m.isContrary(c, a.Role, h) }
	if slices.ContainsFunc(now, isContrary) {
		now = slices.DeleteFunc(slices.Clone(now), isContrary)
	}
	if len(now) == 0 {
		return nil, m.say("what has %s says otherwise than the call", short(a.Text))
	}
	isOfOne := func(h candidate) bool { return c.Kind != scope.ID || !m.isOfTwo(h, now) }
	if !slices.ContainsFunc(now, isOfOne) {
		return nil, m.say("several things have the id %s, and not all are as the request has it", short(a.Text))
	}
	return now, ""
}

// amongst returns the places of a value that are among others.
func amongst(hits, all []candidate) []candidate {
	isThere := map[occurrence]bool{}
	for _, v := range all {
		isThere[v.occurrence()] = true
	}
	return slices.DeleteFunc(slices.Clone(hits), func(h candidate) bool { return !isThere[h.occurrence()] })
}

// chosen returns the places of a value that a choice is about, or says why it is not the one. A
// criterion that a program can check is checked. An attacker who adds a record to a listing could
// have it chosen: what can't be taken back needs such a criterion.
func (m *matcher) chosen(c *Constraint, o offers, hits []candidate) (meant []candidate, miss string) {
	all := m.extremes(c, o)
	for _, best := range all {
		if len(best) == 0 {
			return nil, m.say("which of %s is meant (%s) can't be checked", from(c.From), c.By)
		}
		isOther := func(h candidate) bool {
			return !slices.ContainsFunc(best, func(v candidate) bool { return v.text == h.text && v.record == h.record })
		}
		if hits = slices.DeleteFunc(slices.Clone(hits), isOther); len(hits) == 0 {
			return nil, m.say("%s of %s is %s", c.By, from(c.From), either(best))
		}
	}
	if all == nil && (m.irreversible || len(o.parts) > 0) {
		return nil, m.say("which of %s is meant (%s) can't be checked", from(c.From), c.By)
	}
	return hits, ""
}

// quoted accepts words out of the text of a source as content. What carries authority, says which
// object is meant or how a call behaves, has to be a value of its own. Where the source has the
// member, words are taken from it alone: an attacker may have written what is beside it.
// Elsewhere the scope says whose words these are, and not which: a link among them is still
// checked.
func (m *matcher) quoted(c *Constraint, a Argument, o offers) (Grant, string) {
	none := m.unoffered(c, &a, o)
	if m.hasForked(c.From) {
		none = m.say("of %s, two members may be meant", from(c.From))
	}
	quotable := c.Pick == scope.Only || len(o.values) == 0 // a choice among the words of a text
	if a.Role != label.Content || !quotable {
		return Grant{}, none
	}

	isWords := shapes[c.Kind] == nil && strings.TrimSpace(a.Text) != ""
	isQuoted := func(v candidate) bool { return isWords && m.work(len(v.text)) && appears(fold(v.text), fold(a.Text)) }
	if at := slices.IndexFunc(o.values, isQuoted); at >= 0 {
		g := Grant{Way: WayFrom, Call: o.values[at].call, By: c.By}
		if addresses(a.Text) {
			g.Call = ""
		}
		return g, ""
	}
	says := func(r *Result) bool { return m.work(len(r.Text)) && r.says(a.Text) }
	if slices.ContainsFunc(o.loose, says) || m.telling(c, a) {
		return Grant{Way: WayFrom, By: c.By}, ""
	}
	return Grant{}, none
}

// hasForked reports whether what a source takes may be one of two members of a result.
func (m *matcher) hasForked(sources []Source) bool {
	return slices.ContainsFunc(sources, func(s Source) bool {
		return slices.ContainsFunc(m.results, func(r *Result) bool {
			return r.Tool == s.Tool && r.structured && m.step() && m.isForked(r, s.name())
		})
	})
}

// telling reports whether a text of a result without such a member has a value: in the records
// that the sources select, as words, or a day by its number.
func (m *matcher) telling(c *Constraint, a Argument) bool {
	says := func(text string) bool { return appears(text, a.Text) }
	if t, ok := moment(strings.TrimSpace(a.Text)); ok && c.Kind == scope.Date {
		says = func(text string) bool { return hasDay(text, t.Day()) }
	} else if shapes[c.Kind] != nil || strings.TrimSpace(a.Text) == "" {
		return false
	}

	isAny := func(*field) bool { return true }
	return slices.ContainsFunc(c.From, func(s Source) bool {
		return slices.ContainsFunc(m.results, func(r *Result) bool { return m.tells(&s, c, r, isAny, says) })
	})
}

// tells reports whether a result without the member that a source names says something: in its text, or in one of some fields of a record that
// the source selects.
func (m *matcher) tells(s *Source, c *Constraint, r *Result, isIn func(*field) bool, says func(text string) bool) bool {
	m = m.as(m.mode) // of this result
	if m.ordered = false; !m.answers(s, r, c) || m.ordered || m.has(r, s) || !m.work(len(r.Text)) {
		return false
	}
	if !r.structured && len(s.Where) == 0 && says(r.Text) {
		return true
	}
	selected := m.selected(s, c, r)
	return slices.ContainsFunc(r.fields, func(f field) bool { return f.words == nil && isIn(&f) && selected.has(f.record) && says(f.text) })
}

// has reports whether a result has the member that a source names.
func (m *matcher) has(r *Result, s *Source) bool {
	if !r.structured {
		return false
	}
	if _, is := r.plainMember(s.name()); is {
		return true
	}
	_, has := m.member(r, s.name(), "")
	return has
}

// digits are the numbers of a text, as far as they may be those of days, of which
// maxDigits are looked at.
var digits = pattern.OnUse(`\d+`)

const maxDigits = 1000

// hasDay reports whether a text has the number of a day, which shows a day in words in any
// language. That is enough for content, where a scope may leave what a text says to the agent
// altogether.
func hasDay(text string, day int) bool {
	return slices.ContainsFunc(digits().FindAllString(text, maxDigits), func(n string) bool { return strings.TrimPrefix(n, "0") == strconv.Itoa(day) })
}

// from names the tools of sources for a message.
type from []Source

func (f from) String() string {
	var names []string
	for _, s := range f {
		if !slices.Contains(names, s.Tool) {
			names = append(names, s.Tool)
		}
	}
	return strings.Join(names, " or ")
}

// either lists values of which each may be meant.
type either []candidate

func (e either) String() string {
	var out []string
	for _, v := range e {
		if v.missing {
			return "of a record that doesn't have it"
		}
		if s := clip([]byte(v.text)); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return strings.Join(out, " or ")
}

// sourcesKey identifies sources, without their fields.
func sourcesKey(sources []Source) string {
	out := slices.Clone(sources)
	for i := range out {
		out[i].Field, out[i].Or, out[i].words = "", nil, nil
	}
	return fmt.Sprintf("%+v", out)
}

// idOf returns the pointer of an argument for which a constraint takes an id; empty for
// another value.
func (c *Constraint) idOf(a Argument) string {
	if c.Kind != scope.ID {
		return ""
	}
	return a.Pointer
}

// offering is what the values that a constraint's sources offer depend on, where they are the same for every argument.
type offering struct {
	of                       *Constraint
	name                     string
	against, strict, joining bool
}

// offersFor returns what the sources of a constraint offer an argument. All elements of a list have the same, but for numbers, which an
// element may have in another unit, and where a source's own call takes something from a source.
func (m *matcher) offersFor(c *Constraint, a Argument) offers {
	isNested := slices.ContainsFunc(c.From, func(s Source) bool {
		return slices.ContainsFunc(s.Args, func(c Arg) bool { return c.From != nil || c.Computed || c.Template != "" })
	})
	if c.Kind == scope.Number || isNested || m.element == "" {
		return m.offers(c.From, c, c.idOf(a))
	}
	key := offering{c, strings.Join(argumentName(a.Pointer), " "), m.against, m.strict, m.joining}
	o, known := m.offered[key]
	if !known {
		o = m.offers(c.From, c, c.idOf(a))
		if m.offered == nil {
			m.offered = map[offering]offers{}
		}
		m.offered[key] = o
	}
	return o
}

// offers gathers what sources offer for a constraint, by which the argument at a pointer takes
// an id; empty for another value.
func (m *matcher) offers(sources []Source, c *Constraint, id string) offers {
	var out offers
	for i := range sources {
		s, listed := &sources[i], false
		var of gathered
		for place, r := range m.results {
			if !m.step() {
				return out
			}
			if isTool(s.Server, s.Tool, r.Server, r.Tool) {
				listed = m.offeredIn(s, c, place, id, &of, &out) || listed
			}
		}

		own := m.counted(s, c, listed, m.ownRecords(s, c, id))
		out.called = out.called || listed || len(own) > 0
		if out.values == nil {
			out.values = of.rest()
		} else {
			out.values = append(out.values, of.rest()...)
		}
		out.values = append(out.values, own...)
	}
	return out
}

// offeredIn adds what a source offers in a result to the values of its earlier ones, and reports whether the result is of the source's call.
func (m *matcher) offeredIn(source *Source, c *Constraint, place int, id string, earlier *gathered, out *offers) bool {
	r := m.results[place]
	s, at := m.fieldOf(source, r), m.as(m.mode) // of this result
	read := m.read(s, r, c, id)
	at.lent, at.ordered, r = read != r, false, read
	if !at.answers(s, r, c) {
		return false
	}

	if at.ordered {
		out.parts = append(out.parts, r)
	}
	if r.partial {
		m.tooMuch()
	}
	if where, _ := at.where(s, r); shapes[c.Kind] == nil && len(where) == 0 && !at.has(r, s) {
		out.loose = append(out.loose, r)
	}

	now := at.places(source, c, r)
	switch {
	case now != nil:
	case r.structured:
		now = at.fields(s, c, r, id)
		if !at.lent {
			at.takeBack(earlier, now, s, c, place, id)
		}
	case r.names != nil && r.names.areOf(c.Kind):
		now = at.fields(s, c, r.names, id)
	default:
		now = at.lines(s, c, r)
		at.doubtSame(earlier, now, place)
	}
	earlier.add(now)
	return true
}

// fieldOf returns a source with the field that counts in a result: the first of several that it has.
func (m *matcher) fieldOf(s *Source, r *Result) *Source {
	has := func(s *Source) bool { return m.has(r, s) || (r.reading != nil && m.has(r.reading, s)) }
	if len(s.Or) == 0 || has(s) {
		return s
	}
	for _, field := range s.Or {
		other := *s
		other.Field, other.words = field, words(field)
		if has(&other) {
			return &other
		}
	}
	return s
}

// sameField reports whether two sources name the same field.
func (s *Source) sameField(other *Source) bool {
	return s.Field == other.Field && slices.Equal(s.Or, other.Or)
}

// takeBack leaves out the values of a source's earlier results that a later one takes back. The same call made again lists what there is
// now, unless all values are meant. What the later result has in records that don't meet the source's conditions is gone too: what was
// approved may be so no longer.
func (m *matcher) takeBack(earlier *gathered, now []candidate, s *Source, c *Constraint, place int, id string) {
	if earlier.left == 0 {
		return
	}
	earlier.index(m)
	r := m.results[place]
	if isAll := c.Pick == scope.All || c.Computed || m.against || m.ordered; !isAll && !r.more && !r.failed() {
		earlier.dropCall(m.sequence().calls[place])
	}
	if earlier.left == 0 || len(s.Where) == 0 {
		return
	}

	any, meeting := *s, map[string]bool{}
	any.Where = nil
	for _, v := range now {
		meeting[v.text] = true
	}
	for _, v := range m.fields(&any, &Constraint{Kind: c.Kind, Pick: scope.All}, r, id) {
		if !meeting[v.text] {
			earlier.dropText(v.text)
		}
	}
}

// doubtSame notes a doubt about the values of texts that the same call gave before, and now doesn't, for a call that can't be taken back.
func (m *matcher) doubtSame(earlier *gathered, now []candidate, place int) {
	if !m.irreversible || !m.work((1+len(now))*len(earlier.values)*perStep) {
		return
	}
	calls, places := m.sequence().calls, m.sequence().places
	for i := range earlier.values {
		v := &earlier.values[i]
		isSame := func(n candidate) bool { return n.text == v.text && n.doubt == "" }
		of, known := places[v.call]
		if known && calls[of] == calls[place] && !slices.ContainsFunc(now, isSame) {
			v.doubt = cond(v.doubt, m.say("what was read later of %s doesn't have it", m.results[place].Tool))
		}
	}
}
