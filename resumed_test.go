package remit_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/remit-project/remit"
)

// toDan is a call that a person has to agree to, once a mail was read.
const toDan = `{"to":["dan@corp.example"],"body":"Hello!"}`

// proposes decides a call under an id.
func (o *office) proposes(id, tool, arguments string) *remit.Decision {
	d, err := o.Decide(context.Background(), remit.Call{ID: id, Tool: tool, Arguments: json.RawMessage(arguments)})
	o.must(err)
	return d
}

// held is a session in which a call was held back, and a person has agreed to it.
func held(t *testing.T) *office {
	o := says(t, "Summarize my mail.").reads(hostile)
	expect(t, o.proposes("c1", "send", toDan), "ask; below-floor /to/0; unprovoked")
	d, err := o.ConfirmOnce(context.Background(), "c1")
	o.must(err)
	expect(t, d, "allow; below-floor /to/0; unprovoked")
	return o
}

// A graph that waited for a person proposes its call again when it goes on: what the
// person agreed to runs, once.
func TestAgreedCallsAreProposedAgain(t *testing.T) {
	o := held(t)
	d := o.proposes("c1", "send", toDan)
	expect(t, d, "allow; below-floor /to/0; unprovoked")
	if !d.Confirmed {
		t.Error("the decision doesn't say that a person agreed")
	}

	// A replay gets nothing, before the result and after it.
	expect(t, o.proposes("c1", "send", toDan), "deny; repeated-id")
	o.must(o.Result(context.Background(), remit.Result{Call: "c1", Content: "sent"}))
	expect(t, o.proposes("c1", "send", toDan), "deny; repeated-id")
	expect(t, o.proposes("c2", "send", toDan), "ask; below-floor /to/0; unprovoked")
}

// An agreement is to the call that the person saw, as long as it has not run.
func TestAgreementsServeTheirCallAlone(t *testing.T) {
	for name, test := range map[string]struct {
		meanwhile func(o *office)
		arguments string
		want      string
	}{
		"other arguments": {func(*office) {}, `{"to":["eve@evil.example"]}`, "deny; repeated-id"},
		"it has run": {func(o *office) {
			o.must(o.Result(context.Background(), remit.Result{Call: "c1", Content: "sent"}))
		}, toDan, "deny; repeated-id"},
		"it has run, and is said to wait": {func(o *office) {
			o.must(o.Result(context.Background(), remit.Result{Call: "c1", Content: "sent"}))
			o.must(o.Result(context.Background(), remit.Result{Call: "c1", Suspended: true}))
		}, toDan, "deny; repeated-id"},
		"a result that claims to be none": {func(o *office) {
			o.must(o.Result(context.Background(), remit.Result{Call: "c1", Content: "sent", Suspended: true}))
		}, toDan, "deny; repeated-id"},
	} {
		t.Run(name, func(t *testing.T) {
			o := held(t)
			test.meanwhile(o)
			expect(t, o.proposes("c1", "send", test.arguments), test.want)
		})
	}
}

// What was read after the agreement may speak against the call: the person has not seen
// that.
func TestAgreementsAreToTheirReasons(t *testing.T) {
	o := says(t, "Look at my mail.")
	expect(t, o.proposes("c1", "pay", `{"account":"GB33BUKB20201555555555","card":"4000-1234"}`), "ask; open-obligation /card")
	d, err := o.ConfirmOnce(context.Background(), "c1")
	o.must(err)
	expect(t, d, "allow; open-obligation /card")
	o.reads(hostile)
	expect(t, o.proposes("c1", "pay", `{"account":"GB33BUKB20201555555555","card":"4000-1234"}`), "ask; below-floor /account; open-obligation /card; unprovoked")
}

// A call that was allowed without a question runs once. Where its enforcement point says that the
// tool waits, it is decided again, as often as it waits, and may not run before.
func TestSuspendedCalls(t *testing.T) {
	o := says(t, "Mail a summary to ann@corp.example.")
	const toAnn = `{"to":["ann@corp.example"]}`
	suspend := func() { o.must(o.Result(context.Background(), remit.Result{Call: "a", Suspended: true})) }

	expect(t, o.proposes("a", "send", toAnn), "allow")
	for range 2 {
		suspend()
		if o.Awaits("a") == nil {
			t.Error("a call that is suspended may return something")
		}
		expect(t, o.proposes("a", "send", toAnn), "allow")
		expect(t, o.proposes("a", "send", toAnn), "deny; repeated-id")
	}
	o.must(o.Awaits("a"))

	// It is decided by what is known then.
	suspend()
	o.reads(hostile)
	expect(t, o.proposes("a", "send", `{"to":["eve@evil.example"]}`), "deny; repeated-id")
	expect(t, o.proposes("a", "send", toAnn), "allow")
	o.must(o.Result(context.Background(), remit.Result{Call: "a", Content: "sent"}))
	expect(t, o.proposes("a", "send", toAnn), "deny; repeated-id")

	// A call that was never allowed can't wait.
	expect(t, o.proposes("b", "send", toDan), "ask; below-floor /to/0; unprovoked")
	o.must(o.Result(context.Background(), remit.Result{Call: "b", Suspended: true}))
	expect(t, o.proposes("b", "send", toDan), "ask; below-floor /to/0; unprovoked")
}

// A restored session knows which calls wait, and which have been proposed again.
func TestResumedCallsAreRestored(t *testing.T) {
	call := &remit.Call{ID: "c1", Tool: "send", Arguments: json.RawMessage(toDan)}
	begin := []remit.Event{
		{Kind: remit.UserEvent, Text: "Summarize my mail."},
		{Kind: remit.AttachmentEvent, Name: "mail", Text: hostile},
		{Kind: remit.CallEvent, Call: call, Verdict: remit.Ask},
		{Kind: remit.ConfirmationEvent, Call: &remit.Call{ID: "c1"}, Verdict: remit.Allow, Once: true},
	}
	again := remit.Event{Kind: remit.CallEvent, Call: call, Verdict: remit.Allow}
	waits := remit.Event{Kind: remit.ResultEvent, Result: &remit.Result{Call: "c1", Suspended: true}}

	for name, test := range map[string]struct {
		more []remit.Event
		want string
	}{
		"agreed":                {nil, "allow; below-floor /to/0; unprovoked"},
		"agreed, and proposed":  {[]remit.Event{again}, "deny; repeated-id"},
		"proposed, and waiting": {[]remit.Event{again, waits}, "allow; below-floor /to/0; unprovoked"},
	} {
		t.Run(name, func(t *testing.T) {
			o := says(t, "")
			s, err := o.monitor.Restore(context.Background(), "restored", events(append(begin[:len(begin):len(begin)], test.more...)))
			o.must(err)
			o.Session = s
			expect(t, o.proposes("c1", "send", toDan), test.want)
		})
	}
}
