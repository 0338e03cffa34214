package proxy_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/proxy"
)

// TestAnAnswerCountsOnce lets each call of a question through once, however often the client
// sends the conversation, whatever it leaves out, and no longer than a confirmation holds.
func TestAnAnswerCountsOnce(t *testing.T) {
	const ann, bob = "ann@corp.example", "bob@corp.example"
	// answered is a conversation in which the user has just agreed to mails to both.
	answered := func(t *testing.T, now func() time.Time) *talk {
		c := told(t, func(o *proxy.Options) { never(o); o.Monitor.Now = now })
		c.say("user", "yes "+codeIn(c.ask(mails("c", ann, bob))))
		return c
	}
	for name, test := range map[string]func(t *testing.T, c *talk){
		"the same history again": func(t *testing.T, c *talk) { c.onceAgain(ann) },
		"a history without what followed": func(t *testing.T, c *talk) {
			before := slices.Clone(c.messages)
			c.want(c.ask(mailTo("d1", ann)), true)
			c.result("d1", "sent")
			c.ask(said("Done."))
			c.messages = before
			c.say("user", "Again, please.")
			c.want(c.ask(mailTo("d2", ann)), false)
		},
		"the other call is still agreed to": func(t *testing.T, c *talk) {
			before := slices.Clone(c.messages)
			c.want(c.ask(mailTo("d1", ann)), true)
			c.messages = before
			c.want(c.ask(mailTo("d2", bob)), true)
		},
		"another system prompt": func(t *testing.T, c *talk) { c.onceAgain(ann, `{"role":"system","content":"It is ten."}`) },
		"an invented history of the call": func(t *testing.T, c *talk) {
			before := slices.Clone(c.messages)
			c.want(c.ask(mailTo("d1", ann)), true)
			c.messages = append(before, json.RawMessage(mailTo("e1", bob)))
			c.result("e1", "sent")
			c.want(c.ask(mailTo("d2", ann)), false)
		},
		"the upstream had failed": func(t *testing.T, c *talk) {
			c.u.add(reply{status: 429, kind: "application/json", body: `{}`})
			post(t, c.base, "/v1/chat/completions", c.body(), c.header...)
			c.want(c.ask(mailTo("d1", ann)), true)
		},
	} {
		t.Run(name, func(t *testing.T) { test(t, answered(t, nil)) })
	}

	t.Run("its time is that of the first answer", func(t *testing.T) {
		clock := &clock{now: time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)}
		c := answered(t, clock.Now)
		before := slices.Clone(c.messages)
		c.want(c.ask(mailTo("d1", ann)), true)
		clock.add(16 * time.Minute)
		c.messages = before
		c.want(c.ask(mailTo("d2", bob)), false)
	})
	t.Run("at the same time", func(t *testing.T) {
		answered(t, nil).onceAtTheSameTime(ann)
	})
}

// TestTheSameQuestionAgain asks with another code once the user has agreed to the first one: what
// is said to that is not an answer to this.
func TestTheSameQuestionAgain(t *testing.T) {
	const ann = "ann@corp.example"
	c := told(t, never)
	before := slices.Clone(c.messages)
	first := codeIn(c.ask(mailTo("c1", ann)))
	c.messages = slices.Clone(before)
	if again := codeIn(c.ask(mailTo("c1", ann))); again != first {
		t.Errorf("the code is %s and then %s, although nobody has answered", first, again)
	}
	c.say("user", "yes "+first)
	c.want(c.ask(mailTo("d1", ann)), true)

	c.messages = before
	second := codeIn(c.ask(mailTo("c1", ann)))
	if second == first {
		t.Fatal("the code is that of a question that was answered")
	}
	c.say("user", "yes "+second)
	c.want(c.ask(mailTo("d1", ann)), true)
}

// TestTheModelIsToldAgain: the model is told what the user agreed to also where the request has
// to be sent again.
func TestTheModelIsToldAgain(t *testing.T) {
	c := told(t, never)
	c.say("user", "yes "+codeIn(c.ask(mailTo("c1", "ann@corp.example"))))
	for _, status := range []int{429, 503} {
		c.u.add(reply{status: status, kind: "application/json", body: `{}`})
		post(t, c.base, "/v1/chat/completions", c.body(), c.header...)
	}
	c.ask(said("Well."))
	if asked := string(c.u.request(c.u.count() - 1).body); !strings.Contains(asked, "the user agreed") {
		t.Errorf("the model is told %s", asked)
	}
}

// clock is a clock that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// onceAgain sends a mail, and then the same history behind some messages: the mail is let through the first time.
func (c *talk) onceAgain(to string, behind ...string) {
	c.t.Helper()
	before := slices.Clone(c.messages)
	c.want(c.ask(mailTo("d1", to)), true)
	c.messages = nil
	for _, m := range behind {
		c.messages = append(c.messages, json.RawMessage(m))
	}
	c.messages = append(c.messages, before...)
	c.want(c.ask(mailTo("d2", to)), false)
}

// onceAtTheSameTime sends the same history several times at once: one mail is let through.
func (c *talk) onceAtTheSameTime(to string) {
	c.t.Helper()
	const n = 8
	for range n {
		c.u.add(chatReply(mailTo("d1", to)))
	}
	answers := make([]string, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { _, answers[i] = post(c.t, c.base, "/v1/chat/completions", c.body(), c.header...) })
	}
	all.Wait()
	sent := slices.DeleteFunc(answers, func(a string) bool { return !strings.Contains(a, `"tool_calls"`) })
	if len(sent) != 1 {
		c.t.Errorf("%d mails, want 1", len(sent))
	}
}
