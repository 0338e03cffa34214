package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/guard"
)

// TestToldByTheSession looks things up where the reader can't call tools: what the agent itself
// looked up counts, while nothing can have changed it.
func TestToldByTheSession(t *testing.T) {
	now := request(call).Now
	made := func(id, tool, arguments, result string, at time.Time) guard.Entry {
		c := &guard.Call{ID: id, Server: "shop", Tool: tool, Arguments: json.RawMessage(arguments)}
		if result != "" {
			c.Result = guard.ResultOf(json.RawMessage(result))
		}
		return guard.Entry{Kind: guard.CallEntry, Time: at, Call: c}
	}
	const gold, silver = `{"id":"c1","tier":"gold","credit":20.5}`, `{"id":"c1","tier":"regular","credit":0}`
	looked := made("c1", "get_customer", `{"id": "c1"}`, gold, now.Add(-time.Minute))
	sent := made("c2", "send_email", `{"to":"x"}`, `{}`, now.Add(-30*time.Second))
	said := guard.Entry{Kind: guard.UserEntry, Text: "yes"}

	for name, c := range map[string]struct {
		entries []guard.Entry
		fails   string // part of what went wrong; "-" for a rule that holds, "" for one that doesn't
	}{
		"the agent looked it up":               {[]guard.Entry{looked, said}, "-"},
		"the latest counts":                    {[]guard.Entry{looked, made("c2", "get_customer", `{"id":"c1"}`, silver, now)}, ""},
		"another look-up came after":           {[]guard.Entry{looked, made("c2", "get_stock", `{"sku":"a"}`, `{"left":1}`, now)}, "-"},
		"one that has no result yet":           {[]guard.Entry{looked, made("c2", "get_customer", `{"id":"c1"}`, "", now)}, "-"},
		"nothing was looked up":                {[]guard.Entry{said}, `call get_customer with {"id":"c1"}, and then make this call again`},
		"of another customer":                  {[]guard.Entry{made("c1", "get_customer", `{"id":"c2"}`, gold, now)}, "call get_customer"},
		"of another server":                    {[]guard.Entry{{Kind: guard.CallEntry, Time: now, Call: &guard.Call{Server: "mail", Tool: "get_customer", Arguments: looked.Call.Arguments, Result: looked.Call.Result}}}, "call get_customer"},
		"something was changed since":          {[]guard.Entry{looked, sent}, "may have changed since"},
		"something was changed before":         {[]guard.Entry{sent, said, looked}, "-"},
		"something is changed in that message": {[]guard.Entry{said, sent, looked}, "may have changed since"},
		"an unknown tool was called since":     {[]guard.Entry{looked, made("c2", "mystery", `{}`, `{}`, now)}, "may have changed since"},
		"it was denied":                        {[]guard.Entry{{Kind: guard.DeniedEntry, Time: now, Call: looked.Call}}, "call get_customer"},
		"long ago":                             {[]guard.Entry{made("c1", "get_customer", `{"id":"c1"}`, gold, now.Add(-guard.MaxToldAge-time.Second))}, "may have changed since"},
		"it is not a record":                   {[]guard.Entry{made("c1", "get_customer", `{"id":"c1"}`, `"Error: no such customer"`, now)}, "the result"},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(call)
			r.History = &guard.History{Entries: c.entries}
			got := rules(t, `tools.get_customer({"id": args.customer}).tier == "gold"`).Evaluate(t.Context(), r)
			switch {
			case c.fails == "-" && len(got.Violations) > 0:
				t.Errorf("got %+v", got.Violations)
			case c.fails == "-":
				if from := got.Facts.Lookups[0].Result.From; from != "session:c1" {
					t.Errorf("from %q", from)
				}
			case len(got.Violations) == 0:
				t.Error("it holds")
			case (c.fails == "") != (got.Violations[0].Failed == "") || !strings.Contains(got.Violations[0].Failed, c.fails):
				t.Errorf("failed by %q, want %q", got.Violations[0].Failed, c.fails)
			}
		})
	}
}

// TestToldWithReader asks the reader first. What the session has counts for the tools that the
// reader can't call, and for no others: a failure is a failure.
func TestToldWithReader(t *testing.T) {
	r := request(call)
	r.History = &guard.History{Entries: []guard.Entry{{Kind: guard.CallEntry, Time: r.Now, Call: &guard.Call{
		ID: "c1", Server: "shop", Tool: "get_customer", Arguments: json.RawMessage(`{"id":"c1"}`), Result: guard.ResultOf(json.RawMessage(`{"id":"c1","tier":"gold","credit":1}`))}}}}
	for name, c := range map[string]struct {
		err   error
		holds bool
	}{
		"no reader can call it": {fmt.Errorf("server shop: %w", guard.ErrUnreached), true},
		"the call fails":        {context.DeadlineExceeded, false},
	} {
		r.Reader = reader(func(string, string) (*guard.Result, error) { return nil, c.err })
		got := rules(t, `tools.get_customer({"id": args.customer}).tier == "gold"`).Evaluate(t.Context(), r)
		if holds := len(got.Violations) == 0; holds != c.holds {
			t.Errorf("%s: holds is %t: %+v", name, holds, got.Violations)
		}
	}
}
