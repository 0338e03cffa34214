package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/wordlist"
	"github.com/remit-project/remit/scope"
)

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
	selected := m.meant(s, c, r, m.selected(s, c, r))
	name := s.name()
	one := selected.only()
	isNamed, has := m.memberOfOne(r, one, name), true
	if isNamed == nil {
		isNamed, has = m.memberAt(r, selected, name, id, c.Kind)
	}
	doubt := ""
	if r.unproven && m.irreversible && (c.Pick != scope.Only || !m.requested(s, r)) {
		doubt = m.say("others may have written an element of the list of %s", s.Tool)
	}
	whole := func(f *field) candidate {
		return candidate{text: f.text, call: r.Call, record: recordID{r.Call, f.record}, numeric: f.numeric, doubt: doubt}
	}
	var found finds
	aside := m.aside(s, c, r)
	if m.steps -= len(r.fields); m.steps < 0 {
		return nil
	}
	for f := range r.fieldsOf(selected, one) {
		if f.null {
			continue
		}

		switch {
		case isNamed(f):
			v := whole(f)
			beside := aside.why(f)
			v.aside, v.doubt = beside != "", cond(cond(doubt, beside), m.ofOtherUnit(name, c, r, f))
			found.named = append(found.named, v)
		case has || c.Pick != scope.Only || m.lent: // an outsider's words must not offer a choice, nor replace a member that is empty
		case isOf(f.text, c.Kind):
			v := whole(f)
			v.doubt = cond(cond(cond(doubt, m.misplaced(s, c, r, f)), aside.why(f)), m.ofOtherUnit(name, c, r, f))
			found.ofKind = append(found.ofKind, v)
		default:
			m.addText(&found, s, c, r, f, func() string { return cond(m.doubtful(s, c, r, f), aside.why(f)) })
		}
	}
	found.named = m.complete(s, c, r, selected, m.innermost(s, r, found.named))
	return found.best()
}

// innermost leaves out the values of records around another one that has the member too, unless they meet the source's conditions by their
// own members. What is planned for flowers is not what is planned for the event.
func (m *matcher) innermost(s *Source, r *Result, named []candidate) []candidate {
	if m.against || len(s.Where) == 0 || len(named) < 2 || !m.work(len(named)) {
		return named
	}
	around := map[string]bool{} // records in which another one has the member
	for _, v := range named {
		for at := range outwards(v.record.pointer) {
			around[at] = around[at] || (v.doubt == "" && at != v.record.pointer)
		}
	}
	isAround := func(v candidate) bool { return around[v.record.pointer] }
	if !slices.ContainsFunc(named, isAround) {
		return named
	}

	where, _ := m.where(s, r)
	all := m.holdAll(where, r)
	isByOwn := func(record string) bool {
		return !slices.ContainsFunc(all, func(alternatives []held) bool {
			return !slices.ContainsFunc(alternatives, func(h held) bool {
				met, _, _ := m.among(&h, r, r.records[record], h.isNamed)
				return met
			})
		})
	}
	return slices.DeleteFunc(slices.Clone(named), func(v candidate) bool { return isAround(v) && !isByOwn(v.record.pointer) })
}

// addText adds the values that the text of a field offers. What others wrote in it is in doubt, for a call that can't be taken back.
func (m *matcher) addText(found *finds, s *Source, c *Constraint, r *Result, f *field, doubtful func() string) {
	own, others := m.authored(r, f.text, f)
	if values, pointed := m.inText(s.name(), c.Kind, own); len(values) > 0 {
		doubt := doubtful()
		if !pointed && isMeasure(c.Kind) {
			doubt = cond(doubt, m.misplaced(s, c, r, f))
		}
		doubt = cond(doubt, m.toldOtherwise(c, own, values))
		found.add(candidate{call: r.Call, doubt: doubt}, pointed, values)
	}
	if values, pointed := m.inText(s.name(), c.Kind, others); len(values) > 0 {
		found.add(candidate{call: r.Call, doubt: m.ofOthers(s)}, pointed, values)
	}
}

// ofOthers says why what stands in a quote doesn't do.
func (m *matcher) ofOthers(s *Source) string {
	return m.say("somebody else wrote what is quoted in the result of %s", s.Tool)
}

// misplaced says why a value may be in the wrong member; empty where it isn't. Others may have written it where no such values are held, or
// it is the number or the day of something else, as the only one in a record may be.
func (m *matcher) misplaced(s *Source, c *Constraint, r *Result, f *field) string {
	isHeld := lexicon().holders(c.Kind).In(f.key)
	if isMeasure(c.Kind) {
		isHeld = nearly(head(s.name()), unitless(f.key)) && !m.strangers(f.name)
	}
	if m.irreversible && (isMeasure(c.Kind) || sharp(c.Kind)) && (!isHeld || m.addsToName(r, s.name(), f.name)) {
		return m.say("%s of %s is not called as what is looked for", short(f.name), s.Tool)
	}
	return ""
}

// isMeasure reports whether values of a kind say how much or when, of anything.
func isMeasure(k scope.Kind) bool { return k == scope.Number || k == scope.Date }

// memberAt returns a predicate for the members that a description names: those of the selected records themselves before
// those of objects in them, which others may have written. What the elements of a list are called by in full is no other member of the
// record around it that may be called so: the passengerId of passengers is not its flightNo.
func (m *matcher) memberAt(r *Result, selected selection, name []string, id string, kind scope.Kind) (is func(*field) bool, any bool) {
	if r.values || !m.work(len(r.fields)*perStep) {
		return m.memberOf(r, name, id, kind, true)
	}
	level := *r
	level.members = r.membersIn(selected)
	at := func(record string) bool { return selected[record] || (selected == nil && r.outermost(record)) }

	exact := strings.Join(name, " ")
	isInList := func(f field) bool { return f.name == exact && r.isOfList(f.record, name) }
	if !level.members[exact] && slices.ContainsFunc(r.fields, isInList) {
		return func(f *field) bool { return isInList(*f) }, true
	}
	own, found := m.memberOf(&level, name, id, kind, true)
	if found {
		return func(f *field) bool { return at(f.record) && own(f) }, true
	}
	return m.memberOf(r, name, id, kind, true)
}

// memberOfOne does what memberAt does for the only selected record, where no other member than the one that it has under the very name may be
// meant; it returns nil elsewhere.
func (m *matcher) memberOfOne(r *Result, one string, name []string) func(*field) bool {
	exact, is := r.plainMember(name)
	isOwn := is && one != "" && r.flat && !r.values && slices.ContainsFunc(r.records[one], func(i int) bool { return r.fields[i].name == exact })
	if !isOwn || !m.work(len(r.fields)*perStep) {
		return nil
	}
	return func(f *field) bool { return f.name == exact && f.record == one }
}

// membersIn returns the names of the members of the selected records themselves; of the outermost ones, where all are.
func (r *Result) membersIn(selected selection) map[string]bool {
	if selected == nil && r.level != nil {
		return r.level.members
	}
	if selected == nil {
		return r.members // of the outermost ones already
	}
	members := map[string]bool{}
	for record, is := range selected {
		if !is {
			continue
		}
		for _, i := range r.records[record] {
			members[r.fields[i].name] = true
		}
	}
	return members
}

// isOfList reports whether a record is an element of a list in one that is called as a member's name begins: passengers, of "passenger id".
func (r *Result) isOfList(record string, name []string) bool {
	_, list := r.listIn(record)
	return len(list) > 0 && len(list) < len(name) && slices.EqualFunc(name[:len(list)], list, sameWord)
}

// lines returns the values that the text of a result offers.
func (m *matcher) lines(s *Source, c *Constraint, r *Result) []candidate {
	if c.Pick == scope.All && c.Kind == scope.URL {
		return m.linksFound(s, r)
	}
	if c.Pick != scope.Only || !m.work(len(r.Text)) {
		return nil // an outsider's words must not offer a choice
	}

	own, others := m.authored(r, r.Text, nil)
	all, partial := blocks(own)
	quoted, more := blocks(others)
	if partial || more {
		m.tooMuch()
	}
	where, _ := m.where(s, r)
	if m.irreversible && !blockOf(strings.Split(r.Text, "\n")).meets(where) {
		return nil
	}

	var found finds
	doubt, ofRecord := m.doubtful(s, c, r, nil), isRecord(own, all)
	for i, b := range slices.Concat(all, quoted) {
		// What can't be taken back has to be sure of the whole text: an outsider can write a
		// block that meets any condition.
		if !m.irreversible && !b.meets(where) {
			continue
		}
		if len(where) > 0 && !b.together(where, s.name()) {
			continue
		}
		like := candidate{call: r.Call, doubt: doubt}
		values, pointed, sure := m.inBlock(&b, s.name(), c.Kind, ofRecord)
		switch {
		case i >= len(all):
			like.doubt = m.ofOthers(s)
		case !sure:
			like.doubt = cond(doubt, m.say("the text of %s has a value that may be of something else", s.Tool))
		}
		like.doubt = cond(like.doubt, m.toldOtherwise(c, b.text, values))
		found.add(like, pointed, values)
	}
	return found.best()
}

// inBlock returns the values of a kind that a part of a text offers under a name, and whether the text points to them. They are sure where
// no amount or day may be of something else, which a call that can't be taken back needs.
func (m *matcher) inBlock(b *block, name []string, kind scope.Kind, ofRecord bool) (values []string, pointed, sure bool) {
	lines := b.labelled(name)
	values, pointed = valuesOf(lines, kind), true
	sure = !m.irreversible || kind != scope.Number || !slices.ContainsFunc(lines, saysBesides)
	if len(values) == 0 || (sharp(kind) && (m.irreversible || !ofRecord)) {
		values, pointed = m.inText(name, kind, b.text)
		sure = pointed || !m.irreversible || !isMeasure(kind) || (m.work(4*len(b.text)) && b.speaksOf(name) && !m.hasUnsure(b.text, name, numbers().MatchString))
	}
	return values, pointed, sure
}

// speaksOf reports whether a part of a text has the words of a name: "the rent will be increased by 100.00".
func (b *block) speaksOf(name []string) bool {
	text := spaced(b.text)
	isSaid := func(w string) bool { return telling(w) && hasWords(text, w) }
	return slices.ContainsFunc(head(name), isSaid)
}

// linkLine is a line that is nothing but a link, as in what a search of the web prints.
var linkLine = pattern.OnUse(`^(?:(?:[-*•]|\d{1,4}[.)]) )?(?:(?i:url|link|href|source): )?(https?://[^\s"'<>()\[\]]+)$`)

// linksFound returns the links that a search prints as text, for a call that can be taken back: those that are a
// line each. Each page that it finds is a stranger's, and so may one be that somebody adds with a line end. What
// others write into the midst of a text is none, nor what is found by words that they may have chosen.
func (m *matcher) linksFound(s *Source, r *Result) []candidate {
	isWords := func(a Argument) bool { return a.Required && lexicon().Searched.In(argumentName(a.Pointer)) }
	searches := r.Early && !r.Verbatim && slices.ContainsFunc(r.Args, isWords)
	if !searches || m.irreversible || m.against || m.strict || m.joining || len(s.Where) > 0 || !m.work(2*len(r.Text)) {
		return nil
	}
	var out []candidate
	for line := range strings.SplitSeq(r.Text, "\n") {
		if link := linkLine().FindStringSubmatch(strings.TrimSpace(line)); link != nil {
			out = append(out, candidate{text: link[1], call: r.Call})
		}
	}
	return out
}

// valuesOf returns what labelled lines hold: the number of "41.50 EUR".
func valuesOf(lines []string, kind scope.Kind) []string {
	if kind != scope.Number {
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
	note := in != nil && !lexicon().Bodies.In(in.key)
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

// heldKinds are the kinds of which it is known in which members their values are. Elsewhere, as in a name,
// an attacker may have put one there.
var heldKinds = []scope.Kind{scope.Email, scope.URL, scope.Account, scope.Phone}

// holders returns the words of the members that hold values of a kind.
func (l *lists) holders(kind scope.Kind) wordlist.Set {
	switch kind {
	case scope.Email:
		return l.MailHolders
	case scope.URL:
		return l.LinkHolders
	case scope.Account:
		return l.AccountHolders
	case scope.Phone:
		return l.PhoneHolders
	}
	return wordlist.Set{}
}

// document reports whether the text of a result is one document, as its author wrote it:
// its call names a file or a page.
func (r *Result) document() bool {
	return r.Verbatim || slices.ContainsFunc(r.Args, func(a Argument) bool {
		_, isNumber := number(a.Text)
		return !a.Empty && !isNumber && lexicon().Files.In(argumentName(a.Pointer))
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
		if nested && c.Pick == scope.Only {
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
	if edges := w.edges(); edges != nil {
		return !slices.ContainsFunc(edges, func(text string) bool { return !m.stated(text) })
	}
	return len(w.Is) > 0 && !slices.ContainsFunc(w.Is, func(v scope.Value) bool { return !m.stated(string(v)) })
}

// statedWords reports whether a condition looks for words of the user's.
func (m *matcher) statedWords(w Match) bool {
	return w.From == nil && len(w.Is) == 0 && slices.ContainsFunc(w.Contains, func(words string) bool { return m.stated(words) })
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
func (m *matcher) inText(name []string, kind scope.Kind, text string) (values []string, pointed bool) {
	if !m.work(len(text)) {
		return nil, false
	}
	if kind == scope.Number && slices.ContainsFunc(name, ofMoney) && hasCurrency(text) && m.work(8*len(text)) {
		if found := prices(text); len(found) > 0 {
			return found, !m.irreversible || !m.hasUnsure(text, name, priced().MatchString)
		}
	}

	if lines := linesWith(text, head(name)); lines != "" && !sharp(kind) && !(m.irreversible && m.hasUnsure(lines, name, numbers().MatchString)) {
		if kind == scope.Number {
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
