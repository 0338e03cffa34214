package guard

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/strictyaml"
)

// minShared is the size of a result, in bytes, from which on it is written once and
// referred to.
const minShared = 120

// holder is a place of a file that has the result of a look-up.
type holder struct {
	node   *yaml.Node // of the fixture or the call
	record Record
	// call is set for a call of the history, not for a fixture.
	call bool
}

// holders returns the places of a file's YAML that have results, in order.
func holders(root *yaml.Node, f *File) []holder {
	var out []holder
	examples := func(list string, i int, all []Example) {
		_, entries := strictyaml.Member(root, list)
		_, nodes := strictyaml.Member(entries.Content[i], "examples")
		for j := range all {
			out = append(out, holdersOf(nodes.Content[j], &all[j])...)
		}
	}

	for i := range f.Policies {
		if len(f.Policies[i].Examples) > 0 {
			examples("policies", i, f.Policies[i].Examples)
		}
	}
	for i := range f.Duties {
		if len(f.Duties[i].Examples) > 0 {
			examples("duties", i, f.Duties[i].Examples)
		}
	}
	return out
}

func holdersOf(n *yaml.Node, e *Example) []holder {
	var out []holder
	_, history := strictyaml.Member(n, "history")
	for i := range e.History {
		c := e.History[i].Call
		if c == nil || c.Result == nil || len(c.Result.Structured) == 0 {
			continue
		}
		if _, call := strictyaml.Member(history.Content[i], "call"); call != nil {
			out = append(out, holder{call, Record{Server: c.Server, Tool: c.Tool, Args: c.Arguments, Result: c.Result.Structured}, true})
		}
	}
	_, given := strictyaml.Member(n, "given")
	for i, g := range e.Given {
		if g.Result != nil {
			out = append(out, holder{given.Content[i], Record{Server: g.Server, Tool: g.Tool, Args: g.Args, Result: g.Result}, false})
		}
	}
	return out
}

// expand writes every record out where it is referred to, so that policies can be
// compared and replaced one by one.
func (e *Editor) expand() error {
	if e.expanded {
		return nil
	}
	f, err := e.File()
	if err != nil {
		return err
	}

	for _, h := range holders(e.yaml.Root, f) {
		if _, ref := strictyaml.Member(h.node, "record"); ref != nil {
			if err := h.write(nil, nil); err != nil {
				return err
			}
		}
	}
	e.expanded = true
	return nil
}

// write writes a result as a reference to a record, or in full without one.
func (h holder) write(to *Record, changes []change) error {
	style := h.node.Style
	n := strictyaml.NewMapping()
	w := writer{n: n}
	sameArgs := to != nil && string(to.Args) == string(h.record.Args)
	if to != nil {
		strictyaml.Set(n, "record", strictyaml.NewText(to.Name))
	} else {
		strictyaml.Set(n, "tool", strictyaml.NewText(h.record.Tool))
		if h.record.Server != "" {
			strictyaml.Set(n, "server", strictyaml.NewText(h.record.Server))
		}
	}
	if !sameArgs {
		w.json("args", h.record.Args)
	}

	if to == nil {
		w.json("result", h.record.Result)
	}
	changed, without := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}, []string{}
	part := writer{n: changed}
	for _, c := range changes {
		if c.value == nil {
			without = append(without, c.pointer)
			continue
		}
		part.json(c.pointer, c.value)
	}
	if len(changed.Content) > 0 {
		strictyaml.Set(n, "changes", changed)
	}
	if len(without) > 0 {
		strictyaml.Set(n, "without", strictyaml.NewTexts(without))
	}

	h.node.Content, h.node.Style = n.Content, style
	if part.err != nil {
		return part.err
	}
	return w.err
}

// share writes each result once, under records, and refers to it, or to a sample, with
// changes where others differ a little from it. Records that are there keep their names.
func share(d *strictyaml.Document, samples []Record) error {
	data, err := d.Marshal()
	if err != nil {
		return err
	}
	f, err := Load(d.Name, data, samples...)
	if err != nil {
		return err
	}

	_, own := strictyaml.Member(d.Root, "records")
	s := newSharing(holders(d.Root, f), f.Records, own, samples)
	s.refer()
	s.vary()
	return s.write(d.Root)
}

// sharing are the results of a file's examples, and the records that they refer to.
type sharing struct {
	all []holder
	// records are those of the file, then the samples, then new ones, and used says how each
	// result refers to one; nil for one that is written where it stands.
	records []sharedRecord
	used    []*use
	// own are the file's records as they are written.
	own *yaml.Node
	// known are the changes between results, by both texts.
	known map[[2]string]*difference
}

// sharedRecord is a record with what is known of it.
type sharedRecord struct {
	Record
	// written is that the file has it, and sample that it is one.
	written, sample bool
	// of is how it refers to another one; nil where it doesn't.
	of *use
}

// use is a reference to a record.
type use struct {
	record  int
	changes []change
}

type difference struct {
	changes []change
	ok      bool
}

func newSharing(all []holder, own []Record, written *yaml.Node, samples []Record) *sharing {
	s := &sharing{all: all, own: written, used: make([]*use, len(all)), known: map[[2]string]*difference{}}
	for _, r := range own {
		s.records = append(s.records, sharedRecord{Record: r, written: true})
	}
	for _, r := range samples {
		s.records = append(s.records, sharedRecord{Record: r, sample: true})
	}
	for i := range own {
		_, node := strictyaml.Member(written, own[i].Name)
		if _, of := strictyaml.Member(node, "record"); of != nil {
			at := slices.IndexFunc(s.records, func(r sharedRecord) bool { return r.Name == of.Value })
			s.records[i].of = &use{record: at}
		}
	}
	return s
}

// changes returns the changes that make the result of a record that of a holder; false where it
// is of another look-up, or differs too much.
func (s *sharing) changes(from, to *Record) ([]change, bool) {
	// Without arguments of its own a fixture answers every call.
	if from.Server != to.Server || from.Tool != to.Tool || (from.Args != nil) != (to.Args != nil) {
		return nil, false
	}
	key := [2]string{string(from.Result), string(to.Result)}
	if s.known[key] == nil {
		changes, ok := changesTo(from.Result, to.Result)
		s.known[key] = &difference{changes, ok}
	}
	return s.known[key].changes, s.known[key].ok
}

// refer chooses the record that each result refers to: the one that it differs least from. A
// large one that none is like is a new record, if another refers to it as well.
func (s *sharing) refer() {
	uses := map[int]int{}
	for i := range s.all {
		h := &s.all[i].record
		var best *use
		for j := range s.records {
			c, ok := s.changes(&s.records[j].Record, h)
			if ok && (best == nil || len(c) < len(best.changes)) {
				best = &use{j, c}
			}
		}
		small := len(h.Result) < minShared
		if best == nil && small {
			continue
		}
		if best == nil {
			best = &use{record: s.add(*h, nil)}
		}
		s.used[i] = best
		uses[best.record]++
	}

	for i, u := range s.used {
		if u != nil && s.isNew(u.record) && uses[u.record] < 2 {
			s.used[i] = nil // it stays where it is
			s.records[u.record].Name = ""
		}
	}
}

// add adds a record under a fresh name, and returns its index.
func (s *sharing) add(r Record, of *use) int {
	r.Name = s.freshName(r.Tool)
	s.records = append(s.records, sharedRecord{Record: r, of: of})
	return len(s.records) - 1
}

func (s *sharing) isNew(record int) bool {
	r := &s.records[record]
	return !r.written && !r.sample
}

// maxVariants bounds the results that are tried as records of their own.
const maxVariants = 100

// vary makes records of results that are written with the same arguments and changes in several
// places, as long as that saves enough.
func (s *sharing) vary() {
	var tried []int // of all, one for each result
	seen := map[string]bool{}
	for i := range s.all {
		h := &s.all[i].record
		key := fmt.Sprintf("%s/%s %s %s", h.Server, h.Tool, h.Args, h.Result)
		if !seen[key] && len(tried) < maxVariants {
			tried = append(tried, i)
		}
		seen[key] = true
	}

	for {
		best, most := -1, minSaved-1
		for _, i := range tried {
			if saved := s.saved(i); saved > most {
				best, most = i, saved
			}
		}
		if best < 0 {
			return
		}
		of := s.used[best]
		record := s.add(s.all[best].record, of)
		for i := range s.all {
			if u, size := s.by(record, i); u != nil && size < s.size(s.used[i], &s.all[i].record) {
				s.used[i] = u
			}
		}
	}
}

// saved returns how many bytes a record of a result of its own would save.
func (s *sharing) saved(of int) int {
	u := s.used[of]
	if u != nil && s.records[u.record].of != nil {
		return 0 // whoever reads it needn't follow more than one reference
	}
	variant := s.all[of].record
	variant.Name = s.freshName(variant.Tool)
	s.records = append(s.records, sharedRecord{Record: variant, of: u})
	defer func() { s.records = s.records[:len(s.records)-1] }()

	saved := -s.size(u, &variant) - len(variant.Name)
	for i := range s.all {
		if by, size := s.by(len(s.records)-1, i); by != nil {
			saved += max(0, s.size(s.used[i], &s.all[i].record)-size)
		}
	}
	return saved
}

// by returns how a result refers to a record, and how long that is; nil where it can't.
func (s *sharing) by(record, i int) (*use, int) {
	h := &s.all[i].record
	changes, ok := s.changes(&s.records[record].Record, h)
	if !ok {
		return nil, 0
	}
	u := &use{record, changes}
	return u, s.size(u, h)
}

// size is about how many bytes a reference to a record has, or the result written in full.
func (s *sharing) size(u *use, h *Record) int {
	const keys = 24 // {tool: , args: , result: }
	if u == nil {
		return keys + len(h.Tool) + len(h.Args) + len(h.Result)
	}

	r := &s.records[u.record].Record
	out := len(r.Name) + len(", ")
	sameArgs := string(r.Args) == string(h.Args)
	if sameArgs && len(u.changes) == 0 {
		return out
	}

	out += len("{record: }")
	if !sameArgs {
		out += len(", args: ") + len(h.Args)
	}
	for _, c := range u.changes {
		out += len(": , ") + len(c.pointer) + len(c.value)
	}
	if len(u.changes) > 0 {
		out += len(", changes: {}")
	}
	return out
}

// write writes the references, and the records that are referred to.
func (s *sharing) write(root *yaml.Node) error {
	uses := map[int]int{}
	for i, u := range s.used {
		if u == nil {
			continue
		}
		uses[u.record]++
		if err := s.all[i].write(&s.records[u.record].Record, u.changes); err != nil {
			return err
		}
	}
	for i := range slices.Backward(s.records) { // what others are changes of comes before them
		if of := s.records[i].of; uses[i] > 0 && of != nil {
			uses[of.record]++
		}
	}
	for i := range s.records {
		r := &s.records[i]
		alone := r.of != nil && !r.written && s.isNew(r.of.record) && uses[r.of.record] == 1
		if alone && uses[i] > 0 {
			uses[r.of.record], r.of = 0, nil
		}
	}

	list := strictyaml.NewMapping()
	for i := range s.records {
		r := &s.records[i]
		if r.sample || uses[i] == 0 {
			continue
		}
		if r.written {
			key, value := strictyaml.Member(s.own, r.Name)
			list.Content = append(list.Content, key, value)
			continue
		}
		h := holder{node: strictyaml.NewMapping(), record: r.Record}
		var of *Record
		var changes []change
		if r.of != nil {
			of, changes, h.node.Style = &s.records[r.of.record].Record, r.of.changes, yaml.FlowStyle
		}
		if err := h.write(of, changes); err != nil {
			return err
		}
		strictyaml.Set(list, r.Name, h.node)
	}
	switch {
	case len(list.Content) == 0:
		removeMember(root, "records")
	case s.own != nil:
		s.own.Content = list.Content
	default:
		strictyaml.Set(root, "records", list)
	}
	return nil
}

// freshName returns a name for a record that no other one has.
func (s *sharing) freshName(tool string) string {
	name := tool
	for n := 2; slices.ContainsFunc(s.records, func(r sharedRecord) bool { return r.Name == name }); n++ {
		name = fmt.Sprintf("%s-%d", tool, n)
	}
	return name
}

// removeMember takes a member out of a mapping.
func removeMember(n *yaml.Node, name string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}
