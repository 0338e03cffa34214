package synth

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestHostileDefinitions holds that a definition made to be slow is not.
func TestHostileDefinitions(t *testing.T) {
	tests := map[string]struct{ name, description, arg string }{
		"a long word":         {strings.Repeat("a", 500), strings.Repeat("b", 50000), "x: " + strings.Repeat("c", 50000)},
		"many words":          {"get", strings.Repeat("send the mail to ", 5000), "x: " + strings.Repeat("path to the ", 5000)},
		"many quotes":         {"get", strings.Repeat("'id' ", 10000), "x: " + strings.Repeat("`id` ", 10000)},
		"many marks":          {"get", strings.Repeat("(optional) ", 5000), "x: " + strings.Repeat("(optional) the ", 5000)},
		"verbs without end":   {strings.Repeat("get_", 120), strings.Repeat("create, ", 10000), "x"},
		"capitals":            {strings.Repeat("AbC", 160), strings.Repeat("AbC", 10000), "x"},
		"separators":          {"a" + strings.Repeat("_", 400), strings.Repeat("|: ", 10000), "x: " + strings.Repeat("_", 20000)},
		"nearly known halves": {"get", strings.Repeat("filefile", 5000), strings.Repeat("pathid", 80)},
	}
	for what, tt := range tests {
		c := one(t, tt.name, tt.description, tt.arg)
		start := time.Now()
		Contract(c)
		if d := time.Since(start); d > 500*time.Millisecond {
			t.Errorf("%s: %v", what, d)
		}
	}
	var args []string
	for i := range 400 {
		args = append(args, fmt.Sprintf("field_%d: The ID of the thing number %d, one of 'a', 'b'", i, i))
	}
	c := one(t, "update_everything", "Update everything", args...)
	start := time.Now()
	Contract(c)
	if d := time.Since(start); d > 3*time.Second {
		t.Errorf("400 arguments: %v", d)
	} else {
		t.Log(d)
	}
}
