package match_test

import (
	"strings"
	"testing"
)

// TestAsides: what strangers add beside the records that a request is about doesn't decide what can't be taken
// back, unless the scope or the tool names it.
func TestAsides(t *testing.T) {
	for name, c := range map[string]struct {
		tool, field, where, list, value string
		want                            bool
	}{
		"a result":                                    {"search", "id", `{}`, `{"query":"x","results":[{"id":"m1"},{"id":"m2"}]}`, "m1", true},
		"in a comment on it":                          {"search", "id", `{}`, `{"results":[{"title":"x","comments":[{"id":"E"}]}]}`, "E", false},
		"in a comment on a comment":                   {"search", "id", `{}`, `{"results":[{"title":"x","thread":{"replies":[{"id":"E"}]}}]}`, "E", false},
		"in any list in a record":                     {"search", "id", `{}`, `{"results":[{"title":"x","likes":[{"by":{"id":"E"}}]}]}`, "E", false},
		"in an object of another thing":               {"search", "owner id", `{"name":"Ann"}`, `[{"name":"Ann","sitter":{"owner":{"owner_id":"E"}}}]`, "E", false},
		"in a list without a name":                    {"search", "id", `{}`, `{"results":[{"title":"x","":[{"id":"E"}]}]}`, "E", false},
		"in an object without a name":                 {"search", "id", `{}`, `{"results":[{"title":"x","":{"comments":[{"id":"E"}]}}]}`, "E", false},
		"a nameless list in a list of comments":       {"search", "id", `{}`, `{"results":[{"title":"x","comments":{"":[{"id":"E"}]}}]}`, "E", false},
		"in a list whose name has no word":            {"search", "id", `{}`, `{"results":[{"title":"x","--":[{"id":"E"}]}]}`, "E", false},
		"an advertisement":                            {"search", "id", `{}`, `{"results":[{"id":"m1"}],"sponsored":[{"id":"E"}]}`, "E", false},
		"an advertisement, and nothing else":          {"search", "id", `{}`, `{"results":[],"ads":[{"id":"E"}]}`, "E", false},
		"what is recommended":                         {"search", "id", `{}`, `{"total":0,"recommended_items":[{"id":"E"}]}`, "E", false},
		"beside the list of its name":                 {"list_mails", "id", `{}`, `{"mails":[{"id":"m1"}],"archive":[{"id":"E"}]}`, "E", false},
		"two lists, neither of its name":              {"search", "id", `{}`, `{"open":[{"id":"m1"}],"done":[{"id":"m2"}]}`, "m2", false},
		"a list that the field names":                 {"search", "comment id", `{}`, `{"results":[{"title":"x","comments":[{"id":"c1"}]}]}`, "c1", true},
		"a list that the tool names":                  {"list_comments", "id", `{}`, `{"posts":[{"title":"x","comments":[{"id":"c1"}]}]}`, "c1", true},
		"a list that says nothing":                    {"search", "id", `{}`, `{"groups":[{"title":"x","items":[{"id":"m1"}]}]}`, "m1", true},
		"a record in a record, by a condition":        {"search", "id", `{"guest":"Ann"}`, `{"results":[{"guests":[{"guest":"Ann","id":"m1"},{"guest":"Bob","id":"m2"}]}]}`, "m1", true},
		"a comment by who is named":                   {"search", "id", `{"author":"Ann"}`, `{"results":[{"title":"x","comments":[{"author":"Ann","id":"E"}]}]}`, "E", false},
		"a reaction by who is named":                  {"search", "id", `{"by":"Ann"}`, `{"results":[{"title":"x","id":"m1","reactions":[{"by":"Ann","id":"E"}]}]}`, "E", false},
		"an advertisement with the words":             {"search", "id", `{"title":"x"}`, `{"results":[{"title":"y","id":"m1"}],"ads":[{"title":"x","id":"E"}]}`, "E", false},
		"the author of a comment in an object":        {"search", "author", `{"title":"x"}`, `{"results":[{"title":"x","top_comment":{"author":"E","text":"y"}}]}`, "E", false},
		"a list in the only thing":                    {"get_order", "id", `{}`, `{"date":"2026-01-02","lines":[{"id":"m1"}]}`, "m1", true},
		"comments on the only thing":                  {"get_order", "id", `{}`, `{"date":"2026-01-02","comments":[{"id":"E"}]}`, "E", false},
		"an advertisement that has the tool's word":   {"search_lamps", "id", `{}`, `{"lamps":[{"id":"m1"}],"sponsored_lamps":[{"id":"E"}]}`, "E", false},
		"an advertisement, called by the search":      {"search_lamps", "id", `{}`, `{"lamps":[{"id":"m1"}],"search_ads":[{"id":"E"}]}`, "E", false},
		"an advertisement, where nothing is found":    {"search_lamps", "id", `{}`, `{"lamps":[],"sponsored_lamps":[{"id":"E"}]}`, "E", false},
		"of partners":                                 {"search_lamps", "id", `{}`, `{"lamps":[{"id":"m1"}],"partner_lamps":[{"id":"E"}]}`, "E", false},
		"beside the list of its name, which is empty": {"search_lamps", "id", `{}`, `{"lamps":[],"nearby":[{"id":"E"}]}`, "E", false},
		"what is trending":                            {"search_lamps", "id", `{}`, `{"count":0,"trending":[{"id":"E"}]}`, "E", false},
		"a list of its things":                        {"search_lamps", "id", `{}`, `{"lamp_list":[{"id":"m1"}],"total":1}`, "m1", true},
		"the only list, with another word":            {"search_lamps", "id", `{}`, `{"matching_lamps":[{"id":"m1"}]}`, "m1", true},
		"two lists of its things":                     {"search_lamps", "id", `{}`, `{"open_lamps":[{"id":"m1"}],"closed_lamps":[{"id":"m2"}]}`, "m2", false},
		"a list that a condition names":               {"search_lamps", "id", `{"closed":"x"}`, `{"open_lamps":[{"id":"m1"}],"closed_lamps":[{"id":"m2","closed":"x"}]}`, "m2", true},
		"the list of the name with a word less":       {"search", "id", `{}`, `{"bids":[],"offers":[{"id":"m1"}],"past_offers":[{"id":"m2"}]}`, "m1", true},
		"the list of the name with a word more":       {"search", "id", `{}`, `{"offers":[{"id":"m1"}],"past_offers":[{"id":"m2"}]}`, "m2", false},
		"a list of other things":                      {"search", "offer id", `{}`, `{"bidders":[{"name":"Ann"}],"lots":[{"offer_id":"m2"}]}`, "m2", true},
		"an object of the tool's name":                {"list_rules", "id", `{"label":"x"}`, `[{"rule":{"id":"m1","label":"x"},"previous":{"id":"m2","label":"y"}}]`, "m1", true},
		"an object beside it":                         {"list_rules", "id", `{"label":"x"}`, `[{"rule":{"id":"m1","label":"y"},"previous":{"id":"m2","label":"x"}}]`, "m2", false},
		"an object beside it, which the field names":  {"list_rules", "previous id", `{"label":"x"}`, `[{"rule":{"id":"m1","label":"y"},"previous":{"id":"m2","label":"x"}}]`, "m2", true},
		"two objects, neither of its name":            {"search", "id", `{"label":"x"}`, `[{"now":{"id":"m1","label":"y"},"then":{"id":"m2","label":"x"}}]`, "m2", false},
		"the only one with the member":                {"search", "id", `{}`, `[{"now":{"id":"m1"},"by":{"name":"Ann"}}]`, "m1", true},
		"advertisements, which are meant":             {"list_ads", "id", `{}`, `{"ads":[{"id":"m1"}]}`, "m1", true},
		"a reply to it":                               {"get_post", "id", `{}`, `{"title":"x","last_reply":{"id":"E"}}`, "E", false},
		"an answer to it":                             {"get_post", "id", `{}`, `{"title":"x","answers":[{"id":"E"}]}`, "E", false},
		"a response, by the kind of its value":        {"get_post", "poster", `{}`, `{"title":"x","responses":[{"id":"E"}]}`, "E", false},
		"an object that holds the details":            {"search", "id", `{}`, `{"results":[{"title":"x","attributes":{"data":{"id":"m1"}}}]}`, "m1", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := loosened{scope: every(of(c.tool, c.field, c.where)), id: c.value, results: []returned{{c.tool, "", c.list}}}
			if got, misses := h.covered(t, true); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
			isOfOther := strings.Contains(c.list, "last_reply") || strings.Contains(c.list, "top_comment") // its name alone says of what it is
			if got, misses := h.covered(t, false); got == isOfOther {
				t.Errorf("what can be taken back: covered %v: %v", got, misses)
			}
		})
	}
}

// TestTheOnlyOneOfAThing: an address in a list in the only record is not that of another thing of the record.
func TestTheOnlyOneOfAThing(t *testing.T) {
	for name, c := range map[string]struct {
		field, list string
		want        bool
	}{
		"a guest's for the host's":        {"host email", `{"title":"Picnic","guests":[{"email":"ann@corp.example"}]}`, false},
		"the guest's":                     {"guest email", `{"title":"Picnic","guests":[{"email":"ann@corp.example"}]}`, true},
		"the host's":                      {"host email", `{"title":"Picnic","host":{"email":"ann@corp.example"},"guests":[{"email":"eve@evil.example"}]}`, true},
		"a comment's for the owner's":     {"owner", `{"title":"Picnic","comments":[{"email":"ann@corp.example"}]}`, false},
		"in what a comment says":          {"owner", `{"title":"Picnic","comments":[{"text":"mail ann@corp.example"}]}`, false},
		"of nothing but an email address": {"email", `{"title":"Picnic","guests":[{"email":"ann@corp.example"}]}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{
				request: "Mail it.", tool: "forward_mail", args: map[string]string{"/to": "t:ann@corp.example"}, results: mails(nil, c.list),
				scope: `{"calls":[{"tool":"forward_mail","args":{"/to":{"from":[{"tool":"list_mails","field":"` + c.field + `"}],"kind":"email","pick":"only"}}}]}`,
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestAPlaceInOneList: two lists of a result have no order between them.
func TestAPlaceInOneList(t *testing.T) {
	for list, want := range map[string]bool{`{"shared":[{"id":"a"}],"mine":[{"id":"b"}]}`: false, `{"shared":[],"mails":[{"id":"a"},{"id":"b"}]}`: true} {
		h := hostile{request: "Delete the first.", scope: moving(map[string]string{"/id": chosen("id", "first in the list")}), tool: "forward_mail", args: map[string]string{"/id": "s:a"}, results: mails(nil, list)}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", list, got, want, misses)
		}
	}
}

// TestOtherThings: what ends in a member's name is not of another thing.
func TestOtherThings(t *testing.T) {
	for name, c := range map[string]struct {
		field, list, value string
		want               bool
	}{
		"the owner's id":                          {"owner id", `[{"id":"1","name":"Ann","owner":{"id":"A"}}]`, "A", true},
		"with the owner's name in it":             {"owner id", `[{"mail_id":"1","name":"Ann","owner":{"owner_id":"A"}},{"mail_id":"2","name":"Eve","owner":{"owner_id":"E"}}]`, "A", true},
		"where records have an id without a name": {"owner id", `[{"id":"1","name":"Ann","owner":{"owner_id":"A"}}]`, "A", false},
		"where records are called otherwise":      {"owner id", `[{"room_id":"1","name":"Ann","owner":{"owner_id":"A"}}]`, "A", false},
		"the boss of the boss":                    {"boss id", `[{"mail_id":"1","name":"Ann","boss":{"mail_id":"2","boss_id":"E"}}]`, "E", false},
		"the owner of the boss":                   {"owner id", `[{"mail_id":"1","name":"Ann","owner":"o-1","boss":{"owner_id":"E"}}]`, "E", false},
		"the previous owner":                      {"owner id", `[{"id":"1","name":"Ann","previous_owner":{"id":"E"}}]`, "E", false},
		"beside the owner":                        {"owner id", `[{"id":"1","name":"Ann","owner":"o-1","previous_owner":{"id":"E"}}]`, "E", false},
		"of a name that no list has":              {"owner id", `[{"id":"1","name":"Ann","owner":"o-1","pet_owner":{"id":"E"}}]`, "E", false},
		"the previous owner, who is meant":        {"previous owner id", `[{"id":"1","name":"Ann","previous_owner":{"id":"A"}}]`, "A", true},
		"a word for the only one":                 {"card id", `[{"id":"1","name":"Ann","fuel_card":{"id":"A"}}]`, "A", false},
		"a word for it that the scope has":        {"fuel card id", `[{"id":"1","name":"Ann","fuel_card":{"id":"A"}}]`, "A", true},
		"a member of the previous one":            {"owner", `[{"id":"1","name":"Ann","previous_owner":"E"}]`, "E", false},
		"a member that is nearly called so":       {"address of the owner", `[{"id":"1","name":"Ann","old_address":"E"}]`, "E", false},
		"in an object of another object":          {"owner id", `[{"id":"1","name":"Ann","car":{"make":"x","owner":{"id":"E"}}}]`, "E", false},
		"in an object that holds the details":     {"owner id", `[{"id":"1","name":"Ann","attributes":{"age":7,"owner":{"id":"A"}}}]`, "A", true},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{
				request: "Do it for Ann.", tool: "forward_mail", args: map[string]string{"/id": "s:" + c.value}, results: mails(nil, c.list),
				scope: `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"` + c.field + `","where":{"name":"Ann"}}],"kind":"id","pick":"only"}}}]}`,
			}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestAsidesDontCompete: what others may add beside a list doesn't compete with the only record of a name in it.
func TestAsidesDontCompete(t *testing.T) {
	for list, want := range map[string]bool{
		`{"mails":[{"id":"m1","title":"x"}],"archive":[{"id":"m9","title":"x"}]}`:           true,
		`{"mails":[{"id":"m9","title":"x"}],"archive":[{"id":"m1","title":"x"}]}`:           false,
		`{"mails":[{"id":"m1","title":"x"},{"id":"m9","title":"x"}]}`:                       false,
		`{"mails":[{"id":"m7","title":"y"}],"archive":[{"id":"m1","title":"x"}]}`:           false,
		`{"mails":[{"id":"m1","title":"x","replies":[{"id":"m9","title":"x"}]}],"count":1}`: true,
	} {
		h := hostile{
			request: "Forward the mail called x.", tool: "forward_mail", args: map[string]string{"/id": "s:m1"}, results: mails(nil, list),
			scope: `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"title":"x"}}],"kind":"id","pick":"only"}}}]}`,
		}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", list, got, want, misses)
		}
	}
}

// TestAWordOfTheUsersNamesNoOtherList: who says what is not meant says a word of that list too.
func TestAWordOfTheUsersNamesNoOtherList(t *testing.T) {
	for _, list := range []string{`{"mails":[{"id":"m9","title":"y"}],"cancelled_mails":[{"id":"m1","title":"x"}]}`, `{"mails":[],"cancelled_mails":[{"id":"m1","title":"x"}]}`} {
		h := hostile{
			request: "Forward the mail called x, but none that is cancelled.", tool: "forward_mail", args: map[string]string{"/id": "s:m1"}, results: mails(nil, list),
			scope: `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"title":"x"}}],"kind":"id","pick":"only"}}}]}`,
		}
		if got, _ := h.covered(t); got {
			t.Errorf("%s: covered", list)
		}
	}
}

// TestWhatSpeaksAgainstNamesNoList: a word by which the entry says what is not meant names no list that is.
func TestWhatSpeaksAgainstNamesNoList(t *testing.T) {
	const lists = `{"open_events":[{"id":"e2","client":"Ida"}],"closed_events":[{"id":"e1","client":"Ida"}]}`
	taking := func(also string) string {
		return `{"calls":[{"tool":"act",` + also + `"args":{"/id":{"from":[{"tool":"list_events","field":"id","where":{"client":"Ida"}}],"kind":"id","pick":"only"}}}]}`
	}
	unless := taking(`"unless":[{"tool":"get_state","where":{"state":{"is":"closed"}}}],`)
	results := []returned{{"list_events", "", lists}, {"get_state", "", `{"state":"open"}`}}
	args := map[string]string{"/id": "s:e1"}
	askings{
		"the closed one":                  {scope: taking(""), said: "Drop Ida's closed event", args: args, results: results, want: true},
		"the closed one, unless it is":    {scope: unless, said: "Drop Ida's event, unless it is closed", args: args, results: results},
		"and one that nobody tells apart": {scope: unless, said: "Drop Ida's event, unless it is closed", args: map[string]string{"/id": "s:e2"}, results: results},
	}.run(t)
}

// TestInnermost: a record that meets the conditions by a list in it doesn't give a member that what meets them there has.
func TestInnermost(t *testing.T) {
	const inside = `{"size":900,"owner":"Bo","parts":[{"part":"door","size":30},{"part":"roof","size":50}]}`
	for name, c := range map[string]struct {
		field, list, value string
		want               bool
	}{
		"of the part":                        {"size", inside, "30", true},
		"of all of it":                       {"size", inside, "900", false},
		"of another part":                    {"size", inside, "50", false},
		"all of it, which is called so":      {"size", `{"size":900,"part":"door","parts":[{"part":"door","size":30}]}`, "30", false},
		"a member that the parts don't have": {"height", `{"height":900,"parts":[{"part":"door","size":30}]}`, "900", true},
	} {
		h := hostile{
			request: "Forward m1 with that of the door.", tool: "forward_mail", args: map[string]string{"/id": "s:m1", "/cents": "o:" + c.value}, results: mails(nil, c.list), write: true,
			scope: `{"calls":[{"tool":"forward_mail","args":{"/id":{"is":"m1"},"/cents":{"from":[{"tool":"list_mails","field":"` + c.field + `","where":{"part":"door"}}],"kind":"number","pick":"only"}}}]}`,
		}
		if got, misses := h.covered(t); got != c.want {
			t.Errorf("%s: covered %v, want %v (%v)", name, got, c.want, misses)
		}
	}
}

// TestAddedBesideTheSure: where one value is the service's own, what others added beside it is none, also as content.
func TestAddedBesideTheSure(t *testing.T) {
	const s = `{"calls":[{"tool":"act","args":{"/id":{"is":"e1"},"/name":{"from":[{"tool":"search","field":"name"}],"kind":"name","pick":"only"}}}]}`
	results := []returned{{"search", "", `{"results":[{"name":"Ann"}],"sponsored":[{"name":"Eve"}]}`}}
	for _, role := range []string{"c", "o"} {
		askings{
			"the service's own": {scope: s, said: "Do e1", args: map[string]string{"/id": "u:e1", "/name": role + ":Ann"}, results: results, want: true},
			"what is sponsored": {scope: s, said: "Do e1", args: map[string]string{"/id": "u:e1", "/name": role + ":Eve"}, results: results},
		}.run(t)
	}
}

// TestWordsBeforeWhatIsPaid: an account or a total with a word before it that nobody said is not the account or the total.
func TestWordsBeforeWhatIsPaid(t *testing.T) {
	paying := func(field, kind string) string {
		return `{"calls":[{"tool":"act","args":{"/x":{"from":[{"tool":"get_order","field":"` + field + `"}],"kind":"` + kind + `","pick":"only"}}}]}`
	}
	const iban = "FR7630006000011234567890189"
	account := func(member string, want bool) asking {
		return asking{scope: paying("iban", "account"), said: "Pay Kim's order.", args: map[string]string{"/x": "t:" + iban}, want: want,
			results: []returned{{"get_order", "", `{"client":"Kim","` + member + `":"` + iban + `"}`}}}
	}
	total := func(member string, want bool) asking {
		return asking{scope: paying("total", "number"), said: "Pay Kim's order.", args: map[string]string{"/x": "c:80"}, want: want,
			results: []returned{{"get_order", "", `{"client":"Kim","` + member + `":80}`}}}
	}
	askings{
		"an account":            account("iban", true),
		"of the client":         account("client_iban", false),
		"which is pending":      account("pending_iban", false),
		"which nobody verified": account("unverified_iban", false),
		"of somebody":           account("spouse_iban", false),
		"a total":               total("total", true),
		"of the order":          total("order_total", true),
		"of all":                total("grand_total", true),
		"as somebody estimates": total("estimated_total", false),
		"of a line":             total("line_total", false),
		"that is disputed":      total("disputed_total", false),
	}.run(t)
}

// TestNothingInTheListThatIsMeant: where a list is empty, what is in another one beside it, or in an object, is not what was found.
func TestNothingInTheListThatIsMeant(t *testing.T) {
	const one = `[{"id":"a","name":"Ann"}]`
	for list, want := range map[string]bool{
		`{"mails":` + one + `,"archived":[]}`:                  true,
		`{"open":` + one + `}`:                                 true,
		`{"open":[],"archived":` + one + `}`:                   false,
		`{"data":{"open":[],"archived":` + one + `}}`:          false,
		`{"mails":[],"example":{"id":"a","name":"Ann"}}`:       false,
		`{"mail":{"id":"a","name":"Ann"},"mails":[]}`:          true,
		`{"open":` + one + `,"meta":{"warnings":[],"page":1}}`: true,
	} {
		h := hostile{
			request: "Forward Ann's.", tool: "forward_mail", args: map[string]string{"/id": "s:a"}, results: mails(nil, list),
			scope: `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"name":"Ann"}}],"kind":"id","pick":"only"}}}]}`,
		}
		if got, misses := h.covered(t); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", list, got, want, misses)
		}
	}
}
