package generation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/schema"
)

// setting is what a policy is about: the tool, what may be looked up, and the
// sentences.
type setting struct {
	task Task
	// tool is nil where nothing is known of it, and for policies about every tool.
	tool *schema.Tool
	// tools are all whose definitions are known, by the names that prompts use: with
	// the server before it where two have the name and neither is the task's.
	tools map[string]known
	// lookups are the tools that rules may call, the most fitting first.
	lookups []lookup
}

// known is a tool whose definition is known. The server is empty where the name alone identifies
// the tool.
type known struct {
	server string
	*schema.Tool
}

// lookup is a tool that rules may call.
type lookup struct {
	guard.Readable
	// label is what prompts call it: its name, with the server before it where two
	// have the same.
	label string
	// shape is what it returns, as results show it; nil where none do, or where its
	// definition says it.
	shape *shape
	// sample is what tests use by the label; nil where there is none.
	sample *policydoc.Sample
}

// Bounds on what a request says; what is left out is the least fitting.
const (
	maxLookups = 16 << 10 // bytes of the definitions of look-ups
	maxNames   = 100      // tools that are only named
	maxContext = 24 << 10 // bytes of sentences that only explain
)

func (g *Generator) setting(t Task) (*setting, error) {
	if t.Policy == nil || t.Policy.Name == "" {
		return nil, fmt.Errorf("generation: a policy of %s has no name", t.Tool)
	}

	s := &setting{task: t, tools: map[string]known{}}
	servers := map[string]int{}
	for _, c := range g.options.Deployment.Tools {
		for i := range c.Tools {
			servers[c.Tools[i].Name]++
		}
	}

	for _, c := range g.options.Deployment.Tools {
		for i := range c.Tools {
			d := &c.Tools[i]
			ownServer := t.Server != "" && t.Server == c.Server
			if d.Name == t.Tool && (t.Server == "" || ownServer) {
				s.tool = d
			}
			if servers[d.Name] == 1 || ownServer {
				s.tools[d.Name] = known{"", d}
			} else {
				s.tools[policydoc.Key(c.Server, d.Name)] = known{c.Server, d}
			}
		}
	}

	if s.tool == nil && len(s.tools) > 0 && t.Tool != policydoc.EveryTool {
		return nil, fmt.Errorf("generation: there is no tool %q: give the tool definitions that the policies are about", t.Tool)
	}

	names := map[string]int{}
	for _, r := range g.options.Deployment.Readable() {
		names[r.Name]++
		l := lookup{Readable: r, label: r.Name}
		if r.Definition == nil || r.Definition.Output == nil {
			l.shape = g.shapes[policydoc.Key(r.Server, r.Name)]
		}
		if sample, ok := g.options.Samples[policydoc.Key(r.Server, r.Name)]; ok {
			l.sample = &sample
		} else if sample, ok := g.options.Samples[r.Name]; ok {
			l.sample = &sample
		}
		s.lookups = append(s.lookups, l)
	}

	for i, l := range s.lookups {
		if names[l.Name] > 1 {
			s.lookups[i].label = policydoc.Key(l.Server, l.Name)
		}
	}

	s.rank()
	return s, nil
}

// rank brings the look-ups first that share most words with the policy, those of
// the tool's own server before others.
func (s *setting) rank() {
	var about strings.Builder
	fmt.Fprintf(&about, "%s %s ", s.task.Tool, s.task.Policy.Description)
	for _, sentence := range s.task.Sentences {
		about.WriteString(sentence.Text + " ")
	}
	if s.tool != nil {
		for _, p := range s.tool.Input.Properties {
			about.WriteString(p.Name + " ")
		}
	}
	wanted := words(about.String())
	score := map[string]int{}
	for _, l := range s.lookups {
		own := l.Name
		if l.Definition != nil {
			own += " " + l.Definition.Description
			for _, p := range l.Definition.Input.Properties {
				own += " " + p.Name
			}
		}
		for word := range words(own) {
			if wanted[word] {
				score[l.label]++
			}
		}
		if l.Server == s.task.Server {
			score[l.label] += 2
		}
	}

	slices.SortStableFunc(s.lookups, func(a, b lookup) int { return score[b.label] - score[a.label] })
}

// words returns the words of a text that say something.
func words(text string) map[string]bool {
	const shortest = 3
	out := map[string]bool{}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return (c < 'a' || c > 'z') && c < 0x80 }) {
		if word = strings.TrimSuffix(word, "s"); len(word) >= shortest {
			out[word] = true
		}
	}
	return out
}

// find returns a look-up by its label.
func (s *setting) find(label string) (*lookup, bool) {
	i := slices.IndexFunc(s.lookups, func(l lookup) bool { return l.label == label })
	if i < 0 {
		return nil, false
	}
	return &s.lookups[i], true
}

// labels lists the look-ups' labels.
func (s *setting) labels() []string {
	var out []string
	for _, l := range s.lookups {
		out = append(out, l.label)
	}
	return out
}

// output returns what a look-up's results are held to; nil where nothing is known.
func (l *lookup) output() *schema.Node {
	switch {
	case l.Definition != nil && l.Definition.Output != nil:
		return l.Definition.Output
	case l.shape != nil:
		return l.shape.node
	}
	return nil
}

// definition returns what is declared of a look-up, under its label.
func (l *lookup) definition() *schema.Tool {
	d := schema.Tool{Name: l.label, Input: &schema.Node{}}
	if l.Definition != nil {
		d = *l.Definition
		d.Name = l.label
	}
	return &d
}

// returns says what a look-up takes and returns.
func (l *lookup) returns() string {
	d := l.definition()
	out := prompt.Definition(d)
	switch {
	case d.Output != nil:
		return out
	case l.shape != nil:
		return fmt.Sprintf("%sreturned so far: %s\n", out, prompt.Outline(l.shape.node))
	}
	return out + "  (Nobody has said what it returns.)\n"
}

// describe says what a look-up takes and returns, by its sample where there is one, and what
// other results have that the sample doesn't show.
func (l *lookup) describe() string {
	switch {
	case l.sample != nil:
		out := fmt.Sprintf("%s  the record %s, which it returns for %s: %s\n", prompt.Definition(l.definition()), l.label, l.sample.Args, l.sample.Result)
		if l.shape == nil {
			return out
		}
		for _, note := range prompt.Variable(l.shape.node) {
			out += "  in others, " + note + "\n"
		}
		return out
	case l.shape != nil && l.shape.sample != "":
		return fmt.Sprintf("%s  one result, abridged: %s\n", l.returns(), l.shape.sample)
	}
	return l.returns()
}
