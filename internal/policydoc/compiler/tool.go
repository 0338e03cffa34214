package compiler

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/prompt"
)

// maxLookups is how many of the tools that only read are named for a tool, those
// first that share most words with it. All of them for all tools would be a
// product.
const maxLookups = 24

// tool is what policies are found for.
type tool struct {
	key, server, name string
	// fingerprint is that of the definition.
	fingerprint string
	// summary is it in one line, definition in full.
	summary, definition string
	// readable are the tools that may be asked about its calls, and look-ups are
	// they in a line each.
	readable []guard.Readable
	lookups  []string
}

// everyTool returns the tool that means all calls.
func everyTool() *tool {
	const definition = "*: Every call of every tool, whatever its arguments: rules about how calls are made at all, such as how they may follow each other and what is said beside them."
	return &tool{key: policydoc.EveryTool, name: policydoc.EveryTool, fingerprint: digest(definition), definition: definition}
}

// tools lists the tools of a scope by their keys, and the one for all calls at the end.
func (c *Compiler) tools(s guard.Deployment) []*tool {
	times := map[string]int{}
	for _, of := range s.Tools {
		for _, t := range of.Tools {
			times[t.Name]++
		}
	}

	readable := s.Readable()
	var out []*tool
	for _, of := range s.Tools {
		for i := range of.Tools {
			t := &of.Tools[i]
			own := &tool{name: t.Name, fingerprint: t.Fingerprint, summary: prompt.Summary(t), definition: prompt.Definition(t)}
			if times[t.Name] > 1 {
				own.server = of.Server
			}
			own.key = policydoc.Key(own.server, t.Name)
			own.readable = lookups(readable, of.Server, t.Name)
			for _, r := range own.readable {
				own.lookups = append(own.lookups, prompt.Summary(r.Definition)+c.returns(r))
			}
			out = append(out, own)
		}
	}

	slices.SortFunc(out, func(a, b *tool) int { return cmp.Compare(a.key, b.key) })
	every := everyTool()
	every.readable = lookups(readable, "", "")
	return append(out, every)
}

// returns names what a tool returns, as far as its definition or a result of it
// says.
func (c *Compiler) returns(r guard.Readable) string {
	var members []string
	if out := r.Definition.Output; out != nil {
		for _, p := range out.Properties {
			members = append(members, p.Name)
		}
	}
	for _, sample := range c.o.Generation.Results[policydoc.Key(r.Server, r.Name)] {
		var object map[string]json.RawMessage
		if len(members) == 0 && json.Unmarshal(sample, &object) == nil {
			members = slices.Sorted(maps.Keys(object))
		}
	}
	if len(members) == 0 {
		return ""
	}
	const most = 300
	return prompt.Clip(" Returns "+strings.Join(members, ", "), most)
}

// lookups returns the tools that may be asked about calls of a tool: all where they are few, else
// those that share most words with it, of its own server first.
func lookups(readable []guard.Readable, server, name string) []guard.Readable {
	type rated struct {
		guard.Readable
		rate int
	}
	own := words(name)
	for _, r := range readable {
		if r.Server == server && r.Name == name && r.Definition != nil {
			own = words(prompt.Definition(r.Definition))
		}
	}

	var list []rated
	for _, r := range readable {
		itself := r.Server == server && r.Name == name
		if r.Definition == nil || itself {
			continue
		}
		rate := 0
		for w := range words(r.Name + " " + r.Definition.Description) {
			if own[w] {
				rate++
			}
		}
		if r.Server == server {
			rate += 100
		}
		list = append(list, rated{r, rate})
	}

	slices.SortStableFunc(list, func(a, b rated) int { return b.rate - a.rate })
	list = list[:min(len(list), maxLookups)]
	out := make([]guard.Readable, len(list))
	for i, r := range list {
		out[i] = r.Readable
	}
	slices.SortFunc(out, func(a, b guard.Readable) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// words returns the words of a text, in lower case; short ones say nothing.
func words(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) > 3 {
			out[w] = true
		}
	}
	return out
}

// digest returns a short hash of texts, each apart from the others.
func digest(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s,", len(t), t)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
