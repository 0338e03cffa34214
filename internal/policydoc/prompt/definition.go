package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/schema"
)

// MaxDefinition bounds what is said of one tool, in bytes. What is longer is
// mostly descriptions of descriptions; places come in the order of the source.
const MaxDefinition = 12 << 10

// Definition returns a tool's definition as models read it best: one line a place, with its type,
// what it may hold, and its description.
func Definition(t *schema.Tool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", t.Name, OneLine(t.Description))
	section(&b, "arguments", t.Input)
	if t.Output != nil {
		section(&b, "returns", t.Output)
	}
	return b.String()
}

// Summary returns a tool in one line: its name, the beginning of its description, and the names
// of its arguments as far as they fit.
func Summary(t *schema.Tool) string {
	const maxDescription, maxArguments = 160, 240
	var args []string
	for _, p := range t.Input.Properties {
		args = append(args, p.Name)
	}
	return fmt.Sprintf("%s(%s): %s", t.Name, Clip(strings.Join(args, ", "), maxArguments), Clip(OneLine(t.Description), maxDescription))
}

// Signature returns a tool's name with the names of its arguments.
func Signature(name string, t *schema.Tool) string {
	const most = 240
	var args []string
	for _, p := range t.Input.Properties {
		args = append(args, p.Name)
	}
	return fmt.Sprintf("%s(%s)", name, Clip(strings.Join(args, ", "), most))
}

func section(b *strings.Builder, title string, n *schema.Node) {
	if len(n.Properties) > 0 {
		fmt.Fprintf(b, "%s:\n", title)
	} else {
		fmt.Fprintf(b, "%s: %s\n", title, kind(n))
	}
	members(b, innermost(n), 1)
}

// innermost returns what lists of lists, and maps, consist of in the end.
func innermost(n *schema.Node) *schema.Node {
	for elements(n) != nil {
		n = elements(n)
	}
	return n
}

// elements returns what a list or a map consists of; nil for what is neither.
func elements(n *schema.Node) *schema.Node {
	switch {
	case n.Items != nil:
		return n.Items
	case len(n.Properties) == 0:
		return n.Additional
	}
	return nil
}

func members(b *strings.Builder, n *schema.Node, depth int) {
	for _, p := range n.Properties {
		if b.Len() > MaxDefinition {
			return
		}

		fmt.Fprintf(b, "%s- %s: %s", strings.Repeat("  ", depth), p.Name, kind(p.Node))
		if !p.Required {
			b.WriteString(", optional")
		}
		if p.Node.Description != "" {
			fmt.Fprintf(b, ". %s", OneLine(p.Node.Description))
		}
		b.WriteString("\n")
		members(b, innermost(p.Node), depth+1)
	}
}

// Outline returns what a place may hold on one line: the members of objects with their kinds, those
// with a question mark that may be missing.
func Outline(n *schema.Node) string {
	switch {
	case n.Items != nil:
		return "list of " + Outline(n.Items)
	case elements(n) != nil:
		return "map from names to " + Outline(n.Additional)
	case len(n.Properties) == 0 && n.Description != "":
		return fmt.Sprintf("%s (%s)", kind(n), OneLine(n.Description))
	case len(n.Properties) == 0:
		return kind(n)
	}

	var out []string
	for _, p := range n.Properties {
		mark := ""
		if !p.Required {
			mark = "?"
		}
		out = append(out, fmt.Sprintf("%s%s: %s", p.Name, mark, Outline(p.Node)))
	}
	return Clip("{"+strings.Join(out, "; ")+"}", MaxDefinition)
}

// Variable says of the members of a place what one example can't show: which may be missing or
// null, and which words texts have.
func Variable(n *schema.Node) []string {
	var out []string
	var within func(n *schema.Node, path string)
	within = func(n *schema.Node, path string) {
		if e := elements(n); e != nil {
			within(e, path+"*/")
			return
		}

		for _, p := range n.Properties {
			var notes []string
			if !p.Required {
				notes = append(notes, "may be missing")
			}
			if p.Node.Nullable {
				notes = append(notes, "may be null")
			}
			if d := p.Node.Description; d != "" {
				notes = append(notes, OneLine(d))
			}
			if len(notes) > 0 {
				out = append(out, fmt.Sprintf("/%s%s: %s", path, p.Name, strings.Join(notes, ", ")))
			}
			within(p.Node, path+p.Name+"/")
		}
	}
	within(n, "")
	return out
}

// kind says in words what a place may hold.
func kind(n *schema.Node) string {
	var words []string
	switch {
	case n.Items != nil:
		words = append(words, "list of "+kind(n.Items))
	case n.Additional != nil && len(n.Properties) == 0:
		words = append(words, "map from names to "+kind(n.Additional))
	case len(n.Alternatives) > 0:
		var forms []string
		for _, a := range n.Alternatives {
			forms = append(forms, kind(a))
		}
		words = append(words, strings.Join(slices.Compact(forms), " or "))
	case len(n.Types) == 0:
		words = append(words, "anything")
	default:
		words = append(words, strings.Join(n.Types, " or "))
	}

	if n.Format != "" {
		words = append(words, "format "+n.Format)
	}
	if len(n.Enum) > 0 {
		words = append(words, "one of "+strings.Join(n.Enum, ", "))
	}
	if n.Pattern != "" {
		words = append(words, "pattern "+n.Pattern)
	}
	if n.Nullable {
		words = append(words, "or null")
	}
	return Clip(strings.Join(words, ", "), 600)
}

// OneLine brings a text onto one line.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Quoted returns a text of a document for a prompt: on one line, and unable to end the part that
// it is in.
func Quoted(text string) string {
	return strings.ReplaceAll(OneLine(text), "</document", "<\u200b/document")
}

// Clip shortens a text to so many bytes.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}
