package jsonc

import (
	"bytes"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
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
		out = append(out, string(strictjson.Quote(s)))
	}
	return strings.Join(out, ", ")
}
