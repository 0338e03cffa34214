package remit_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
)

// TestUnseenUser decides the first call of sessions in which nothing was said yet. Where the
// session would have seen the user's words, only the user can have influenced the model. Where it
// would not, anyone can have, until the words come in after all.
func TestUnseenUser(t *testing.T) {
	ctx := context.Background()
	f, err := contract.Load("mail.yaml", []byte(logContracts))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		unseen bool
		user   string
		to     string
		want   remit.Verdict
	}{
		{"seen, and silent", false, "", "ann@corp.example", remit.Allow},
		{"unseen", true, "", "ann@corp.example", remit.Ask},
		{"unseen, but told of it elsewhere", true, "Write to ann@corp.example.", "ann@corp.example", remit.Allow},
		{"unseen, and told something else", true, "Write to ann@corp.example.", "eve@evil.example", remit.Ask},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := remit.New(remit.Options{Contracts: []*contract.File{f}, UnseenUser: test.unseen})
			if err != nil {
				t.Fatal(err)
			}
			s := m.Session("s")
			if test.user != "" {
				s.User(test.user)
			}
			args, _ := json.Marshal(map[string]string{"to": test.to, "text": "Hello."})
			d, err := s.Decide(ctx, remit.Call{ID: "1", Tool: "send", Arguments: args})
			if err != nil {
				t.Fatal(err)
			}
			if d.Verdict != test.want {
				t.Errorf("got %s, want %s: %v", d.Verdict, test.want, d.Reasons)
			}
			if d.Verdict != remit.Ask {
				return
			}
			if d, err = s.Confirm(ctx, "1"); err != nil || d.Verdict != remit.Allow {
				t.Errorf("confirmed: got %v, %v; want it allowed", d, err)
			}
		})
	}
}

// A remedy is one that can work: where none of the user's words are seen, the model isn't
// told to use a value that the user gave.
func TestRemediesWithoutTheUser(t *testing.T) {
	f, err := contract.Load("mail.yaml", []byte(`version: 1
server: mail
tools:
  send: {effect: egress, args: {/to: {role: target, floor: USER, discharge: [lookup, confirm]}}}
  move: {effect: write, args: {/id: {role: selector, floor: TOOL_OUTPUT, discharge: [confirm]}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	const (
		given  = "use a value that the user gave in so many words, or ask the user for it"
		lookUp = "or look it up by a name that the user gave, with a tool whose result vouches for it"
	)
	for _, test := range []struct {
		name, tool, user string
		want             []string
	}{
		{"a target, to the deaf", "send", "", []string{"have the user confirm this value"}},
		{"a target, to who hears", "send", "Mail Ann.", []string{given, lookUp, "or have the user confirm this value"}},
		{"a selector, to the deaf", "move", "", []string{"use a value of a record that a tool returned", "or have the user confirm this value"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := remit.New(remit.Options{Contracts: []*contract.File{f}, UnseenUser: true})
			if err != nil {
				t.Fatal(err)
			}
			s := m.Session("s")
			if test.user != "" {
				s.User(test.user)
			}
			args := map[string]string{"send": `{"to":"eve@evil.example"}`, "move": `{"id":"m-4471-x"}`}[test.tool]
			d, err := s.Decide(t.Context(), remit.Call{ID: "1", Tool: test.tool, Arguments: []byte(args)})
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Reasons) == 0 || d.Reasons[0].Code != remit.BelowFloor || !slices.Equal(d.Reasons[0].Remedies, test.want) {
				t.Errorf("got %+v, want remedies %q", d.Reasons, test.want)
			}
		})
	}
}
