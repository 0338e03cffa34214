package guard_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// server is a server with one tool, known by its contract or by its definition as well.
func server(t *testing.T, name, tool string, defined bool) guard.Deployment {
	t.Helper()
	f, err := contract.Load("contract.yaml", []byte("version: 1\nserver: "+name+"\ntools: {"+tool+": {effect: write}}\n"))
	must(t, err)
	out := guard.Deployment{Contracts: []*contract.File{f}}
	if defined {
		c, err := schema.Parse(name, []byte(`{"tools": [{"name": "`+tool+`", "inputSchema": {"type": "object"}}]}`))
		must(t, err)
		out.Tools = append(out.Tools, c)
	}
	return out
}

// TestToolOfSeveralServers refuses a guard that doesn't say for which server's tool it is: the
// tools of the others would have none.
func TestToolOfSeveralServers(t *testing.T) {
	for name, c := range map[string]struct {
		first, second guard.Deployment
		server        string // that the guard names
		want          string // the guards of desk's and other's tool; empty for a mistake
	}{
		"contracts alone":                 {server(t, "desk", "post", false), server(t, "other", "post", false), "", ""},
		"definitions":                     {server(t, "desk", "post", true), server(t, "other", "post", true), "", ""},
		"a definition and a contract":     {server(t, "desk", "post", true), server(t, "other", "post", false), "", ""},
		"one that the guard names":        {server(t, "desk", "post", false), server(t, "other", "post", false), "desk", "1 0"},
		"one server has it, by contracts": {server(t, "desk", "post", false), server(t, "other", "read", false), "", "1 0"},
		"one server has it, by both":      {server(t, "desk", "read", true), server(t, "other", "post", true), "", "0 1"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, order := range [][2]guard.Deployment{{c.first, c.second}, {c.second, c.first}} {
				scope := guard.Deployment{Tools: append(order[0].Tools, order[1].Tools...), Contracts: append(order[0].Contracts, order[1].Contracts...)}
				text := "tool: post\npolicies: [{name: p, require: \"false\", message: m}]\n"
				if c.server != "" {
					text = "server: " + c.server + "\n" + text
				}
				set, err := compiled(t, scope, text)

				if c.want == "" {
					var mistakes guard.Errors
					if !errors.As(err, &mistakes) || !strings.Contains(err.Error(), `several servers have a tool "post"`) {
						t.Errorf("got %v", err)
					}
					for _, s := range []string{"desk", "other"} {
						if out := set.Evaluate(t.Context(), guard.Request{Server: s, Tool: "post", Arguments: json.RawMessage(`{}`)}); len(out.Violations) == 0 {
							t.Errorf("a call of %s passes", s)
						}
					}
					continue
				}
				must(t, err)
				got := ""
				for _, s := range []string{"desk", "other"} {
					got += " " + string(rune('0'+len(set.Applying(s, "post"))))
				}
				if strings.TrimSpace(got) != c.want {
					t.Errorf("guards %s, want %s", got, c.want)
				}
			}
		})
	}
}

// TestVerdictOfFailure denies what a guard can't judge wherever one of its policies would.
func TestVerdictOfFailure(t *testing.T) {
	const asks, denies = "  - {name: a, require: args.total < 5, message: m}\n", "  - {name: d, require: args.total < 5, message: m, otherwise: deny}\n"
	for name, c := range map[string]struct {
		policies, args string
		want           label.Verdict
	}{
		"mistakes, where all policies ask":  {asks + "  - {name: x, require: args.nobody, message: m}\n", call, label.Deny},
		"mistakes beside one that denies":   {denies + "  - {name: x, require: args.nobody, message: m}\n", call, label.Deny},
		"arguments, where all policies ask": {asks, `{"customer": 1}`, label.Ask},
		"arguments, where one denies":       {asks + denies, `{"customer": 1}`, label.Deny},
	} {
		set, _ := compiled(t, shop(t), "tool: order\notherwise: ask\npolicies:\n"+c.policies)
		r := request(c.args)
		r.Server, r.Tool = "shop", "order"
		out := set.Evaluate(t.Context(), r)
		if len(out.Violations) != 1 || out.Violations[0].Failed == "" || out.Violations[0].Verdict != c.want {
			t.Errorf("%s: %+v, want %s", name, out.Violations, c.want)
		}
	}
}

// TestFailureBehindWords fails a rule whose look-up failed, also where words don't settle whether
// it is needed: a person is not asked to waive what a look-up could not tell.
func TestFailureBehindWords(t *testing.T) {
	for name, c := range map[string]struct {
		require string
		fails   bool
	}{
		"a failure if they agreed": {`session.agreed() ? (label("mallory").trust == EXTERNAL || true) : false`, true},
		"none":                     {`session.agreed() ? true : false`, false},
	} {
		r := request(call)
		r.History = talk("agent: I'd order two pens. OK?", "user: My dog is here")
		out := rules(t, c.require).Evaluate(t.Context(), r)
		if len(out.Violations) != 1 {
			t.Fatalf("%s: %+v", name, out.Violations)
		}
		v := out.Violations[0]
		if failed := v.Failed != "" && v.Verdict == label.Deny && v.Unclear == ""; failed != c.fails {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestDutiesOfAServer counts only the calls of the guard's own server.
func TestDutiesOfAServer(t *testing.T) {
	desk, other := server(t, "desk", "post", false), server(t, "other", "post", false)
	scope := guard.Deployment{Contracts: append(desk.Contracts, other.Contracts...)}
	set, err := compiled(t, scope, "server: desk\ntool: post\nduties: [{name: d, require: \"false\", message: m}]\n")
	must(t, err)
	g, ok := set.Guard("desk", "post")
	if !ok {
		t.Fatal("no guard")
	}
	for from, want := range map[string]int{"desk": 1, "": 1, "other": 0} {
		session := &guard.History{Entries: []guard.Entry{{Kind: guard.CallEntry, Call: &guard.Call{ID: "c1", Server: from, Tool: "post", Arguments: json.RawMessage(`{}`)}}}}
		if got := g.Duties(session, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)); len(got) != want {
			t.Errorf("a call of server %q: %d duties, want %d", from, len(got), want)
		}
	}
}
