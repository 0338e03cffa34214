package proxy

import "testing"

// TestFailed: of the dialects, one says in a member of its own whether a call failed.
func TestFailed(t *testing.T) {
	for block, want := range map[string]string{
		`"is_error":true,`:  "true",
		`"is_error":false,`: "false",
		`"is_error":null,`:  "",
		``:                  "",
	} {
		said := messages{}.turn([]byte(`{"role":"user","content":[{"type":"tool_result",`+block+`"tool_use_id":"t","content":"x"}]}`), containers{})
		got := ""
		if failed := said.events[0].Result.Failed; failed != nil {
			got = map[bool]string{true: "true", false: "false"}[*failed]
		}
		if got != want {
			t.Errorf("%s: got %q", block, got)
		}
	}
}
