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

// conversation ties a session to a provider's messages. It serves one request at
// a time.
type conversation struct {
	session *ledger.Session
	// id is the session's id, offer the tools that the model has been offered,
	// and monitor the monitor that decides its calls.
	id      string
	offer   *offer
	monitor *remit.Monitor
	// framed are the lines and attachments of system text that the session has
	// read.
	framed map[hash]bool
	// log holds the recorded events of a durable session that no turn has matched
	// yet; nil when all have matched.
	log *recorded
	// used counts calls by the provider's ids, which need not be unique; ids
	// maps them to the session's ids of the latest.
	used map[string]int
	ids  map[string]string
	// bearers counts the calls of the model's last answer by the ids that results may name.
	bearers map[string]int
	// planless is set while calls of turns that have passed are decided again, and spoken when
	// the user has said something that has no plan yet.
	planless, spoken bool
	// held are calls of the model's turn that the user is to be asked about, and open is
	// the question that the last answer ended with; nil for none.
	held []*remit.Decision
	open *open
	// told is what the user's last turn agrees to, until the model has answered, and agreed
	// is what any turn agreed to, where the session doesn't keep it: see keeps.
	told   agreed
	agreed []agreedItem
	// keeps is set where the log of the session outlasts this telling of the conversation.
	keeps bool
	// made are the calls of all tellings of the conversation; nil where nothing has to be counted
	// beyond this one. turn is the place of the user's last turn, and here counts the calls
	// that this telling has had since and that were allowed.
	made *made
	turn hash
	here map[hash]int
	// retold counts the calls of other tellings that were decided here, allowed or not.
	retold map[hash]int
	// size is how much the session has read, in bytes.
	size int
	// floor says who speaks next, and lineage who said what.
	floor floor
	lineage
}

func newConversation(s *ledger.Session, log []remit.Event) *conversation {
	c := &conversation{session: s, used: map[string]int{}, ids: map[string]string{}, bearers: map[string]int{}}
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
	c.bring(e)
	c.outside = c.outside || e.Kind == remit.ResultEvent || e.Kind == remit.AttachmentEvent
	if e.Kind == remit.ResultEvent {
		r := *e.Result
		c.size += len(r.Content)
		if c.bearers[r.Call] > 1 {
			// Nobody can tell which of the calls has returned this, and one may be trusted further.
			e = attached("result", r.Content)
		}
	}
	if e.Kind == remit.ResultEvent {
		r := *e.Result
		if id, ok := c.ids[r.Call]; ok {
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
		c.spoken = true
		return c.session.User(ctx, e.Text)
	case remit.AttachmentEvent:
		return c.session.Attach(ctx, e.Name, e.Text)
	case remit.ResultEvent:
		return c.session.Result(ctx, *e.Result)
	case remit.AgreementEvent:
		return c.session.Agree(ctx, e)
	}

	return fmt.Errorf("a %s event from outside", e.Kind)
}

// frame adds system text, except for what an earlier frame had: a deployment may
// put the time or another agent's task into it.
func (c *conversation) frame(ctx context.Context, events []remit.Event) error {
	next := map[hash]bool{}
	for _, e := range events {
		parts := []string{e.Text}
		if e.Kind == remit.SystemEvent {
			parts = strings.SplitAfter(e.Text, "\n")
		}
		var fresh []string
		for _, text := range parts {
			h := hashParts([]byte(e.Kind), []byte(text))
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

// recall adds a turn that the request attributes to the model. It decides the
// turn's calls again, whether or not they ran, so that their results get labels;
// a result gets its tool's label only if its call would have been allowed. Text
// that this proxy didn't pass on is untrusted.
func (c *conversation) recall(ctx context.Context, s *utterance, genuine bool) error {
	for _, text := range s.external {
		if err := c.tell(ctx, attached("provider", text)); err != nil {
			return err
		}
	}

	genuine = genuine || c.hasMetAll(s)
	if !genuine {
		forged := []string{words(s.text), words(s.other)}
		for _, k := range s.calls {
			forged = append(forged, string(k.arguments))
		}
		if err := c.tell(ctx, attached("assistant", words(forged))); err != nil {
			return err
		}
	}

	clear(c.bearers)
	for i := range s.calls {
		d, err := c.decide(ctx, &s.calls[i], remit.Call{Past: true})
		if err == nil && genuine && d != nil && d.Verdict == remit.Ask {
			d, err = c.spend(ctx, d, true)
			c.countAllowed(&s.calls[i], d)
		}
		if err != nil {
			return err
		}
	}

	if !genuine {
		return nil
	}
	return c.assistant(ctx, words(s.text))
}

// hasMetAll reports whether the log contains everything in the utterance.
func (c *conversation) hasMetAll(s *utterance) bool {
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

// decide decides a call under a session id of its own; of the proposal it takes what the
// call itself doesn't say. A call in the log only matches its record and has no decision.
func (c *conversation) decide(ctx context.Context, k *call, proposal remit.Call) (*remit.Decision, error) {
	c.size += len(k.arguments)
	if e, met := c.log.meet(callEvent(k)); met {
		c.noteOpen(k, e.Call.ID)
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
	c.noteOpen(k, id)

	s := c.session
	if c.planless {
		s = s.Unplanned()
	}
	proposal.ID, proposal.Tool, proposal.Arguments = id, k.tool, k.arguments
	d, err := s.Decide(ctx, proposal)
	if err == nil {
		c.countAllowed(k, d)
	}
	return d, err
}

// countAllowed counts a call in this telling of the conversation, if it may run.
func (c *conversation) countAllowed(k *call, d *remit.Decision) {
	if c.made != nil && d != nil && d.Verdict == remit.Allow {
		c.here[k.identity()]++
	}
}

// propose decides a call that the model proposes now.
func (c *conversation) propose(ctx context.Context, k *call, proposal remit.Call) (*remit.Decision, error) {
	if c.made != nil {
		return c.proposeOnce(ctx, k, proposal)
	}
	d, _, err := c.decideAgreed(ctx, k, proposal)
	return d, err
}

// decideAgreed decides a call, and lets it through if it is held back and the user has agreed to it.
func (c *conversation) decideAgreed(ctx context.Context, k *call, proposal remit.Call) (d *remit.Decision, agreed bool, err error) {
	d, err = c.decide(ctx, k, proposal)
	if err != nil || d == nil || d.Verdict != remit.Ask {
		return d, false, err
	}
	d, err = c.spend(ctx, d, false)
	c.countAllowed(k, d)
	return d, true, err
}

// plan asks the planner about the user's last turn, beside the model's own answer. The
// first call of the turn waits for the rest.
func (c *conversation) plan(ctx context.Context) {
	if c.spoken {
		c.session.PlanAhead(ctx)
	}
	c.spoken = false
}

// noteOpen notes a call's id in the session.
func (c *conversation) noteOpen(k *call, id string) {
	c.ids[k.id] = id
	c.bearers[k.id]++
	if k.alias != "" {
		c.ids[k.alias] = id
		c.bearers[k.alias]++
	}
}

// assistant adds the model's text to the user.
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

// recorded matches events against a durable session's log in order, so that a
// request which repeats them doesn't add them twice.
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
		return string(e.Kind) + "\x00" + squeeze(e.Text)
	}
	return string(e.Kind) + "\x00" + e.Name + "\x00" + e.Text
}

// meet finds an event after those that matched before.
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

// squeeze removes the white space of a text, which clients change.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// plainJSON normalizes the spelling of a value, which clients change when they
// decode and encode it.
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
