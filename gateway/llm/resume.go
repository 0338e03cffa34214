package llm

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/remit-project/remit"
)

// reader reads the turns of one request, each at most once.
type reader struct {
	// owner is whose the request is, as echoes know it.
	owner uint64
	p     *Proxy
	d     dialect
	req   *request
	c     containers
	read  []*turn
	err   error
	// before are the hashes of the conversation before every turn, and at its
	// end.
	before []hash
}

// turn reads a turn. What is not acceptable JSON is an error of the request.
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

// run is what the model said without a break from a turn on, and how many turns
// that takes.
func (r *reader) run(from int) (*said, int) {
	s, n := &said{}, 0
	for i := from; i < len(r.req.turns); i++ {
		t := r.turn(i)
		if t.said == nil {
			break
		}
		s.add(t.said)
		n++
	}
	return s, n
}

// genuine tells whether this proxy passed on what the model is said to have said
// there.
func (r *reader) genuine(from int, s *said) bool {
	before := r.before[from]
	if !r.p.answers.has(s.digest(before)) {
		return false
	}
	for _, text := range s.other {
		if !r.p.answers.has(aside(before, text)) {
			return false
		}
	}
	return true
}

// resume returns the conversation of a request, up to the end of its turns: the
// live one that it goes on from, or one that is made again.
func (r *reader) resume(ctx context.Context, m *remit.Monitor, id string, seed hash) (*conversation, kept, error) {
	if r.req.kept != "" {
		seed = keptKey(seed, r.req.kept)
	} else {
		seed = hashed(append([][]byte{seed[:]}, bytesOf(r.req.frame)...)...)
	}
	r.before = prefixes(seed, r.req.turns)
	for at := len(r.req.turns); at >= 0; at-- {
		from := at
		l := r.p.cache.take(r.before[at], func(l *live) bool {
			if !l.answered || r.req.kept != "" && at == 0 {
				return true
			}
			if at == len(r.req.turns) {
				return false
			}
			s, n := r.run(at)
			from = at + n
			genuine := r.genuine(at, s)
			if l.c.floor.work && r.hidden(at, s, genuine) != nil {
				from = at
				return true
			}
			return genuine && s.digest(r.before[at]) == l.answer
		})
		if l == nil {
			continue
		}
		if r.req.kept != "" && at == 0 {
			for _, e := range r.req.system {
				if err := l.c.tell(ctx, e); err != nil {
					return nil, kept{}, err
				}
			}
		}
		if l.answered && (r.req.kept == "" || at > 0) {
			l.kept = kept{} // the client's history is all that there is
		}
		return l.c, l.kept, r.tell(ctx, l.c, from)
	}
	c, err := r.begin(ctx, m, id)
	if err != nil {
		return nil, kept{}, err
	}
	return c, kept{}, r.tell(ctx, c, 0)
}

// keptKey is the hash by which a conversation is found whose history the
// provider keeps.
func keptKey(tenant hash, kept string) hash { return hashed(tenant[:], []byte("kept"), []byte(kept)) }

// begin makes a conversation.
func (r *reader) begin(ctx context.Context, m *remit.Monitor, id string) (*conversation, error) {
	var c *conversation
	if r.p.o.Sessions == nil {
		c = newConversation(volatile{m.Session("proxy-" + strings.ToLower(rand.Text()))}, nil)
	} else {
		if id == "" {
			id = "proxy-" + strings.ToLower(rand.Text())
		}
		s, log, err := r.p.o.Sessions.Open(ctx, m, id)
		if err != nil {
			return nil, fmt.Errorf("the session can't be opened: %w", err)
		}
		c = newConversation(s, log)
		r.p.echoes.restore(r.owner, log, &c.lineage)
	}
	if r.req.kept != "" && c.log == nil {
		if err := c.tell(ctx, attached("history", unreadable("kept history"))); err != nil {
			return nil, err
		}
	}
	for _, text := range r.req.unread {
		if err := c.tell(ctx, attached("unread", text)); err != nil {
			return nil, err
		}
	}
	for _, e := range r.req.system {
		if err := c.tell(ctx, e); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// tell adds the turns from one on.
func (r *reader) tell(ctx context.Context, c *conversation, from int) error {
	for i := from; i < len(r.req.turns); {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := r.turn(i)
		if r.err != nil {
			return r.err
		}
		if t.said != nil {
			s, n := r.run(i)
			if r.err != nil {
				return r.err
			}
			s, genuine := r.recall(c, i, s, i == from && c.floor.work)
			if err := c.recall(ctx, s, genuine); err != nil {
				return err
			}
			i += n
			continue
		}
		if hidden := r.p.echoes.held(r.before[i]); hidden != nil && !c.floor.work {
			if err := c.recall(ctx, &said{calls: hidden}, true); err != nil {
				return err
			}
			c.floor = floorOf(hidden)
		}
		for _, e := range r.attributed(c, i, t.events) {
			if err := c.tell(ctx, e); err != nil {
				return err
			}
		}
		i++
	}
	c.log = nil
	return r.err
}
