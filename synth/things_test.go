package synth_test

import (
	"fmt"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// TestThings: a tool without a verb that is named and described by things returns them. A word that may be a verb which no table
// has, and anything that could be written, leave it what it was.
func TestThings(t *testing.T) {
	const id = `"show_id": {"type": "string"}`
	for _, c := range []struct {
		name, description, args string
		want                    contract.Effect
	}{
		{"workshops", "Partner workshops", "", contract.Read},
		{"venue_reviews", "Guests' reviews of a restaurant.", `"venue_id": {"type": "integer"}`, contract.Read},
		{"chapel_slots", "Free slots of a chapel between two days.", `"chapel": {"type": "string"}, "from": {"type": "string", "description": "YYYY-MM-DD"}`, contract.Read},
		{"listener_requests", "Requests of listeners, newest first.", id, contract.Read},
		{"freeSeats", "Free seats on the train of a ticket.", `"ticketId": {"type": "string"}`, contract.Destructive},
		{"shelve_reviews", "Shelve reviews of a restaurant.", `"venue_id": {"type": "integer"}`, contract.Destructive},
		{"venue_reviews", "Guests' reviews of a restaurant.", `"venue_id": {"type": "integer"}, "text": {"type": "string"}`, contract.Destructive},
		{"venue_reviews", "Guests' reviews of a restaurant.", `"venue": {"type": "object", "properties": {"id": {"type": "string"}}}`, contract.Destructive},
		{"list_payees", "Saved payees.", "", contract.Read},
		{"list_files", "Deleted the files of a folder.", "", contract.Destructive},
	} {
		tools := fmt.Sprintf(`{"tools": [{"name": %q, "description": %q, "inputSchema": {"type": "object", "properties": {%s}}}]}`, c.name, c.description, c.args)
		catalogue, err := schema.Parse("s", []byte(tools))
		if err != nil {
			t.Fatal(err)
		}
		if got := synth.Contract(catalogue).Tools[0].Effect; got != c.want {
			t.Errorf("%s, %q: effect %s, want %s", c.name, c.description, got, c.want)
		}
	}
}
