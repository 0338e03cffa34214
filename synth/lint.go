package synth

import (
	"fmt"
	"strings"
	"unicode"
)

// longDescription is the length beyond which a description hides things by
// its size alone.
const longDescription = 12000

// lint finds what a reader wouldn't see or what speaks to the model.
func (x *table) lint(s string) []string {
	var out []string
	folded := fold(s)
	for _, o := range x.phrases["orders"] {
		if strings.Contains(folded, o) {
			out = append(out, fmt.Sprintf("speaks to the model: %q", o))
		}
	}

	hidden := 0
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
		case r == 0x200d || r == 0xfe0f: // joins and colours emoji
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Cc, r), unicode.Is(unicode.Co, r), r >= 0xe0000 && r <= 0xe007f:
			hidden++
		}
	}

	if hidden > 0 {
		out = append(out, fmt.Sprintf("holds %d invisible characters", hidden))
	}
	if len(s) > longDescription {
		out = append(out, fmt.Sprintf("is %d bytes long", len(s)))
	}
	if strings.Contains(s, "\n\n\n\n\n\n\n\n") || strings.Contains(s, strings.Repeat(" ", 80)) {
		out = append(out, "pushes text out of sight with blank space")
	}
	return out
}
