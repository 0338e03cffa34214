package provenance

import (
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/provenance/index"
	"github.com/remit-project/remit/internal/provenance/normal"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Session is what is known about one conversation: every text that the model
// has seen, with its label, and the indexes over it. It only grows.
type Session struct {
	clock   calendar
	events  []event
	names   map[string]int
	ambient label.Label
	low     []int // events with text below USER, the ones ambient values may come from
	vouch   vouching
	work    *meter // of the decision or the text that is looked at
	fields  fieldIndex
	wide    *index.Index
	own     *index.Index // of what the model wrote through calls with less than the user's trust
	written map[string]write
	writes  int
	// unindexed are the events that the model wrote since the last text.
	unindexed []uint32
	nameOf    map[nameKey]name // not written by those who read: see [Session.At]
	prose     bool             // a result has had text that somebody wrote
	proposal  string           // the model's last text, which the user may agree to

	numeric []numericResult // what arithmetic works with, the latest first
	memo    memo
}

type event struct {
	name  string
	text  string
	label label.Label
	out   *output // for results only
	// written marks what the model wrote through a call: it may come back as
	// the result of another.
	written bool
}

// output is a result in its fields.
type output struct {
	doc     *strictjson.Document
	words   []string // of the producing tool's name
	spec    Spec
	argText []argument // the producing call's own arguments, for echoes
	floor   label.Trust
	records int
	// narrowed reports whether an argument that nothing vouches for selected what was
	// returned: one record is then as good as chosen.
	narrowed bool
	by       []string // ordinary words of the user's that selected it
	keyed    []string // for each of spec.Certify, the record that its key names
}

type argument struct {
	text  string
	label label.Label
}

// write is a short value of low trust that the model wrote through a call, with
// the number of events before it.
type write struct {
	before int32
	label  label.Label
}

type nameKey struct{ tool, pointer string }

// New returns a session without events. The clock gives relative dates their
// meaning; without one (nil) they vouch for nothing.
func New(clock func() time.Time) *Session {
	work := new(meter)
	work.begin(0, 0)
	return &Session{
		clock:   clock,
		names:   map[string]int{},
		ambient: label.Identity(),
		work:    work,
		vouch:   newVouching(work),
		fields:  newFieldIndex(),
		wide:    index.New(index.Options{}),
		own:     index.New(index.Options{}),
		written: map[string]write{},
		nameOf:  map[nameKey]name{},
	}
}

// Ambient is the merge of everything that the model has seen so far: the label
// of a value about which nothing better is known.
func (s *Session) Ambient() label.Label {
	a := s.ambient
	a.Origins = a.Origins.Union(label.OriginsOf(label.OriginModel))
	// Without any text, a value is the model's own invention on the user's
	// behalf, and no more trusted than the user.
	a.Trust = min(a.Trust, label.User)
	return a
}

// Unseen notes that the model has read what this session was never told, as the
// user's words and whatever came with them: anybody may have written it.
func (s *Session) Unseen() {
	s.ambient = label.Merge(s.ambient, label.Label{Origins: label.OriginsOf(label.OriginUnknown), Trust: label.External})
}

// Text returns the text of an event, or of a field of a result, by the name
// that evidence gives it: "user:0", "result:c1#/emails/0/body".
func (s *Session) Text(origin string) (string, bool) {
	if i, ok := s.names[origin]; ok {
		return s.events[i].text, true
	}
	// Both the id of a call and the name of a member may have the sign that
	// divides them.
	for at := range len(origin) {
		if origin[at] != '#' {
			continue
		}
		i, ok := s.names[origin[:at]]
		if !ok || s.events[i].out == nil || s.events[i].out.doc == nil {
			continue
		}
		if leaf, ok := s.events[i].out.doc.Get(origin[at+1:]); ok {
			return leaf.Text, true
		}
	}
	return "", false
}

// System adds text of the deployment. It vouches as TRUSTED.
func (s *Session) System(name, text string) {
	text = normal.Visible(text)
	l := label.Label{Origins: label.OriginsOf(label.OriginSystem), Trust: label.Trusted}
	s.vouchFor(text, l)
	s.add(event{name: name, text: text, label: l})
}

// vouchFor makes the text of the next event vouch. One that doesn't fit may have
// ruled out what was said before, so all of that vouches no more.
func (s *Session) vouchFor(text string, l label.Label) bool {
	if !s.vouch.fits(text) {
		s.vouch = newVouching(s.work)
	}
	return s.vouch.add(len(s.events), text, l, s.clock)
}

// User adds what the user said. It vouches as USER, but for what the user
// quotes from others: reply lines, forwarded messages, and a text longer than
// [MaxVouching] are external.
func (s *Session) User(name, text string) {
	l := label.Label{Origins: label.OriginsOf(label.OriginUser), Trust: label.User}
	text = normal.Visible(text)
	own, quoted := carve(text)
	if s.vouchFor(own, l) {
		s.vouch.propose(s.proposal)
	} else {
		quoted = true
	}
	s.proposal = ""
	if quoted {
		l.Trust = label.External
	}
	s.add(event{name: name, text: text, label: l})
}

// External adds text that the user passed on without having written it.
func (s *Session) External(name, text string) {
	s.add(event{name: name, text: text, label: label.Label{Origins: label.OriginsOf(label.OriginUser), Trust: label.External}})
}

// Model adds text that the model wrote. It is evidence only: whatever vouched
// for its words vouches for them again.
func (s *Session) Model(name, text string) {
	s.proposal = text
	s.add(event{name: name, text: text, label: s.Ambient()})
}

func (s *Session) add(e event) int {
	s.memo = memo{names: s.memo.names}
	n := len(s.events)
	// A name that came before keeps its meaning: evidence refers to it.
	for i, name := 2, e.name; ; i++ {
		if _, taken := s.names[e.name]; !taken {
			break
		}
		e.name = name + "~" + strconv.Itoa(i)
	}
	s.events = append(s.events, e)
	s.names[e.name] = n
	s.see(n, e.label)
	s.catchUp()
	s.wide.Append(uint32(n), e.text)
	return n
}

// catchUp indexes what the model wrote through calls. That waits for the next
// text, which is the first that can repeat it: a decision needn't.
func (s *Session) catchUp() {
	for _, n := range s.unindexed {
		s.wide.Append(n, s.events[n].text)
		s.own.Append(n, s.events[n].text)
	}
	s.unindexed = s.unindexed[:0]
}

// see lowers the ambient label.
func (s *Session) see(event int, l label.Label) {
	s.ambient = label.Merge(s.ambient, l)
	if l.Trust < label.User {
		s.low = append(s.low, event)
	}
}

// carve blanks the parts of a user's text that quote others, byte by byte, so that
// positions stay as they are, and reports whether there were any.
func carve(text string) (own string, quoted bool) {
	if !strings.ContainsAny(text, ">:-＞") {
		return text, false
	}

	out := []byte(text)
	blank := func(start, end int) {
		quoted = true
		for i := start; i < end; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}

	for start := 0; start < len(text); {
		end := lineEnd(text, start)
		line := strings.TrimSpace(text[start:end])
		rest := text[min(len(text), end+1):]
		switch {
		case strings.HasPrefix(line, ">") || strings.HasPrefix(line, "＞"):
			blank(start, end)
		case forwarded(line), mailHeader(line, rest), attribution(line) && !nextQuoted(rest):
			// All that follows is of another author.
			blank(start, len(text))
			return string(out), quoted
		case attribution(line):
			blank(start, end)
		}
		start = end + 1
	}
	return string(out), quoted
}

// lineEnd returns where the line that begins at start ends.
func lineEnd(text string, start int) int {
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		return start + i
	}
	return len(text)
}

// forwarded reports whether a line separates a forwarded message.
func forwarded(line string) bool {
	if len(line) > 80 {
		return false
	}
	l := strings.ToLower(strings.Trim(line, "-_= "))
	switch l {
	case "original message", "forwarded message", "ursprüngliche nachricht", "weitergeleitete nachricht", "message transféré", "message d'origine", "mensaje reenviado", "mensaje original":
		return strings.HasPrefix(line, "--") || strings.HasPrefix(line, "__") || strings.HasPrefix(line, "==")
	}
	return strings.HasPrefix(l, "begin forwarded message")
}

// mailHeader reports whether a line begins the header of a pasted mail: "From:"
// with a subject or a time of sending in one of the next lines.
func mailHeader(line, rest string) bool {
	if !headerField(line, "from", "von", "de") {
		return false
	}
	for range 4 {
		var next string
		next, rest, _ = strings.Cut(rest, "\n")
		if headerField(strings.TrimSpace(next), "sent", "subject", "gesendet", "betreff", "objet", "asunto") {
			return true
		}
	}
	return false
}

func headerField(line string, names ...string) bool {
	name, _, ok := strings.Cut(line, ":")
	if !ok || len(name) > 16 {
		return false
	}
	return contains(names, strings.ToLower(strings.Trim(name, "* ")))
}

// attributions are how a line begins and goes on that introduces a quoted mail.
var attributions = [...]struct{ begins, has, ends string }{
	{"on ", "", " wrote"},
	{"am ", " schrieb", ""},
	{"le ", "", " écrit"},
	{"el ", "", " escribió"},
}

// attribution reports whether a line introduces a quoted mail: "On Monday, Bob
// <bob@corp.com> wrote:".
func attribution(line string) bool {
	if !strings.HasSuffix(line, ":") || len(line) > 240 {
		return false
	}

	l := strings.ToLower(strings.TrimRight(line, ": "))
	for _, a := range attributions {
		if strings.HasPrefix(l, a.begins) && strings.Contains(l, a.has) && strings.HasSuffix(l, a.ends) {
			return strings.ContainsAny(l, "0123456789@")
		}
	}
	return false
}

func nextQuoted(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return strings.HasPrefix(rest, ">") || strings.HasPrefix(rest, "＞")
}

// Spec is what a result is worth (PACT's OutputSpec), as far as this package
// needs it.
type Spec struct {
	// Trust is the label of the result as a whole.
	Trust label.Trust
	// Derived means never better than the producing call's arguments.
	Derived bool
	// Field returns the trust of a field with a label of its own; nil or false
	// where it has none.
	Field func(pointer string) (label.Trust, bool)
	// Certify are the procedures by which fields may vouch. The caller leaves
	// out those whose key was not vouched for.
	Certify []Certify
}

// Certify is a procedure by which the fields of one result may vouch.
type Certify struct {
	Procedure string
	Basis     string
	// Key is the text of the argument that was vouched for.
	Key   string
	Field func(pointer string) bool
	// By are the fields by which the user must have named the record; nil when
	// the contract asks for none.
	By     func(pointer string) bool
	Unique bool
	Roles  label.RoleSet
	Max    label.Trust
}

// Result is what a call returned.
type Result struct {
	// Text is what the model sees.
	Text string
	// Document is the structured form; nil when there is none.
	Document *strictjson.Document
	// Beside reports whether the document was given beside the text and not read
	// from it, so that each may have what the other doesn't.
	Beside bool
	Tool   string
	Origin label.Origins
	Spec   Spec
	// Made reports whether the call did something, so that its result is about what it
	// made.
	Made bool
	// Arguments are the producing call's, as they were resolved.
	Arguments []Resolved
}

// Resolved is an argument with its label.
type Resolved struct {
	Text  string
	Label label.Label
}

// Output adds the result of a call.
func (s *Session) Output(name string, r Result) {
	out := newOutput(r)
	l := label.Label{Origins: r.Origin, Trust: out.floor}
	if blank(r) {
		// There is no text that others could have written.
		l.Trust = max(l.Trust, label.ToolOutput)
	}
	text := r.Text
	if text == "" && r.Document != nil {
		text = string(r.Document.Canonical())
	}

	s.work.begin(len(text), 0)
	s.prose = s.prose || (l.Trust < label.User && prose(r))
	n := s.add(event{name: name, text: text, label: l, out: out})
	if r.Document == nil {
		if out.floor >= label.ToolOutput {
			s.addCells(n, text)
		}
		return
	}

	if r.Beside && text != string(r.Document.Canonical()) {
		s.add(event{name: name + "/structured", text: string(r.Document.Canonical()), label: l})
	}
	out.records = records(r.Document)
	out.findKeyed(s)
	s.addFields(n, out)
	s.addNumeric(int32(n), out)
}

// newOutput returns a result with what its call's arguments make of it.
func newOutput(r Result) *output {
	out := &output{doc: r.Document, words: Words(r.Tool), spec: r.Spec, floor: r.Spec.Trust}
	for _, a := range r.Arguments {
		switch {
		case r.Made || IsTrivial(a.Text):
		case a.Label.Trust < label.ToolOutput:
			out.narrowed = true
		case a.Label.Obligations&label.LowInfo != 0 && len(out.by) < maxSelecting:
			out.by = append(out.by, a.Text)
		}

		if r.Spec.Derived {
			out.floor = min(out.floor, a.Label.Trust)
		}
		if len(a.Text) >= minEcho && a.Label.Trust < label.User {
			out.argText = append(out.argText, argument{a.Text, a.Label})
		}
	}
	return out
}

// Prose reports whether a result has had text that a person may have written,
// more than identifiers, numbers and states.
func (s *Session) Prose() bool { return s.prose }

// proseWords is how many words a text has that may tell a model something.
const proseWords = 4

func prose(r Result) bool {
	if r.Document == nil || r.Beside {
		if wordsAtLeast(r.Text, proseWords) {
			return true
		}
	}
	if r.Document == nil {
		return false
	}
	for _, leaf := range r.Document.Leaves() {
		if leaf.Kind == strictjson.String && wordsAtLeast(leaf.Text, proseWords) {
			return true
		}
	}
	return false
}

func wordsAtLeast(text string, n int) bool {
	for range words(text) {
		if n--; n == 0 {
			return true
		}
	}
	return false
}

// blank reports whether a result has no text at all.
func blank(r Result) bool {
	if r.Document == nil || r.Beside {
		switch strings.TrimSpace(r.Text) {
		case "", "[]", "{}", "null", "None", "()":
		default:
			return false
		}
	}
	if r.Document == nil {
		return true
	}

	for i, leaf := range r.Document.Leaves() {
		empty := leaf.Kind == strictjson.Null || leaf.Text == ""
		if !empty || i == maxBlankLeaves || !onlyEnvelope(leaf.Pointer) {
			return false
		}
	}
	return true
}

// onlyEnvelope reports whether a pointer has no names but those of an envelope: a
// member name is text too, and may be an outsider's.
func onlyEnvelope(pointer string) bool {
	for segment := range strings.SplitSeq(pointer, "/") {
		if segment != "" && !isIndex(segment) && !envelope.has(segment) {
			return false
		}
	}
	return true
}

const maxBlankLeaves = 16

// Called notes the arguments of a call that is going to run. What the model writes
// through a tool with less than the user's trust is known as low, wherever it comes
// back from.
func (s *Session) Called(name string, values []Value, resolved []Resolution) {
	for i, v := range values {
		l := resolved[i].Label

		switch {
		case l.Trust >= label.User, v.Kind == strictjson.Bool, v.Kind == strictjson.Null, v.Text == "":
		case len(v.Text) >= minEcho:
			n := len(s.events)
			s.events = append(s.events, event{name: name + v.Pointer, text: v.Text, label: l, written: true})
			s.names[name+v.Pointer] = n
			s.unindexed = append(s.unindexed, uint32(n))
			s.writes++
		default:
			key := fieldKey(v.Text)
			w, ok := s.written[key]
			if !ok {
				w = write{int32(len(s.events)), l}
			}
			w.label = label.Merge(w.label, l)
			s.written[key] = w
		}
	}
}

const (
	// minEcho is the length from which a value is recognised inside of others
	// when it comes back: shorter ones are found in any text, and are compared
	// with whole fields.
	minEcho = 8
	// maxSelecting is how many ordinary words that selected a result are kept.
	maxSelecting = 8
)

// records counts what a result lists: the elements of its outermost array, or
// of the only array of objects directly inside its outermost object (an object
// with nothing but an array is that array); anything else is one record.
func records(doc *strictjson.Document) int {
	n := outermost(doc)
	if n == 1 && nested(doc) {
		return 2
	}
	return n
}

// nested reports whether a document that lists nothing at its top may list things
// further down: a list with several objects in it, or several members of one
// object that are objects of the same form. In doubt there are several records.
func nested(doc *strictjson.Document) bool {
	forms := map[string]string{} // by the pointer with its last index or name left out
	for _, leaf := range doc.Leaves() {
		segments := strings.Split(leaf.Pointer, "/")
		for i := 1; i < len(segments)-1 && i < 8; i++ {
			place := strings.Join(segments[:i], "/") + "/*/" + strings.Join(segments[i+1:], "/")
			if own, ok := forms[place]; ok && own != segments[i] {
				return true
			} else if !ok && len(forms) < maxForms {
				forms[place] = segments[i]
			} else if !ok {
				return true // too large to tell
			}
		}
	}
	return false
}

// maxForms bounds what [nested] remembers.
const maxForms = 8192

// outermost counts what the outermost list has.
func outermost(doc *strictjson.Document) int {
	leaves := doc.Leaves()
	if len(leaves) > 0 && leaves[0].Pointer == "" {
		if leaves[0].Kind == strictjson.Array {
			return 0
		}
		return 1
	}

	var c listCount
	for _, leaf := range leaves {
		c.take(leaf)
	}
	c.endMember()
	switch {
	case doc.Root().Kind() == strictjson.Array:
		return c.members
	case c.members == 1 && c.arrays == 1:
		return c.elements
	case c.lists == 0:
		return 1
	case c.lists > 1:
		return 2 // several lists: none of them is the one record
	}
	return c.inLists
}

// listCount counts the members of a document's root, and the elements of those that
// are arrays. Leaves come in the order of the document, so that each member, and each
// element, is one run of them.
type listCount struct {
	members, arrays, lists, elements, inLists int

	member, element string // the present ones
	isArray, isList bool   // a list has elements with members of their own
	n               int    // elements of the present member
}

func (c *listCount) take(leaf strictjson.Leaf) {
	member, rest, _ := strings.Cut(leaf.Pointer[1:], "/")
	if c.members == 0 || member != c.member {
		c.endMember()
		c.members++
		c.member, c.element = member, ""
	}

	element, within, _ := strings.Cut(rest, "/")
	switch {
	case leaf.Kind == strictjson.Array && rest == "":
		c.isArray = true
	case isIndex(element):
		c.isArray = true
		if element != c.element {
			c.element = element
			c.n++
		}
		c.isList = c.isList || within != ""
	}
}

func (c *listCount) endMember() {
	c.elements += c.n
	if c.isArray {
		c.arrays++
	}
	if c.isList {
		c.lists++
		c.inLists += c.n
	}
	c.isArray, c.isList, c.n = false, false, 0
}

// Influences names the events that a value with the ambient label may have come
// from: those below USER, or all of them before the first such.
func (s *Session) Influences() []string {
	var out []string
	for _, i := range s.low {
		out = append(out, s.events[i].name)
	}
	if out == nil {
		for _, e := range s.events {
			out = append(out, e.name)
		}
	}
	return out
}
