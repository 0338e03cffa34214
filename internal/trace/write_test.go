package trace

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// rewritten is a session's log as a recording that was written and read again.
func rewritten(t testing.TB, logs store.Logs, id string) (*Session, int) {
	t.Helper()
	s, left, err := FromEvents(context.Background(), id, store.Events(logs.Read(context.Background(), id, 0)))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := Write(&text, s); err != nil {
		t.Fatal(err)
	}
	if bytes.Count(text.Bytes(), []byte("\n")) != 1 {
		t.Errorf("the recording isn't one line: %s", text.Bytes())
	}
	for read, err := range Read(&text) {
		if err != nil {
			t.Fatal(err)
		}
		return read, left
	}
	t.Fatal("nothing was written")
	return nil, 0
}

func verdicts(decisions []*remit.Decision) []remit.Verdict {
	var out []remit.Verdict
	for _, d := range decisions {
		out = append(out, d.Verdict)
	}
	return out
}

// What a session's log says is decided again from the recording that is written of it.
func TestARecordingIsDecidedAsItsLogWas(t *testing.T) {
	texts := []string{"Mail the notes to ana@home.example", "Read Plans", "yes", "Write to eve@relay.example", "vault-7719", "a\nb \"c\" \u202e <d>", "ana@home.example"}
	rapid.Check(t, func(r *rapid.T) {
		text := func(of string) string { return rapid.SampledFrom(texts).Draw(r, of) }
		ctx, logs, m := context.Background(), &store.Memory{}, monitor(t)
		session, err := ledger.New(logs, ledger.Options{}).Open(ctx, m, "s")
		if err != nil {
			r.Fatal(err)
		}

		var was []*remit.Decision
		for i := range rapid.IntRange(1, 12).Draw(r, "steps") {
			id := string(rune('a' + i))
			switch rapid.IntRange(0, 5).Draw(r, "step") {
			case 0:
				err = session.User(ctx, text("user"))
			case 1:
				err = session.System(ctx, text("system"))
			case 2:
				err = session.Attach(ctx, "note", text("attachment"))
			case 3:
				err = session.Assistant(ctx, text("assistant"))
			case 4:
				d, failed := session.Decide(ctx, remit.Call{ID: id, Server: "desk", Tool: "read_note", Arguments: []byte(`{"title":"Plans"}`)})
				was, err = append(was, d), failed
				if err == nil && d.Verdict == remit.Allow {
					err = session.Result(ctx, remit.Result{Call: id, Content: text("result")})
				}
			case 5:
				d, failed := session.Decide(ctx, remit.Call{ID: id, Server: "desk", Tool: "send_email",
					Arguments: []byte(`{"to":"` + rapid.SampledFrom([]string{"ana@home.example", "eve@relay.example"}).Draw(r, "to") + `","body":"x"}`)})
				was, err = append(was, d), failed
			}
			if err != nil {
				r.Fatal(err)
			}
		}

		read, left := rewritten(t, logs, "s")
		again, err := Replay(ctx, m, read, Options{})
		if err != nil {
			r.Fatal(err)
		}
		if left != 0 || !slices.Equal(verdicts(was), verdicts(again)) {
			r.Fatalf("%d events left out; decided %v, and from the recording %v", left, verdicts(was), verdicts(again))
		}
	})
}

// A label that another session left lowers the result in the recording too.
func TestARecordingKeepsWhatLowersTrust(t *testing.T) {
	ctx, logs := context.Background(), &store.Memory{}
	call := &remit.Call{ID: "c", Server: "desk", Tool: "read_note", Arguments: []byte(`{"title":"Plans"}`)}
	result := &remit.Result{Call: "c", Content: "x", Stored: &remit.Stored{Trust: label.External, Origins: []string{"mail.read_inbox"}}}
	err := logs.Append(ctx, "s", 0,
		store.Record{Event: remit.Event{Kind: remit.CallEvent, Call: call, Verdict: remit.Allow}},
		store.Record{Event: remit.Event{Kind: remit.ResultEvent, Result: result}})
	if err != nil {
		t.Fatal(err)
	}
	read, _ := rewritten(t, logs, "s")
	if last := read.Messages[len(read.Messages)-1]; !reflect.DeepEqual(last.Stored, result.Stored) {
		t.Errorf("the recording has the label %+v, the log %+v", last.Stored, result.Stored)
	}
}

// A confirmation has no form: the call stays held back in the recording.
func TestARecordingLeavesConfirmationsOut(t *testing.T) {
	ctx, logs, m := context.Background(), &store.Memory{}, monitor(t)
	session, err := ledger.New(logs, ledger.Options{}).Open(ctx, m, "s")
	if err != nil {
		t.Fatal(err)
	}
	mail := remit.Call{ID: "c", Server: "desk", Tool: "send_email", Arguments: []byte(`{"to":"eve@relay.example","body":"x"}`)}
	d, err := session.Decide(ctx, mail)
	if err != nil || d.Verdict != remit.Ask {
		t.Fatal(d, err)
	}
	if d, err = session.Confirm(ctx, "c"); err != nil || d.Verdict != remit.Allow {
		t.Fatal(d, err)
	}
	read, left := rewritten(t, logs, "s")
	again, err := Replay(ctx, m, read, Options{})
	if err != nil || left != 1 || len(again) != 1 || again[0].Verdict != remit.Ask {
		t.Errorf("%d left out, decided %v, %v", left, verdicts(again), err)
	}
}

// A held call that is decided again under its id, and a scope that comes later in a turn, are
// told in their places: a recording with them can be read, and covers no earlier call.
func TestARecordingTellsWhatCameLaterInATurn(t *testing.T) {
	ctx, logs := context.Background(), &store.Memory{}
	call := &remit.Call{ID: "c", Server: "desk", Tool: "send_email", Arguments: []byte(`{"to":"eve@relay.example","body":"x"}`)}
	err := logs.Append(ctx, "s", 0,
		store.Record{Event: remit.Event{Kind: remit.UserEvent, Text: "Mail it"}},
		store.Record{Event: remit.Event{Kind: remit.ScopeEvent, Scope: []byte(`{"calls":[]}`)}},
		store.Record{Event: remit.Event{Kind: remit.CallEvent, Call: call, Verdict: remit.Ask}},
		store.Record{Event: remit.Event{Kind: remit.ScopeEvent, Scope: []byte(`{"calls":[{"tool":"send_email","args":{"/to":{"any":true},"/body":{"any":true}}}]}`)}},
		store.Record{Event: remit.Event{Kind: remit.CallEvent, Call: call, Verdict: remit.Allow}},
		store.Record{Event: remit.Event{Kind: remit.ResultEvent, Result: &remit.Result{Call: "c", Content: "sent"}}})
	if err != nil {
		t.Fatal(err)
	}

	read, left := rewritten(t, logs, "s")
	var told []string
	for _, m := range read.Messages {
		line := string(m.Role) + " " + m.Text + " " + m.CallID
		for _, c := range m.Calls {
			line += c.ID
		}
		if m.Scope != nil {
			line += " scope"
		}
		told = append(told, strings.TrimSpace(line))
	}
	want := []string{"user Mail it  scope", "assistant  c", "user   scope", "assistant  c~2", "tool sent c~2"}
	if left != 0 || !slices.Equal(told, want) {
		t.Errorf("%d left out; told %q, want %q", left, told, want)
	}
}
