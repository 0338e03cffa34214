package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"unicode"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/ledger"
)

// conversation is a session with what ties a provider's words to it. It is for
// one request at a time.
type conversation struct {
	session *ledger.Session
	// id is the session's, offer what the model has been offered in it, and
	// monitor the one that decides its calls.
	id      string
	offer   *offer
	monitor *remit.Monitor
	// framed are the lines and attachments of system text that it has read.
	framed map[hash]bool
	// log is what is recorded of a durable session and was not met yet; nil when
	// all of it was.
	log *recorded
	// used counts the calls by the provider's ids, which need not be unique;
	// open are the session's ids of the latest.
	used map[string]int
	open map[string]string
	// size is how much it has read, in bytes.
	size int
	// floor says who speaks next, and the lineage who has said what.
	floor floor
	lineage
}

func newConversation(s *ledger.Session, log []remit.Event) *conversation {
	c := &conversation{session: s, used: map[string]int{}, open: map[string]string{}}
	if len(log) > 0 {
		c.log = newRecorded(log)
		for _, e := range log {
			if e.Kind == remit.CallEvent && e.Call != nil {
				c.used[e.Call.ID]++
			}
		}
	}
	return c
}

// tell adds an event that the model did not cause.
func (c *conversation) tell(ctx context.Context, e remit.Event) error {
	c.size += len(e.Text)
	c.outside = c.outside || e.Kind == remit.ResultEvent || e.Kind == remit.AttachmentEvent
	if e.Kind == remit.ResultEvent {
		r := *e.Result
		c.size += len(r.Content)
		if id, ok := c.open[r.Call]; ok {
			r.Call = id
		}
		e.Result = &r
	}
	if _, met := c.log.meet(e); met {
		return nil
	}

	switch e.Kind {
	case remit.SystemEvent:
		return c.session.System(ctx, e.Text)
	case remit.UserEvent:
		return c.session.User(ctx, e.Text)
	case remit.AttachmentEvent:
		return c.session.Attach(ctx, e.Name, e.Text)
	case remit.ResultEvent:
		return c.session.Result(ctx, *e.Result)
	}

	return fmt.Errorf("a %s event from outside", e.Kind)
}

// frame adds system text, but for what was in it before: a deployment may put the
// time in it, or another agent's task.
func (c *conversation) frame(ctx context.Context, events []remit.Event) error {
	next := map[hash]bool{}
	for _, e := range events {
		parts := []string{e.Text}
		if e.Kind == remit.SystemEvent {
			parts = strings.SplitAfter(e.Text, "\n")
		}
		var fresh []string
		for _, text := range parts {
			h := hashed([]byte(e.Kind), []byte(text))
			if next[h] = true; !c.framed[h] {
				fresh = append(fresh, text)
			}
		}
		if e.Text = strings.Join(fresh, ""); e.Text == "" {
			continue
		}
		if err := c.tell(ctx, e); err != nil {
			return err
		}
	}

	if c.framed == nil {
		c.framed = next
	}
	maps.Copy(c.framed, next)
	return nil
}

// recall adds what a request says that the model had said. Its calls have run or
// not; they are decided so that what they returned gets its label, which it has
// only where they would have been allowed. Words that this proxy didn't pass on
// are anybody's.
func (c *conversation) recall(ctx context.Context, s *said, genuine bool) error {
	for _, text := range s.external {
		if err := c.tell(ctx, attached("provider", text)); err != nil {
			return err
		}
	}

	genuine = genuine || c.metAll(s)
	if !genuine {
		forged := []string{words(s.text), words(s.other)}
		for _, k := range s.calls {
			forged = append(forged, string(k.arguments))
		}
		if err := c.tell(ctx, attached("assistant", words(forged))); err != nil {
			return err
		}
	}

	for i := range s.calls {
		if _, err := c.decide(ctx, &s.calls[i]); err != nil {
			return err
		}
	}

	if !genuine {
		return nil
	}
	return c.assistant(ctx, words(s.text))
}

// metAll reports whether the record has all that the model is said to have said.
func (c *conversation) metAll(s *said) bool {
	if c.log == nil || len(s.other) > 0 {
		return false
	}
	at := c.log.cursor
	defer func() { c.log.cursor = at }()
	for i := range s.calls {
		if _, met := c.log.meet(callEvent(&s.calls[i])); !met {
			return false
		}
	}
	text := words(s.text)
	if text == "" {
		return len(s.calls) > 0
	}
	_, met := c.log.meet(event(remit.AssistantEvent, text))
	return met
}

func callEvent(k *call) remit.Event {
	return remit.Event{Kind: remit.CallEvent, Call: &remit.Call{Tool: k.tool, Arguments: k.arguments}}
}

// decide decides a call, under an id of its own in the session. A call that the
// record has is met there, and has no decision.
func (c *conversation) decide(ctx context.Context, k *call) (*remit.Decision, error) {
	c.size += len(k.arguments)
	if e, met := c.log.meet(callEvent(k)); met {
		c.opened(k, e.Call.ID)
		return nil, nil
	}
	id := k.id
	if n := c.used[k.id]; n > 0 || id == "" {
		for {
			n++
			if id = fmt.Sprintf("%s~%d", k.id, n); c.used[id] == 0 {
				break
			}
		}
		c.used[k.id] = n
	}
	c.used[id]++
	c.opened(k, id)
	return c.session.Decide(ctx, remit.Call{ID: id, Tool: k.tool, Arguments: k.arguments})
}

// opened notes the id in the session of a call.
func (c *conversation) opened(k *call, id string) {
	c.open[k.id] = id
	if k.alias != "" {
		c.open[k.alias] = id
	}
}

// assistant adds what the model wrote to the user.
func (c *conversation) assistant(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	c.size += len(text)
	if _, met := c.log.meet(event(remit.AssistantEvent, text)); met {
		return nil
	}
	return c.session.Assistant(ctx, text)
}

// recorded finds events in a durable session's log, in their order, so that a
// request which repeats them doesn't add them again.
type recorded struct {
	events []remit.Event
	places map[string][]int
	cursor int
}

func newRecorded(events []remit.Event) *recorded {
	r := &recorded{events: events, places: map[string][]int{}}
	for i, e := range events {
		k := recordKey(e)
		r.places[k] = append(r.places[k], i)
	}
	return r
}

func recordKey(e remit.Event) string {
	switch {
	case e.Call != nil:
		return string(e.Kind) + "\x00" + e.Call.Tool + "\x00" + plainJSON(e.Call.Arguments)
	case e.Result != nil:
		return string(e.Kind) + "\x00" + e.Result.Call + "\x00" + e.Result.Content
	case e.Kind == remit.AssistantEvent:
		return string(e.Kind) + "\x00" + squeezed(e.Text)
	}
	return string(e.Kind) + "\x00" + e.Name + "\x00" + e.Text
}

// meet finds an event behind those that were met before.
func (r *recorded) meet(e remit.Event) (remit.Event, bool) {
	if r == nil {
		return remit.Event{}, false
	}
	k := recordKey(e)
	places := r.places[k]
	for len(places) > 0 && places[0] < r.cursor {
		places = places[1:]
	}
	if len(places) == 0 {
		return remit.Event{}, false
	}
	r.cursor = places[0] + 1
	return r.events[places[0]], true
}

// squeezed is a text without its white space, which clients change.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// plainJSON is a value in one spelling, as clients write it that have decoded
// it.
func plainJSON(raw json.RawMessage) string {
	var v any
	if len(raw) == 0 {
		return "{}"
	}
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(out)
}
