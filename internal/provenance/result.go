package provenance

import (
	"strings"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

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
	// Exact says that the one record of a result is the key's, whatever it is called.
	Exact bool
	// Of are the words by which arguments call the record.
	Of    []string
	Roles label.RoleSet
	Max   label.Trust
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
	Arguments []Argument
}

// Argument is an argument of a call, at its place, as it was resolved.
type Argument struct {
	Pointer, Text string
	Label         label.Label
}

// Output adds the result of a call.
func (s *Session) Output(name string, r Result) {
	out := newOutput(r)
	l := label.Label{Origins: r.Origin, Trust: out.floor}
	blank := isBlank(r)
	if blank {
		// There is no text that others could have written.
		l.Trust = max(l.Trust, label.ToolOutput)
	}
	text := r.Text
	if text == "" && r.Document != nil {
		text = string(r.Document.Canonical())
	}

	s.work.begin(len(text), 0)
	s.prose = s.prose || (l.Trust < label.User && hasProse(r))
	n := s.add(event{name: name, text: text, label: l, out: out, blank: blank})
	if r.Document == nil {
		if out.floor >= label.ToolOutput {
			s.addCells(n, text)
		}
		return
	}

	if r.Beside && text != string(r.Document.Canonical()) {
		s.add(event{name: name + "/structured", text: string(r.Document.Canonical()), label: l})
	}
	if !r.Beside && out.floor >= label.ToolOutput && !isJSON(text) {
		s.addCells(n, text) // whole lines go on counting
	}
	out.records = records(r.Document)
	out.findKeyed(s)
	s.addFields(n, out)
	s.addNumeric(int32(n), out)
}

// newOutput returns a result with what its call's arguments make of it.
func newOutput(r Result) *output {
	out := &output{doc: r.Document, words: Words(r.Tool), spec: r.Spec, floor: r.Spec.Trust}
	if !r.Made {
		out.partial = r.Document != nil && !IsWhole(r.Document, r.Arguments)
		out.chosenBy(chooser(r.Document, r.Arguments))
	}
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

// isJSON reports whether a text that was read as fields is JSON, which has no lines of its
// own.
func isJSON(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

// Prose reports whether a result has had text that a person may have written,
// more than identifiers, numbers and states.
func (s *Session) Prose() bool { return s.prose }

// proseWords is how many words a text has that may tell a model something.
const proseWords = 4

func hasProse(r Result) bool {
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
	for range atom.Words(text) {
		if n--; n == 0 {
			return true
		}
	}
	return false
}

// isBlank reports whether a result has no text at all.
func isBlank(r Result) bool {
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
		if segment != "" && !isIndex(segment) && !vocabulary().Envelope.Has(segment) {
			return false
		}
	}
	return true
}

const maxBlankLeaves = 16

// records counts what a result lists: the elements of its outermost array, or
// of the only array of objects directly inside its outermost object (an object
// with nothing but an array is that array); anything else is one record.
func records(doc *strictjson.Document) int {
	n := outermost(doc)
	if n == 1 && isNested(doc) {
		return 2
	}
	return n
}

// isNested reports whether a document that lists nothing at its top may list things
// further down: a list with several objects in it, or several members of one
// object that are objects of the same form. In doubt there are several records.
func isNested(doc *strictjson.Document) bool {
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
