package scope

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/label"
)

// candidate is a value that a source offers.
type candidate struct {
	text   string
	call   string
	record string // the call and the record's pointer; empty for a value out of a text
	// doubt is why the value doesn't do for a call that can't be taken back; empty where it
	// does.
	doubt string
}

// offers are what the sources of a constraint offer.
type offers struct {
	values []candidate
	// called reports whether a source was called at all.
	called bool
	// loose are the results in whose texts a value without a shape may appear.
	loose []*Result
}

// several reports whether different values are offered, as far as they differ for the
// argument.
func (o offers) several(a Argument) bool {
	exact := a.authority() || a.Role == label.Selector
	return slices.ContainsFunc(o.values, func(v candidate) bool {
		first := o.values[0].text
		return !same(first, v.text, exact)
	})
}

// from accepts a value that appears in the result of a call of the scope.
func (m *matcher) from(c *Constraint, a Argument) (Grant, string) {
	if m.names(c, &a) {
		return Grant{Way: WaySaid}, ""
	}
	o := m.offers(c.From, c, c.idOf(a))
	// Another account of the user's is not the one that the request means.
	another := sharp(c.Kind) && isOf(a.Text, c.Kind)
	switch {
	case !o.called && a.Said && !a.Doubtful && !another:
		return Grant{Way: WaySaid}, ""
	case !o.called:
		return Grant{}, "the call that it has to come from was not made"
	}

	var hits []candidate
	for _, v := range o.values {
		_, isMoment := moment(strings.TrimSpace(v.text))
		exact := a.authority() || (a.Role == label.Selector && !isMoment)
		if m.work(len(v.text)) && same(v.text, a.Text, exact) {
			hits = append(hits, v)
		}
	}
	if len(hits) == 0 {
		return m.quoted(c, a, o)
	}
	if miss := m.picked(c, &a, o, hits); miss != "" {
		return Grant{}, miss
	}
	if miss := m.excepted(c, a); miss != "" {
		return Grant{}, miss
	}

	m.bind(c, a, hits)
	return Grant{Way: WayFrom, Call: hits[0].call, By: c.By}, ""
}

// names reports whether a value is the name that the user has for whom the source would
// tell the account or address of: Spotify.
func (m *matcher) names(c *Constraint, a *Argument) bool {
	if !a.Said || a.Doubtful || !a.authority() || shapes[c.Kind] == nil {
		return false
	}
	return !isOf(a.Text, c.Kind) && !readsAsNumber(a.Text) && m.stated(a.Text)
}

// picked says why a value that a source offers is not the one that is meant; empty where
// it is.
func (m *matcher) picked(c *Constraint, a *Argument, o offers, hits []candidate) string {
	several := o.several(*a)
	if c.Pick == Only && several {
		return m.say("%s offers several: %s", from(c.From), listed(o.values))
	}
	if c.Pick == Choice && several {
		if miss := m.chosen(c, o, hits); miss != "" {
			return miss
		}
	}

	decides := a.authority() || a.Role == label.Selector || sharp(c.Kind)
	sure := slices.ContainsFunc(hits, func(h candidate) bool { return h.doubt == "" })
	if decides && !sure {
		return hits[0].doubt
	}
	return ""
}

// chosen says why a value is not the one that a choice is about; empty where it may be.
// A criterion that a program can check is checked. Whoever can add a record to a listing
// could have it chosen: what can't be taken back needs such a criterion.
func (m *matcher) chosen(c *Constraint, o offers, hits []candidate) string {
	all := m.extremes(c, o)
	for _, best := range all {
		if !slices.ContainsFunc(hits, func(h candidate) bool { return h.text == best }) {
			return m.say("%s of %s is %s", c.By, from(c.From), short(best))
		}
	}
	if all == nil && m.irreversible {
		return m.say("which of %s is meant (%s) can't be checked", from(c.From), c.By)
	}
	return ""
}

// quoted accepts words out of the text of a source as content. What carries authority, says
// which object is meant or how a call behaves, has to be a value of its own. Where the
// source has the member, words are taken from it alone: anybody may have written what is
// beside it. Elsewhere the scope says whose words these are, and not which: a link among them
// goes on being checked.
func (m *matcher) quoted(c *Constraint, a Argument, o offers) (Grant, string) {
	none := m.say("%s is not what %s offers", short(a.Text), from(c.From))
	quotable := c.Pick == Only || len(o.values) == 0 // a choice among the words of a text
	if a.Role != label.Content || !quotable {
		return Grant{}, none
	}

	if shapes[c.Kind] == nil && strings.TrimSpace(a.Text) != "" {
		for _, v := range o.values {
			if m.work(len(v.text)) && appears(fold(v.text), fold(a.Text)) {
				g := Grant{Way: WayFrom, Call: v.call, By: c.By}
				if addresses(a.Text) {
					g.Call = ""
				}
				return g, ""
			}
		}
	}
	for _, r := range o.loose {
		if m.work(len(r.Text)) && r.says(a.Text) {
			return Grant{Way: WayFrom, By: c.By}, ""
		}
	}
	if m.telling(c, a) {
		return Grant{Way: WayFrom, By: c.By}, ""
	}
	return Grant{}, none
}

// telling reports whether a text of a result that has no such member says a value: in the
// records that the sources select, as words, or a day by its number.
func (m *matcher) telling(c *Constraint, a Argument) bool {
	says := func(text string) bool { return appears(text, a.Text) }
	if t, ok := moment(strings.TrimSpace(a.Text)); ok && c.Kind == Date {
		says = func(text string) bool { return hasDay(text, t.Day()) }
	} else if shapes[c.Kind] != nil || strings.TrimSpace(a.Text) == "" {
		return false
	}

	for i := range c.From {
		s := &c.From[i]
		for _, r := range m.results {
			if !m.answers(s, r, c) || m.has(r, s) || !m.work(len(r.Text)) {
				continue
			}
			if !r.structured && len(s.Where) == 0 && says(r.Text) {
				return true
			}

			selected := m.selected(s, c, r)
			if slices.ContainsFunc(r.fields, func(f field) bool { return f.words == nil && selected.has(f.record) && says(f.text) }) {
				return true
			}
		}
	}
	return false
}

// has reports whether a result has the member that a source names.
func (m *matcher) has(r *Result, s *Source) bool {
	if !r.structured {
		return false
	}
	_, has := m.member(r, s.name(), "")
	return has
}

// digits are the numbers of a text, as far as they may be those of days, of which
// maxDigits are looked at.
var digits = pattern.OnUse(`\d+`)

const maxDigits = 1000

// hasDay reports whether the number of a day stands in a text: as far as a day in words can
// be told in any language. That is enough for content, where a scope may leave what a text
// says to the agent altogether.
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

// listed names the first values for a message.
type listed []candidate

func (l listed) String() string {
	const most = 4
	var out []string
	for _, v := range l {
		if s := clip([]byte(v.text)); !slices.Contains(out, s) {
			out = append(out, s)
		}
		if len(out) == most {
			break
		}
	}
	return strings.Join(out, ", ")
}

// bind holds the arguments that an entry takes from one source to one record: whom a
// payment goes to and how much it is belong to the same bill. All values of a source may
// be in one list, whatever records they are from.
func (m *matcher) bind(c *Constraint, a Argument, hits []candidate) {
	if c.Pick == All && c.Record == "" && element().MatchString(a.Pointer) {
		return
	}
	var records []string
	for _, h := range hits {
		if h.record == "" {
			return
		}
		records = append(records, h.record)
	}

	key := c.Record
	if key == "" {
		key = c.sources
	}
	if key == "" {
		key = sourcesKey(c.From)
	}
	if m.bound == nil {
		m.bound = map[string][]string{}
	}
	before, bound := m.bound[key]
	if !bound {
		m.bound[key] = records
		return
	}
	m.bound[key] = slices.DeleteFunc(slices.Clone(before), func(r string) bool { return !slices.Contains(records, r) })
}

// element matches the place of a value in a list.
var element = pattern.OnUse(`/\d+(?:/|$)`)

// sourcesKey tells sources from others, without their fields.
func sourcesKey(sources []Source) string {
	out := slices.Clone(sources)
	for i := range out {
		out[i].Field, out[i].words = "", nil
	}
	return fmt.Sprintf("%+v", out)
}

// idOf returns the pointer of an argument for which a constraint takes an id; empty for
// another value.
func (c *Constraint) idOf(a Argument) string {
	if c.Kind != ID {
		return ""
	}
	return a.Pointer
}

// offers gathers what sources offer for a constraint, by which the argument at a pointer takes
// an id; empty for another value.
func (m *matcher) offers(sources []Source, c *Constraint, id string) offers {
	var out offers
	for i := range sources {
		s, first := &sources[i], len(out.values)
		for _, r := range m.results {
			if !m.answers(s, r, c) {
				continue
			}

			if r.partial {
				m.tooMuch()
			}
			out.called = true
			if where, _ := m.where(s, r); shapes[c.Kind] == nil && len(where) == 0 && !m.has(r, s) {
				out.loose = append(out.loose, r)
			}
			switch {
			case r.structured:
				before := m.without(out.values[first:], s, c, r, id)
				out.values = slices.Concat(out.values[:first], before, m.fields(s, c, r, id))
			case r.names != nil && r.names.areOf(c.Kind):
				out.values = append(out.values, m.fields(s, c, r.names, id)...)
			default:
				out.values = append(out.values, m.lines(s, c, r)...)
			}
		}
	}
	return out
}

// comesFrom reports whether a result is that of the call which a source names.
func (m *matcher) comesFrom(s *Source, r *Result, of *Constraint) bool {
	return m.calledAs(s, r, of) && !slices.ContainsFunc(s.Args, func(c Arg) bool { return leftOut(c, r) })
}

// without returns the values of earlier results of a source but for those that a later one has in
// records which don't meet the source's conditions: what was approved may be so no longer.
func (m *matcher) without(values []candidate, s *Source, c *Constraint, r *Result, id string) []candidate {
	if len(values) == 0 || len(s.Where) == 0 {
		return values
	}
	any := *s
	any.Where = nil
	failing := map[string]bool{}
	for _, v := range m.fields(&any, &Constraint{Kind: c.Kind, Pick: All}, r, id) {
		failing[v.text] = true
	}
	for _, v := range m.fields(s, c, r, id) {
		delete(failing, v.text)
	}
	return slices.DeleteFunc(slices.Clone(values), func(v candidate) bool { return failing[v.text] })
}

// calledAs reports whether a result is of the tool that a source names, with no argument that the
// source has otherwise.
func (m *matcher) calledAs(s *Source, r *Result, of *Constraint) bool {
	if !r.Covered || !isTool(s.Server, s.Tool, r.Server, r.Tool) {
		return false
	}
	if r.more && (m.irreversible || m.against) {
		if _, placed := place(of); !placed {
			return false // the only one of a part may be one of several
		}
	}
	for _, a := range r.Args {
		if !a.Empty && !m.asScoped(s, r, a, of) {
			return false
		}
	}
	return true
}

// leftOut reports whether an earlier call leaves out what a source says of it: all mails are
// another listing than Ann's, and the members of all groups another one than those of the group
// that a call gives.
func leftOut(c Arg, r *Result) bool {
	free := c.Any || c.Absent || c.Unchanged || slices.Contains(c.Is, "") || slices.Contains(c.Is, "false")
	narrows := len(c.Is)+len(c.Date)+len(c.From) > 0 || c.Computed || c.Template != ""
	return narrows && !free && !slices.ContainsFunc(r.Args, func(a Argument) bool { return !a.Empty && within(c.Pointer, a.Pointer) })
}

// asScoped reports whether an argument of an earlier call is as a source has it. What the
// scope leaves open in a search has to be the user's own words: an attacker who picks the
// query picks the result. All of a listing is that of one that nothing narrows, or nothing
// but the user's own words where the scope says which records count.
func (m *matcher) asScoped(s *Source, r *Result, a Argument, of *Constraint) bool {
	constrained := false
	for i := range s.Args {
		c := &s.Args[i]
		if !within(c.Pointer, a.Pointer) {
			continue
		}
		constrained = true
		if m.ofAnother(&c.Constraint, a) {
			return false
		}
		bound := m.bound
		m.bound = nil // the records of an earlier call's arguments are not those of this call's
		_, miss := m.value(&c.Constraint, a)
		m.bound = bound
		if miss != "" {
			return false
		}
	}

	searches := m.effect && r.Read
	if constrained || !searches {
		return true
	}
	if m.leavesOut(s, a) {
		return true
	}
	if strict := m.irreversible || m.against || m.strict; strict && m.pickedLate(r, a) {
		return false
	}
	if m.pages(r, a) {
		// The second in a list is that of the list which the user saw, however long.
		_, placed := place(of)
		untouched := a.Said && (!m.irreversible || placed)
		return untouched || appears(m.folded, fold(a.Text))
	}
	if a.Role == label.Control {
		return true
	}
	if of.Pick == All && len(s.Where) == 0 {
		return !m.irreversible
	}
	own := (!a.Foreign && of.Pick != All) || appears(m.folded, fold(a.Text))
	return own || m.statedFor(argumentName(a.Pointer), a.Text)
}

// ofAnother reports whether an argument of an earlier call is another one than that of the
// call in question, where both are found in the same way: those who are not in it yet, are
// those not in the group that they are added to.
func (m *matcher) ofAnother(c *Constraint, a Argument) bool {
	if c.From == nil || m.proposal == nil {
		return false
	}
	for i := range m.in.Args {
		own := &m.in.Args[i]
		if own.From == nil || own.Pick == All || !c.foundAs(&own.Constraint) {
			continue
		}
		for j := range m.proposal.Args {
			if b := &m.proposal.Args[j]; !b.Empty && within(own.Pointer, b.Pointer) && !same(b.Text, a.Text, true) {
				return true
			}
		}
	}
	return false
}

// foundAs reports whether a constraint takes its value from where another one does.
func (c *Constraint) foundAs(other *Constraint) bool {
	alike := c.Pick == other.Pick && c.Kind == other.Kind && c.By == other.By && len(c.From) == len(other.From)
	if !alike {
		return false
	}
	for i := range c.From {
		if c.From[i].Field != other.From[i].Field {
			return false
		}
	}
	return sourcesKey(c.From) == sourcesKey(other.From)
}

// The words of arguments that say how much of a listing is returned, and from where on.
var (
	lengths = strings.Fields("length chars characters bytes tokens")
	limits  = strings.Fields("limit max maximum count size top num number n results rows per take")
	offsets = strings.Fields("offset skip start page cursor after before since until token from index continuation marker begin")
)

// settings are numbers that leave no record out.
var settings = strings.Fields("timeout width height indent depth")

// pages reports whether an argument of an earlier call may have left records out of its
// result: a limit that the result reaches, another place to begin at than the first, or
// another number, where what follows can't be taken back.
func (m *matcher) pages(r *Result, a Argument) bool {
	key := argumentName(a.Pointer)
	is := func(list []string) bool { return oneOf(key, list) }
	n, err := whole(a.Text)
	filters := err == nil && m.irreversible && !is(settings)

	switch {
	case !m.work(len(r.fields) * perStep):
		return true
	case is(lengths) && err == nil:
		return n <= max(len(r.Text), r.listed())
	case is(limits) && err == nil: // per_page and page_size as well
		return n <= r.listed()
	case is(offsets) && err == nil:
		return n > 1 || (n == 1 && !slices.Contains(key, "page"))
	case is(offsets):
		return a.Role == label.Control
	}
	return filters // a season, a year
}

func oneOf(key, list []string) bool {
	return slices.ContainsFunc(key, func(w string) bool { return slices.Contains(list, w) })
}

// finds are the values that a result offers: those that are named or pointed to, and
// others of the kind, which count where there are none of the former.
type finds struct{ named, ofKind []candidate }

// add adds the values of a text.
func (f *finds) add(like candidate, pointed bool, values []string) {
	to := &f.ofKind
	if pointed {
		to = &f.named
	}
	for _, v := range values {
		like.text = v
		*to = append(*to, like)
	}
}

func (f *finds) best() []candidate {
	if len(f.named) > 0 {
		return f.named
	}
	return f.ofKind
}

// fields returns the values of the field that a source names, in the records that it
// selects. Where no record has such a member, values of the kind count, as whole fields or
// in a text.
func (m *matcher) fields(s *Source, c *Constraint, r *Result, id string) []candidate {
	selected := m.selected(s, c, r)
	name := s.name()
	isNamed, has := m.memberAt(r, selected, name, id, c.Kind)
	doubt := ""
	if r.unproven && m.irreversible && (c.Pick != Only || !m.requested(s, r)) {
		doubt = m.say("others may have written an element of the list of %s", s.Tool)
	}
	whole := func(f *field) candidate {
		return candidate{text: f.text, call: r.Call, record: r.Call + " " + f.record, doubt: doubt}
	}
	var found finds
	record, counts := "", selected.has("") // the fields of a record are beside each other
	for i := range r.fields {
		f := &r.fields[i]
		if !m.step() {
			return nil
		}
		if f.record != record {
			record, counts = f.record, selected.has(f.record)
		}
		if !counts || f.null {
			continue
		}

		switch {
		case isNamed(f):
			found.named = append(found.named, whole(f))
		case has || c.Pick != Only: // an outsider's words must not offer a choice, nor stand in for a member that is empty
		case isOf(f.text, c.Kind):
			v := whole(f)
			if m.irreversible && sharp(c.Kind) && !oneOf(f.key, holders[c.Kind]) {
				v.doubt = m.say("others may have written it into %s of %s", short(f.name), s.Tool)
			}
			found.ofKind = append(found.ofKind, v)
		default:
			if values, pointed := m.inText(name, c.Kind, f.text); len(values) > 0 {
				found.add(candidate{call: r.Call, doubt: m.doubtful(s, c, r, f)}, pointed, values)
			}
		}
	}
	if c.Pick == Only && len(s.Where) > 0 && m.lacking(r, selected, found.named) {
		for i := range found.named {
			found.named[i].doubt = m.say("a record of %s that is meant doesn't say", s.Tool)
		}
	}
	return found.best()
}

// lacking reports whether one of the records that a source selects has no value, where others of
// its list have one: the value may be that of another thing of the name.
func (m *matcher) lacking(r *Result, selected selection, found []candidate) bool {
	if len(found) == 0 || !m.work(len(r.inOrder)*perStep) {
		return false
	}
	valued, lists := map[string]bool{}, map[string]bool{}
	for _, v := range found {
		record := strings.TrimPrefix(v.record, r.Call+" ")
		for !selected[record] && record != "" {
			record = record[:strings.LastIndexByte(record, '/')]
		}
		valued[record], lists[listOf(record)] = true, true
	}
	return slices.ContainsFunc(r.inOrder, func(record string) bool {
		return selected[record] && r.outermost(record) && lists[listOf(record)] && !valued[record]
	})
}

// memberAt returns what tells the members that a description names: of what can't be taken
// back, those of the selected records themselves before those of objects in them, which others
// may have written.
func (m *matcher) memberAt(r *Result, selected selection, name []string, id string, kind Kind) (is func(*field) bool, any bool) {
	if r.values || !m.work(len(r.fields)*perStep) {
		return m.memberOf(r, name, id, kind, true)
	}
	at := func(record string) bool { return selected[record] || (selected == nil && r.outermost(record)) }
	level := *r
	level.members = map[string]bool{}
	for i := range r.fields {
		if f := &r.fields[i]; at(f.record) {
			level.members[f.name] = true
		}
	}

	own, found := m.memberOf(&level, name, id, kind, true)
	if found {
		return func(f *field) bool { return at(f.record) && own(f) }, true
	}
	return m.memberOf(r, name, id, kind, true)
}

// lines returns the values that the text of a result offers.
func (m *matcher) lines(s *Source, c *Constraint, r *Result) []candidate {
	if c.Pick != Only || !m.work(len(r.Text)) {
		return nil // an outsider's words must not offer a choice
	}

	name := s.name()
	all, partial := blocks(r.Text)
	if partial {
		m.tooMuch()
	}
	record := isRecord(r.Text, all)
	like := candidate{call: r.Call, doubt: m.doubtful(s, c, r, nil)}
	where, _ := m.where(s, r)
	if m.irreversible && !blockOf(strings.Split(r.Text, "\n")).meets(where) {
		return nil
	}
	var found finds
	for _, b := range all {
		// What can't be taken back has to be sure of the whole text: an outsider can write a
		// block that meets any condition.
		if !m.irreversible && !b.meets(where) {
			continue
		}
		values, pointed := valuesOf(b.labelled(name), c.Kind), true
		if len(values) == 0 || (sharp(c.Kind) && (m.irreversible || !record)) {
			values, pointed = m.inText(name, c.Kind, b.text)
		}
		found.add(like, pointed, values)
	}
	return found.best()
}

// valuesOf returns what labelled lines hold: the number of "41.50 EUR".
func valuesOf(lines []string, kind Kind) []string {
	if kind != Number {
		return lines
	}
	var out []string
	for _, l := range lines {
		found, _ := shaped(undated(l), kind)
		out = append(out, found...)
	}
	return out
}

// isRecord reports whether a text is nothing but labelled lines.
func isRecord(text string, all []block) bool {
	labelled := 0
	for _, b := range all {
		labelled += len(b.labels)
	}
	lines := 0
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	return labelled == lines
}

// doubtful says why a value that is found in the text of a result, or of one of its fields,
// doesn't do for a call that can't be taken back; empty where it does. The text has to be
// what one author wrote, and the request has to name it. What has no shape can't be told
// from other words in it.
func (m *matcher) doubtful(s *Source, c *Constraint, r *Result, in *field) string {
	shapeless := shapes[c.Kind] == nil
	note := in != nil && !oneOf(in.key, bodies)
	switch {
	case !m.irreversible:
		return ""
	case shapeless, note, in == nil && !r.document():
		return m.say("others may have written it into the result of %s", s.Tool)
	case !m.requested(s, r):
		return m.say("the request doesn't say which text of %s to take it from", s.Tool)
	}
	return ""
}

// holders are the members that hold values of a kind. Elsewhere, as in a name, somebody may
// have put it there.
var holders = map[Kind][]string{
	Email:   strings.Fields("email mail address contact from sender to recipient recipients cc owner author organizer participants attendees user reply"),
	URL:     strings.Fields("url uri link href website homepage site page web"),
	Account: strings.Fields("account iban recipient sender payee payer from to bank number"),
	Phone:   strings.Fields("phone mobile tel telephone cell number contact"),
}

// bodies are the members that hold a text of a record's author, and not remarks on it.
var bodies = strings.Fields("body text content message html markdown description page document")

// files are the arguments that name a document.
var files = strings.Fields("path file filename url uri link document page")

// document reports whether the text of a result is one document, as its author wrote it:
// its call names a file or a page.
func (r *Result) document() bool {
	return r.Verbatim || slices.ContainsFunc(r.Args, func(a Argument) bool {
		_, isNumber := number(a.Text)
		return !a.Empty && !isNumber && oneOf(argumentName(a.Pointer), files)
	})
}

// requested reports whether the request names the text of a result: an argument of its
// call, or who wrote it, are among the user's words.
func (m *matcher) requested(s *Source, r *Result) bool {
	for i := range s.Args {
		c := &s.Args[i]
		for _, a := range r.Args {
			if !a.Empty && within(c.Pointer, a.Pointer) && len(c.Is) > 0 && m.stated(a.Text) {
				return true
			}
		}
		nested := slices.ContainsFunc(c.From, func(from Source) bool {
			return slices.ContainsFunc(from.Where, func(w Match) bool { return m.statedMatch(w) })
		})
		if nested && c.Pick == Only {
			return true
		}
	}
	return r.structured && slices.ContainsFunc(s.Where, m.statedMatch)
}

// statedMatch reports whether a condition is in the user's words.
func (m *matcher) statedMatch(w Match) bool {
	if w.From != nil {
		return m.statedJoin(&w)
	}
	if w.Prefix != "" {
		return m.stated(w.Prefix)
	}
	return len(w.Is) > 0 && !slices.ContainsFunc(w.Is, func(v Value) bool { return !m.stated(string(v)) })
}

// stated reports whether a value is among the user's words; the name of a file is enough
// for its path.
func (m *matcher) stated(text string) bool {
	if !m.work(len(m.folded)) {
		return false
	}
	text = fold(text)
	name := text[strings.LastIndexByte(strings.TrimRight(text, "/"), '/')+1:]
	return appears(m.folded, text) || appears(m.folded, name)
}

// inText returns the values of a kind in a text, and whether the text points to them: by
// a currency, or by a word of the field's name in their line. Where a kind is told by its
// shape alone, nothing points: an outsider can write the name beside any value.
func (m *matcher) inText(name []string, kind Kind, text string) (values []string, pointed bool) {
	if !m.work(len(text)) {
		return nil, false
	}
	if kind == Number && slices.ContainsFunc(name, ofMoney) && m.work(2*len(text)) {
		if found := prices(text); len(found) > 0 {
			return found, true
		}
	}

	if lines := linesWith(text, head(name)); lines != "" && !sharp(kind) {
		if kind == Number {
			if !m.work(4 * len(lines)) {
				return nil, false
			}
			lines = undated(lines)
		}
		if found, ok := shaped(lines, kind); ok && len(found) > 0 {
			return found, true
		}
	}
	found, ok := shaped(text, kind)
	if !ok && sharp(kind) {
		m.tooMuch()
	}
	return found, false
}

// linesWith returns the lines of a text that begin with one of the longer words, as the
// lines of a bill do: "Total  98.70".
func linesWith(text string, named []string) string {
	const long = 4 // "of" and "the" are in every line
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		have := words(line[:min(len(line), maxLabel)])
		have = have[:min(len(have), 2)]
		points := func(w string) bool {
			return len(w) >= long && slices.ContainsFunc(have, func(h string) bool { return thing(h) == thing(w) })
		}
		if slices.ContainsFunc(named, points) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
