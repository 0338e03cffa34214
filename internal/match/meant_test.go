package match_test

import (
	"encoding/json"
	"testing"
)

// TestCalledAsTheCriterion: of the records that a source selects, "only" means the one whose name has
// the words of its criterion, and where none or several have them, all.
func TestCalledAsTheCriterion(t *testing.T) {
	const (
		free     = `,"/note":{"any":true}`
		ofFriday = `{"when":"2026-05-08"}`
		ofMoss   = `{"sender_name":{"contains":"Moss"}}`
		// lessons are those of one day.
		lessons = `[{"id":"v1","title":"Violin with Ida","when":"2026-05-08T10:00","hint":""},{"id":"v2","title":"Choir","when":"2026-05-08T17:00","hint":"bring a pencil"},{"id":"v3","title":"Violin exam","when":"2026-05-09T10:00","hint":""}]`
	)
	by := func(where, by, more string) string {
		name, _ := json.Marshal(by)
		return `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":` + where + `}],"kind":"id","pick":"only","by":` + string(name) + `}` + more + `}}]}`
	}
	from := func(title, sender, address, body string) string {
		record, _ := json.Marshal(map[string]string{"title": title, "sender_name": sender, "sender_email": address, "body": body})
		return string(record)[1:]
	}
	letters := func(all ...string) string {
		out := "["
		for i, l := range all {
			if i > 0 {
				out += ","
			}
			out += `{"id":"v` + string(rune('1'+i)) + `",` + l
		}
		return out + "]"
	}
	const own, other = "moss@garden.example", "moss@evil.example"
	boat := from("The boat", "Ada Moss", own, "shall we paint it?")
	tea := from("Tea", "Ada Moss", own, "at four?")
	alias := from("boat", "Moss", other, "shall we?")

	for name, c := range map[string]struct {
		scope, list, id       string
		reversibly, otherwise bool
	}{
		"the one that is called so":                  {by(ofFriday, "violin", ""), lessons, "v1", true, true},
		"another one":                                {by(ofFriday, "violin", ""), lessons, "v2", false, false},
		"one that the conditions leave out":          {by(ofFriday, "violin", ""), lessons, "v3", false, false},
		"in the plural":                              {by(ofFriday, "violins", ""), lessons, "v1", true, true},
		"none is called so":                          {by(ofFriday, "piano", ""), lessons, "v1", false, false},
		"one word of two":                            {by(ofFriday, "violin recital", ""), lessons, "v1", false, false},
		"a part of a word":                           {by(ofFriday, "vio", ""), lessons, "v1", false, false},
		"a remark says so":                           {by(ofFriday, "pencil", ""), lessons, "v2", false, false},
		"what shows beside others alone":             {by(ofFriday, "newest", ""), `[{"id":"v1","title":"newest","when":"2026-05-08"},{"id":"v2","title":"Choir","when":"2026-05-08"}]`, "v1", false, false},
		"a stranger's of the same name":              {by(ofFriday, "violin", ""), `[{"id":"v1","title":"Violin","when":"2026-05-08"},{"id":"v2","title":"violin!","when":"2026-05-08"}]`, "v1", false, false},
		"a stranger's that takes the name":           {by(ofFriday, "violin", ""), `[{"id":"v1","title":"Violin","when":"2026-05-08","hint":""},{"id":"v2","title":"Lesson","when":"2026-05-08","hint":"with your violin"}]`, "v1", true, false},
		"a title that one record alone has":          {by(ofFriday, "violin", ""), `[{"id":"v1","title":"Violin","when":"2026-05-08"},{"id":"v2","when":"2026-05-08"}]`, "v1", false, false},
		"the title of something in it":               {by(ofFriday, "violin", ""), `[{"id":"v1","when":"2026-05-08","meta":{"title":"violin"}},{"id":"v2","when":"2026-05-08","meta":{"title":"x"}}]`, "v1", false, false},
		"the name of somebody":                       {by(ofFriday, "violin", ""), `[{"id":"v1","title":"A","owner_name":"violin","when":"2026-05-08"},{"id":"v2","title":"B","owner_name":"x","when":"2026-05-08"}]`, "v1", false, false},
		"of letters by one person":                   {by(ofMoss, "boat", ""), letters(boat, tea), "v1", true, true},
		"a stranger of the name, who takes the word": {by(ofMoss, "boat", ""), letters(tea, alias), "v2", true, false},
		"a stranger of the name beside it":           {by(ofMoss, "boat", ""), letters(boat, alias), "v1", false, false},
		"another account of the name":                {by(ofMoss, "boat", ""), letters(boat[:len(boat)-1]+`,"iban":"DE89370400440532013000"}`, tea[:len(tea)-1]+`,"iban":"GB33BUKB20201555555555"}`), "v1", true, false},
		"one account of the name":                    {by(ofMoss, "boat", ""), letters(boat[:len(boat)-1]+`,"iban":"DE89370400440532013000"}`, tea[:len(tea)-1]+`,"iban":"DE89370400440532013000"}`), "v1", true, true},
		"a compound of the name":                     {by(ofFriday, "violin", ""), `[{"id":"v1","title":"Violin","when":"2026-05-08"},{"id":"v2","title":"Violinstunde","when":"2026-05-08"}]`, "v1", true, false},
		"a text of the agent's that would go there":  {by(ofMoss, "boat", free), letters(boat, tea), "v1", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			args := map[string]string{"/id": "s:" + c.id}
			if c.scope == by(ofMoss, "boat", free) {
				args["/note"] = "c:Yes, let us."
			}
			for _, reversibly := range []bool{true, false} {
				want := c.reversibly
				if !reversibly {
					want = c.otherwise
				}
				h := hostile{request: "The one I said.", scope: c.scope, results: mails(nil, c.list), tool: "forward_mail", args: args, write: reversibly}
				if got, misses := h.covered(t); got != want {
					t.Errorf("can be taken back %v: covered %v, want %v (%v)", reversibly, got, want, misses)
				}
			}
		})
	}
}

// TestNearestName: of several names with the words that are looked for, what can be taken back means
// the only one that is nothing else.
func TestNearestName(t *testing.T) {
	of := func(where string) string {
		return `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":` + where + `}],"kind":"id","pick":"only"}}}]}`
	}
	const milk = `{"title":{"contains":["milk","milks"]}}`
	for name, c := range map[string]struct {
		where, list, id string
		want            bool
	}{
		"the whole name":               {milk, `[{"id":"a","title":"Milk"},{"id":"b","title":"Milk rice"}]`, "a", true},
		"a longer one":                 {milk, `[{"id":"a","title":"Milk"},{"id":"b","title":"Milk rice"}]`, "b", false},
		"no whole name":                {milk, `[{"id":"a","title":"Oat milk"},{"id":"b","title":"Milk rice"}]`, "a", false},
		"two whole names":              {milk, `[{"id":"a","title":"Milk"},{"id":"b","title":"milk "},{"id":"c","title":"Milk rice"}]`, "a", false},
		"with a sign":                  {`{"title":{"contains":"C"}}`, `[{"id":"a","title":"C++"},{"id":"b","title":"C for all"}]`, "a", false},
		"whole in another member":      {milk, `[{"id":"a","title":"Oat milk","tag":"milk"},{"id":"b","title":"Milk rice","tag":""}]`, "a", false},
		"whole for one of two":         {`{"title":{"contains":"milk"},"shop":{"contains":"corner"}}`, `[{"id":"a","title":"Milk","shop":"the corner"},{"id":"b","title":"Milk rice","shop":"corner"}]`, "a", false},
		"whole in something around it": {milk, `{"title":"Milk","id":"a","parts":[{"id":"b","title":"Milk rice"}]}`, "b", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, reversibly := range []bool{true, false} {
				h := hostile{request: "The milk.", scope: of(c.where), results: mails(nil, c.list), tool: "forward_mail", args: map[string]string{"/id": "s:" + c.id}, write: reversibly}
				if got, misses := h.covered(t); got != (c.want && reversibly) {
					t.Errorf("can be taken back %v: covered %v, want %v (%v)", reversibly, got, c.want && reversibly, misses)
				}
			}
		})
	}
}

// TestNameOfWhatIsInside: a name of several words that only what is in a record has is no other member of the record that may be called so.
func TestNameOfWhatIsInside(t *testing.T) {
	const s = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"passenger id"}],"kind":"id","pick":"only"}}}]}`
	const booking = `{"flightNo":"SH143","departs":"10:35","passengers":[{"passengerId":"p-1","name":"Ann Lee"}]}`
	for name, c := range map[string]struct {
		list, id            string
		reversible, forSure bool
	}{
		"the id of the passenger":      {booking, "p-1", true, true},
		"the number of the flight":     {booking, "SH143", false, false},
		"in a list of another name":    {`{"flightNo":"SH143","comments":[{"passengerId":"p-9"}]}`, "p-9", false, false},
		"one of two":                   {`{"flightNo":"SH143","passengers":[{"passengerId":"p-1"},{"passengerId":"p-2"}]}`, "p-1", false, false},
		"where the record has its own": {`{"passengerId":"p-0","passengers":[{"passengerId":"p-1"}]}`, "p-1", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, reversibly := range []bool{true, false} {
				want := c.forSure
				if reversibly {
					want = c.reversible
				}
				h := hostile{request: "For the passenger.", scope: s, results: mails(nil, c.list), tool: "forward_mail", args: map[string]string{"/id": "s:" + c.id}, write: reversibly}
				if got, misses := h.covered(t); got != want {
					t.Errorf("can be taken back %v: covered %v, want %v (%v)", reversibly, got, want, misses)
				}
			}
		})
	}
}
