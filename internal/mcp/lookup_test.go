package mcp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/mcp"
)

// Rules look things up over the conversation's own connection. The client hears
// of the rule, and of nothing else; duties that it leaves open are logged.
func TestPolicies(t *testing.T) {
	generations(t, func(t *testing.T, version string) {
		f, err := guard.Load("get_time.yaml", []byte(`tool: get_time
policies:
  - {name: empty, references: [The inbox is read first.], require: "tools.read_inbox({}).size() == 0", message: There is a mail to be read.}
  - {name: eve, require: 'tools.read_inbox({})[0].from == "eve@evil.example"', message: The mail is not Eve's.}
  - {name: slow, require: 'session.calls("read_inbox").size() > 0 || tools.get_end({}) == ""', message: Nobody knows.}
duties:
  - {name: reply, require: 'session.calls("send_email").size() > 0', message: Reply to the mail.}
`))
		if err != nil {
			t.Fatal(err)
		}
		later, err := guard.Load("read_inbox.yaml", []byte("tool: read_inbox\nduties: [{name: reply, require: 'session.calls(\"send_email\").size() > 0', message: Reply to the mail.}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		server := child(t, "desk", "desk")
		g, log := gateway(t, mcp.Options{Servers: []mcp.Server{server}, Policies: []*guard.File{f, later}})
		s := overStdio(t, g, "s1", nil, version)
		r := call(t, s, "get_time", empty{})
		if got := textOf(r); !r.IsError || got != "" && !strings.Contains(got, "the policies for this tool have mistakes") {
			t.Errorf("a rule that calls a tool that there isn't: %s", got)
		}
		if !strings.Contains(log.String(), "a rule can't be used, and its tool is denied") || !strings.Contains(log.String(), "get_time.yaml:5:") {
			t.Errorf("the log has %s", log)
		}
		f.Policies = f.Policies[:2]
		g, log = gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Policies: []*guard.File{f, later}})
		s = overStdio(t, g, "s2", nil, version)
		r = call(t, s, "get_time", empty{})
		got := textOf(r)
		if !r.IsError || !strings.Contains(got, "There is a mail to be read.") || !strings.Contains(got, "The inbox is read first.") || strings.Contains(got, "eve") {
			t.Errorf("got %s", got)
		}
		if got := textOf(call(t, s, "read_inbox", empty{})); got != mailbox {
			t.Errorf("read %s", got)
		}
		if said := log.String(); strings.Contains(said, "a rule can't be used, and") || strings.Contains(said, "before all servers have listed") != strings.Contains(said, "all rules can be used now") {
			t.Errorf("a rule without a mistake, in the log: %s", said)
		}
		if err := g.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if !strings.Contains(log.String(), "a duty is open as the client leaves") {
			t.Errorf("the log has %s", log)
		}
	})
}

// Where a look-up isn't what a rule guessed, a person decides: the call isn't denied for good.
func TestGuessedLookups(t *testing.T) {
	f, err := guard.Load("get_time.yaml", []byte(`tool: get_time
policies:
  - name: empty
    require: 'tools.read_inbox({}).mails.size() == 0'
    message: There is a mail to be read.
    guessed: [read_inbox]
    examples: [{name: none, expect: allow, given: [{tool: read_inbox, result: {mails: []}}]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Policies: []*guard.File{f}})
	r := call(t, overStdio(t, g, "s", nil, stateless), "get_time", empty{})
	got := textOf(r)
	for _, want := range []string{"read_inbox: what it returned is a list, where the rule expects an object", "rests on a guess"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %q", got, want)
		}
	}

	agrees := &yes{}
	g, _ = gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Policies: []*guard.File{f}, Approver: agrees})
	if r := call(t, overStdio(t, g, "s2", nil, stateless), "get_time", empty{}); r.IsError || len(agrees.asked) != 1 {
		t.Errorf("with a person who agrees: %s, asked %v", textOf(r), agrees.asked)
	}
}

// judge answers every question, and notes what it was asked, and whether the session
// has the call that the question is about.
type judge struct {
	yes   bool
	asked chan string
}

func (j judge) Judge(_ context.Context, q guard.Question, s *guard.History) (bool, string, error) {
	read := slices.ContainsFunc(s.Entries, func(e guard.Entry) bool { return e.Call != nil && e.Call.Tool == "read_inbox" && e.Call.Result != nil })
	j.asked <- fmt.Sprintf("%s %v", q.Text, read)
	return j.yes, "", nil
}

// Rules ask the gateway's judge, and fail without one.
func TestJudge(t *testing.T) {
	f, err := guard.Load("get_time.yaml", []byte("tool: get_time\npolicies: [{name: read, require: 'judge(\"Was the inbox read?\")', message: Read the inbox.}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan string, 1)
	for name, c := range map[string]struct {
		judge guard.Judge
		want  string // of what the client is told
	}{
		"yes": {judge{true, asked}, ""}, "no": {judge{false, asked}, "Read the inbox."}, "nobody": {nil, "no judge configured"},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Policies: []*guard.File{f}, Judge: c.judge})
			s := overStdio(t, g, "s", nil, legacy)
			call(t, s, "read_inbox", empty{})
			r := call(t, s, "get_time", empty{})
			if got := textOf(r); r.IsError != (c.want != "") || !strings.Contains(got, c.want) {
				t.Errorf("got %s", got)
			}
			if c.judge != nil {
				if got := <-asked; got != "Was the inbox read? true" {
					t.Errorf("asked %s", got)
				}
			}
		})
	}
}
