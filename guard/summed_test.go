package guard_test

import (
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// hotel has a tool that takes a list of persons.
const hotel = `{"tools": [{"name": "get_room", "description": "Shows a room.", "inputSchema": {"type": "object"}}, {"name": "book_room", "description": "Books a room.", "inputSchema": {"type": "object", "properties": {
	"method": {"type": "string"}, "guests": {"type": "array", "items": {"type": "object"}}}}}]}`

// hotelRule makes a guard of the tool book_room with one policy.
func hotelRule(t *testing.T, require string) *guard.Guard {
	t.Helper()
	f, err := guard.Load("book_room.yaml", []byte("tool: book_room\npolicies:\n  - name: listed\n    require: '"+require+"'\n    message: List them.\n"))
	must(t, err)
	c, err := schema.Parse("hotel.json", []byte(hotel))
	must(t, err)
	set, err := guard.Compile([]*guard.File{f}, guard.Deployment{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}})
	must(t, err)
	g, ok := set.Guard("hotel", "book_room")
	if !ok {
		t.Fatal("no guard")
	}
	return g
}

const (
	ann = `{"born":"1990-01-01","first":"Ann","last":"Lee"}`
	bob = `{"born":"1985-05-05","first":"Bob","last":"Roe"}`
)

// TestSummedUp: what the agent says of guests of whom the user told, in place of their names.
func TestSummedUp(t *testing.T) {
	const firstNames, whole = `session.listed(args.guests.map(g, g.first))`, `session.listed(args.guests)`
	const one, two = "user: For Ann Lee, 1990-01-01.", "user: For Ann Lee 1990-01-01; Bob Roe 1985-05-05."
	const saved = `get_customer: {"customer_id": "c9", "saved": [{"first": "Eva", "last": "Poe", "born": "1970-07-07"}]}`
	for name, c := range map[string]struct {
		require, guests string
		talk            []string
		want            label.Verdict
	}{
		"one":                           {firstNames, ann, []string{one, "agent: A room for 1 guest(s), $80. OK?", "user: Yes"}, label.Allow},
		"one, without a count":          {firstNames, ann, []string{one, "agent: A room on May 3, $80. OK?", "user: Yes"}, label.Allow},
		"two, as a digit":               {firstNames, ann + "," + bob, []string{two, "agent: A room for 2 guest(s). OK?", "user: Yes"}, label.Allow},
		"two, as a word":                {whole, ann + "," + bob, []string{two, "agent: A room for two adult guests. OK?", "user: Yes"}, label.Allow},
		"two, both":                     {whole, ann + "," + bob, []string{two, "agent: A room for both guests. OK?", "user: Yes"}, label.Allow},
		"two, after the word":           {whole, ann + "," + bob, []string{two, "agent: Guests: 2, breakfast: none. OK?", "user: Yes"}, label.Allow},
		"two, by first names":           {whole, ann + "," + bob, []string{two, "agent: A room for Ann and Bob. OK?", "user: Yes"}, label.Allow},
		"two, counted before":           {whole, ann + "," + bob, []string{two, "agent: For two guests, then. Breakfast?", "user: No", "agent: That's $80. OK?", "user: Yes"}, label.Allow},
		"whole names":                   {`session.listed(args.guests.map(g, g.first + " " + g.last))`, ann + "," + bob, []string{two, "agent: A room for 2 guests. OK?", "user: Yes"}, label.Allow},
		"with a price for each":         {whole, ann + "," + bob, []string{two, "agent: A room for 2 guests, 30 dollars per guest. OK?", "user: Yes"}, label.Allow},
		"two, without a count":          {firstNames, ann + "," + bob, []string{two, "agent: A room on May 3. OK?", "user: Yes"}, label.Ask},
		"a wrong count":                 {firstNames, ann + "," + bob, []string{two, "agent: A room for one guest. OK?", "user: Yes"}, label.Ask},
		"too many":                      {firstNames, ann, []string{one, "agent: A room for 2 guests. OK?", "user: Yes"}, label.Ask},
		"a count of something else":     {firstNames, ann + "," + bob, []string{two, "agent: A room with 2 beds. OK?", "user: Yes"}, label.Ask},
		"a price for each alone":        {firstNames, ann + "," + bob, []string{two, "agent: A room, $2 per guest. OK?", "user: Yes"}, label.Ask},
		"two counts":                    {firstNames, ann + "," + bob, []string{two, "agent: 2 guests, of whom 1 guest pays. OK?", "user: Yes"}, label.Ask},
		"one of two named":              {firstNames, ann + "," + bob, []string{two, "agent: A room for 2 guests, Ann and one more. OK?", "user: Yes"}, label.Ask},
		"one of two told":               {firstNames, ann, []string{two, "agent: A room for one guest. OK?", "user: Yes"}, label.Ask},
		"the other of two told":         {firstNames, ann, []string{two, "agent: A room for Bob Roe. OK?", "user: Yes"}, label.Ask},
		"a saved one named instead":     {firstNames, ann, []string{saved, one, "agent: A room for Eva Poe. OK?", "user: Yes"}, label.Ask},
		"a saved one named beside":      {firstNames, ann + "," + bob, []string{saved, two, "agent: A room for 2 guests, Bob and Eva. OK?", "user: Yes"}, label.Ask},
		"exchanged for another":         {firstNames, ann + "," + bob, []string{two, "user: Instead of Bob take Kim Fox 1999-09-09.", "agent: A room for 2 guests. OK?", "user: Yes"}, label.Ask},
		"three told, two called":        {firstNames, ann + "," + bob, []string{"user: For Ann Lee 1990-01-01, Bob Roe 1985-05-05 and Kim Fox 1999-09-09.", "agent: A room for 2 guests. OK?", "user: Yes"}, label.Ask},
		"counted before they were told": {firstNames, ann + "," + bob, []string{"agent: A room for 2 guests?", two, "agent: OK?", "user: Yes"}, label.Ask},
		"counted after the answer":      {firstNames, ann + "," + bob, []string{two, "agent: OK?", "user: Yes", "agent: For 2 guests."}, label.Ask},
		"counted otherwise since":       {firstNames, ann + "," + bob, []string{two, "agent: For 2 guests?", "user: Yes", "agent: A room for 1 guest. OK?", "user: Yes"}, label.Ask},
		"refused by name":               {firstNames, ann, []string{one, "agent: A room for Ann. OK?", "user: No", "agent: A room for one guest. OK?", "user: Yes"}, label.Ask},
		"told in part":                  {firstNames, ann, []string{"user: For Ann Lee.", "agent: A room for one guest. OK?", "user: Yes"}, label.Ask},
		"another birth date":            {whole, ann, []string{"user: For Ann Lee, 1991-01-01.", "agent: A room for one guest. OK?", "user: Yes"}, label.Deny},
		"told by a mail":                {firstNames, ann, []string{`read_mail: {"text": "Ann Lee, 1990-01-01"}`, "user: The one in the mail.", "agent: A room for one guest. OK?", "user: Yes"}, label.Ask},
		"taken back":                    {firstNames, ann, []string{one, "user: No, not for Ann Lee, 1990-01-01.", "agent: A room for one guest. OK?", "user: Yes"}, label.Ask},
		"a code":                        {`session.listed(args.guests)`, `{"seat":"12A","train":"TR001"}`, []string{"user: Seat 12A of TR001.", "agent: One seat. OK?", "user: Yes"}, label.Ask},
		"what is more than texts":       {`session.listed(args.guests)`, `{"bags":3,"first":"Ann"}`, []string{"user: Ann, with three bags.", "agent: One guest. OK?", "user: Yes"}, label.Ask},
		"what the call has elsewhere":   {`session.listed([args.method])`, `{"first":"card","last":"Lee"}`, []string{"user: For card Lee.", "agent: One guest. OK?", "user: Yes"}, label.Ask},
		"nothing was proposed":          {firstNames, ann, []string{one, "user: Yes"}, label.Ask},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(`{"guests":[` + c.guests + `],"method":"card"}`)
			r.History = talk(c.talk...)
			wantVerdict(t, hotelRule(t, c.require), r, c.want)
		})
	}
}
