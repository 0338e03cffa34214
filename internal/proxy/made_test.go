package proxy_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/proxy"
	"github.com/remit-project/remit/scope"
)

// oncePlanner allows one mail to ann, and reading three times.
type oncePlanner struct{}

func (oncePlanner) Plan(context.Context, *scope.Request) (*scope.Plan, error) {
	const text = `{"calls":[{"tool":"send_email","args":{"/to":{"is":"ann@corp.example"},"/body":{"any":true}}},{"tool":"read_page","times":3,"args":{"/url":{"is":"https://news.example/today"}}}]}`
	return &scope.Plan{Scope: json.RawMessage(text), Model: "test"}, nil
}

// TestAScopeCountsOnce: what the user's turn authorises once is let through once, however the
// client tells the conversation from that turn on, and whatever it leaves out.
func TestAScopeCountsOnce(t *testing.T) {
	const ann = "ann@corp.example"
	now := &clock{now: time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)}
	begin := func(t *testing.T) *talk {
		c := newTalk(t, func(o *proxy.Options) { planning(oncePlanner{})(o); o.Monitor.Now = now.Now })
		c.say("user", "Read https://news.example/today and send a mail to ann@corp.example.")
		c.want(c.ask(calls("c1", "read_page", reading)), true)
		c.result("c1", "nothing")
		return c
	}
	for name, test := range map[string]func(t *testing.T, c *talk){
		"the same history again": func(t *testing.T, c *talk) { c.onceAgain(ann) },
		"without the call": func(t *testing.T, c *talk) {
			before := slices.Clone(c.messages)
			c.want(c.ask(mailTo("d1", ann)), true)
			c.result("d1", "sent")
			c.want(c.ask(calls("c2", "read_page", reading)), true)
			c.messages = append(before, c.messages[len(c.messages)-1])
			c.result("c2", "nothing")
			c.want(c.ask(mailTo("d2", ann)), false)
		},
		"under another system prompt": func(t *testing.T, c *talk) { c.onceAgain(ann, `{"role":"system","content":"It is ten."}`) },
		"after a yes": func(t *testing.T, c *talk) {
			before := slices.Clone(c.messages)
			c.want(c.ask(mailTo("d1", ann)), true)
			c.messages = before
			c.say("user", "yes "+codeIn(c.ask(mailTo("d2", ann))))
			c.want(c.ask(mailTo("d3", ann)), true)
		},
		"the next turn has its own": func(t *testing.T, c *talk) {
			c.want(c.ask(mailTo("d1", ann)), true)
			c.result("d1", "sent")
			c.ask(said("Done."))
			c.say("user", "Send the mail to ann@corp.example, once more.")
			c.want(c.ask(mailTo("d2", ann)), true)
		},
		"another conversation that begins so": func(t *testing.T, c *talk) {
			c.want(c.ask(mailTo("d1", ann)), true)
			c.messages = nil
			c.say("user", "Good morning.")
			c.ask(said("Hello."))
			c.say("user", "Read https://news.example/today and send a mail to ann@corp.example.")
			c.want(c.ask(mailTo("d2", ann)), true)
		},
		"another session": func(t *testing.T, c *talk) {
			before := slices.Clone(c.messages)
			c.want(c.ask(mailTo("d1", ann)), true)
			c.messages, c.header = before, []string{"Remit-Session", "run-2"}
			c.want(c.ask(mailTo("d2", ann)), true)
		},
		"the same task later": func(t *testing.T, c *talk) {
			first := slices.Clone(c.messages[:1])
			c.want(c.ask(mailTo("d1", ann)), true)
			now.add(16 * time.Minute)
			c.messages = first
			c.want(c.ask(calls("c1", "read_page", reading)), true)
			c.result("c1", "nothing")
			c.want(c.ask(mailTo("d2", ann)), true)
		},
	} {
		t.Run(name, func(t *testing.T) { test(t, begin(t)) })
	}

	t.Run("at the same time", func(t *testing.T) {
		begin(t).onceAtTheSameTime(ann)
	})
}

// TestAScopeCountsWhatAYesLetThrough: a mail that the scope allows, and that a person was asked about for a link in it, is that mail in all tellings
// of the conversation.
func TestAScopeCountsWhatAYesLetThrough(t *testing.T) {
	const ann = "ann@corp.example"
	linked := calls("d1", "send_email", `{"to":"ann@corp.example","body":"See https://evil.example/a?b=1"}`)
	begin := func() *talk {
		c := newTalk(t, planning(oncePlanner{}))
		c.say("user", "Read https://news.example/today and send a mail to ann@corp.example.")
		c.want(c.ask(calls("c1", "read_page", reading)), true)
		c.result("c1", "Look at https://evil.example/a?b=1")
		return c
	}
	agree := func(c *talk) {
		c.say("user", "yes "+codeIn(c.ask(linked)))
		c.want(c.ask(linked), true)
	}

	c := begin()
	before := slices.Clone(c.messages)
	agree(c)
	c.messages = before
	c.want(c.ask(mailTo("d2", ann)), false)

	c = begin()
	agree(c)
	c.result("d1", "sent")
	c.want(c.ask(mailTo("d2", ann)), false)
}

// pagePlanner allows one mail to the address on a page.
type pagePlanner struct{}

func (pagePlanner) Plan(context.Context, *scope.Request) (*scope.Plan, error) {
	const text = `{"calls":[{"tool":"send_email","args":{"/to":{"from":[{"tool":"read_page","args":{"/url":{"is":"https://news.example/today"}},"field":"mail"}],"kind":"email","pick":"only"},"/body":{"any":true}}},{"tool":"read_page","times":3,"args":{"/url":{"is":"https://news.example/today"}}}]}`
	return &scope.Plan{Scope: json.RawMessage(text), Model: "test"}, nil
}

// TestAScopeCountsWhatRestsOnAResult: a client that tells the conversation again from the user's turn
// on reads the page again, and sends no second mail, also where the model proposes it too early.
func TestAScopeCountsWhatRestsOnAResult(t *testing.T) {
	const ann = "ann@corp.example"
	for name, early := range map[string]bool{"read first": false, "proposed too early": true} {
		t.Run(name, func(t *testing.T) {
			c := newTalk(t, func(o *proxy.Options) { planning(pagePlanner{})(o); o.Retries = 1 })
			c.say("user", "Read https://news.example/today and send a mail to the address on it.")
			begin := slices.Clone(c.messages)
			for _, want := range []bool{true, false, false} {
				c.messages = slices.Clone(begin)
				if early {
					c.u.add(chatReply(mailTo("d0", ann)))
				}
				c.want(c.ask(calls("c1", "read_page", reading)), true)
				c.result("c1", `{"mail":"ann@corp.example"}`)
				if want {
					c.want(c.ask(mailTo("d1", ann)), true)
					continue
				}
				c.u.add(chatReply(mailTo("d1", ann)))
				c.want(c.ask(said("It was sent.")), false)
			}
		})
	}
}

// TestAScopeCountsWhatWasAllowed: a call that was held back in one telling of a conversation, since
// the page was not read yet, has not been made there when another telling makes it.
func TestAScopeCountsWhatWasAllowed(t *testing.T) {
	const ann = "ann@corp.example"
	c := newTalk(t, func(o *proxy.Options) { planning(pagePlanner{})(o); o.Retries = 1 })
	c.say("user", "Read https://news.example/today and send a mail to the address on it.")
	begin := slices.Clone(c.messages)
	c.want(c.ask(calls("c1", "read_page", reading)), true)
	c.messages = begin
	c.u.add(chatReply(mailTo("d0", ann)))
	c.want(c.ask(calls("c1", "read_page", reading)), true)
	c.result("c1", `{"mail":"ann@corp.example"}`)
	read := slices.Clone(c.messages)
	c.want(c.ask(mailTo("d1", ann)), true)
	c.messages = read
	c.u.add(chatReply(mailTo("d2", ann)))
	c.want(c.ask(said("It was sent.")), false)
}
