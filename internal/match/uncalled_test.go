package match_test

import (
	"fmt"
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// TestSourceThatNobodyCalled: where nobody looked, the user's own words give a name to a call that can be taken back, and to another one what
// the source is asked for by its name. No number, day or choice follows from them, nor what the scope uses for something else.
func TestSourceThatNobodyCalled(t *testing.T) {
	const (
		invoice = `{"tool":"read_file","args":{"/path":{"is":"450"}},"field":%q}`
		listed  = `{"tool":"list_mails","field":"id","where":%s}`
	)
	number := `{"from":[` + fmt.Sprintf(invoice, "amount") + `],"kind":"number","pick":"only"}`
	mail := func(where, rest string) string {
		return `{"from":[` + fmt.Sprintf(listed, where) + `],"kind":"id",` + rest + `}`
	}

	for name, c := range map[string]struct {
		constraint, value string
		write, want       bool
	}{
		"the number of the invoice as its amount":   {number, "450", false, false},
		"the same, of a call that can be undone":    {number, "450", true, false},
		"another number that the user said":         {number, "500", true, false},
		"a day":                                     {`{"from":[` + fmt.Sprintf(invoice, "day") + `],"kind":"date","pick":"only"}`, "2026-05-10", true, false},
		"what the source is asked for by its name":  {`{"from":[` + fmt.Sprintf(invoice, "path") + `],"kind":"path","pick":"only"}`, "450", false, true},
		"the record of that id":                     {mail(`{"id":"I-1"}`, `"pick":"only"`), "I-1", false, true},
		"the record of that id, in a state":         {mail(`{"id":"I-1","state":"open"}`, `"pick":"only"`), "I-1", false, false},
		"the record of that id, or in a parent":     {mail(`{"id":{"is":"I-1","or":["parent"]}}`, `"pick":"only"`), "I-1", false, false},
		"the record of that id, by a search":        {`{"from":[{"tool":"list_mails","args":{"/query":{"is":"open"}},"field":"id","where":{"id":"I-1"}}],"kind":"id","pick":"only"}`, "I-1", false, false},
		"what one of two arguments asks for":        {`{"from":[{"tool":"list_mails","args":{"/query":{"is":"I-1"},"/day":{"is":"2026-05-10"}},"field":"query"}],"kind":"id","pick":"only"}`, "I-1", false, false},
		"a record of one of two ids":                {mail(`{"id":["I-1","I-2"]}`, `"pick":"only"`), "I-1", false, false},
		"the older of two":                          {mail(`{"id":"I-1"}`, `"pick":"choice","by":"the oldest"`), "I-1", true, false},
		"the one that another one replaces":         {`{"from":[{"tool":"read_file","args":{"/path":{"is":"I-1"}},"field":"replaced"}],"kind":"id","pick":"only"}`, "I-1", true, false},
		"a name that the user said":                 {`{"from":[{"tool":"list_mails","field":"name","where":{"id":"I-1"}}],"kind":"name","pick":"only"}`, "Ann", true, true},
		"the same, of a call that can't be undone":  {`{"from":[{"tool":"list_mails","field":"name","where":{"id":"I-1"}}],"kind":"name","pick":"only"}`, "Ann", false, false},
		"a usual name, which goes without saying":   {`{"from":[{"tool":"list_mails","field":"name"}],"kind":"name","pick":"only"}`, "main", false, true},
		"everything, which doesn't":                 {`{"from":[{"tool":"list_mails","field":"name"}],"kind":"name","pick":"only"}`, "*", false, false},
		"a name of a record that nobody looked for": {`{"from":[{"tool":"list_mails","field":"name","where":{"id":"I-1"}}],"kind":"name","pick":"only"}`, "main", false, false},
		"an id that is invented":                    {mail(`{"name":"Ann"}`, `"pick":"only"`), "C7", false, false},
		"a name in a list from which one is barred": {`{"from":[{"tool":"list_mails","field":"name"}],"kind":"name","pick":"only","except":[{"tool":"list_mails","field":"name"}]}`, "Ann", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"pay","args":{"/amount":`+c.constraint+`}}]}`), tools(t))
			if err != nil || len(refused) > 0 {
				t.Fatal(err, refused)
			}
			p := &match.Proposal{Server: "mailbox", Tool: "pay", Irreversible: !c.write,
				Args: []match.Argument{{Pointer: "/amount", Text: c.value, Role: label.Selector, Said: true}}}
			task := match.NewTask(s, "Invoice 450, I-1 of Ann or I-2, of 2026-05-10, and not 500.")
			if _, misses, ok := task.Match(p, nil); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}
