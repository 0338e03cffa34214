package remit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// Types, enumerations and required members of a tool's definition are held,
// before anything is said about where values come from; a list where a switch is
// due would be "empty" to the one and true to the other.
func TestArgumentsAreHeldToTheDefinition(t *testing.T) {
	const definitions = `[
		{"name": "send_email", "inputSchema": {"type": "object", "required": ["to"], "properties": {
			"to": {"type": "string"}, "body": {"type": "string"}, "public": {"type": "boolean"}, "urgency": {"enum": ["low", "high"]}}}},
		{"name": "search_mail", "inputSchema": {"type": "object", "required": ["query"], "properties": {
			"query": {"type": "string"}, "limit": {"type": "integer", "maximum": 50}}}},
		{"name": "call_tool", "inputSchema": {"type": "object", "required": ["tool"], "properties": {
			"tool": {"type": "string"}, "arguments": {"type": ["object", "string"]}, "wait": {"type": "integer"}}}}]`
	tools, err := schema.Parse("mail.json", []byte(definitions))
	if err != nil {
		t.Fatal(err)
	}
	file := synth.Contract(tools)
	for i := range file.Tools {
		if file.Tools[i].Name == "call_tool" {
			file.Tools[i].Unwrap = &contract.Unwrap{Tool: "/tool", Arguments: "/arguments"}
		}
	}
	monitor, err := remit.New(remit.Options{Tools: []*schema.Catalogue{tools}, Contracts: []*contract.File{file}})
	if err != nil {
		t.Fatal(err)
	}

	for name, test := range map[string]struct {
		tool, arguments string
		want            string // the place, what is wrong and what to do; "" for allow
	}{
		"as declared":              {"send_email", `{"to": "bob@corp.example", "body": "hi", "public": false}`, ""},
		"a list for a switch":      {"send_email", `{"to": "bob@corp.example", "public": []}`, "/public: by the tool's schema, it must be boolean, not array; write true or false without quotes, or leave it out"},
		"null for a switch":        {"send_email", `{"to": "bob@corp.example", "public": null}`, "/public: by the tool's schema, it must be boolean, not null; leave it out"},
		"outside of the list":      {"send_email", `{"to": "bob@corp.example", "urgency": "highest"}`, `/urgency: by the tool's schema, it must be one of "low", "high"; correct it, or leave it out`},
		"nobody to send it to":     {"send_email", `{"body": "hi"}`, `: by the tool's schema, the member "to" is missing; add it: write a string in quotes`},
		"text for a number":        {"search_mail", `{"query": "bob@corp.example", "limit": "many"}`, "/limit: by the tool's schema, it must be integer, not string; write a whole number without quotes, or leave it out"},
		"out of range":             {"search_mail", `{"query": "bob@corp.example", "limit": 51}`, "/limit: by the tool's schema, it must be at most 50; correct it, or leave it out"},
		"a whole number":           {"search_mail", `{"query": "bob@corp.example", "limit": 3.0}`, ""},
		"a look-up with less":      {"search_mail", `{}`, ""},
		"through another tool":     {"call_tool", `{"tool": "send_email", "arguments": {"to": "bob@corp.example", "public": {}}}`, "/arguments/public: by the tool's schema, it must be boolean, not object; write true or false without quotes, or leave it out"},
		"as text through another":  {"call_tool", `{"tool": "send_email", "arguments": "{\"to\": [\"bob@corp.example\"]}"}`, "/arguments/to: by the tool's schema, it must be string, not array; write a string in quotes"},
		"without inner arguments":  {"call_tool", `{"tool": "send_email"}`, `/arguments: by the tool's schema, the member "to" is missing; add it: write a string in quotes`},
		"with null":                {"call_tool", `{"tool": "send_email", "arguments": null}`, `/arguments: by the tool's schema, it must be object or string, not null; leave it out`},
		"beside another's":         {"call_tool", `{"tool": "send_email", "arguments": {"to": "bob@corp.example"}, "wait": "1"}`, "/wait: by the tool's schema, it must be integer, not string; write a whole number without quotes, or leave it out"},
		"in order through another": {"call_tool", `{"tool": "send_email", "arguments": {"to": "bob@corp.example"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := monitor.Session("s")
			s.User("Mail \"hi\" to bob@corp.example, and search for what else he wrote.")
			d, err := s.Decide(context.Background(), remit.Call{Tool: test.tool, Arguments: json.RawMessage(test.arguments)})
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				if d.Verdict != remit.Allow {
					t.Errorf("%s: %+v", d.Verdict, d.Reasons)
				}
				return
			}
			if d.Verdict != remit.Deny || d.Reasons[0].Code != remit.InvalidArguments {
				t.Fatalf("%s: %+v", d.Verdict, d.Reasons)
			}
			r := d.Reasons[0]
			if got := fmt.Sprintf("%s: %s; %s", r.Path, r.Message, strings.Join(r.Remedies, ", ")); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
