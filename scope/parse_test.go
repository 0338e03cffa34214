package scope_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
)

const mailbox = `{"tools": [
 {"name": "list_mails", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}, "day": {"type": "string"}, "start": {"type": "string"}}}},
 {"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}},
 {"name": "forward_mail", "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}, "to": {"type": "string"}, "cc": {"type": "string"}, "cents": {"type": "integer"}, "note": {"type": "string"}, "filter": {"type": "string"}}}},
 {"name": "pay", "inputSchema": {"type": "object", "properties": {"account": {"type": "string"}, "amount": {"type": "number"}}}},
 {"name": "invite", "inputSchema": {"type": "object", "properties": {"guests": {"type": "array", "items": {"type": "object", "properties": {"mail": {"type": "string"}}}}}}}
]}`

func tools(t *testing.T) []*schema.Catalogue {
	t.Helper()
	c, err := schema.Parse("mailbox", []byte(mailbox))
	if err != nil {
		t.Fatal(err)
	}
	return []*schema.Catalogue{c}
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		scope string
		// refused or wrong are words of what is reported.
		refused, wrong string
	}{
		"one call":                    {scope: `{"calls":[{"tool":"pay","times":2,"args":{"/amount":{"is":3}}}],"delegates":[]}`},
		"elements of a list":          {scope: `{"calls":[{"tool":"invite","args":{"/guests/*/mail":{"is":"a@x.io"}}}]}`},
		"an unknown tool":             {scope: `{"calls":[{"tool":"wipe"}]}`, refused: `no server has a tool "wipe"`},
		"an unknown argument":         {scope: `{"calls":[{"tool":"pay","args":{"/iban":{"any":true}}}]}`, refused: `no argument "/iban"`},
		"an unknown tool as a source": {scope: `{"calls":[{"tool":"pay","args":{"/amount":{"from":[{"tool":"wipe"}],"pick":"only"}}}]}`, refused: "no server"},
		"two ways at once":            {scope: `{"calls":[{"tool":"pay","args":{"/amount":{"is":3,"any":true}}}]}`, refused: "not 2 of them"},
		"no way at all":               {scope: `{"calls":[{"tool":"pay","args":{"/amount":{"by":"guess"}}}]}`, refused: "not 0 of them"},
		"a pick that is none":         {scope: `{"calls":[{"tool":"pay","args":{"/amount":{"from":[],"pick":"some"}}}]}`, refused: "only, all or choice"},
		"a negative count":            {scope: `{"calls":[{"tool":"pay","times":-1}]}`, refused: "from 1 to"},
		"an unknown member":           {scope: `{"calls":[{"tool":"pay","always":true}]}`, refused: "always"},
		"a hole without a constraint": {scope: `{"calls":[{"tool":"pay","args":{"/account":{"template":"x{y}","holes":{}}}}]}`, refused: "{y}"},
		"an object as a value":        {scope: `{"calls":[{"tool":"pay","args":{"/amount":{"is":{"a":1}}}}]}`, refused: "write a text"},
		"a name twice":                {scope: `{"calls":[],"calls":[]}`, wrong: "calls"},
		"a list":                      {scope: `[]`, wrong: "read the scope"},
		"too many calls":              {scope: `{"calls":[` + strings.Repeat(`{"tool":"pay"},`, scope.MaxCalls) + `{"tool":"pay"}]}`, wrong: "at most"},
		"nesting without end":         {scope: `{"calls":[{"tool":"pay","args":` + strings.Repeat(`{"/amount":{"pick":"only","from":[{"tool":"pay","args":`, 6) + `{}` + strings.Repeat(`}]}}`, 6) + `}]}`, refused: "deep"},
	} {
		t.Run(name, func(t *testing.T) {
			s, refused, err := scope.Parse([]byte(c.scope), tools(t))
			switch {
			case c.wrong != "":
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Fatalf("error %v, want %q", err, c.wrong)
				}
			case err != nil:
				t.Fatal(err)
			case c.refused == "" && (len(refused) > 0 || len(s.Calls) != 1):
				t.Fatalf("refused %v", refused)
			case c.refused != "" && (len(refused) != 1 || !strings.Contains(refused[0].Message, c.refused) || len(s.Calls) != 0):
				t.Fatalf("refused %v, want %q", refused, c.refused)
			}
		})
	}
}

// TestRefusedForms: what is wrong in a scope is said with what to write instead.
func TestRefusedForms(t *testing.T) {
	call := func(rest string) string { return `{"tool":"forward_mail",` + rest + `}` }
	note := func(c string) string { return call(`"args":{"/note":` + c + `}`) }
	for scopeText, want := range map[string]string{
		note(`{"date":"tomorrow"}`):        "write a day as 2026-01-31",
		note(`{"any":true,"except":[]}`):   "except and record go with from",
		note(`{"is":"x","record":"bill"}`): "except and record go with from",
		note(`{"equals":"x"}`):             `unknown field "equals": it may have is, date, from,`,
		call(`"only_if":[" "]`):            "in the user's words",
		call(`"only_if":["` + strings.Repeat("x", scope.MaxCondition+1) + `"]`):                                                                                                   "in at most",
		call(`"only_if":[` + strings.Repeat(`"a",`, scope.MaxOnlyIf) + `"a"]`):                                                                                                    "write at most 16",
		call(`"unless":[{"tool":"wipe"}]`):                                                                                                                                        "unless: no server has a tool",
		call(`"if":[{"tool":"list_mails","where":{"size":{"above":"much"}}}]`):                                                                                                    "number",
		call(`"if":[{"tool":"list_mails","where":{"day":{"before":"noon"}}}]`):                                                                                                    "write it as 2026-01-31, 2026-01-31 14:00 or 14:00",
		call(`"if":[{"tool":"list_mails","where":{"day":{"like":"noon"}}}]`):                                                                                                      "it may have or, is, from, prefix, ends, contains, before",
		call(`"if":[{"tool":"list_mails","where":{"day":{}}}]`):                                                                                                                   "the condition is empty",
		call(`"if":[{"tool":"list_mails","where":{"day":{"or":["date"]}}}]`):                                                                                                      "the condition is empty",
		call(`"if":[{"tool":"list_mails","where":{"day":{"is":1,"or":[""]}}}]`):                                                                                                   "write the names of members",
		call(`"if":[{"tool":"list_mails","where":{"day":{"from":[]}}}]`):                                                                                                          "write the source of the value",
		call(`"if":[{"tool":"list_mails","where":{"day":{"from":[{"tool":"list_mails"}]}}}]`):                                                                                     "needs a field",
		call(`"if":[{"tool":"list_mails","where":{"day":{"is":1,"from":[{"tool":"list_mails","field":"day"}]}}}]`):                                                                "from goes alone",
		call(`"if":[{"tool":"list_mails","where":{"day":{"from":[{"tool":"wipe","field":"day"}]}}}]`):                                                                             "no server has a tool",
		call(`"if":[{"tool":"list_mails","where":{"day":{"contains":{"a":1}}}}]`):                                                                                                 "write a text",
		note(`{"is":"x","from":[{"tool":"list_mails"}],"pick":"only","any":true}`):                                                                                                "is and from alone go together",
		call(`"if":[{"tool":"list_mails","where":` + strings.Repeat(`{"a":{"from":[{"tool":"list_mails","field":"a","where":`, 6) + `{"a":1}` + strings.Repeat(`}]}}`, 6) + `}]`): "nested more than 4 deep",
		call(`"group":"a","times":1`) + "," + call(`"group":"a","times":2`):                                                                                                       "write the same times for all of them",
	} {
		_, refused, err := scope.Parse([]byte(`{"calls":[`+scopeText+`]}`), tools(t))
		if err != nil || len(refused) != 1 || !strings.Contains(refused[0].Message, want) {
			t.Errorf("%s: refused %v (%v), want %q", scopeText, refused, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"calls":[{"tool":"pay","times":"each","args":{"/account":{"from":[{"tool":"list_mails","field":"account","where":{"size":{"above":3}}}],"pick":"all","by":"the newest"}}}]}`))
	f.Add([]byte(`{"calls":[{"tool":"pay","args":{"/account":{"template":"x{y}","holes":{"y":{"any":true}}}}}],"delegates":[{"tool":"read_file"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _, err := scope.Parse(data, nil)
		if err != nil {
			return
		}
		if _, left := s.Confirmable(); len(left) > len(s.Calls) {
			t.Errorf("%d of %d entries are left out", len(left), len(s.Calls))
		}
	})
}
