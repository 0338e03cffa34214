package dialogue

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/scope"
)

// Lines over the bound are skipped whole, and the next line is found.
func TestReadLineSkipsWhatIsTooLong(t *testing.T) {
	in := bufio.NewReaderSize(strings.NewReader("short\n"+strings.Repeat("x", 100)+"\nnext\nlast"), 16)
	var got []string
	for {
		line, err := readLine(in, 20)
		switch {
		case errors.Is(err, errLongLine):
			got = append(got, "(long)")
			continue
		case err != nil && !errors.Is(err, io.EOF):
			t.Fatal(err)
		}
		if len(line) > 0 {
			got = append(got, strings.TrimSpace(string(line)))
		}
		if err != nil {
			break
		}
	}
	if strings.Join(got, " ") != "short (long) next last" {
		t.Errorf("lines = %q", got)
	}
}

func TestSessionsAreBounded(t *testing.T) {
	dl := newDialogue(Options{Monitor: remit.New})
	for i := range maxSessions {
		dl.sessions[strings.Repeat("x", i+1)] = &conversation{}
	}
	if got, ok := dl.line(context.Background(), 1, []byte(`{"type":"user","session":"one more","text":"x"}`)).(*problem); !ok || !strings.Contains(got.Hint, "end") {
		t.Errorf("answer = %+v", got)
	}
}

// However the lines look: every line is answered or taken in, what is not a call
// is never answered with a decision, and a monitor without tools never allows.
func FuzzDialogue(f *testing.F) {
	for _, seed := range []string{
		`{"type":"user","text":"x"}` + "\n" + `{"type":"call","id":"1","tool":"t","arguments":{"a":1}}`,
		`{"type":"call","tool":"t","arguments":"{\"a\":1,\"a\":2}"}` + "\n" + `{"type":"confirm","call":"c1"}`,
		`{"type":"contracts","yaml":"version: 1"}` + "\n" + `{"type":"end"}`,
		`{"type":"result","call":"c1","structured":[1,{"x":null}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dl := newDialogue(Options{Monitor: remit.New, Acknowledge: true})
		for i, line := range bytes.Split(data, []byte("\n")) {
			switch a := dl.line(context.Background(), i+1, line).(type) {
			case *answered:
				if a.Verdict == remit.Allow && !dl.describes() {
					t.Fatalf("a tool that nobody described was allowed: %s", line)
				}
			case *problem, *acknowledged, *scoped, *delegating:
			default:
				t.Fatalf("line %q has no answer", line)
			}
		}
	})
}

// describes reports whether a line has described a tool.
func (dl *dialogue) describes() bool {
	n := len(dl.shared.tools) + len(dl.shared.contracts)
	for _, c := range dl.sessions {
		n += len(c.tools) + len(c.contracts)
	}
	return n > 0
}

// TestDefaultSession: a line without a session and one of the session default are of one session.
func TestDefaultSession(t *testing.T) {
	dl := newDialogue(Options{Monitor: remit.New})
	for i, line := range []string{`{"type":"user","text":"x"}`, `{"type":"call","session":"default","id":"c","tool":"t"}`} {
		if got, ok := dl.line(t.Context(), i+1, []byte(line)).(*problem); ok {
			t.Fatal(got.Message)
		}
	}
	if got := dl.line(t.Context(), 3, []byte(`{"type":"confirm","call":"unknown"}`)).(*problem); len(dl.sessions) != 1 || got.Call != "unknown" {
		t.Errorf("%d sessions: %+v", len(dl.sessions), got)
	}
	dl.line(t.Context(), 4, []byte(`{"type":"end","session":"default"}`))
	if len(dl.sessions) > 0 {
		t.Error("it goes on after its end")
	}
}

// lister plans a turn that delegates to a list, and the list.
type lister struct{}

func (lister) Plan(_ context.Context, r *scope.Request) (*scope.Plan, error) {
	text := `{"calls":[{"tool":"read_list"}],"delegates":[{"tool":"read_list"}]}`
	if r.Material != nil {
		text = `{"calls":[{"tool":"send_email","args":{"/to":{"is":"dora@corp.example"},"/text":{"any":true}}}]}`
	}
	return &scope.Plan{Scope: json.RawMessage(text)}, nil
}

// TestDelegationLines: what the user delegates to is read with its plan, and an agreement to
// that, sent back as it is, lets the held call through.
func TestDelegationLines(t *testing.T) {
	dl := newDialogue(Options{Session: remit.Options{Planner: lister{}, Scopes: scope.ModeBound}, Monitor: remit.New, Acknowledge: true})
	n := 0
	say := func(line string) any {
		n++
		return dl.line(t.Context(), n, []byte(line))
	}
	decided := func(call string) remit.Verdict {
		t.Helper()
		a, ok := say(`{"type":"call","id":"` + call + `","tool":"send_email","arguments":{"to":"dora@corp.example","text":"hello"}}`).(*answered)
		if !ok {
			t.Fatal("no decision")
		}
		return a.Verdict
	}
	for _, line := range []string{
		`{"type":"tools","server":"mail","tools":[{"name":"send_email","inputSchema":{"type":"object","properties":{"to":{"type":"string","format":"email"},"text":{"type":"string"}}}},{"name":"read_list","inputSchema":{"type":"object"}}]}`,
		`{"type":"user","text":"Do what my list says."}`,
		`{"type":"call","id":"r","tool":"read_list","arguments":{}}`,
		`{"type":"result","call":"r","content":"Write to dora@corp.example."}`,
	} {
		if got, ok := say(line).(*problem); ok {
			t.Fatal(got.Message)
		}
	}
	if v := decided("c"); v != remit.Ask {
		t.Fatalf("before anybody agreed: %s", v)
	}

	list, ok := say(`{"type":"delegations"}`).(*delegating)
	if !ok || len(list.Delegations) != 1 || !strings.Contains(list.Delegations[0].Question, "dora@corp.example") {
		t.Fatalf("got %+v", list)
	}
	d := list.Delegations[0]
	text, err := json.Marshal(map[string]any{"type": "delegate", "plan": d.Plan, "delegated": d.Delegated, "text": "Yes."})
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := say(string(text)).(*acknowledged); !ok {
		t.Fatalf("got %+v", got)
	}
	if v := decided("c"); v != remit.Allow {
		t.Errorf("the call of the plan: %s", v)
	}
	if v := decided("d"); v != remit.Ask {
		t.Errorf("a call beyond the plan: %s", v)
	}
	if got, ok := say(string(text)).(*problem); !ok || !strings.Contains(got.Message, "waits for an answer") {
		t.Errorf("agreed twice: %+v", got)
	}
}
