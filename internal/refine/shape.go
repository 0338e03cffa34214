package refine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/strictjson"
)

// shape is what was seen of the records in a tool's results.
type shape struct {
	// records counts the records of each list, by its pattern; those of the whole result by "".
	records map[string]int
	// members counts in how many records of its list each member was, by its pattern.
	members map[string]int
	// over is set where there is more than is remembered.
	over bool
}

// The bounds of a shape.
const (
	maxShapes      = 1000 // tools
	maxPatterns    = 512  // patterns of one tool
	maxMemberName  = 64
	maxMemberDepth = 8
)

// shape returns what was seen of a tool. Beyond the bound it returns a new one, which is not
// kept.
func (o *Observer) shape(at place) *shape {
	s := o.shapes[at]
	if s == nil {
		s = &shape{records: map[string]int{}, members: map[string]int{}}
		if len(o.shapes) < maxShapes {
			o.shapes[at] = s
		}
	}
	return s
}

// add takes in a result.
func (s *shape) add(doc *strictjson.Document) {
	here := map[string]bool{}
	s.walk(doc.Root(), "", here, 0)
	s.record("", here)
}

// record takes in a record of a list with its members.
func (s *shape) record(list string, members map[string]bool) {
	s.records[list]++
	for m := range members {
		s.members[m]++
	}
	s.over = s.over || len(s.records)+len(s.members) > maxPatterns
}

// walk notes the members at a place as those of the record around it, and takes in the records in
// it. An object with a name that no program gives is a map, of which nothing counts.
func (s *shape) walk(v strictjson.Value, at string, here map[string]bool, depth int) {
	if s.over || depth > maxMemberDepth {
		return
	}
	switch v.Kind() {
	case strictjson.Object:
		for name, member := range v.Members() {
			if len(name) <= maxMemberName && plainMember().MatchString(name) {
				s.walk(member, at+"/"+name, here, depth+1)
			}
		}

	case strictjson.Array:
		objects := false
		for _, e := range v.Elements() {
			if k := e.Kind(); k != strictjson.Object && k != strictjson.Array {
				continue
			}
			objects = true
			inner := map[string]bool{}
			s.walk(e, at+"/*", inner, depth+1)
			s.record(at+"/*", inner)
		}
		if !objects && at != "" {
			here[at] = true // a list of values, as far as is seen
		}
	default:
		if at != "" && !strings.HasSuffix(at, "*") {
			here[at] = true
		}
	}
}

// most returns how many records the longest list had.
func (s *shape) most() int {
	most := 0
	for _, n := range s.records {
		most = max(most, n)
	}
	return most
}

// plainMember is a name that a program gives a member. A text with spaces in it may be a sentence.
var plainMember = pattern.OnUse(`^[A-Za-z_][A-Za-z0-9_.$-]*$`)

// common returns the members that all records of their list have, of lists with enough of them.
// What only some records have may be a key that an attacker put into a map.
func (s *shape) common() (members []string, seen int) {
	if s.over {
		return nil, 0
	}
	for _, m := range slices.Sorted(maps.Keys(s.members)) {
		list := ""
		if i := strings.LastIndex(m, "/*"); i >= 0 {
			list = m[:i+len("/*")]
		}
		n := s.records[list]
		if n < fewRecords || s.members[m] != n {
			continue
		}
		members, seen = append(members, m), max(seen, n)
	}
	return members[:min(len(members), contract.MaxReturns)], seen
}

// byShape proposes to name the members that all records of results have, so that scopes needn't
// guess at them.
func (o *Observer) byShape() (out []Proposal) {
	for at, s := range o.shapes {
		if texts := o.texts[at]; texts > 0 && !slices.Contains(slices.Collect(maps.Values(o.formats[at])), texts) {
			continue // not all of it reads as records
		}
		members, seen := s.common()
		now := o.returns(at)
		fresh := slices.ContainsFunc(members, func(m string) bool { return !slices.Contains(now, m) })
		if !fresh {
			continue
		}

		all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(now, members))))
		all = all[:min(len(all), contract.MaxReturns)]
		at.path = "output returns"
		p := at.propose(listed(now), listed(all), fmt.Sprintf("%s, all of which have them", display.Count(seen, "record", "records")), seen, true)
		p.Members = all
		out = append(out, p)
	}
	return out
}

// listed writes members as a contract does.
func listed(members []string) string {
	if len(members) == 0 {
		return ""
	}
	return "[" + strings.Join(members, ", ") + "]"
}

// returns lists the members that a tool's contract names.
func (o *Observer) returns(at place) []string {
	return o.output(at).Returns
}

// output returns what a tool's contract says of its result.
func (o *Observer) output(at place) *contract.Output {
	if c := o.contracts[at.server][at.tool]; c != nil {
		if v, ok := c.Variant("", false); ok && v != nil && v.Output != nil {
			return v.Output.Output
		}
	}
	return &contract.Output{}
}

// Take puts what a proposal says of a tool's results into its contract: their format, how a template
// writes them, and their members. It reports whether the proposal is such a one, and about the file's server.
func (p *Proposal) Take(f *contract.File) bool {
	if p.Server != f.Server {
		return false
	}

	for i := range f.Tools {
		if f.Tools[i].Name != p.Tool {
			continue
		}
		out := &f.Tools[i].Output
		switch {
		case p.Path == "output format":
			return out.Format.UnmarshalText([]byte(p.Then)) == nil
		case p.Path == "output shapes":
			out.Shapes = p.Shapes
			return true
		case p.Path == "output returns":
			out.Returns = p.Members
			return true
		}
	}
	return false
}
