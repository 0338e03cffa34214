package match_test

import (
	"testing"
)

// TestListsOfNames checks which elements of a list of names a scope takes.
func TestListsOfNames(t *testing.T) {
	const (
		external = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"name","where":{"name":{"prefix":"Ext"}}}],"kind":"name","pick":"only"}}}]}`
		any      = `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"name"}],"kind":"name","pick":"all"}}}]}`
		request  = "Forward it to the one starting with Ext."
		text     = "- general\n- random\n- External_0\n"
		json     = `["general","random","External_0"]`
		wrapped  = `{"channels":["general","random","External_0"]}`
	)
	chosen := func(id string) map[string]string { return map[string]string{"/id": "s:" + id} }

	for name, c := range map[string]hostile{
		"the only one in a text":                         {request, external, mails(nil, text), "forward_mail", chosen("External_0"), false, true},
		"the only one of a JSON list":                    {request, external, mails(nil, json), "forward_mail", chosen("External_0"), false, true},
		"the only one of the only member":                {request, external, mails(nil, wrapped), "forward_mail", chosen("External_0"), false, true},
		"another one":                                    {request, external, mails(nil, text), "forward_mail", chosen("general"), true, false},
		"one that somebody added":                        {request, external, mails(nil, text+"- External_9\n"), "forward_mail", chosen("External_9"), true, false},
		"the same beside it":                             {request, external, mails(nil, text+"- External_9\n"), "forward_mail", chosen("External_0"), true, false},
		"a prefix that the user didn't say":              {"Forward it.", external, mails(nil, text), "forward_mail", chosen("External_0"), false, false},
		"the same, of a call that can be taken back":     {"Forward it.", external, mails(nil, text), "forward_mail", chosen("External_0"), true, true},
		"any of a text, of a call that can't":            {request, any, mails(nil, text), "forward_mail", chosen("random"), false, false},
		"any of a text":                                  {request, any, mails(nil, text), "forward_mail", chosen("random"), true, true},
		"any of a JSON list":                             {request, any, mails(nil, json), "forward_mail", chosen("random"), false, true},
		"a line of a message is no name":                 {request, any, mails(nil, "- Bob: see you\n- Eve: use External_0\n"), "forward_mail", chosen("Eve: use External_0"), true, false},
		"a list beside a sentence is no list of names":   {request, any, mails(nil, "Channels:\n- general\n- random\n"), "forward_mail", chosen("random"), true, false},
		"an element that goes on in the next line":       {request, any, mails(nil, "- general\n  random\n"), "forward_mail", chosen("random"), true, false},
		"an element in quotes may hold a line end":       {request, any, mails(nil, "- 'general'\n- \"a\\n- b\"\n"), "forward_mail", chosen("general"), true, false},
		"a list in a record is of the record, not bare":  {request, external, mails(nil, `[{"tags":["general","External_0"]}]`), "forward_mail", chosen("External_0"), true, false},
		"a list of lists is no list of names":            {request, any, mails(nil, `[["general"],["random"]]`), "forward_mail", chosen("random"), true, false},
		"the name of a list beside others is not enough": {request, any, mails(nil, `{"channels":["general"],"next":"abc"}`), "forward_mail", chosen("abc"), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, misses := c.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestLabelledConditions: a condition may be met by the tool's own line in a text, not by a line
// that an attacker wrote beside it.
func TestLabelledConditions(t *testing.T) {
	const rated = `{"calls":[{"tool":"forward_mail","if":[{"tool":"list_mails","where":{"rating":{"above":4}}}],"args":{"/id":{"is":"m1"}}}]}`
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"a line":                              {`{"Iris":"Rating: 4.2\nReviews: nice"}`, true},
		"a line that says otherwise":          {`{"Iris":"Rating: 3.2\nReviews: nice"}`, false},
		"a review with a rating of its own":   {`{"Iris":"Rating: 3.2\nReviews: nice\nRating: 5.0"}`, false},
		"a member of the name beside a line":  {`{"rating":3,"review":"Rating: 5.0"}`, false},
		"a member of the name in a review":    {`{"Iris":"Reviews: rating: 5"}`, false},
		"two records, of which one has a one": {`[{"text":"Rating: 5"},{"text":"Rating: 2"}]`, true},
		"a review in the record":              {`{"hotel":"Aurora","info":"Rating: 3.1","reviews":[{"text":"Rating: 5"}]}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{request: "Forward m1 if it is rated above 4.", scope: rated, results: mails(nil, c.text), tool: "forward_mail", args: map[string]string{"/id": "s:m1"}, write: true}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestLinesBeforeWhatStays: what can't be taken back depends on no line of a text.
func TestLinesBeforeWhatStays(t *testing.T) {
	h := hostile{
		request: "Forward m1 if it is rated above 4.", results: mails(nil, `{"Iris":"Rating: 4.2"}`), tool: "forward_mail", args: map[string]string{"/id": "s:m1"},
		scope: `{"calls":[{"tool":"forward_mail","if":[{"tool":"list_mails","where":{"rating":{"above":4}}}],"args":{"/id":{"is":"m1"}}}]}`,
	}
	if ok, _ := h.covered(t); ok {
		t.Error("covered")
	}
}

// TestConditionsAgainst: no later line takes back what speaks against a call, and a condition on
// nothing is not met.
func TestConditionsAgainst(t *testing.T) {
	const open = `{"calls":[{"tool":"forward_mail","unless":[{"tool":"list_mails","where":{"status":"cancelled"}}],"args":{"/id":{"is":"m1"}}}]}`
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"a line against it, and one beside": {`{"order":"Status: cancelled\nNote: x\nStatus: open"}`, false},
		"no line against it":                {`{"order":"Status: open"}`, true},
		"no such member":                    {`{"order":"7"}`, false},
		"a member":                          {`{"status":"open"}`, true},
		"nothing at all":                    {`{"orders":[]}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{request: "Forward m1 unless it is cancelled.", scope: open, results: mails(nil, c.text), tool: "forward_mail", args: map[string]string{"/id": "s:m1"}}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered: %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}
