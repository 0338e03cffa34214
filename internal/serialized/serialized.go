// Package serialized reads the text of a result as the fields that a program wrote.
//
// It reads a text only as a whole, and only where the author of one field can't have written
// another: since the format quotes what it holds, since a contract names the format, or since no
// stranger wrote any of it. Anything else stays text.
package serialized

import (
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/strictjson"
)

// Format is how a tool writes its results as text.
type Format string

// The formats. The empty format is found out, as far as that is sound.
const (
	Text    Format = "text"    // never fields
	JSON    Format = "json"    // one JSON document
	YAML    Format = "yaml"    // one YAML document
	Python  Format = "python"  // one value as Python's repr writes it
	Table   Format = "table"   // one Markdown table, whose cells escape bars and line ends
	List    Format = "list"    // numbered or dashed lines
	Lines   Format = "lines"   // "key: value" lines, with a blank line between records
	Outline Format = "outline" // headings, bullets and "key: value" lines, or a table below a heading
)

// Trust says who writes what in a result.
type Trust struct {
	// Closed reports that no stranger writes any of the result.
	Closed bool
	// Own reports whether the service itself writes the field at a JSON pointer; nil where that
	// is unknown, and the field's name has to decide.
	Own func(pointer string) bool
}

// Owns reports whether the service itself writes the field at a JSON pointer.
func (t Trust) Owns(pointer string) bool {
	if t.Closed || t.Own == nil {
		return t.Closed || byService().MatchString(pointer)
	}
	return t.Own(pointer)
}

// byService are the names of members that a service writes itself: ids and moments.
var byService = pattern.OnUse(`(?:[/_.-](?i:ids?|uuid|key|code|number|no|version|date|day|time|timestamp|created|updated|modified|start|end|due|at)|` +
	`[a-z0-9](?:Ids?|Key|Code|Number|Date|Time|At))_?$`)

// Bounds of what is read; a text beyond them stays text.
const (
	// maxSize is the longest text in any format but JSON, in bytes.
	maxSize = 1 << 20
	// maxDepth is how deep values nest.
	maxDepth = 32
	// maxValues is how many values a text may hold.
	maxValues = 50_000
)

// Read reads a text in a format. It returns nil where the text is not of the format
// or could have been forged: it is text then.
func Read(text string, format Format, trust Trust) *strictjson.Document {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || format == Text {
		return nil
	}
	if format != "" && format != JSON {
		return named(text, format, trust)
	}

	if doc := readJSON(trimmed); doc != nil || format == JSON || len(trimmed) > maxSize {
		return doc
	}
	if doc := readPython(trimmed); doc != nil {
		return doc
	}
	return found(text, trust)
}

// named reads a text in the format that the contract names.
func named(text string, format Format, trust Trust) *strictjson.Document {
	if len(text) > maxSize {
		return nil
	}
	if format == YAML {
		return readYAML(text, nil) // where the last line ends belongs to it
	}

	text = strings.TrimSpace(text)
	switch format {
	case Python:
		return readPython(text)
	case Table:
		return readTable(text)
	case Lines:
		return readLines(text, trust)
	case Outline:
		return readOutline(text)
	case List:
		if trust.Closed {
			return readList(text)
		}
	}
	return nil
}

// found reads a text of unknown format: in any format where no stranger writes anything, else
// only what proves its serializer.
func found(text string, trust Trust) *strictjson.Document {
	if !trust.Closed {
		return readYAML(text, func(d *yamlDocument) bool { return d.proves(trust) })
	}
	for _, format := range [...]Format{Table, List, YAML, Lines} {
		if doc := named(text, format, trust); doc != nil {
			return doc
		}
	}
	return nil
}

// readJSON reads a text that is one JSON object or array.
func readJSON(text string) *strictjson.Document {
	if text[0] != '{' && text[0] != '[' {
		return nil
	}
	return parse([]byte(text))
}

// parse reads JSON, as long as it is an object or an array.
func parse(data []byte) *strictjson.Document {
	doc, err := strictjson.Parse(data, strictjson.OutputLimits())
	if err != nil {
		return nil
	}
	if k := doc.Root().Kind(); k != strictjson.Object && k != strictjson.Array {
		return nil
	}
	return doc
}
