package jsonc

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Edit replaces a part of the text.
type Edit struct {
	Start, End int
	With       string
}

// Replace is the edit that puts other text in the place of data[start:end].
func Replace(start, end int, with string) Edit { return Edit{start, end, with} }

// Apply returns the text with the edits, which may not overlap.
func Apply(data []byte, edits []Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(data[at:e.Start])
		out.WriteString(e.With)
		at = e.End
	}
	out.Write(data[at:])
	return out.Bytes()
}

// Quote writes texts as JSON, with commas between them.
func Quote(list ...string) string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, quote(s))
	}
	return strings.Join(out, ", ")
}

func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""` // a string always has a form
	}
	return strings.TrimSuffix(b.String(), "\n")
}
