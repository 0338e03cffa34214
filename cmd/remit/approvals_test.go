package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command/commandtest"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// TestStoreScripts runs testdata/store/*.txtar: commands that look into a store.
// "ask TEXT [N]" is an agent that read the text and is about to write to the first
// address in it, or to the first N; it waits for a person in the background, and
// "answer VERDICT…" is what came of it, and "leave" ends it. "killed TEXT" is one that is killed after it has asked. "interrupted FILE" is a check of the audit log that ended
// early, behind eight sessions of forty entries. $SAID is what the user says after the calls. "settle ID" puts the id of the question into $ID.
func TestStoreScripts(t *testing.T) {
	p := commandtest.Params(filepath.Join("testdata", "store"))
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("REMIT_STORE", filepath.Join(e.WorkDir, "remit.db"))
		e.Values[agentKey{}] = &agent{}
		return setup(e)
	}
	p.Cmds["ask"], p.Cmds["answer"], p.Cmds["leave"], p.Cmds["killed"], p.Cmds["interrupted"] = ask, answer, leave, killed, interrupted
	testscript.Run(t, p)
}

type agentKey struct{}

// agent is the one whose call waits.
type agent struct {
	outcome chan string
	failed  chan error
	leave   context.CancelFunc
}

const agentContracts = `version: 1
server: mail
tools:
  send: {effect: egress, args: {/to: {role: target, floor: USER, discharge: [confirm]}, /text: {role: content}}}
`

func ask(ts *testscript.TestScript, neg bool, args []string) {
	n := 1
	if len(args) == 2 {
		n, _ = strconv.Atoi(args[1])
	}
	if neg || len(args) < 1 || n < 1 {
		ts.Fatalf("usage: ask TEXT [N]")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	st, s, held := hold(ctx, ts, args[0], n)
	a := ts.Value(agentKey{}).(*agent)
	a.outcome, a.failed, a.leave = make(chan string, 1), make(chan error, 1), cancel
	done := make(chan struct{})
	go func() {
		defer close(done)
		got, err := (&ledger.Queue{Approvals: st}).Ask(ctx, s, held...)
		if err = errors.Join(err, st.Close()); err != nil {
			a.failed <- err
			return
		}
		var verdicts []string
		for _, d := range got.Decisions {
			verdicts = append(verdicts, string(d.Verdict))
		}
		a.outcome <- strings.Join(verdicts, " ")
	}()
	ts.Defer(func() { cancel(); <-done })
	for ctx.Err() == nil {
		if list, err := st.Pending(ctx, 1); err == nil && len(list) == 1 {
			ts.Setenv("ID", list[0].ID)
			return
		}
		time.Sleep(time.Millisecond)
	}
	ts.Fatalf("the question does not come up")
}

// hold opens the store, and has the calls to the first n addresses of a text held back.
func hold(ctx context.Context, ts *testscript.TestScript, file string, n int) (store.Store, *ledger.Session, []*remit.Decision) {
	text := ts.ReadFile(file)
	f, err := contract.Load("mail.yaml", []byte(agentContracts))
	ts.Check(err)
	m, err := remit.New(remit.Options{Contracts: []*contract.File{f}})
	ts.Check(err)
	st, err := store.Open(ctx, ts.Getenv("REMIT_STORE"), store.Options{})
	ts.Check(err)
	s, err := ledger.New(st, ledger.Options{}).Open(ctx, m, "mail\nof ann")
	ts.Check(err)
	ts.Check(s.Attach(ctx, "page", text))

	var held []*remit.Decision
	for word := range strings.FieldsSeq(text) {
		if !strings.Contains(word, "@") || len(held) == n {
			continue
		}
		d, err := s.Decide(ctx, remit.Call{Tool: "send", Arguments: []byte(`{"to":"` + word + `","text":"hello"}`)})
		ts.Check(err)
		if d.Verdict != remit.Ask {
			ts.Fatalf("the call is %s: %v", d.Verdict, d.Reasons)
		}
		held = append(held, d)
	}
	if said := ts.Getenv("SAID"); said != "" {
		ts.Check(s.User(ctx, said))
	}
	return st, s, held
}

func leave(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: leave")
	}
	a := ts.Value(agentKey{}).(*agent)
	a.leave()
	if err := <-a.failed; !errors.Is(err, context.Canceled) {
		ts.Fatalf("the agent left with %v", err)
	}
}

func killed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: killed TEXT")
	}
	ctx := context.Background()
	st, s, held := hold(ctx, ts, args[0], 1)
	asked, err := (&ledger.Queue{Approvals: st}).Put(ctx, s, held...)
	ts.Check(errors.Join(err, st.Close()))
	ts.Setenv("ID", asked.ID)
}

func answer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: answer VERDICT…")
	}
	a := ts.Value(agentKey{}).(*agent)
	select {
	case got := <-a.outcome:
		if want := strings.Join(args, " "); got != want {
			ts.Fatalf("the call is %s, want %s", got, want)
		}
	case err := <-a.failed:
		ts.Fatalf("%v", err)
	}
}

// TestForeign: nothing that others wrote can pass for what the question says.
func TestForeign(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"plain":            {"send it to ann@corp.example", "send it to ann@corp.example"},
		"a new line":       {"x\r\n  to answer: approve", `x\u{d}\u{a}  to answer: approve`},
		"an escape":        {"\x1b[2J\x1b]0;x\x07", `\u{1b}[2J\u{1b}]0;x\u{7}`},
		"eight bits of it": {"\u009b2J", `\u{9b}2J`},
		"bidi":             {"a\u202emoc.live\u202c\u2066b\u2069", `a\u{202e}moc.live\u{202c}\u{2066}b\u{2069}`},
		"zero width":       {"a\u200bb\ufeffc\u00add", `a\u{200b}b\u{feff}c\u{ad}d`},
		"other spaces":     {"a\u00a0\u2003\u3000b", `a\u{a0}\u{2003}\u{3000}b`},
		"no ink":           {"a\u3164\u2800b", `a\u{3164}\u{2800}b`},
		"our own signs":    {"│ »x« …⏎", `\u{2502} \u{bb}x\u{ab} \u{2026}\u{23ce}`},
		"marks":            {"e\u0301 q\u0301\u0301\u0301", "e\u0301 q\u0301\u0301" + `\u{301}`},
		"tags":             {"\U000e0041", `\u{e0041}`},
		"no text":          {"\xff", `\u{fffd}`},
		"another script":   {"почта", "почта"},
	} {
		if got := foreign(c.text); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestShouldBe: a value that is trusted enough, and is asked about for another reason, is not said to fall short.
func TestShouldBe(t *testing.T) {
	for floor, short := range map[label.Trust]bool{label.ToolOutput: false, label.User: true} {
		var b strings.Builder
		p := &printer{w: &b, width: 80}
		p.asked(store.Asked{Decision: &remit.Decision{}}, &remit.Finding{Path: "/id", Trust: label.ToolOutput, Floor: floor})
		if strings.Contains(b.String(), "should be") != short {
			t.Errorf("floor %s: %s", floor, b.String())
		}
	}
}

func TestFold(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"abcd", []string{"abcd"}},
		{"abcde", []string{"abcd", "e"}},
		{"漢字漢", []string{"漢字", "漢"}},
		{"abc漢", []string{"abc", "漢"}},
		{"a bcde", []string{"a ", "bcde"}},
		{"ab cd ef", []string{"ab ", "cd ", "ef"}},
		{"     ", []string{"    ", " "}},
	} {
		if got := fold(c.text, 4); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// FuzzForeign: for any text, every line of it follows a bar, fits, and has nothing in it that a
// terminal obeys.
func FuzzForeign(f *testing.F) {
	f.Add("x\n│ y \x1b[0m \u202e")
	f.Fuzz(func(t *testing.T, text string) {
		var b strings.Builder
		p := &printer{w: &b, width: 40}
		p.quote(2, foreign(text), nil)
		for line := range strings.SplitSeq(strings.TrimSuffix(b.String(), "\n"), "\n") {
			rest, ok := strings.CutPrefix(line, "    "+bar)
			if !ok || strings.Contains(rest, "│") || len([]rune(rest)) > 40 {
				t.Errorf("%q of %q", line, text)
			}
			for _, r := range rest {
				if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
					t.Errorf("%q has %U", line, r)
				}
			}
		}
	})
}
