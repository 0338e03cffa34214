// Package refine proposes changes to contracts from what recorded sessions and the audit
// log show: the format of results, fields in which only the service writes, ids that come
// back as arguments, values that people confirmed.
//
// What was seen is not proof. An attacker may have written all of it, and what holds for
// these sessions needn't hold for the next. So a proposal changes nothing: it says what
// was seen how often, and whether the change would let more calls pass.
package refine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

// Proposal is a change to a contract that what was seen suggests.
type Proposal struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Path is the part of the tool, as in [contract.Change].
	Path string `json:"path"`
	// Now is what the contract says, Then what it might say.
	Now  string `json:"now,omitempty"`
	Then string `json:"then"`
	// Why says what was seen, Seen how often.
	Why  string `json:"why"`
	Seen int    `json:"seen"`
	// Members are those that the tool's results have, where the proposal is to name them, and
	// Shapes how a template writes the results, where it is to keep that.
	Members []string `json:"members,omitempty"`
	Shapes  []string `json:"shapes,omitempty"`
	// Laxer is set if more calls would pass.
	Laxer bool `json:"laxer"`
}

// String returns one line for people; "!" marks what would let more calls pass.
func (p Proposal) String() string {
	mark := " "
	if p.Laxer {
		mark = "!"
	}
	change := p.Then
	if p.Now != "" {
		change = p.Now + " → " + p.Then
	}
	return fmt.Sprintf("%s %s %s: %s (%s)", mark, display.Line(p.Tool), display.Line(p.Path), display.Line(change), display.Line(p.Why))
}

// How often something has to be seen before it is proposed.
const (
	// fewCalls is for arguments and formats, fewValues for the fields of results, of
	// which one result may have many.
	fewCalls  = 3
	fewValues = 20
	// fewRecords is for the members of results.
	fewRecords = 3
	// fewSessions is in how many sessions people confirmed a value.
	fewSessions = 2
)

// The bounds of what is remembered. Beyond them nothing more is taken in, so that less is
// proposed.
const (
	maxFields = 4096    // of all results together
	maxIDs    = 100_000 // values of one session that may come back
	maxValues = 10_000  // confirmed values
	maxText   = 256     // bytes of a value that counts
)

// place is a part of a tool.
type place struct{ server, tool, path string }

// field is what was seen of one field of results.
type field struct {
	seen int
	// form is what all values are, or "" where they differ.
	form form
	now  label.Trust
}

// argument is what was seen of one argument.
type argument struct {
	calls int
	// from counts the calls whose value came from a field.
	from map[place]int
	arg  *contract.Arg
}

// Observer gathers what is seen.
type Observer struct {
	contracts map[string]map[string]*contract.Compiled
	fields    map[place]*field
	arguments map[place]*argument
	formats   map[place]map[serialized.Format]int
	texts     map[place]int
	shapes    map[place]*shape
	looks     map[place]*looks
	// confirmed has the sessions in which people confirmed a value.
	confirmed map[place]map[string]map[string]bool
	values    int
}

// New returns an observer for the tools of contract files.
func New(files []*contract.File) (*Observer, error) {
	o := &Observer{
		contracts: map[string]map[string]*contract.Compiled{}, fields: map[place]*field{}, arguments: map[place]*argument{},
		formats: map[place]map[serialized.Format]int{}, texts: map[place]int{}, shapes: map[place]*shape{}, looks: map[place]*looks{}, confirmed: map[place]map[string]map[string]bool{},
	}
	for _, f := range files {
		c, err := contract.Compile(f, contract.Defaults{})
		if err != nil {
			return nil, err
		}
		o.contracts[f.Server] = c
	}
	return o, nil
}

// find returns the contract of a call's tool: of its server, or of the only one that has
// such a tool where the recording names none.
func (o *Observer) find(server, tool string) (string, *contract.Compiled) {
	if server != "" {
		return server, o.contracts[server][tool]
	}
	var found *contract.Compiled
	for name, tools := range o.contracts {
		if c := tools[tool]; c != nil {
			if found != nil {
				return "", nil
			}
			server, found = name, c
		}
	}
	return server, found
}

// call is a call of a session, with its contract.
type call struct {
	place
	variant *contract.Variant
}

// Session takes in a recorded session.
func (o *Observer) Session(s *trace.Session) {
	calls := map[string]call{}
	came := map[string]place{} // where a value came from, as long as it is one place
	for i := range s.Messages {
		m := &s.Messages[i]
		for _, c := range m.Calls {
			o.call(c, calls, came)
		}
		if m.Role == trace.Tool {
			if c, ok := calls[m.CallID]; ok {
				o.result(c, m, came)
			}
		}
	}
}

// call takes in a call: where the values of its arguments came from.
func (o *Observer) call(c trace.Call, calls map[string]call, came map[string]place) {
	server, compiled := o.find(c.Server, c.Tool)
	if compiled == nil {
		return
	}
	doc, err := strictjson.Parse(c.Arguments, strictjson.DefaultLimits())
	if err != nil {
		return
	}
	verb, spoken := "", false
	if leaf, ok := doc.Get(compiled.Verb); ok && compiled.Verb != "" {
		verb, spoken = leaf.Text, true
	}
	variant, ok := compiled.Variant(verb, spoken)
	if !ok {
		return
	}
	made := call{place{server, c.Tool, ""}, variant}
	calls[c.ID] = made

	for _, l := range doc.Leaves() {
		entry, ok := variant.Match(l.Pointer)
		if !ok || !telling(l) {
			continue
		}
		at := place{server, c.Tool, entry.Arg.Pattern}
		a := o.arguments[at]
		if a == nil {
			if len(o.arguments) >= maxFields {
				continue
			}
			a = &argument{from: map[place]int{}, arg: entry.Arg}
			o.arguments[at] = a
		}
		a.calls++
		if source, ok := came[l.Text]; ok && source != (place{}) {
			a.from[source]++
		}
	}
}

// telling reports whether a value says where it came from: short words, numbers and
// switches are everywhere.
func telling(l strictjson.Leaf) bool {
	const shortest = 4
	plain := l.Kind == strictjson.String || l.Kind == strictjson.Number
	return plain && len(l.Text) >= shortest && len(l.Text) <= maxText && !strings.ContainsAny(l.Text, " \t\n")
}

// result takes in a result: its format, and its fields.
func (o *Observer) result(c call, m *trace.Message, came map[string]place) {
	doc, assumed := o.read(c, m)
	if doc == nil {
		return
	}
	leaves := doc.Leaves()
	o.shape(c.place).add(doc)
	if assumed {
		return // fields count once the format is named
	}
	records := contract.RecordsOf(func(yield func(contract.Scalar) bool) {
		for _, l := range leaves {
			plain := l.Kind == strictjson.String || l.Kind == strictjson.Number
			if plain && !yield(contract.Scalar{Pointer: l.Pointer, Text: l.Text, Number: l.Kind == strictjson.Number, Indexes: l.Indexes}) {
				return
			}
		}
	})

	for _, l := range leaves {
		at := place{c.server, c.tool, general(l.Pointer)}
		if f := o.field(at, c, l, records); f != nil {
			f.seen++
			f.form = f.form.join(formOf(l))
		}
		if telling(l) && len(came) < maxIDs {
			if before, known := came[l.Text]; known && before != at {
				at = place{} // from more than one place: it tells nothing
			}
			came[l.Text] = at
		}
	}
}

// field returns what is known of a field so far; nil beyond the bound.
func (o *Observer) field(at place, c call, l strictjson.Leaf, records *contract.Records) *field {
	f := o.fields[at]
	if f != nil || len(o.fields) >= maxFields {
		return f
	}
	now := c.variant.Output.Trust
	if t, listed := c.variant.Output.Field(l.Pointer, records); listed {
		now = t
	}
	f = &field{form: formOf(l), now: now}
	o.fields[at] = f
	return f
}

// read reads a result as fields: as the contract says, or in a format that would have to
// be named first, which is only assumed.
func (o *Observer) read(c call, m *trace.Message) (doc *strictjson.Document, assumed bool) {
	if len(m.Structured) > 0 {
		doc, err := strictjson.Parse(m.Structured, strictjson.OutputLimits())
		if err != nil {
			return nil, false
		}
		return doc, false
	}
	out := c.variant.Output
	if doc := serialized.Read(m.Text, serialized.Format(out.Format), serialized.Trust{}); doc != nil || out.Format != "" {
		return doc, false
	}

	o.texts[c.place]++
	o.look(c.place).add(serialized.Appear(m.Text))
	for _, f := range []serialized.Format{serialized.YAML, serialized.Table, serialized.Outline, serialized.Lines} {
		doc := serialized.Read(m.Text, f, serialized.Trust{})
		if doc == nil || len(doc.Leaves()) < 2 {
			continue
		}
		if o.formats[c.place] == nil {
			o.formats[c.place] = map[serialized.Format]int{}
		}
		o.formats[c.place][f]++
		return doc, true
	}
	return nil, false
}

// general makes a pattern of a pointer: every index of a list is "*".
func general(pointer string) string {
	segments := strings.Split(pointer, "/")
	for i, s := range segments {
		if strictjson.IsIndex(s) {
			segments[i] = "*"
		} else {
			segments[i] = strings.ReplaceAll(s, "*", "~2")
		}
	}
	return strings.Join(segments, "/")
}

// Line takes in an entry of an exported audit log: the values of a call to which a
// person agreed, and how results are read.
func (o *Observer) Line(l store.Line) error {
	var e store.Entry
	if err := json.Unmarshal(l.Entry, &e); err != nil {
		return fmt.Errorf("an entry of the audit log: %w", err)
	}
	d := e.Decision
	if d == nil || !d.Confirmed {
		return nil
	}
	o.Agreed(d.Readings)
	server, compiled := o.find(d.Server, d.Tool)
	if compiled == nil {
		return nil
	}
	variant, ok := compiled.Variant(d.Variant, d.Variant != "")
	if !ok {
		return nil
	}

	for _, v := range d.Arguments {
		entry, ok := variant.Match(v.Path)
		doubted := v.Trust < v.Floor && v.Value != "" && len(v.Value) <= maxText
		if !ok || !doubted || slices.Contains(entry.Arg.Allow, v.Value) || o.values >= maxValues {
			continue
		}
		at := place{server, d.Tool, entry.Arg.Pattern}
		if o.confirmed[at] == nil {
			o.confirmed[at] = map[string]map[string]bool{}
		}
		if o.confirmed[at][v.Value] == nil {
			o.confirmed[at][v.Value] = map[string]bool{}
			o.values++
		}
		o.confirmed[at][v.Value][e.Chain] = true
	}
	return nil
}

// Proposals returns what was seen often enough, the tightening ones first, then by tool.
func (o *Observer) Proposals() []Proposal {
	out := append([]Proposal{}, slices.Concat(o.byFormat(), o.byLooks(), o.byShape(), o.byFields(), o.byArguments(), o.byPeople())...)
	slices.SortFunc(out, func(a, b Proposal) int {
		lax := map[bool]int{true: 1}
		return cmp.Or(cmp.Compare(lax[a.Laxer], lax[b.Laxer]), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Then, b.Then))
	})
	return out
}

func (p place) propose(now, then, why string, seen int, laxer bool) Proposal {
	return Proposal{Server: p.server, Tool: p.tool, Path: p.path, Now: now, Then: then, Why: why, Seen: seen, Laxer: laxer}
}

// byFormat proposes to name the format in which all results are.
func (o *Observer) byFormat() (out []Proposal) {
	for at, formats := range o.formats {
		for f, n := range formats {
			often := n >= fewCalls || o.shape(at).most() >= fewRecords
			if often && n == o.texts[at] {
				at.path = "output format"
				out = append(out, at.propose("", string(f), fmt.Sprintf("all of %d results read so", n), n, true))
			}
		}
	}
	return out
}

// byFields proposes to trust fields whose values all have a form that can't hold words.
func (o *Observer) byFields() (out []Proposal) {
	for at, f := range o.fields {
		if f.now > label.External || f.seen < fewValues || f.form == worded {
			continue
		}
		pattern := at.path
		at.path = "output fields " + pattern
		out = append(out, at.propose(f.now.String(), label.ToolOutput.String(), fmt.Sprintf("all of %d values are %s", f.seen, f.form), f.seen, true))
	}
	return out
}

// byArguments proposes what follows from ids that come back: that the field they come
// from is the service's, and that an argument which takes nothing else picks by it.
func (o *Observer) byArguments() (out []Proposal) {
	for at, a := range o.arguments {
		for source, n := range a.from {
			if n < fewCalls || n != a.calls || source.server != at.server {
				continue
			}
			why := fmt.Sprintf("%s of %s came from %s %s in all of %d calls", at.path, at.tool, source.tool, source.path, n)
			picks := a.arg.Role == label.Selector || a.arg.Role.AuthorityBearing()
			if f := o.fields[source]; f != nil && f.now == label.External && picks && a.arg.Floor > label.External {
				from := source
				from.path = "output fields " + source.path
				out = append(out, from.propose(f.now.String(), label.ToolOutput.String(), why, n, true))
			}

			if a.arg.Role == label.Content && a.arg.Floor == label.External {
				arg := at
				arg.path = "args " + at.path
				out = append(out, arg.propose("content EXTERNAL", "selector TOOL_OUTPUT", why, n, false))
			}
		}
	}
	return out
}

// byPeople proposes to allow values that people confirmed again and again.
func (o *Observer) byPeople() (out []Proposal) {
	for at, values := range o.confirmed {
		for v, sessions := range values {
			if len(sessions) >= fewSessions {
				arg := at
				arg.path = "args " + at.path + " allow"
				out = append(out, arg.propose("", v, fmt.Sprintf("people confirmed it in %d sessions", len(sessions)), len(sessions), true))
			}
		}
	}
	return out
}
