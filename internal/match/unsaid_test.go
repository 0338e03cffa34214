package match_test

import (
	"testing"

	"github.com/remit-project/remit/internal/match"
)

// TestUndeclaredArgument: what the tool's definition lets an object have beside the members that it lists is no content of which nobody
// needs to speak, unless the call only reads.
func TestUndeclaredArgument(t *testing.T) {
	const (
		note = `{"calls":[{"tool":"forward_mail","args":{"/id":{"is":"m1"}}}]}`
		both = `{"calls":[{"tool":"forward_mail","args":{"/id":{"is":"m1"},"/note":{"any":true}}}]}`
	)
	sent := map[string]string{"/id": "u:m1", "/note": "c:soon"}
	undeclared := func(p *match.Proposal) {
		for i := range p.Args {
			p.Args[i].Undeclared = p.Args[i].Pointer == "/note"
		}
	}
	askings{
		"a listed one":                       {scope: note, said: "Forward m1.", tool: "forward_mail", args: sent, want: true},
		"one beside those":                   {scope: note, said: "Forward m1.", tool: "forward_mail", args: sent, change: undeclared},
		"one of which the scope speaks":      {scope: both, said: "Forward m1.", tool: "forward_mail", args: sent, change: undeclared, want: true},
		"the same, where nothing is changed": {scope: note, said: "Forward m1.", tool: "forward_mail", args: sent, change: func(p *match.Proposal) { undeclared(p); p.Read, p.Irreversible = true, false }, want: true},
		"of what can be taken back":          {scope: note, said: "Forward m1.", tool: "forward_mail", args: sent, change: undeclared, reversible: true},
	}.run(t)
}

// TestBoundOfAnotherThing: a bound or a state is not that of something else that nobody named, for what can't be taken back.
func TestBoundOfAnotherThing(t *testing.T) {
	const (
		light = `{"mass":{"below":50}}`
		ready = `{"state":"ready"}`
	)
	for name, c := range map[string]struct {
		request, where, list string
		want                 bool
	}{
		"its own":                           {"Forward those below 50.", light, `[{"id":"a","mass":3}]`, true},
		"in an object that is the record's": {"Forward those below 50.", light, `[{"id":"a","details":{"mass":3}}]`, true},
		"of the box around it":              {"Forward those below 50.", light, `[{"id":"a","weight":900,"box":{"mass":3}}]`, false},
		"of the box that the user named":    {"Forward those with a box below 50.", light, `[{"id":"a","weight":900,"box":{"mass":3}}]`, true},
		"what somebody says of it":          {"Forward those that are ready.", ready, `[{"id":"a","alleged_state":"ready"}]`, false},
		"of what is listed":                 {"Forward those that are ready.", ready, `[{"id":"a","mail_state":"ready"}]`, true},
		"under the name of the condition":   {"Forward those that are ready.", `{"alleged state":"ready"}`, `[{"id":"a","alleged_state":"ready"}]`, true},
	} {
		t.Run(name, func(t *testing.T) {
			text := `{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":` + c.where + `}],"kind":"id","pick":"all"}}}]}`
			h := hostile{request: c.request, scope: text, tool: "forward_mail", args: map[string]string{"/id": "s:a"}, results: mails(nil, c.list)}
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}
