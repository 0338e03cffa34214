package provenance

import (
	"strings"
	"time"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/provenance/index"
	"github.com/remit-project/remit/strictjson"
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
	fields  map[string][]fieldRef
	wide    *index.Index
	pinned  map[string]pin

	// What arithmetic works with, as of operandsAt events.
	operands   []operand
	columns    []column
	operandsAt int
}

type event struct {
	name  string
	text  string
	label label.Label
	out   *output // for results only
}

// output is a result in its fields.
type output struct {
	doc     *strictjson.Document
	words   []string // of the producing tool's name
	spec    Spec
	argText []argument // the producing call's own arguments, for echoes
	floor   label.Trust
	records int
	// extremes are the records that superlatives pick, by their word.
	extremes map[string][2]string
}

type argument struct {
	text  string
	label label.Label
}

// pin is a value that the model worked out before anything external was read.
type pin struct {
	event int
	label label.Label
}

// New returns a session without events. The clock gives relative dates their
// meaning; without one (nil) they vouch for nothing.
func New(clock func() time.Time) *Session {
	return &Session{
		clock:   clock,
		names:   map[string]int{},
		ambient: label.Identity(),
		vouch:   newVouching(),
		fields:  map[string][]fieldRef{},
		wide:    index.New(index.Options{}),
		pinned:  map[string]pin{},
	}
}

// Ambient is the merge of everything that the model has seen so far: the label
// of a value about which nothing better is known.
func (s *Session) Ambient() label.Label {
	a := s.ambient
	a.Origins |= label.OriginModel
	// Without any text, a value is the model's own invention on the user's
	// behalf, and no more trusted than the user.
	a.Trust = min(a.Trust, label.User)
	return a
}

// Text returns the text of an event, or of a field of a result, by the name
// that evidence gives it: "user:0", "result:c1#/emails/0/body".
func (s *Session) Text(origin string) (string, bool) {
	name, pointer, isField := strings.Cut(origin, "#")
	i, ok := s.names[name]
	if !ok {
		return "", false
	}
	if !isField {
		return s.events[i].text, true
	}
	if s.events[i].out == nil || s.events[i].out.doc == nil {
		return "", false
	}
	leaf, ok := s.events[i].out.doc.Get(pointer)
	return leaf.Text, ok
}

// System adds text of the deployment. It vouches as TRUSTED.
func (s *Session) System(name, text string) {
	l := label.Label{Origins: label.OriginSystem, Trust: label.Trusted}
	s.vouch.add(len(s.events), text, l, s.clock)
	s.add(event{name: name, text: text, label: l})
}

// User adds what the user said. It vouches as USER, but for what the user
// quotes from others: reply lines, forwarded messages, and text beyond
// [MaxVouching] are external.
func (s *Session) User(name, text string) {
	l := label.Label{Origins: label.OriginUser, Trust: label.User}
	own, quoted := carve(text)
	if !s.vouch.add(len(s.events), own, l, s.clock) {
		quoted = true
	}
	if quoted {
		l.Trust = label.External
	}
	s.add(event{name: name, text: text, label: l})
}

// External adds material that the user passed on without having written it.
func (s *Session) External(name, text string) {
	s.add(event{name: name, text: text, label: label.Label{Origins: label.OriginUser, Trust: label.External}})
}

// Model adds text that the model wrote. It is evidence only: whatever vouched
// for its words vouches for them again.
func (s *Session) Model(name, text string) {
	s.add(event{name: name, text: text, label: s.Ambient()})
}

func (s *Session) add(e event) int {
	n := len(s.events)
	s.events = append(s.events, e)
	s.names[e.name] = n
	s.see(n, e.label)
	s.wide.Append(uint32(n), e.text)
	return n
}

// see lowers the ambient label.
func (s *Session) see(event int, l label.Label) {
	s.ambient = label.Merge(s.ambient, l)
	if l.Trust < label.User {
		s.low = append(s.low, event)
	}
}

// carve blanks what a user's text quotes from others, byte by byte, so that
// positions stay as they are, and tells whether there was anything.
func carve(text string) (own string, quoted bool) {
	if !strings.Contains(text, ">") && !strings.Contains(text, "---") && !strings.Contains(text, "orwarded message") {
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
		end := strings.IndexByte(text[start:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += start
		}
		line := strings.TrimSpace(text[start:end])
		if strings.HasPrefix(line, ">") {
			blank(start, end)
		}
		if forwarded(line) {
			blank(start, len(text))
			break
		}
		start = end + 1
	}
	return string(out), quoted
}

func forwarded(line string) bool {
	l := strings.ToLower(strings.Trim(line, "- "))
	switch l {
	case "original message", "forwarded message", "ursprüngliche nachricht", "weitergeleitete nachricht", "message transféré", "message d'origine":
		return strings.HasPrefix(line, "--")
	}
	return strings.HasPrefix(l, "begin forwarded message")
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
	Tool     string
	Origin   label.Origins
	Spec     Spec
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
	out := &output{doc: r.Document, words: Words(r.Tool), spec: r.Spec, floor: r.Spec.Trust}
	for _, a := range r.Arguments {
		if r.Spec.Derived {
			out.floor = min(out.floor, a.Label.Trust)
		}
		if len(a.Text) >= minEcho && a.Label.Trust < label.User {
			out.argText = append(out.argText, argument{a.Text, a.Label})
		}
	}
	l := label.Label{Origins: r.Origin, Trust: out.floor}
	if blank(r) {
		// Nothing that anybody could have written.
		l.Trust = max(l.Trust, label.ToolOutput)
	}
	text := r.Text
	if text == "" && r.Document != nil {
		text = string(r.Document.Canonical())
	}
	n := s.add(event{name: name, text: text, label: l, out: out})
	if r.Document != nil {
		out.records = records(r.Document)
		s.addFields(n, out)
	} else if out.floor >= label.ToolOutput {
		s.addCells(n, text)
	}
}

// blank tells whether a result holds no text at all.
func blank(r Result) bool {
	if r.Document == nil {
		switch strings.TrimSpace(r.Text) {
		case "", "[]", "{}", "null", "None", "()":
			return true
		}
		return false
	}
	for _, leaf := range r.Document.Leaves() {
		if leaf.Kind != strictjson.Null && leaf.Text != "" {
			return false
		}
	}
	return true
}

// Called notes the arguments of a call that is going to run. Dates, times and
// numbers that the model worked out before it had read anything external are
// pinned: the same value vouches for itself later. What it wrote afterwards
// through a tool is known as low, wherever it comes back from.
func (s *Session) Called(name string, values []Value, resolved []Resolution) {
	for i, v := range values {
		l := resolved[i].Label
		switch {
		case l.Trust >= label.User:
			if pinnable(v) {
				s.pinned[v.Text] = pin{len(s.events), l}
			}
		case len(v.Text) >= minEcho:
			n := len(s.events)
			s.events = append(s.events, event{name: name + v.Pointer, text: v.Text, label: l})
			s.names[name+v.Pointer] = n
			s.wide.Append(uint32(n), v.Text)
		}
	}
}

// minEcho is the length from which a value is recognised when it comes back:
// shorter ones are found in any text.
const minEcho = 8

func pinnable(v Value) bool {
	if len(v.Text) < 3 {
		return false
	}
	if _, ok := parseNumber(v.Text); ok {
		return len(strings.Trim(v.Text, "-0.")) > 0 && len(v.Text) >= 4
	}
	if _, ok := parseMoment(v.Text); ok {
		return true
	}
	return false
}

// records counts what a result lists: the elements of its outermost array, or
// of the only array of objects directly inside its outermost object (an object
// with nothing but an array is that array); anything else is one record.
func records(doc *strictjson.Document) int {
	top := map[string]bool{}
	elements := map[string]bool{}
	objects := map[string]bool{} // members that are arrays of objects
	arrays := map[string]bool{}
	for _, leaf := range doc.Leaves() {
		if leaf.Pointer == "" {
			if leaf.Kind == strictjson.Array {
				return 0
			}
			return 1
		}
		first, rest, _ := strings.Cut(leaf.Pointer[1:], "/")
		top[first] = true
		if doc.Root() == strictjson.Array {
			continue
		}
		second, third, _ := strings.Cut(rest, "/")
		if leaf.Kind == strictjson.Array && rest == "" {
			arrays[first] = true
		} else if isIndex(second) {
			arrays[first] = true
			elements[first+"/"+second] = true
			if third != "" {
				objects[first] = true
			}
		}
	}
	switch {
	case doc.Root() == strictjson.Array:
		return len(top)
	case len(top) == 1 && len(arrays) == 1:
		return len(elements)
	case len(objects) == 0:
		return 1
	case len(objects) > 1:
		return 2 // several lists: nothing is the one record
	}
	n := 0
	for e := range elements {
		if member, _, _ := strings.Cut(e, "/"); objects[member] {
			n++
		}
	}
	return n
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
