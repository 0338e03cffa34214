package guard

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

// parting collects the tests of a file, and writes them briefly: what all examples of a
// policy have in common once, and what histories have alike once.
type parting struct {
	list, histories *yaml.Node
	// begun are the histories of all examples.
	begun []*begun
}

// begun is the history of an example, and what each of its entries says; "" for a name.
type begun struct {
	node *yaml.Node
	says []string
}

// take moves the examples of a policy to the tests.
func (p *parting) take(policy *yaml.Node, examples []Example) {
	_, list := strictyaml.Member(policy, "examples")
	if list == nil || len(list.Content) != len(examples) || len(examples) == 0 {
		return
	}
	_, name := strictyaml.Member(policy, "name")
	entry := strictyaml.NewMapping()
	strictyaml.Set(entry, "of", strictyaml.NewText(name.Value))
	if base := baseOf(list.Content, examples); len(base.Content) > 0 {
		base.Style = yaml.FlowStyle
		strictyaml.Set(entry, "base", base)
	}
	strictyaml.Set(entry, "examples", list)
	p.list.Content = append(p.list.Content, entry)
	removeMember(policy, "examples")

	for _, n := range list.Content {
		brief(n)
		if _, history := strictyaml.Member(n, "history"); history != nil {
			p.begun = append(p.begun, newBegun(history))
		}
	}
}

func newBegun(history *yaml.Node) *begun {
	b := &begun{node: history}
	for _, entry := range history.Content {
		briefEntry(entry)
		b.says = append(b.says, strictyaml.Meaning(entry))
	}
	return b
}

// briefEntry writes an entry of a history in one line, and the call of a record as it is by
// the record's name.
func briefEntry(entry *yaml.Node) {
	if len(entry.Content) != 2 {
		entry.Style |= yaml.FlowStyle // with its time
		return
	}
	entry.Style &^= yaml.FlowStyle
	what := entry.Content[1]
	if what.Kind != yaml.MappingNode {
		return
	}
	what.Style |= yaml.FlowStyle
	if _, record := strictyaml.Member(what, "record"); record != nil && len(what.Content) == 2 {
		entry.Content[1] = record
	}
}

// brief writes an example in fewer words: its verdict with its name, and records without
// changes by their names.
func brief(n *yaml.Node) {
	_, name := strictyaml.Member(n, "name")
	_, expect := strictyaml.Member(n, "expect")
	if name != nil && expect != nil {
		verdict := &yaml.Node{}
		verdict.SetString(expect.Value)
		removeMember(n, "name")
		removeMember(n, "expect")
		n.Content = append([]*yaml.Node{verdict, name}, n.Content...)
	}
	if _, given := strictyaml.Member(n, "given"); given != nil {
		given.Style |= yaml.FlowStyle
		byName(given)
	}
	if _, history := strictyaml.Member(n, "history"); history == nil {
		n.Style |= yaml.FlowStyle
	}
}

// byName writes look-ups that are records as they are by the records' names.
func byName(given *yaml.Node) {
	for i, g := range given.Content {
		g.Style |= yaml.FlowStyle
		if _, record := strictyaml.Member(g, "record"); record != nil && len(g.Content) == 2 {
			given.Content[i] = record
		}
	}
}

// baseOf takes out of examples what they have in common: members of the arguments,
// look-ups and others that all of them have, as most have them.
func baseOf(nodes []*yaml.Node, examples []Example) *yaml.Node {
	base := strictyaml.NewMapping()
	if len(nodes) < 2 {
		return base
	}
	for _, key := range [...]string{"now", "principal", "labels"} {
		if common := mostCommon(nodes, key); common != nil {
			strictyaml.Set(base, key, common)
		}
	}
	if args := members(nodes, "args"); args != nil {
		common := strictyaml.NewMapping()
		common.Style = yaml.FlowStyle
		for _, name := range namesOf(args[0]) {
			if value := mostCommon(args, name); value != nil {
				strictyaml.Set(common, name, value)
			}
		}
		if len(common.Content) > 0 {
			strictyaml.Set(base, "args", common)
			dropEmpty(nodes, "args")
		}
	}

	if given := commonGiven(nodes, examples); given != nil {
		strictyaml.Set(base, "given", given)
		dropEmpty(nodes, "given")
	}
	return base
}

// namesOf returns the names of a mapping's members.
func namesOf(n *yaml.Node) []string {
	var out []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		out = append(out, n.Content[i].Value)
	}
	return out
}

// members returns the values of a key; nil where some node lacks it.
func members(nodes []*yaml.Node, key string) []*yaml.Node {
	var out []*yaml.Node
	for _, n := range nodes {
		_, v := strictyaml.Member(n, key)
		if v == nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}

// mostCommon returns what most nodes have under a key that all have, and takes it out of them;
// nil where it is worth nothing.
func mostCommon(nodes []*yaml.Node, key string) *yaml.Node {
	values := members(nodes, key)
	most := mostOf(values)
	if most == nil {
		return nil
	}
	for i, n := range nodes {
		if strictyaml.Meaning(values[i]) == strictyaml.Meaning(most) {
			removeMember(n, key)
		}
	}
	return most
}

// mostOf returns the value that occurs most often, at least twice; nil where there is none.
func mostOf(values []*yaml.Node) *yaml.Node {
	times := map[string]int{}
	var most *yaml.Node
	for _, v := range values {
		says := strictyaml.Meaning(v)
		times[says]++
		if most == nil || times[says] > times[strictyaml.Meaning(most)] {
			most = v
		}
	}
	if most == nil || times[strictyaml.Meaning(most)] < 2 {
		return nil
	}
	return most
}

// commonGiven takes out the look-ups that all examples begin with, in this order. Those that
// differ in an example stay there, and replace the common ones.
func commonGiven(nodes []*yaml.Node, examples []Example) *yaml.Node {
	lists := members(nodes, "given")
	if lists == nil {
		return nil
	}
	common := strictyaml.NewList()
	common.Style = yaml.FlowStyle
	var drop []string
	for at := 0; ; at++ {
		var column []*yaml.Node
		for i, e := range examples {
			fits := at < len(e.Given) && e.Given[at].Judge == "" && e.Given[at].answersAs(examples[0].Given[at])
			if !fits || repeats(e.Given, at) {
				break
			}
			column = append(column, lists[i].Content[at])
		}
		most := mostOf(column)
		if len(column) < len(examples) || most == nil {
			break
		}
		common.Content, drop = append(common.Content, most), append(drop, strictyaml.Meaning(most))
	}
	if len(drop) == 0 {
		return nil
	}

	for _, list := range lists {
		var kept []*yaml.Node
		for at, g := range list.Content {
			if at >= len(drop) || strictyaml.Meaning(g) != drop[at] {
				kept = append(kept, g)
			}
		}
		list.Content = kept
	}
	byName(common)
	return common
}

// repeats reports whether a look-up is answered before or after a place as well.
func repeats(given []Fixture, at int) bool {
	for i := range given {
		if i != at && given[i].answersAs(given[at]) {
			return true
		}
	}
	return false
}

// dropEmpty removes members that say nothing any more.
func dropEmpty(nodes []*yaml.Node, key string) {
	for _, n := range nodes {
		if _, v := strictyaml.Member(n, key); v != nil && len(v.Content) == 0 {
			removeMember(n, key)
		}
	}
}

// minSaved is what a shared part of histories, or a record of its own, must save, in bytes.
const minSaved = 80

// shareHistories writes entries that follow each other in several histories once, under a name.
func (p *parting) shareHistories() {
	for {
		var best []string
		times, sizes := map[string]int{}, map[string]int{}
		most := minSaved - 1
		for _, b := range p.begun {
			for run := range b.runs {
				says := strings.Join(run, "\x00")
				if times[says]++; times[says] == 1 {
					sizes[says] = len(says)
				}
				if saved := (times[says] - 1) * sizes[says]; times[says] > 1 && saved > most {
					best, most = run, saved
				}
			}
		}

		if best == nil {
			break
		}
		p.nameHistory(best)
	}
	for _, b := range p.begun {
		if len(strings.Join(b.says, "")) <= maxLine {
			b.node.Style |= yaml.FlowStyle
		}
	}
}

// maxLine bounds the entries of a history that is written in one line, in bytes, without those that a
// name stands for.
const maxLine = 60

// runs yields the entries that follow each other, all that no name stands for.
func (b *begun) runs(yield func([]string) bool) {
	for from := range b.says {
		for to := from + 1; to <= len(b.says) && b.says[to-1] != ""; to++ {
			if !yield(b.says[from:to]) {
				return
			}
		}
	}
}

// nameHistory names entries that follow each other in some histories.
func (p *parting) nameHistory(run []string) {
	run = slices.Clone(run)
	name := fmt.Sprintf("h%d", len(p.histories.Content)/2+1)
	for _, b := range p.begun {
		for at := 0; at+len(run) <= len(b.says); at++ {
			if !slices.Equal(b.says[at:at+len(run)], run) {
				continue
			}
			if _, named := strictyaml.Member(p.histories, name); named == nil {
				strictyaml.Set(p.histories, name, strictyaml.NewList(slices.Clone(b.node.Content[at:at+len(run)])...))
			}
			b.says = slices.Replace(b.says, at, at+len(run), "")
			b.node.Content = slices.Replace(b.node.Content, at, at+len(run), strictyaml.NewText(name))
		}
	}
}

// verdictKeys read the verdict of an example together with its name.
func (l *loader) verdictKeys(e *Example) strictyaml.Keys {
	keys := strictyaml.Keys{}
	for _, v := range [...]label.Verdict{label.Allow, label.Deny, label.Ask} {
		keys[string(v)] = func(n *strictyaml.Node) {
			e.Expect = v
			l.Text(string(v), &e.Name)(n)
		}
	}
	return keys
}
