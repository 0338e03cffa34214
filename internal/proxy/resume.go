package proxy

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/ledger"
)

// reader reads the turns of one request, each at most once.
type reader struct {
	// owner is the owner of the request, as echoes know it.
	owner uint64
	// earlier are the keys of the text in the turns before phrased.
	earlier earlier
	phrased int
	p       *Proxy
	d       dialect
	req     *request
	// begun is how the body began before; nil where nothing is known.
	begun *begun
	c     containers
	read  []*turn
	err   error
	// before are the hashes of the conversation before each turn and at its end.
	before []hash
	// spoken are the same hashes without tools and system text.
	spoken []hash
	// system says which turns are the deployment's.
	system []bool
	// offer are the conversation's tools; nil until it is found.
	offer *offer
	// beside is set where the turn that is read has words of the user's beside an answer.
	beside bool
	// outside is the material of the frame.
	outside []string
}

// turn reads a turn. Invalid JSON is an error of the request.
func (r *reader) turn(i int) *turn {
	if r.read[i] == nil {
		if err := strict(r.req.turns[i]); err != nil {
			r.err = refuse(fmt.Sprintf("turn %d is not acceptable JSON: %v", i, err))
			r.read[i] = &turn{}
			return r.read[i]
		}
		t := r.d.turn(r.req.turns[i], r.c)
		r.read[i] = &t
	}
	return r.read[i]
}

// run returns what the model said without a break from a turn on, and the number
// of turns.
func (r *reader) run(from int) (*utterance, int) {
	s, n := &utterance{}, 0
	for i := from; i < len(r.req.turns); i++ {
		t := r.turn(i)
		if t.utterance == nil {
			break
		}
		s.add(t.utterance)
		n++
	}
	return s, n
}

// genuine reports whether this proxy passed on what the request attributes to the
// model there, and the conversation has the whole context of that answer.
func (r *reader) genuine(from int, s *utterance) bool {
	place := r.spoken[from]
	b := r.p.answers.get(s.digest(place))
	if b == nil {
		return false
	}
	for _, text := range s.other {
		if r.p.answers.get(hashAside(place, text)) == nil {
			return false
		}
	}
	return r.offer == nil || r.lacks(b, s) == ""
}

// lacks names the context of an answer that the conversation lacks; "" if it has
// all.
func (r *reader) lacks(b *behind, s *utterance) string {
	if b.outside != (hash{}) && b.outside != textsHash(r.outside) {
		return "the material in the system text was another"
	}
	if b.external != textsHash(s.external) {
		return "what the provider's tools brought is missing"
	}
	if b.offer == r.offer.key {
		return ""
	}
	earlier := r.p.monitors.offer(b.offer)
	if earlier == nil {
		return "the tools that were offered then are not known any more"
	}
	gone := slices.DeleteFunc(r.offer.difference(earlier), func(name string) bool { return slices.Contains(r.p.o.Accept, name) })
	if len(gone) > 0 {
		return "definitions of tools have changed: " + strings.Join(gone, ", ")
	}
	return ""
}

// logForged logs that words attributed to the model count as external text.
func (r *reader) logForged(from int, s *utterance) {
	why := "they were not passed on at this place"
	if b := r.p.answers.get(s.digest(r.spoken[from])); b != nil {
		if lack := r.lacks(b, s); lack != "" {
			why = lack
		}
	}
	r.p.o.Log.Warn("words of the assistant's are not known, and count as text from outside", "turn", from, "why", why)
}

// material returns the text in the frame that isn't the deployment's own.
func (r *reader) material() []string {
	var out []string
	add := func(events []remit.Event) {
		for _, e := range events {
			if e.Kind == remit.AttachmentEvent {
				out = append(out, e.Text)
			}
		}
	}
	r.req.system = r.deployment(r.req.system)
	add(r.req.system)
	for i, system := range r.system {
		if system {
			t := r.turn(i)
			t.events = r.deployment(t.events)
			add(t.events)
		}
	}
	return append(out, r.req.unread...)
}

// knownTools returns the tools of the request, and those that the model had been
// offered when it gave the answers in the history.
func (r *reader) knownTools() *offer {
	o := newOffer(r.req.tools)
	for i := 0; i < len(r.req.turns); i++ {
		s, n := r.run(i)
		if n == 0 {
			continue
		}
		digest := s.digest(r.spoken[i])
		if b := r.p.answers.get(digest); b != nil && b.offer != o.key {
			if earlier := r.p.monitors.offer(b.offer); earlier != nil {
				o = o.merge(earlier.tools)
			}
		}
		// A conversation under another frame is not resumed.
		r.p.cache.take(staleKey(r.spoken[i]), func(l *live) bool { return l.spoken == digest })
		i += n - 1
	}
	return o
}

// staleKey returns the hash that finds a conversation under any frame.
func staleKey(spoken hash) hash { return hashParts(spoken[:], []byte("stale")) }

// switchMonitor moves a conversation to the monitor for everything that it has
// been offered, including these tools.
func (r *reader) switchMonitor(ctx context.Context, c *conversation) error {
	o := newOffer(r.req.tools).merge(c.offer.tools)
	m, err := r.p.monitors.get(o, r.req.forcedNames())
	if err != nil || m == c.monitor {
		return err
	}
	if c.session, err = c.session.Under(ctx, m); err != nil {
		return fmt.Errorf("the session can't go on with other tools: %w", err)
	}
	c.offer, c.monitor = o, m
	return nil
}

// resume returns the conversation of a request up to its last turn: a live one,
// or one rebuilt from the turns.
func (r *reader) resume(ctx context.Context, id string, seed hash) (*conversation, kept, error) {
	if r.req.kept != "" {
		seed = keptKey(seed, r.req.kept)
		r.locate(seed, seed)
	} else {
		frame := append([][]byte{seed[:], []byte(strings.Join(r.req.unread, "\x00"))}, bytesOf(r.req.frame)...)
		r.locate(hashParts(frame...), seed)
	}
	r.outside = r.material()
	if r.err != nil {
		return nil, kept{}, r.err
	}

	for at := len(r.req.turns); at >= 0; at-- {
		from := at
		remote := r.req.kept != "" && at == 0 // the provider keeps the turns before
		l := r.p.cache.take(r.before[at], func(l *live) bool {
			if !l.answered || remote {
				return true
			}
			if at == len(r.req.turns) {
				return false
			}
			s, n := r.run(at)
			from = at + n
			genuine := r.genuine(at, s)
			if l.work && r.hiddenCalls(at, s, genuine) != nil {
				from = at
				return true
			}
			return genuine && s.digest(r.before[at]) == l.answer
		})
		if l == nil {
			continue
		}
		if err := r.switchMonitor(ctx, l.c); err != nil {
			return nil, kept{}, err
		}
		r.offer = l.c.offer
		if remote {
			if err := l.c.frame(ctx, r.frame()); err != nil {
				return nil, kept{}, err
			}
		}
		if l.answered && !remote {
			l.kept = kept{} // the client's history is all that there is
		}
		return l.c, l.kept, r.tell(ctx, l.c, from)
	}

	r.offer = r.knownTools()
	c, err := r.begin(ctx, id)
	if err != nil {
		return nil, kept{}, err
	}
	return c, kept{}, r.tell(ctx, c, 0)
}

// keptKey returns the hash that finds a conversation whose history the provider
// keeps.
func keptKey(tenant hash, kept string) hash {
	return hashParts(tenant[:], []byte("kept"), []byte(kept))
}

// frame returns the events of a request outside of its turns.
func (r *reader) frame() []remit.Event {
	var out []remit.Event
	for _, text := range r.req.unread {
		out = append(out, attached("unread", text))
	}
	return append(out, r.req.system...)
}

// begin starts a conversation.
func (r *reader) begin(ctx context.Context, id string) (*conversation, error) {
	m, err := r.p.monitors.get(r.offer, r.req.forcedNames())
	if err != nil {
		return nil, err
	}
	durable := r.p.o.Ledger != nil
	named := durable && id != ""
	if id != "" && !durable {
		r.p.o.Log.Warn("a request names a session, and there is no store to keep it in", "header", headerSession)
	}
	if id == "" || !durable {
		id = "proxy-" + strings.ToLower(rand.Text())
	}

	var c *conversation
	if durable {
		s, log, err := r.recorded(ctx, m, id)
		if err != nil {
			return nil, fmt.Errorf("the session can't be opened: %w", err)
		}
		if r.p.o.Shadow {
			s = s.Shadowed()
		}
		c = newConversation(s, log)
		r.p.echoes.restore(r.owner, log, &c.lineage)
	} else {
		c = newConversation(ledger.Begin(m, id), nil)
	}
	c.id, c.offer, c.monitor, c.keeps = id, r.offer, m, named
	if r.p.o.Monitor.Planner != nil && !named && !r.p.o.Shadow {
		c.made, c.here, c.retold = &r.p.made, map[hash]int{}, map[hash]int{}
	}
	if r.req.kept != "" && c.log == nil {
		if err := c.tell(ctx, attached("history", unreadable("kept history"))); err != nil {
			return nil, err
		}
	}
	return c, c.frame(ctx, r.frame())
}

// recorded opens a durable session and returns its log.
func (r *reader) recorded(ctx context.Context, m *remit.Monitor, id string) (*ledger.Session, []remit.Event, error) {
	s, err := r.p.o.Ledger.Open(ctx, m, id)
	if err != nil {
		return nil, nil, err
	}

	var log []remit.Event
	for e, err := range s.Events(ctx) {
		if err != nil {
			return nil, nil, err
		}
		log = append(log, e)
	}
	return s, log, nil
}

// tell adds the turns from index from on.
func (r *reader) tell(ctx context.Context, c *conversation, from int) error {
	last := r.lastUser(from)
	defer func() { c.planless = false }()
	for i := from; i < len(r.req.turns); {
		c.planless = i < last
		if err := ctx.Err(); err != nil {
			return err
		}
		t := r.turn(i)
		if r.err != nil {
			return r.err
		}
		if t.utterance != nil {
			s, n := r.run(i)
			if r.err != nil {
				return r.err
			}
			s, genuine := r.recall(c, i, s, i == from && c.floor.work)
			if !genuine && !c.hasMetAll(s) {
				r.logForged(i, s)
			}
			if err := c.recall(ctx, s, genuine); err != nil {
				return err
			}
			c.open, c.told = nil, agreed{}
			if genuine {
				c.open = r.p.questions.get(s.digest(r.spoken[i]))
			}
			i += n
			continue
		}
		if hidden := r.p.echoes.callsAt(r.spoken[i]); hidden != nil && !c.floor.work {
			if err := c.recall(ctx, &utterance{calls: hidden}, true); err != nil {
				return err
			}
			c.floor = newFloor(hidden)
		}
		before := c.told.of
		events := r.attribute(c, i, t.events)
		if c.told.of != before {
			var err error
			if c.told, err = c.follow(ctx, c.told, r.beside, r.p.o.Log); err != nil {
				return err
			}
		}
		for _, e := range events {
			if e.Kind == remit.UserEvent {
				c.turn, c.here, c.retold = r.spoken[i+1], map[hash]int{}, map[hash]int{}
			}
			if err := c.tell(ctx, e); err != nil {
				return err
			}
		}
		i++
	}

	c.log = nil
	return r.err
}

// lastUser returns the index of the user's last turn from an index on; -1 if there is none.
// Only that one is planned for. Text that follows calls is not the user's.
func (r *reader) lastUser(from int) int {
	last := -1
	for i := len(r.req.turns) - 1; i >= from || (i >= 0 && last >= 0); i-- {
		t := r.turn(i)
		switch {
		case t.utterance != nil && last >= 0 && newFloor(t.utterance.calls).work:
			last = -1
		case t.utterance != nil && last >= 0:
			return last
		case last < 0 && slices.ContainsFunc(t.events, func(e remit.Event) bool { return e.Kind == remit.UserEvent }):
			last = i
		}
	}
	return last
}
