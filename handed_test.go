package remit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/synth"
)

const (
	// twice is the scope of "Send ann@corp.example two mails", and twiceRule lets no third one be sent.
	twice     = `{"calls":[{"tool":"send_mail","times":2,"args":{"/to":{"is":"ann@corp.example"},"/bcc":{"absent":true},"/body":{"any":true}}}]}`
	twiceRule = "tool: send_mail\npolicies:\n  - name: twice\n    require: session.calls(\"send_mail\").size() < 2\n    message: There were two mails.\n"
)

// sharedSession is one that several enforcement points decide in.
func sharedSession(t tb, mode scope.Mode, rules string) *remit.Session {
	tools, err := schema.Parse("mail", []byte(scopeTools))
	if err != nil {
		t.Fatal(err)
	}
	o := remit.Options{Tools: []*schema.Catalogue{tools}, Contracts: []*contract.File{synth.Contract(tools)}, Scopes: mode}
	if rules != "" {
		g, err := guard.Load("mail.yaml", []byte(rules))
		if err != nil {
			t.Fatal(err)
		}
		if o.Guards, err = guard.Compile([]*guard.File{g}, guard.Deployment{Tools: o.Tools, Contracts: o.Contracts}); err != nil {
			t.Fatal(err)
		}
	}
	m, err := remit.New(o)
	if err != nil {
		t.Fatal(err)
	}

	s := m.Session("s")
	s.User("Send ann@corp.example two mails.")
	if mode != scope.ModeOff {
		if _, _, err := s.Scope([]byte(twice)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func mailTo(point, id, body string) remit.Call {
	return remit.Call{ID: id, Point: point, Tool: "send_mail", Arguments: json.RawMessage(fmt.Sprintf(`{"to":"ann@corp.example","body":%q}`, body))}
}

// TestACallThatIsHandedOnCountsOnce: a call that one point lets through and another decides is one
// call for scopes and for rules. Two at one point are two, also with the same arguments, and so is
// one after the result.
func TestACallThatIsHandedOnCountsOnce(t *testing.T) {
	for name, shared := range map[string]func() *remit.Session{
		"a scope": func() *remit.Session { return sharedSession(t, scope.ModeBound, "") },
		"a rule":  func() *remit.Session { return sharedSession(t, scope.ModeOff, twiceRule) },
		"both":    func() *remit.Session { return sharedSession(t, scope.ModeBound, twiceRule) },
	} {
		for steps, calls := range map[string][]string{
			"one after the other": {"proxy a", "gateway a", "=gateway a", "=proxy a", "proxy a", "gateway a", "=gateway a", "=proxy a", "!proxy a", "!gateway a"},
			"both at once":        {"proxy a", "proxy a", "gateway a", "gateway a", "!gateway a", "!proxy a"},
			"three points":        {"hook a", "proxy a", "gateway a", "hook b", "gateway b", "!gateway b", "proxy b", "!hook c"},
			"twice at the second": {"proxy a", "gateway a", "gateway a", "!gateway a", "proxy a", "!proxy a"},
			"other arguments":     {"proxy a", "gateway b", "!gateway c"},
			"after the result":    {"proxy a", "gateway a", "=gateway a", "gateway a", "!gateway a"},
			"of no point":         {" a", " a", "! a"},
			"to one of no point":  {"proxy a", " a", "! a"},
		} {
			t.Run(name+"/"+steps, func(t *testing.T) {
				s, open := shared(), map[string][]string{}
				for i, step := range calls {
					var point, body string
					want, ends := step[0] != '!', step[0] == '='
					if !want || ends {
						step = step[1:]
					}
					point, body = step[:len(step)-2], step[len(step)-1:]
					if ends {
						id := open[step][0]
						open[step] = open[step][1:]
						if err := s.Result(t.Context(), remit.Result{Call: id, Content: "sent"}); err != nil {
							t.Fatal(err)
						}
						continue
					}

					id := fmt.Sprint(i)
					d := decideCall(t, s, mailTo(point, id, body))
					if (d.Verdict == remit.Allow) != want {
						t.Errorf("step %d, %s: %s", i+1, step, d.Explain())
					}
					open[step] = append(open[step], id)
				}
			})
		}
	}
}

// TestAHandedCallIsOfItsTurn: what a scope of the next turn allows is counted anew.
func TestAHandedCallIsOfItsTurn(t *testing.T) {
	s := sharedSession(t, scope.ModeBound, "")
	decideCall(t, s, mailTo("proxy", "1", "a"))
	s.User("Send ann@corp.example two mails.")
	if _, _, err := s.Scope([]byte(twice)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []remit.Verdict{remit.Allow, remit.Allow, remit.Ask} {
		if d := decideCall(t, s, mailTo("gateway", fmt.Sprint("g", i), "a")); d.Verdict != want {
			t.Errorf("call %d at the gateway: %s", i+1, d.Verdict)
		}
	}
}

// TestNoPointMakesMoreCallsThanAreCounted: whatever order the points decide in, which calls have
// their results and which don't, none lets more calls through than the scope and the rule have.
func TestNoPointMakesMoreCallsThanAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]scope.Mode{scope.ModeOff, scope.ModeBound}).Draw(t, "mode")
		rules := ""
		if mode == scope.ModeOff || rapid.Bool().Draw(t, "rules") {
			rules = twiceRule
		}
		s, made := sharedSession(t, mode, rules), map[string]int{}
		var open []string
		for i := range rapid.IntRange(1, 16).Draw(t, "steps") {
			if len(open) > 0 && rapid.IntRange(0, 2).Draw(t, "answers") == 0 {
				at := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				if err := s.Result(context.Background(), remit.Result{Call: open[at], Content: "sent"}); err != nil {
					t.Fatal(err)
				}
				open = slices.Delete(open, at, at+1)
				continue
			}
			point := rapid.SampledFrom([]string{"", "proxy", "gateway", "hook"}).Draw(t, "point")
			id := fmt.Sprint(i)
			if d := decideCall(t, s, mailTo(point, id, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "body"))); d.Verdict == remit.Allow {
				made[point]++
				open = append(open, id)
			}
		}
		for point, n := range made {
			if n > 2 {
				t.Errorf("%q let %d calls through", point, n)
			}
		}
	})
}
