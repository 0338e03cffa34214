package provenance

import (
	"testing"

	"github.com/remit-project/remit/label"
)

// TestOrdinaryPlaces checks where an ordinary word names a place: the user asked for what the
// tool does, and the word closes that clause.
func TestOrdinaryPlaces(t *testing.T) {
	for _, c := range []struct {
		user, tool, value string
		certain           bool
	}{
		{"Count them and post the three numbers in general, most first.", "post_to_channel", "general", true},
		{"Say in announcements that he has left. Post it in general", "post_to_channel", "general", true},
		{"Put her into general and design.", "join_user_to_channel", "design", true},
		{"Write it to ops, finance and design.", "post_to_channel", "design", false},
		{"Post a summary in general terms.", "post_to_channel", "general", false},
		{"What do people think in general?", "post_to_channel", "general", false},
		{"In general, post less.", "post_to_channel", "general", false},
		{"Read the plan and design.", "post_to_channel", "design", false},
		{"Never post anything in general.", "delete_channel", "general", false},
	} {
		if r := one(after(c.user, page), c.tool, "place", c.value); certain(r) != c.certain {
			t.Errorf("%q for %s of %q: %s with %b as %q", c.value, c.tool, c.user, r.Authority().Trust, r.Authority().Obligations, r.How)
		}
	}
}

// TestEveryMember checks when each record that a key led to was asked for.
func TestEveryMember(t *testing.T) {
	for _, c := range []struct {
		name, user string
		certified  bool
	}{
		{"every", "Send every member of the launch channel a message.", true},
		{"everybody who", "Put everybody in it who is in launch.", true},
		{"the members", "Greet the members of launch.", true},
		{"all messages", "Sum up all messages in the launch channel.", false},
		{"a member", "Greet a member of launch.", false},
		{"not all", "Tell somebody in the launch channel.", false},
		{"all of something else", "Read all mail. Then tell somebody in launch.", false},
		{"another group", "Send every member of the press channel a message. Then look at launch", false},
		{"nobody", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := after(c.user, page)
			text := `["Ann", "Bob Berg", "Li"]`
			s.Output("result:2", Result{Text: text, Document: document(t, text), Tool: "list_members", Spec: Spec{
				Trust: label.External,
				Certify: []Certify{{Procedure: "directory", Key: "launch", Unique: true, Roles: label.RolesOf(label.Target), Max: label.User,
					Field: func(p string) bool { return recordPrefix(p) == p }}},
			}})
			for _, who := range []string{"Ann", "Bob Berg", "Li"} {
				if r := one(s, "send_dm", "recipient", who); len(r.Offers) > 0 != c.certified {
					t.Errorf("%s: %+v", who, r)
				}
			}
			for _, who := range []string{"An", "Bob", "Berg", "Eve", "Li ", "li"} {
				if r := one(s, "send_dm", "recipient", who); len(r.Offers) > 0 {
					t.Errorf("%q is not a member: %+v", who, r)
				}
			}
		})
	}
}
