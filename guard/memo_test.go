package guard_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/guard"
)

// What a session remembers of what was said and looked up, and what is read of it ahead of decisions, changes no
// decision, whatever is said, called and looked up next, and in whatever order results come.
func TestRemembered(t *testing.T) {
	set, r := rental(t)
	var results []*guard.Result
	for _, e := range r.History.Entries {
		if e.Call != nil {
			results = append(results, e.Call.Result)
		}
	}
	words := []string{
		"", "Yes", "No, wait.", "Sounds good, thanks!", "Only the red one, please", "Yes, but not the voucher", "And the stove?", "I am ann@larsen.example, rental R100",
		"The voucher, please", "What about rental R101?", "Then I will do this for rental R100:\n- the tent for two, red\n- becomes the tent for three, green\n- 12.50 from the voucher\nDo you confirm (yes/no)?",
		"Shall I take your Visa ending in 7447, or the voucher?", "I swap g1 for g9 in R100 and refund R101 to card_1. Shall I?", "Is that all you want to swap?", "g8 instead of g9",
	}
	calls := []string{
		`{"rental_id":"R100","gear_ids":["g1"],"new_gear_ids":["g9"],"pay_with":"voucher_2"}`, `{"rental_id":"R100","gear_ids":["g1"],"new_gear_ids":["g8"],"pay_with":"card_1"}`,
		`{"rental_id":"R101","gear_ids":["g1","g2"],"new_gear_ids":["g9","g2"],"pay_with":"voucher_2"}`, `{"rental_id":"R100","gear_ids":[],"new_gear_ids":[],"pay_with":""}`,
	}

	rapid.Check(t, func(t *rapid.T) {
		session := &guard.History{}
		session.Remember()
		if rapid.Bool().Draw(t, "goes on") {
			session.Entries = slices.Clone(r.History.Entries)
		}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			kind := rapid.SampledFrom([]guard.EntryKind{guard.UserEntry, guard.AssistantEntry, guard.CallEntry, guard.DeniedEntry}).Draw(t, "kind")
			e := guard.Entry{Kind: kind, Text: rapid.SampledFrom(words).Draw(t, "text")}
			if kind == guard.CallEntry || kind == guard.DeniedEntry {
				tool := rapid.SampledFrom([]string{"get_rental", "get_member", "swap_gear"}).Draw(t, "tool")
				e.Call = &guard.Call{ID: tool, Server: "desk", Tool: tool, Arguments: json.RawMessage(rapid.SampledFrom(calls).Draw(t, "made"))}
				e.Text = ""
			}
			session.Entries = append(session.Entries, e)
			if rapid.Bool().Draw(t, "ahead") {
				set.ReadAhead(session)
			}

			fork := *session // goes on otherwise, and shares what is remembered
			fork.Entries = slices.Clone(session.Entries)
			if last := &fork.Entries[len(fork.Entries)-1]; last.Call == nil {
				last.Text = rapid.SampledFrom(words).Draw(t, "instead")
			}
			made := rapid.SliceOfN(rapid.SampledFrom(calls), 1, 2).Draw(t, "calls")
			beside := rapid.SliceOfN(rapid.SampledFrom(words), 1, 2).Draw(t, "texts beside")
			for range 4 {
				history := rapid.SampledFrom([]*guard.History{session, &fork}).Draw(t, "history")
				call := r
				call.Arguments = json.RawMessage(rapid.SampledFrom(made).Draw(t, "call"))
				call.Beside = rapid.SampledFrom(beside).Draw(t, "beside")
				call.History = history
				kept := set.Recall(call)
				call.History = &guard.History{Entries: history.Entries}
				if fresh := set.Recall(call); !reflect.DeepEqual(kept, fresh) {
					t.Fatalf("with what is remembered: %+v\nwithout: %+v", kept, fresh)
				}
				if c := e.Call; c != nil && c.Result == nil && rapid.Bool().Draw(t, "returns") {
					c.Result = rapid.SampledFrom(results).Draw(t, "result")
					if rapid.Bool().Draw(t, "the same again") {
						again := *c.Result
						c.Result = &again
					}
				}
			}
		}
	})
}
