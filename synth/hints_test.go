package synth

import (
	"testing"

	"github.com/remit-project/remit/contract"
)

// TestHintsDecideDoubt has a server that calls its tools destructive, all of them as
// many do. It is believed where the verb says little.
func TestHintsDecideDoubt(t *testing.T) {
	for tool, want := range map[string]contract.Effect{
		"apply_settings": contract.Destructive, "manage_list": contract.Destructive, "handle_entry": contract.Destructive,
		"create_note": contract.Write, "update_note": contract.Write, "search_notes": contract.Read,
	} {
		f := Contract(catalogue(t, map[string]any{
			"name": tool, "annotations": map[string]any{"destructiveHint": true},
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}},
		}))
		if got := f.Tools[0]; got.Effect != want {
			t.Errorf("%s: %s, want %s (%s)", tool, got.Effect, want, got.Why)
		}
	}
}

// TestAttendeesOfMembers has people who take part deep in a list: the tool is outward.
func TestAttendeesOfMembers(t *testing.T) {
	attendee := map[string]any{"type": "array", "items": map[string]any{"type": "object", "properties": map[string]any{"email": map[string]any{"type": "string"}}}}
	event := map[string]any{"type": "object", "properties": map[string]any{"title": map[string]any{"type": "string"}, "attendees": attendee}}
	f := Contract(catalogue(t, map[string]any{
		"name": "create_events", "description": "Create events",
		"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"events": map[string]any{"type": "array", "items": event}}},
	}))
	if got := f.Tools[0]; got.Effect != contract.Egress {
		t.Errorf("events with attendees: %s", got.Effect)
	}
}

// TestLeadingVerb has servers whose tools nearly all begin with the same verb: it is a
// verb and not the name of the service, so that "type" and "open" later on are nouns.
func TestLeadingVerb(t *testing.T) {
	var tools []map[string]any
	for _, name := range []string{"get_vehicle_type", "get_cuisine_type_for_restaurants", "get_open_status", "get_send_quota", "list_vehicles"} {
		tools = append(tools, map[string]any{"name": name, "inputSchema": map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}})
	}
	for _, tool := range Contract(catalogue(t, tools...)).Tools {
		if tool.Effect != contract.Read {
			t.Errorf("%s: %s, want read (%s)", tool.Name, tool.Effect, tool.Why)
		}
	}
}

// TestListedThings has tools that are named after what they look up, by words that are verbs as well.
func TestListedThings(t *testing.T) {
	for tool, want := range map[string]contract.Effect{
		"charges_list": contract.Read, "orders_search": contract.Read, "transfers_get": contract.Read,
		"orders_cancel": contract.Destructive, "charges_customer": contract.Egress, "sends_list": contract.Egress,
	} {
		f := Contract(catalogue(t, map[string]any{
			"name": tool, "description": "Of the customer.",
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"status": map[string]any{"type": "string"}}},
		}))
		if got := f.Tools[0]; got.Effect != want {
			t.Errorf("%s: %s, want %s (%s)", tool, got.Effect, want, got.Why)
		}
	}
}
