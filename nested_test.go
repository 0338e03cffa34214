package remit_test

import (
	"encoding/json"
	"testing"

	"github.com/remit-project/remit"
)

// TestNestedInARecord acts on identifiers of a form's response. The response's own is the
// service's; one among the answers is what a respondent filled in.
func TestNestedInARecord(t *testing.T) {
	m := logMonitor(t, `version: 1
server: desk
settled: [id]
tools:
  read_responses: {effect: read, output: {trust: EXTERNAL, settled: true}}
  close_response: {effect: write, args: {/response_id: {role: selector}}, output: {trust: TOOL_OUTPUT}}
`, nil)
	s := m.Session("s")
	s.User("Close the new responses.")
	if d, err := s.Decide(t.Context(), remit.Call{ID: "1", Tool: "read_responses", Arguments: json.RawMessage(`{}`)}); err != nil || d.Verdict != remit.Allow {
		t.Fatalf("read: %v, %v", d, err)
	}
	if err := s.Result(t.Context(), remit.Result{Call: "1", Content: `{"responses": [{"id": "r-7001", "answers": {"id": "victim-1"}}]}`}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]remit.Verdict{"r-7001": remit.Allow, "victim-1": remit.Ask} {
		args, err := json.Marshal(map[string]string{"response_id": id})
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Decide(t.Context(), remit.Call{Tool: "close_response", Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		if d.Verdict != want {
			t.Errorf("close %s: %s, want %s\n%s", id, d.Verdict, want, d.Explain())
		}
	}
}
