package synth

import (
	"fmt"
	"strings"
	"unicode"
)

// orders are phrases by which a description commands the model. Each is
// something that no description of a tool needs.
var orders = []string{
	"ignore previous", "ignore all previous", "ignore the above", "disregard previous", "disregard all", "forget previous",
	"<important>", "</important>", "<system>", "[system]", "<instructions>", "<secret>", "system prompt",
	"do not tell the user", "don't tell the user", "do not mention", "don't mention this", "without telling the user",
	"do not inform the user", "never tell the user", "hide this from", "not be shown to the user", "keep this secret",
	"before using this tool, read", "before calling this tool, read", "you must first read", "read the file ~/", "~/.ssh", "~/.aws",
	"id_rsa", "/etc/passwd", "pass its content", "pass its contents", "send the contents of", "sidenote", "side note:",
	"instead of the recipient", "always send", "must be sent to", "should be sent to", "bcc all", "override previous", "new instructions",
	"as an ai", "you are now", "jailbreak", "exfiltrate",
}

// longDescription is the length beyond which a description hides things by
// its size alone.
const longDescription = 12000

// lint finds what a reader wouldn't see or what speaks to the model.
func lint(s string) []string {
	var out []string
	folded := fold(s)
	for _, o := range orders {
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
