package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// RolesReport scores synthesized contracts against hand-made labels. All
// rates are shares of the labelled arguments or tools.
type RolesReport struct {
	Arguments, Tools int
	// Strict counts only the label's own role, Lenient also roles that a careful
	// second reader could defend. Neither counts lists and objects whose members have
	// roles of their own: what a call puts there is judged member by member.
	Strict, Lenient Rate
	// WithContainers is Strict with these lists and objects.
	WithContainers Rate
	// AuthorityMissed counts targets, commands and credentials that became
	// content, selector or control without a mark for review, AuthorityMarked those
	// that did with one: a person looks at them, and until then they are held to a milder role.
	AuthorityMissed, AuthorityMarked Rate
	// FloorsUnsafe is the share of floors below every accepted one,
	// FloorsOverblocking of floors above every accepted one.
	FloorsUnsafe, FloorsOverblocking Rate
	// Reviewed is the share of arguments marked for review.
	Reviewed                    Rate
	EffectStrict, EffectLenient Rate
	OutputStrict, OutputLenient Rate
	// OutputsUnsafe are the results that are trusted more than every accepted label says.
	OutputsUnsafe Rate
	Misses        []RoleMiss
}

// MarshalJSON implements [json.Marshaler]; see [Rate] for the members.
// authority_missed is a count, and authority_missed_rate its rate.
func (r RolesReport) MarshalJSON() ([]byte, error) {
	o := object{"arguments": r.Arguments, "tools": r.Tools, "authority_missed": r.AuthorityMissed.N}
	o.rate("strict", r.Strict)
	o.rate("lenient", r.Lenient)
	o.rate("strict_with_containers", r.WithContainers)
	o.rate("authority_missed_rate", r.AuthorityMissed)
	o.rate("authority_marked", r.AuthorityMarked)
	o.rate("floors_unsafe", r.FloorsUnsafe)
	o.rate("floors_overblocking", r.FloorsOverblocking)
	o.rate("reviewed", r.Reviewed)
	o.rate("effect_strict", r.EffectStrict)
	o.rate("effect_lenient", r.EffectLenient)
	o.rate("output_strict", r.OutputStrict)
	o.rate("output_lenient", r.OutputLenient)
	o.rate("outputs_unsafe", r.OutputsUnsafe)
	if len(r.Misses) > 0 {
		o["misses"] = r.Misses
	}
	return json.Marshal(o)
}

// RoleMiss is a disagreement between a contract and a label.
type RoleMiss struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Arg is empty for a miss on the tool itself.
	Arg string `json:"arg,omitempty"`
	// What is "role", "floor", "effect" or "output".
	What string `json:"what"`
	Got  string `json:"got"`
	Want string `json:"want"`
	// Also are the accepted alternatives.
	Also []string `json:"also,omitempty"`
	// Grave misses are wrong even leniently, unsafe, or over-blocking.
	Grave bool   `json:"grave,omitempty"`
	Why   string `json:"why,omitempty"`
}

// String returns one line for people.
func (m RoleMiss) String() string {
	mark := " "
	if m.Grave {
		mark = "!"
	}
	return fmt.Sprintf("%s %-6s %s %s %s: got %s, want %s %v (%s)", mark, m.What, m.Server, m.Tool, m.Arg, m.Got, m.Want, m.Also, m.Why)
}

// roleLabel is one line of a labels file.
type roleLabel struct {
	Kind, Server, Tool, Arg string
	Role                    label.Role
	Alternatives            []label.Role
	MinTrust                *label.Trust  `json:"min_trust"`
	MinTrustAlternatives    []label.Trust `json:"min_trust_alternatives"`
	Effect                  labelledEffect
	EffectAlternatives      []labelledEffect `json:"effect_alternatives"`
	OutputTrust             label.Trust      `json:"output_trust"`
	OutputTrustAlternatives []label.Trust    `json:"output_trust_alternatives"`
	Ambiguous               bool
	Why                     string
}

// labelledEffect is an effect in the words of contracts, which some labels have others for.
type labelledEffect contract.Effect

// UnmarshalText implements [encoding.TextUnmarshaler].
func (e *labelledEffect) UnmarshalText(text []byte) error {
	if now, isOld := map[string]contract.Effect{"exec": contract.Execute, "network-egress": contract.Egress}[string(text)]; isOld {
		*e = labelledEffect(now)
		return nil
	}
	return (*contract.Effect)(e).UnmarshalText(text)
}

// Contracts makes the contracts of a server's tools.
type Contracts func(*schema.Catalogue) (*contract.File, error)

// Synthesized makes contracts by the rules of synthesis alone.
func Synthesized(c *schema.Catalogue) (*contract.File, error) { return synth.Contract(c), nil }

// Roles reads labels*.jsonl and SERVER.json of directories, makes the contracts of every
// labelled server, and scores them together.
func Roles(contractsOf Contracts, dirs ...string) (*RolesReport, error) {
	s := scorer{}
	for _, dir := range dirs {
		before := s.args + s.tools
		if err := s.set(dir, contractsOf); err != nil {
			return nil, err
		}
		if s.args+s.tools == before {
			return nil, noCaseError(dir, "labels")
		}
	}
	return s.report(), nil
}

// set scores the labelled servers of a directory.
func (s *scorer) set(dir string, contractsOf Contracts) error {
	labels, err := labelsOf(dir)
	if err != nil {
		return err
	}
	contracts := map[string]*contract.File{}
	for _, l := range labels {
		f, ok := contracts[l.Server]
		if !ok {
			catalogue, err := catalogueOf(dir, l.Server)
			if err != nil {
				return err
			}
			if f, err = contractsOf(catalogue); err != nil {
				return err
			}
			contracts[l.Server] = f
		}

		tool, ok := f.Tool(l.Tool)
		if !ok {
			return fmt.Errorf("%s has no tool %q, which the labels speak of", l.Server, l.Tool)
		}

		switch l.Kind {
		case "arg":
			s.argument(l, tool)
		case "tool":
			s.tool(l, tool)
		}
	}
	return nil
}

// catalogueOf reads the tools of a labelled server.
func catalogueOf(dir, server string) (*schema.Catalogue, error) {
	name := filepath.Join(dataSetDir(dir, rolesDir), server+".json")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the tools that the labels speak of: %w", err)
	}
	return schema.Parse(name, text)
}

func readLabels(name string) ([]roleLabel, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out []roleLabel
	for i, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var l roleLabel
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		out = append(out, l)
	}
	return out, nil
}

// scorer counts.
type scorer struct {
	args, tools                                          int
	strict, lenient, missed, marked, authority, reviewed int
	containers, containersStrict                         int
	floors, unsafe, over                                 int
	effectStrict, effectLenient                          int
	outputStrict, outputLenient, outputUnsafe            int
	misses                                               []RoleMiss
}

func (s *scorer) argument(l roleLabel, tool *contract.Tool) {
	a := covering(tool.Args, l.Arg)
	if a != nil && isContainer(tool.Args, l.Arg) {
		s.containers++
		if a.Role == l.Role {
			s.containersStrict++
		}
		return
	}

	s.args++
	miss := RoleMiss{Server: l.Server, Tool: l.Tool, Arg: l.Arg, Why: l.Why}
	if a == nil {
		miss.What, miss.Got, miss.Want, miss.Grave = "role", "nothing", l.Role.String(), true
		s.misses = append(s.misses, miss)
		return
	}
	authority := l.Role.AuthorityBearing()
	if authority {
		s.authority++
	}

	if a.Review != "" {
		s.reviewed++
	}
	switch {
	case a.Role == l.Role:
		s.strict++
		s.lenient++
	default:
		grave := !slices.Contains(l.Alternatives, a.Role)
		if !grave {
			s.lenient++
		}
		loosened := authority && !a.Role.AuthorityBearing()
		lost := loosened && a.Review == ""
		switch {
		case lost:
			s.missed++
		case loosened:
			s.marked++
		}
		m := miss
		m.What, m.Got, m.Want, m.Grave = "role", a.Role.String(), l.Role.String(), grave || lost
		for _, r := range l.Alternatives {
			m.Also = append(m.Also, r.String())
		}
		m.Why += "; here: " + a.Why
		if lost {
			m.Why += "; unmarked"
		}
		s.misses = append(s.misses, m)
	}

	if l.MinTrust == nil {
		return
	}
	s.floors++
	accepted := append([]label.Trust{*l.MinTrust}, l.MinTrustAlternatives...)
	low, high := slices.Min(accepted), slices.Max(accepted)
	if a.Floor < low || a.Floor > high {
		if a.Floor < low {
			s.unsafe++
		} else {
			s.over++
		}
		m := miss
		m.What, m.Got, m.Want, m.Grave = "floor", a.Floor.String(), l.MinTrust.String(), true
		m.Why += fmt.Sprintf("; here: %s in a tool with effect %s, %s", a.Role, tool.Effect, a.Why)
		if a.Review == "" {
			m.Why += "; unmarked"
		}
		for _, t := range l.MinTrustAlternatives {
			m.Also = append(m.Also, t.String())
		}
		s.misses = append(s.misses, m)
	}
}

func (s *scorer) tool(l roleLabel, tool *contract.Tool) {
	s.tools++
	miss := RoleMiss{Server: l.Server, Tool: l.Tool, Why: l.Why}
	if tool.Effect == contract.Effect(l.Effect) {
		s.effectStrict++
		s.effectLenient++
	} else {
		m := miss
		m.What, m.Got, m.Want = "effect", string(tool.Effect), string(l.Effect)
		m.Why += "; here: " + tool.Why
		for _, e := range l.EffectAlternatives {
			m.Also = append(m.Also, string(e))
		}
		m.Grave = !slices.Contains(m.Also, m.Got)
		if !m.Grave {
			s.effectLenient++
		}
		s.misses = append(s.misses, m)
	}

	if tool.Output.Trust == l.OutputTrust {
		s.outputStrict++
		s.outputLenient++
	} else {
		m := miss
		m.What, m.Got, m.Want = "output", tool.Output.Trust.String(), l.OutputTrust.String()
		m.Grave = !slices.Contains(l.OutputTrustAlternatives, tool.Output.Trust)
		if !m.Grave {
			s.outputLenient++
		}
		if highest := slices.Max(append([]label.Trust{l.OutputTrust}, l.OutputTrustAlternatives...)); tool.Output.Trust > highest {
			s.outputUnsafe++
		}
		s.misses = append(s.misses, m)
	}
}

func (s *scorer) report() *RolesReport {
	return &RolesReport{
		Arguments: s.args, Tools: s.tools,
		Strict: rateOf(s.strict, s.args), Lenient: rateOf(s.lenient, s.args),
		WithContainers:  rateOf(s.strict+s.containersStrict, s.args+s.containers),
		AuthorityMissed: rateOf(s.missed, s.authority), AuthorityMarked: rateOf(s.marked, s.authority),
		FloorsUnsafe: rateOf(s.unsafe, s.floors), FloorsOverblocking: rateOf(s.over, s.floors),
		Reviewed:     rateOf(s.reviewed, s.args),
		EffectStrict: rateOf(s.effectStrict, s.tools), EffectLenient: rateOf(s.effectLenient, s.tools),
		OutputStrict: rateOf(s.outputStrict, s.tools), OutputLenient: rateOf(s.outputLenient, s.tools),
		OutputsUnsafe: rateOf(s.outputUnsafe, s.tools),
		Misses:        s.misses,
	}
}

// covering returns the contract entry for a labelled pattern: the same pattern,
// otherwise the most specific one that covers it, otherwise one of its elements.
func covering(args []contract.Arg, pattern string) *contract.Arg {
	var best *contract.Arg
	for i := range args {
		a := &args[i]
		if a.Pattern == pattern {
			return a
		}
		if covers(a.Pattern, pattern) && (best == nil || len(a.Pattern) > len(best.Pattern)) {
			best = a
		}
	}

	if best != nil {
		return best
	}
	for i := range args {
		if strings.HasPrefix(args[i].Pattern, pattern+"/") {
			return &args[i]
		}
	}

	return nil
}

// isContainer reports whether a labelled pattern is a list or an object of which the contract judges
// the members by their names, and leaves none to the pattern itself.
func isContainer(args []contract.Arg, pattern string) bool {
	named := false
	for i := range args {
		below, ok := strings.CutPrefix(args[i].Pattern, pattern+"/")
		if !ok {
			continue
		}
		for strings.HasPrefix(below, "*/") {
			below = below[len("*/"):]
		}
		if below == "**" {
			return false // members that no schema lists have the pattern's role
		}
		named = named || below != "*"
	}
	return named
}

// covers reports whether a pattern matches everything that another matches.
func covers(pattern, other string) bool {
	p, o := strings.Split(pattern, "/"), strings.Split(other, "/")
	for i, seg := range p {
		if seg == "**" {
			return len(o) > i
		}
		if i >= len(o) {
			return false
		}
		if seg != o[i] && seg != "*" {
			return false
		}
	}
	return len(p) == len(o)
}
