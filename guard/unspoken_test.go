package guard_test

import (
	"encoding/json"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
)

// TestUnspoken: a payment method that clearly nobody mentioned, and one that somebody may have.
func TestUnspoken(t *testing.T) {
	const offer, yes = "agent: I'll book the room for you, $80 in all. Do you want that?", "user: Yes, I do."
	for name, c := range map[string]struct {
		require string
		talk    []string
		want    label.Verdict
	}{
		"nobody spoke of it":         {`session.stated(args.method)`, []string{cards, "user: I want a room on May 3.", offer, yes}, label.Deny},
		"nobody listed it":           {`session.listed(args.method)`, []string{cards, "user: I want a room on May 3.", offer, yes}, label.Deny},
		"a card, but which":          {`session.stated(args.method)`, []string{cards, "user: I want a room on May 3, by card.", offer, yes}, label.Ask},
		"its kind":                   {`session.stated(args.method)`, []string{cards, "user: I want a room on May 3.", "agent: I'll book it on the Visa, OK?", yes}, label.Ask},
		"the argument's name":        {`session.stated(args.method)`, []string{cards, "user: I want a room on May 3.", "agent: I'll book it, with that method. OK?", yes}, label.Ask},
		"the same as before":         {`session.stated(args.method)`, []string{cards, "user: I want the room that I had, charged to the same as before.", offer, yes}, label.Ask},
		"as it was paid":             {`session.stated(args.method)`, []string{cards, "user: I want the room, and it's to be paid as the flight was.", offer, yes}, label.Ask},
		"in another language":        {`session.stated(args.method)`, []string{cards, "user: Ich möchte ein Zimmer, bitte.", "agent: Ich buche das Zimmer und ziehe es wie immer ein. Einverstanden?", "user: Ja"}, label.Ask},
		"in two languages":           {`session.stated(args.method)`, []string{cards, "user: Ich möchte ein Zimmer, bitte.", offer, "user: Ja, und wie immer bezahlt."}, label.Ask},
		"what no record has":         {`session.stated(args.method)`, []string{"user: I want a room on May 3.", offer, yes}, label.Ask},
		"the agent isn't heard":      {`session.stated(args.method)`, []string{cards, "user: I want a room on May 3.", yes}, label.Ask},
		"what the call doesn't have": {`session.stated("card_2")`, []string{cards, "user: I want a room on May 3.", offer, yes}, label.Ask},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(`{"guests":[],"method":"card_1"}`)
			r.History = talk(c.talk...)
			wantVerdict(t, hotelRule(t, c.require), r, c.want)
		})
	}
}

// TestSaidAnother: whose a record is, where the user gave somebody else's id.
func TestSaidAnother(t *testing.T) {
	const room, mine = `get_room: {"room_id": "R-1", "owner": "bob_roe_2"}`, "user: I am ann_lee_1, about room R-1."
	for name, c := range map[string]struct {
		asked string // the owner for whom the agent looked something up
		talk  []string
		want  label.Verdict
	}{
		"another one's":             {"ann_lee_1", []string{mine, room, "agent: Shall I?", "user: Yes"}, label.Deny},
		"their own":                 {"bob_roe_2", []string{"user: I am bob_roe_2.", room, "agent: Shall I?", "user: Yes"}, label.Allow},
		"of two":                    {"ann_lee_1", []string{mine, room, "user: And bob_roe_2 is me as well.", "agent: Shall I?", "user: Yes"}, label.Allow},
		"whom the user didn't name": {"ann_lee_1", []string{"user: About room R-1.", room, "agent: Shall I?", "user: Yes"}, label.Ask},
		"for whom nobody looked":    {"", []string{mine, room, "agent: Shall I?", "user: Yes"}, label.Ask},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(`{"guests":[],"method":"cash"}`)
			r.History = talk(c.talk...)
			if c.asked != "" {
				asked := guard.Call{Tool: "get_owner", Arguments: json.RawMessage(`{"owner":"` + c.asked + `"}`), Result: guard.ResultOf(json.RawMessage(`{}`))}
				r.History.Entries = append(r.History.Entries, guard.Entry{Kind: guard.CallEntry, Call: &asked})
			}
			wantVerdict(t, hotelRule(t, `session.calls("get_room").all(c, session.stated(c.result.owner))`), r, c.want)
		})
	}
}

func wantVerdict(t *testing.T, g *guard.Guard, r guard.Request, want label.Verdict) {
	t.Helper()
	got := g.Evaluate(t.Context(), r)
	verdict := label.Allow
	if len(got.Violations) > 0 {
		verdict = got.Violations[0].Verdict
	}
	if verdict != want {
		t.Errorf("got %s: %+v", verdict, got.Violations)
	}
}
