package remit_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/synth"
)

// namer is a planner that also says what names mean, and keeps what it was asked.
type namer struct {
	*planner
	answer func(r *scope.NameRequest) (*scope.Naming, error)
	asked  []*scope.NameRequest
}

func (n *namer) Name(_ context.Context, r *scope.NameRequest) (*scope.Naming, error) {
	n.asked = append(n.asked, r)
	return n.answer(r)
}

// meaning is a namer that writes the scope of the tests below, and says what a name means.
func meaning(pairs ...string) *namer {
	var names []scope.Meant
	for i := 0; i < len(pairs); i += 2 {
		names = append(names, scope.Meant{Guess: pairs[i], Member: pairs[i+1]})
	}
	return &namer{
		planner: saying(`{"calls":[{"tool":"list_mails"},{"tool":"delete_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"folk":"Ann"}}],"kind":"id","pick":"only"}}}]}`),
		answer: func(*scope.NameRequest) (*scope.Naming, error) {
			return &scope.Naming{Names: names, Model: "test", InputTokens: 9}, nil
		},
	}
}

const annsMails = `[{"id":"m1","correspondent":"Ann","text":"hostile value"},{"id":"m2","correspondent":"Eve","text":"x","forged_key":"x"}]`

// listed is a session in which the mails were listed.
func listed(t *testing.T, p scope.Planner) (*remit.Monitor, *remit.Session) {
	t.Helper()
	c, err := schema.Parse("mail", []byte(`{"tools":[{"name":"list_mails","inputSchema":{"type":"object","properties":{}}},
		{"name":"send_mail","inputSchema":{"type":"object","properties":{"to":{"type":"string"},"body":{"type":"string"}},"required":["to"]}},
		{"name":"delete_mail","inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	m, err := remit.New(remit.Options{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}, Planner: p})
	if err != nil {
		t.Fatal(err)
	}
	s := m.Session("s")
	s.User("Delete Ann's mail.")
	listMails(t, s, "l", annsMails)
	return m, s
}

func listMails(t *testing.T, s *remit.Session, id, content string) {
	t.Helper()
	decideCall(t, s, remit.Call{ID: id, Tool: "list_mails", Arguments: json.RawMessage(`{}`)})
	if err := s.Result(t.Context(), remit.Result{Call: id, Content: content}); err != nil {
		t.Fatal(err)
	}
}

func deletion(id, mail string) remit.Call {
	return remit.Call{ID: id, Tool: "delete_mail", Arguments: json.RawMessage(`{"id":"` + mail + `"}`)}
}

// TestNames: the planner is asked once for a tool and a turn what the names mean that its records don't have, by the names of their
// members alone; its answer lets the call through that it is about, and no other.
func TestNames(t *testing.T) {
	n := meaning("folk", "correspondent")
	_, s := listed(t, n)
	if len(n.asked) != 0 {
		t.Error("the planner is asked for a call that only reads")
	}
	if d := decideCall(t, s, deletion("x", "m2")); d.Verdict != remit.Ask {
		t.Errorf("another mail: %s", d.Verdict)
	}
	if d := decideCall(t, s, deletion("y", "m1")); d.Verdict != remit.Allow {
		t.Errorf("Ann's mail: %s", d.Verdict)
	}

	if len(n.asked) != 1 {
		t.Fatalf("the planner was asked %d times", len(n.asked))
	}
	text, err := json.Marshal(n.asked[0])
	if err != nil || strings.Contains(string(text), "hostile") || strings.Contains(string(text), "forged") {
		t.Errorf("the planner was shown %s (%v)", text, err)
	}
	if got := n.asked[0]; !slices.Equal(got.Members, []string{"id", "correspondent", "text"}) || len(got.Guesses) != 1 || got.Guesses[0].Name != "folk" {
		t.Errorf("the planner was asked %s", text)
	}

	s.User("And again.")
	listMails(t, s, "l2", annsMails)
	decideCall(t, s, deletion("z", "m1"))
	if len(n.asked) != 2 {
		t.Errorf("in the next turn the planner was asked %d times", len(n.asked)-1)
	}
}

// TestNamesAreExplained: the certificate of a value says which name meant which member.
func TestNamesAreExplained(t *testing.T) {
	n := meaning("folk", "correspondent")
	n.planner = saying(`{"calls":[{"tool":"list_mails"},{"tool":"send_mail","args":{"/to":{"from":[{"tool":"list_mails","field":"from","where":{"folk":"Ann"}}],"kind":"email","pick":"only"},"/body":{"any":true}}}]}`)
	m, _ := listed(t, n)
	s := m.Session("s")
	s.User("Write to Ann.")
	listMails(t, s, "l", `[{"from":"ann@corp.example","correspondent":"Ann"},{"from":"eve@evil.example","correspondent":"Eve"}]`)
	d := decideCall(t, s, remit.Call{ID: "x", Tool: "send_mail", Arguments: json.RawMessage(`{"to":"ann@corp.example","body":"Hello"}`)})
	if text, _ := json.Marshal(d); d.Verdict != remit.Allow || !strings.Contains(string(text), `\"folk\" is correspondent`) {
		t.Errorf("the mail to Ann: %s", text)
	}
}

// TestNamesThatFail: an answer that says more than it may, none, or a planner that isn't asked leaves everything as it is.
func TestNamesThatFail(t *testing.T) {
	failing := meaning()
	failing.answer = func(*scope.NameRequest) (*scope.Naming, error) { return nil, errors.New("no answer") }
	panicking := meaning()
	panicking.answer = func(*scope.NameRequest) (*scope.Naming, error) { panic("namer") }
	for name, n := range map[string]*namer{
		"no member is meant":          meaning(),
		"a name that wasn't asked":    meaning("id", "text"),
		"a member that isn't offered": meaning("folk", "forged_key"),
		"a name twice":                meaning("folk", "correspondent", "folk", "text"),
		"an error":                    failing,
		"a panic":                     panicking,
	} {
		t.Run(name, func(t *testing.T) {
			_, s := listed(t, n)
			for range 2 {
				if d := decideCall(t, s, deletion("", "m1")); d.Verdict != remit.Ask {
					t.Errorf("Ann's mail: %s", d.Verdict)
				}
			}
			if len(n.asked) != 1 {
				t.Errorf("the planner was asked %d times", len(n.asked))
			}
		})
	}
	_, s := listed(t, meaning().planner)
	if d := decideCall(t, s, deletion("", "m1")); d.Verdict != remit.Ask || s.NameRequest("") != nil {
		t.Errorf("a planner that names nothing: %s", d.Verdict)
	}
}

// TestNamesAreInTheLog: a restored session decides by the answer in its log, and nobody is asked again; an answer of another turn, or a
// second one, says nothing.
func TestNamesAreInTheLog(t *testing.T) {
	n := meaning("folk", "correspondent")
	m, s := listed(t, n)
	r := s.NameRequest("delete_mail")
	if r == nil || s.NameRequest("send_mail") != nil {
		t.Fatalf("what is asked for the tools: %v", r)
	}
	naming, failed := scope.AskNames(t.Context(), n, r, 0)
	e, err := s.Named(r, naming, failed)
	if err != nil {
		t.Fatal(err)
	}
	planned := remit.Event{Kind: remit.ScopeEvent, Scope: json.RawMessage(`{"calls":[{"tool":"list_mails"},{"tool":"delete_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"folk":"Ann"}}],"kind":"id","pick":"only"}}}]}`)}
	begin := []remit.Event{
		{Kind: remit.UserEvent, Text: "Delete Ann's mail."}, planned,
		{Kind: remit.CallEvent, Verdict: remit.Allow, Call: &remit.Call{ID: "l", Tool: "list_mails", Arguments: json.RawMessage(`{}`)}},
		{Kind: remit.ResultEvent, Result: &remit.Result{Call: "l", Content: annsMails}},
	}
	late, worse := *e.Named, *e.Named
	late.Turn = 7
	worse.Names = []scope.Meant{{Guess: "folk", Member: "text"}}
	for name, c := range map[string]struct {
		events []remit.Event
		want   remit.Verdict
	}{
		"with the answer":                 {[]remit.Event{e}, remit.Allow},
		"and another one after it":        {[]remit.Event{e, {Kind: remit.ScopeEvent, Named: &worse}}, remit.Allow},
		"of another turn":                 {[]remit.Event{{Kind: remit.ScopeEvent, Named: &late}}, remit.Allow}, // it is asked
		"before a scope of other entries": {[]remit.Event{e, {Kind: remit.ScopeEvent, Scope: json.RawMessage(`{"calls":[{"tool":"list_mails"}]}`)}}, remit.Ask},
		"before the user's next turn":     {[]remit.Event{e, {Kind: remit.UserEvent, Text: "Thanks."}}, remit.Ask},
	} {
		t.Run(name, func(t *testing.T) {
			n.asked = nil
			n.planner = saying(`{"calls":[]}`)
			again, err := m.Restore(t.Context(), "s", func(yield func(remit.Event, error) bool) {
				for _, e := range slices.Concat(begin, c.events) {
					if !yield(e, nil) {
						return
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			d := decideCall(t, again, deletion("x", "m1"))
			if d.Verdict != c.want {
				t.Errorf("Ann's mail: %s, want %s", d.Verdict, c.want)
			}
			if isAsked := name == "of another turn"; (len(n.asked) > 0) != isAsked {
				t.Errorf("the planner was asked %d times", len(n.asked))
			}
		})
	}
}
