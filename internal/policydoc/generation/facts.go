package generation

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/prompt"
)

// facts are the parts of every request that the policies of a tool have in common. Prompts use
// the names of its fields, and of those of [subject].
type facts struct {
	// Definition is what is known of the tool.
	Definition string
	// Lookups are described, and Others only named.
	Lookups []string
	Others  []string
	Tools   []string
	// Context are sentences that explain.
	Context []block
}

// subject is the policy that a part of a request is about.
type subject struct {
	Item   *policydoc.Policy
	Blocks []block
}

func (w *work) subject() subject {
	return subject{inLines(w.task.Policy), blocksOf(w.task.Sentences, 0)}
}

// block is sentences under the same headings.
type block struct {
	Path      string
	Sentences []string
}

func (w *work) facts() facts {
	f := facts{Context: blocksOf(w.task.Context, maxContext)}
	switch {
	case w.tool != nil:
		f.Definition = prompt.Definition(w.tool)
	case len(w.task.Policy.Tools) > 0:
		f.Definition = "The policy is about the calls of several tools, and of no others.\n"
		for _, key := range w.task.Policy.Tools {
			if d, ok := w.tools[w.label(key)]; ok {
				f.Definition += "\n" + prompt.Definition(d.Tool)
			}
		}
	case w.task.Tool == policydoc.EveryTool:
		f.Definition = "The policy is about the calls of every tool."
	default:
		f.Definition = w.task.Tool + ": nothing is known of its arguments."
	}

	size := 0
	var told []lookup
	for _, l := range w.lookups {
		d := l.describe()
		if size += len(d); size <= maxLookups {
			told = append(told, l)
		} else if d := l.Definition; d != nil && len(f.Others) < maxNames {
			f.Others = append(f.Others, prompt.Summary(d))
		}
	}

	// In the order of their names, requests about the policies of a tool begin alike.
	slices.SortFunc(told, func(a, b lookup) int { return strings.Compare(a.label, b.label) })
	for _, l := range told {
		f.Lookups = append(f.Lookups, l.describe())
	}

	for _, label := range slices.Sorted(maps.Keys(w.tools)) {
		if len(f.Tools) < maxNames {
			f.Tools = append(f.Tools, prompt.Signature(label, w.tools[label].Tool))
		}
	}

	return f
}

// label returns what prompts call a tool of which the key is known.
func (s *setting) label(key string) string {
	if _, ok := s.tools[key]; ok {
		return key
	}
	if _, name, divided := strings.Cut(key, "/"); divided {
		return name
	}
	return key
}

// inLines returns a policy with its texts on one line each, so that none of them looks like a
// part of the request.
func inLines(policy *policydoc.Policy) *policydoc.Policy {
	line := func(texts []string) []string {
		var out []string
		for _, t := range texts {
			out = append(out, prompt.Quoted(t))
		}
		return out
	}
	return &policydoc.Policy{Name: prompt.Quoted(policy.Name), Tools: policy.Tools, Description: prompt.Quoted(policy.Description),
		Compliance: line(policy.Compliance), Violations: line(policy.Violations)}
}

// blocksOf groups sentences under the same headings, up to a size in bytes; 0 is no
// bound.
func blocksOf(sentences []document.Sentence, room int) []block {
	var out []block
	size := 0
	for _, s := range sentences {
		text := prompt.Quoted(s.Text)
		if size += len(text); room > 0 && size > room {
			break
		}
		path := prompt.Quoted(strings.Join(s.Path, " > "))
		if n := len(out); n == 0 || out[n-1].Path != path {
			out = append(out, block{Path: path})
		}
		last := &out[len(out)-1]
		last.Sentences = append(last.Sentences, text)
	}
	return out
}

// compact is JSON on one line, as it is read by [decode].
func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}
