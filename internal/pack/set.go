package pack

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// Set is the packs that an operator selected for a server's tools; for tools that come
// from several servers, as an agent's do, it may be more than one. The nil set has
// reviewed nothing.
type Set []*Pack

// Select returns the packs for a server: the one that the operator names, or the one for
// the command that starts the server if the name is empty. [None] selects the empty set, which
// says that the operator wants none.
func Select(name string, command []string) (Set, error) {
	p, err := Named(name)
	if name == "" {
		p, err = ForCommand(command)
	}
	switch {
	case err != nil:
		return nil, err
	case name == None:
		return Set{}, nil
	case p == nil:
		return nil, nil
	}
	return Set{p}, nil
}

// About returns the pack that has reviewed most of a server's definitions, and how many; nil if
// no pack has reviewed any. It selects none: any server can show the same definitions.
func About(c *schema.Catalogue) (p *Pack, reviewed int, err error) {
	packs, err := All()
	if err != nil {
		return nil, 0, err
	}
	for _, one := range packs {
		if n := len(Set{one}.Reviewed(c)); n > reviewed {
			p, reviewed = one, n
		}
	}
	return p, reviewed, nil
}

// Contract returns the contracts of tools: a pack's for the definitions that it reviewed,
// and synthesized ones for the others, marked for review.
func (s Set) Contract(c *schema.Catalogue) *contract.File {
	f := synth.Contract(c)
	for i := range c.Tools {
		if t, ok := f.Tool(c.Tools[i].Name); ok {
			*t = s.replace(*t, &c.Tools[i])
		}
	}
	return f
}

// Reviewed returns the fingerprints of the definitions that the packs reviewed.
func (s Set) Reviewed(c *schema.Catalogue) []string {
	var out []string
	for i := range c.Tools {
		if s.reviewed(&c.Tools[i]) != nil {
			out = append(out, c.Tools[i].Fingerprint)
		}
	}
	return out
}

// reviewed returns the pack that reviewed a definition; nil if none did.
func (s Set) reviewed(def *schema.Tool) *Pack {
	for _, p := range s {
		if p.reviewed(def) {
			return p
		}
	}
	return nil
}

// replace returns a pack's contract in place of a synthesized one.
func (s Set) replace(made contract.Tool, def *schema.Tool) contract.Tool {
	p := s.reviewed(def)
	if p == nil {
		if why := s.unreviewed(def, made); why != "" {
			made.Review = strings.TrimPrefix(made.Review+"; "+why, "; ")
		}
		return made
	}

	one := contract.File{Version: contract.Version, Tools: []contract.Tool{*p.tool(def.Name)}}
	t := one.Clone().Tools[0]
	t.Fingerprint = def.Fingerprint
	return t
}

// unreviewed says why a tool doesn't have its contract from a pack; empty without packs.
func (s Set) unreviewed(def *schema.Tool, made contract.Tool) string {
	why := s.differs(def, made)
	if why != "" || len(s) == 0 {
		return why
	}
	names := make([]string, len(s))
	for i, p := range s {
		names[i] = p.Name
	}
	return "no tool of this name in a selected pack (" + strings.Join(names, ", ") + ")"
}

// Differs says of a tool that packs have under its name, with another definition, how the
// contract that synthesis makes of this one differs from theirs. It is empty for other tools, and
// where the tool's contract in a file (nil if there is none) bears no mark for review any more.
func (s Set) Differs(def *schema.Tool, siblings *schema.Catalogue, f *contract.File) string {
	if s.reviewed(def) != nil || !slices.ContainsFunc(s, func(p *Pack) bool { return p.tool(def.Name) != nil }) {
		return ""
	}
	if f != nil {
		if kept, ok := f.Tool(def.Name); ok && kept.Review == "" {
			return ""
		}
	}
	return s.differs(def, synth.Tool(def, siblings))
}

func (s Set) differs(def *schema.Tool, made contract.Tool) string {
	var out []string
	for _, p := range s {
		known := p.tool(def.Name)
		if known == nil {
			continue
		}
		out = append(out, fmt.Sprintf("the pack %s reviewed another definition of this tool (version %s), and %s", p.Name, strings.Join(p.Versions, ", "), difference(known, made)))
	}
	return strings.Join(out, "; ")
}

const (
	// maxNamed is how many differences between two contracts of a tool are named, and
	// maxNamedText how long each is at most, in characters.
	maxNamed     = 8
	maxNamedText = 160
)

// rank orders what a person should look at first: what may allow more, and of that what is not
// about the result.
func rank(c contract.Change) int {
	r := 0
	if !c.Laxer {
		r = 2
	}
	if strings.HasPrefix(c.Path, "output") {
		r++
	}
	return r
}

// difference says in one line how a synthesized contract differs from a pack's.
func difference(reviewed *contract.Tool, made contract.Tool) string {
	file := func(t contract.Tool) *contract.File {
		t.Fingerprint = "" // the definition is known to be another one
		return &contract.File{Version: contract.Version, Tools: []contract.Tool{t}}
	}
	changes := slices.DeleteFunc(contract.Diff(file(*reviewed), file(made)), func(c contract.Change) bool { return !c.Security })
	if len(changes) == 0 {
		return "synthesis comes to the same contract"
	}

	slices.SortStableFunc(changes, func(a, b contract.Change) int { return cmp.Compare(rank(a), rank(b)) })
	var named []string
	for _, c := range changes[:min(len(changes), maxNamed)] {
		c.Tool = ""
		named = append(named, display.Clip(display.Line(strings.TrimSpace(c.String())), maxNamedText))
	}
	if more := len(changes) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	return "synthesis differs (! may allow more): " + strings.Join(named, "; ")
}
