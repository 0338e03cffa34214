package strictyaml_test

import (
	"testing"

	"github.com/remit-project/remit/internal/strictyaml"
)

// TestDidYouMean names the word that was meant, and beside it what else may be written.
func TestDidYouMean(t *testing.T) {
	for name, c := range map[string]struct {
		word  string
		known []string
		want  string
	}{
		"like one of several": {"get-ordr", []string{"get-order", "refund"}, "did you mean get-order? (write get-order or refund)"},
		"like the only one":   {"get_order", []string{"get-order"}, "did you mean get-order?"},
		"like none":           {"pay", []string{"get-order", "refund"}, "write get-order or refund"},
		"unlike the only one": {"pay", []string{"get-order"}, "write get-order"},
	} {
		if got := strictyaml.DidYouMean(c.word, c.known); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
