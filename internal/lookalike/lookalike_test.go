package lookalike_test

import (
	"testing"

	"github.com/remit-project/remit/internal/lookalike"
)

func TestUnmixed(t *testing.T) {
	for word, want := range map[string]string{
		"if":     "if",
		"іf":     "if",   // a Cyrillic i
		"еcли":   "если", // a Latin c
		"если":   "если",
		"unlеss": "unless", // a Cyrillic e
		"αν":     "αν",
		"straße": "straße",
		"ж2x":    "ж2х",
		"жq":     "жq",
	} {
		if got := lookalike.Unmixed(word); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
