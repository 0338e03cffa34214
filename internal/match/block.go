package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/serialized"
)

// block is a part of a text between empty lines, with its "label: value" lines.
type block struct {
	text   string
	labels []field
}

const (
	// maxBlocks bounds the blocks of one text.
	maxBlocks = 2000
	// maxLabel bounds the label of a labelled line, before its colon, in bytes.
	maxLabel = 40
)

// blocks parts a text at its empty lines, and reports whether there are more of them than
// scopes look at.
func blocks(text string) (all []block, partial bool) {
	var out []block
	var lines []string
	flush := func() {
		if len(lines) > 0 && len(out) < maxBlocks {
			out = append(out, blockOf(lines))
		} else if len(lines) > 0 {
			partial = true
		}
		lines = nil
	}

	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			flush()
			continue
		}
		lines = append(lines, line)
	}
	flush()
	return out, partial
}

func blockOf(lines []string) block {
	b := block{text: strings.Join(lines, "\n")}
	for _, line := range lines {
		label, value, ok := strings.Cut(line, ":")
		label, value = strings.Trim(label, " \t-*"), strings.TrimSpace(value)
		if ok && value != "" && len(label) <= maxLabel {
			b.labels = append(b.labels, newField("", label, value))
		}
	}
	return b
}

// named returns the labelled lines of a name, or where there are none, those whose name
// ends in it.
func (b block) named(description []string) []field {
	exact := strings.Join(headAmong(description, func(name string) bool {
		return slices.ContainsFunc(b.labels, func(l field) bool { return l.name == name })
	}), " ")
	var same, alike []field
	for _, l := range b.labels {
		switch {
		case l.name == exact || l.name == strings.Join(head(description), " "):
			same = append(same, l)
		case l.named(description):
			alike = append(alike, l)
		}
	}
	if len(same) > 0 {
		return same
	}
	return alike
}

// meets reports whether the labelled lines of a block meet every condition: all of a name, and of
// the names that are alternatives. An attacker who adds a line beside the tool's own makes two of
// that name.
func (b block) meets(where []Match) bool {
	for i := range where {
		var lines []field
		for want := range where[i].each {
			lines = append(lines, b.named(want.name())...)
		}
		if len(lines) == 0 || slices.ContainsFunc(lines, func(l field) bool { return !where[i].accepts(l.text) }) {
			return false
		}
	}
	return true
}

// together reports whether no line that others may write is between those that conditions are on
// and those of a name: with an empty line in it, its author parts one record in two.
func (b block) together(where []Match, description []string) bool {
	wanted := b.named(description)
	if len(wanted) == 0 {
		return true // no line is of that name
	}
	for i := range where {
		for want := range where[i].each {
			wanted = append(wanted, b.named(want.name())...)
		}
	}

	is := func(l field) bool {
		return slices.ContainsFunc(wanted, func(w field) bool { return w.name == l.name })
	}
	first := slices.IndexFunc(b.labels, is)
	last := len(b.labels) - 1
	for last > first && !is(b.labels[last]) {
		last--
	}
	return !slices.ContainsFunc(b.labels[first:last+1], func(l field) bool {
		return !is(l) && !(serialized.Trust{}).Owns("/"+strings.Join(l.key, "_"))
	})
}

// labelled returns the values of the lines that a description names.
func (b block) labelled(description []string) []string {
	var out []string
	for _, l := range b.named(description) {
		out = append(out, l.text)
	}
	return out
}
