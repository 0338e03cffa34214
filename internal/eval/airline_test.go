package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/raced"
)

// TestAirline decides the published cases: the document's words leave no room in
// the literal ones, and the others are decided as the example reads them.
func TestAirline(t *testing.T) {
	raced.SkipTable(t)
	root := os.Getenv("REMIT_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	dir := filepath.Join(root, "airline")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("τ-bench's airline is not here (set REMIT_DATA to the directory of the data sets): %v", err)
	}
	r, err := Airline(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Wrong {
		t.Error(m.Summary())
	}
}

// TestAirlineOwn decides cases of our own, some of which say the wrong thing.
func TestAirlineOwn(t *testing.T) {
	dir := t.TempDir()
	const said = `[{"role": "user", "content": "I am ann_lee_1234. Cancel RES001, my plans changed."},
		{"role": "assistant", "content": "Shall I cancel RES001?"}, {"role": "user", "content": "Yes."}]`
	const call = `{"id": "a", "type": "function", "function": {"name": "think", "arguments": "{\"thought\": \"a\"}"}}`
	for name, text := range map[string]string{
		"flights.json": `{"HAT001": {"flight_number": "HAT001", "origin": "PHL", "destination": "LGA", "dates": {"2024-05-20": {"status": "available"}}}}`,
		"users.json":   `{"ann_lee_1234": {"membership": "regular"}}`,
		"reservations.json": `{"RES001": {"reservation_id": "RES001", "user_id": "ann_lee_1234", "flight_type": "one_way", "cabin": "economy", "insurance": "no", "passengers": [], "payment_history": [], "created_at": "2024-05-14T15:00:00",
			"flights": [{"flight_number": "HAT001", "date": "2024-05-20"}]}}`,
		"cases.own.json": `[
			{"id": "in time", "rule": "R1", "tool": "cancel_reservation", "args": {"reservation_id": "RES001"}, "expected": "allow", "reading": "literal", "now": "2024-05-15T15:00:00-05:00", "history": ` + said + `},
			{"id": "too late", "rule": "R1", "tool": "cancel_reservation", "args": {"reservation_id": "RES001"}, "expected": "deny", "reading": "literal", "now": "2024-05-15T15:00:01-05:00", "history": ` + said + `},
			{"id": "wrong", "rule": "R1", "tool": "cancel_reservation", "args": {"reservation_id": "RES001"}, "expected": "allow", "reading": "interpretive", "now": "2024-05-16T15:00:00-05:00", "history": ` + said + `},
			{"id": "denied, but by no rule", "rule": "R2", "tool": "fly", "args": {}, "expected": "deny", "reading": "literal", "now": "2024-05-15T15:00:00-05:00", "history": []},
			{"id": "two at once", "rule": "R3", "tool": "think", "args": {"thought": "a"}, "expected": "deny", "reading": "literal", "now": "2024-05-15T15:00:00-05:00", "history": [],
				"assistant_message": {"role": "assistant", "content": null, "tool_calls": [` + call + `, ` + strings.ReplaceAll(call, `"a"`, `"b"`) + `]}},
			{"id": "one at a time", "rule": "R3", "tool": "think", "args": {"thought": "a"}, "expected": "allow", "reading": "literal", "now": "2024-05-15T15:00:00-05:00", "history": [],
				"assistant_message": {"role": "assistant", "content": "", "tool_calls": [` + call + `]}}]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Airline(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Cases != 6 || r.AllowRight.N != 2 || r.AllowRight.Of != 3 || r.DenyRight.N != 2 || r.DenyRight.Of != 3 || r.ByRule["R1"].N != 2 || r.ByRule["R3"].N != 2 {
		t.Errorf("%+v", r)
	}
	if r.Literal.AllowRight.Of != 2 || r.Interpretive.AllowRight.Of != 1 || len(r.Wrong) != 2 || r.Wrong[0].Case != "wrong" || r.Wrong[0].Got != remit.Deny || r.Wrong[0].Policies[0] != "cancellable" {
		t.Errorf("%+v", r)
	}
	if _, err := Airline(t.Context(), t.TempDir()); err == nil {
		t.Error("a directory without cases is measured")
	}
}
