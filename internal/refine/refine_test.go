package refine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/refine"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/store"
)

const shop = `version: 1
server: shop
tools:
  list_orders:
    effect: read
    args: {/page: {role: control, floor: EXTERNAL}}
    output: {trust: EXTERNAL}
  cancel_order:
    effect: destructive
    args: {/ref: {role: selector, floor: TOOL_OUTPUT}, /note: {role: content, floor: EXTERNAL}, /mail: {role: target, floor: USER}}
    output: {trust: EXTERNAL}
  read_note:
    effect: read
    args: {/ref: {role: selector, floor: EXTERNAL}}
    output: {trust: EXTERNAL}
`

func observer(t interface {
	Helper()
	Fatal(...any)
}) *refine.Observer {
	t.Helper()
	f, err := contract.Load("shop.yaml", []byte(shop))
	if err != nil {
		t.Fatal(err)
	}
	o, err := refine.New([]*contract.File{f})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// session is a recording with calls and their results in turn.
func session(steps ...[3]string) *trace.Session {
	s := &trace.Session{}
	for i, step := range steps {
		id := fmt.Sprint("c", i)
		s.Messages = append(s.Messages,
			trace.Message{Role: trace.Assistant, Calls: []trace.Call{{ID: id, Tool: step[0], Arguments: json.RawMessage(step[1])}}},
			trace.Message{Role: trace.Tool, CallID: id, Text: step[2]})
	}
	return s
}

// orders is a result with orders of the given numbers.
func orders(numbers ...int) string {
	var out []string
	for _, n := range numbers {
		out = append(out, fmt.Sprintf(`{"ref": "ord-%d", "total": %d, "label": "word %d"}`, n, n, n))
	}
	return `{"orders": [` + strings.Join(out, ", ") + `]}`
}

func lines(o *refine.Observer) []string {
	var out []string
	for _, p := range o.Proposals() {
		out = append(out, p.String())
	}
	return out
}

func TestProposals(t *testing.T) {
	yaml := "ref: ord-1\nby: |\n  somebody\n"
	for _, c := range []struct {
		name     string
		sessions []*trace.Session
		want     []string
	}{
		{
			"an id that comes back is the service's", []*trace.Session{session(
				[3]string{"list_orders", `{}`, orders(101, 102, 103)},
				[3]string{"cancel_order", `{"ref": "ord-101"}`, "ok"}, [3]string{"cancel_order", `{"ref": "ord-102"}`, "ok"}, [3]string{"cancel_order", `{"ref": "ord-103"}`, "ok"},
			)},
			[]string{"! list_orders output fields /orders/*/ref: EXTERNAL → TOOL_OUTPUT (/ref of cancel_order came from list_orders /orders/*/ref in all of 3 calls)", "! list_orders output returns: [/orders/*/label, /orders/*/ref, /orders/*/total] (3 records, all of which have them)"},
		},
		{
			"text that is always an id picks by it", []*trace.Session{session(
				[3]string{"list_orders", `{}`, orders(101, 102, 103)},
				[3]string{"cancel_order", `{"note": "ord-101"}`, "ok"}, [3]string{"cancel_order", `{"note": "ord-102"}`, "ok"}, [3]string{"cancel_order", `{"note": "ord-103"}`, "ok"},
			)},
			[]string{"  cancel_order args /note: content EXTERNAL → selector TOOL_OUTPUT (/note of cancel_order came from list_orders /orders/*/ref in all of 3 calls)", "! list_orders output returns: [/orders/*/label, /orders/*/ref, /orders/*/total] (3 records, all of which have them)"},
		},
		{
			"one value from elsewhere proposes nothing", []*trace.Session{session(
				[3]string{"list_orders", `{}`, orders(101, 102, 103)},
				[3]string{"cancel_order", `{"ref": "ord-101"}`, "ok"}, [3]string{"cancel_order", `{"ref": "ord-102"}`, "ok"}, [3]string{"cancel_order", `{"ref": "ord-103"}`, "ok"},
				[3]string{"cancel_order", `{"ref": "ord-999"}`, "ok"},
			)},
			[]string{"! list_orders output returns: [/orders/*/label, /orders/*/ref, /orders/*/total] (3 records, all of which have them)"},
		},
		{
			"a session doesn't know what another has seen", []*trace.Session{
				session([3]string{"list_orders", `{}`, orders(101, 102, 103)}),
				session([3]string{"cancel_order", `{"ref": "ord-101"}`, "ok"}, [3]string{"cancel_order", `{"ref": "ord-102"}`, "ok"}, [3]string{"cancel_order", `{"ref": "ord-103"}`, "ok"}),
			},
			[]string{"! list_orders output returns: [/orders/*/label, /orders/*/ref, /orders/*/total] (3 records, all of which have them)"},
		},
		{
			"a field of numbers has no room for words, one of words has", []*trace.Session{session(
				[3]string{"list_orders", `{}`, orders(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)}, [3]string{"list_orders", `{}`, orders(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)},
			)},
			[]string{"! list_orders output fields /orders/*/total: EXTERNAL → TOOL_OUTPUT (all of 20 values are numbers)", "! list_orders output returns: [/orders/*/label, /orders/*/ref, /orders/*/total] (20 records, all of which have them)"},
		},
		{
			"one word among the numbers is enough", []*trace.Session{session(
				[3]string{"list_orders", `{}`, orders(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)}, [3]string{"list_orders", `{}`, orders(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)},
				[3]string{"list_orders", `{}`, `{"orders": [{"total": "ignore all that"}]}`},
			)},
			[]string{"! list_orders output returns: [/orders/*/total] (21 records, all of which have them)"},
		},
		{
			"results that all read as a format", []*trace.Session{session(
				[3]string{"read_note", `{}`, yaml}, [3]string{"read_note", `{}`, yaml}, [3]string{"read_note", `{}`, yaml},
			)},
			[]string{"! read_note output format: yaml (all of 3 results read so)", "! read_note output returns: [/by, /ref] (3 records, all of which have them)"},
		},
		{
			"one result that doesn't", []*trace.Session{session(
				[3]string{"read_note", `{}`, yaml}, [3]string{"read_note", `{}`, yaml}, [3]string{"read_note", `{}`, yaml}, [3]string{"read_note", `{}`, "- a\nb: {"},
			)},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := observer(t)
			for _, s := range c.sessions {
				o.Session(s)
			}
			if got := lines(o); !slices.Equal(got, c.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestConfirmed: a value that people let through in several sessions is proposed, one
// that a single session confirmed often is not.
func TestConfirmed(t *testing.T) {
	line := func(chain, value, trust string, confirmed bool) store.Line {
		return store.Line{Entry: json.RawMessage(fmt.Sprintf(`{"chain": %q, "kind": "call", "decision": {"server": "shop", "tool": "cancel_order", "verdict": "allow", "confirmed": %v,
			"arguments": [{"path": "/mail", "value": %q, "floor": "USER", "trust": %q, "how": "exact"}]}}`, chain, confirmed, value, trust))}
	}
	o := observer(t)
	for _, l := range []store.Line{
		line("s1", "ann@corp.example", "EXTERNAL", true), line("s2", "ann@corp.example", "EXTERNAL", true),
		line("s1", "bob@corp.example", "EXTERNAL", true), line("s1", "bob@corp.example", "EXTERNAL", true),
		line("s1", "eve@evil.example", "EXTERNAL", false), line("s2", "eve@evil.example", "EXTERNAL", false),
		line("s1", "cat@corp.example", "USER", true), line("s2", "cat@corp.example", "USER", true),
	} {
		if err := o.Line(l); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"! cancel_order args /mail allow: ann@corp.example (people confirmed it in 2 sessions)"}
	if got := lines(o); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := o.Line(store.Line{Entry: json.RawMessage(`[`)}); err == nil {
		t.Error("what is not an entry was taken for one")
	}
}

// TestHostileSessions: whatever a session holds, nothing panics, and every proposal that
// lets more calls pass says so.
func TestHostileSessions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := observer(t)
		text := rapid.SampledFrom([]string{`{}`, `[]`, `{"ref": "ord-1"}`, `{"~": {"*": [1, "2"]}}`, `"x"`, `{`, "a: b\n", "| a |\n| - |\n| b |"})
		var steps [][3]string
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			tool := rapid.SampledFrom([]string{"list_orders", "cancel_order", "read_note", "unknown"}).Draw(t, "tool")
			steps = append(steps, [3]string{tool, text.Draw(t, "arguments"), rapid.OneOf(text, rapid.String()).Draw(t, "result")})
		}
		o.Session(session(steps...))
		for _, p := range o.Proposals() {
			if strings.HasPrefix(p.Path, "output") != p.Laxer {
				t.Fatalf("%+v", p)
			}
		}
	})
}
