package remit

import (
	"slices"

	"github.com/remit-project/remit/guard"
)

// passage is a call on its way to its tool: enforcement points that share the session decide it
// one after the other. Rules and scopes count it once.
//
// Each point lets at most one call through for a passage, and there are at least as many passages as
// calls that any one point let through. So no point makes more calls than are counted, and two calls
// with the same arguments at one point are two.
type passage struct {
	digest string
	first  string // the id of the call at the first point
	points []string
	made   *guard.Call // as guards see it; nil where there are none
}

// passages are the calls of a turn of the user's that may run and have no result yet, by
// callDigest. A call of an earlier turn is not on its way: another scope counts those of this one.
type passages map[string][]*passage

// handOn finds the call on its way that this one is, at a point which has not decided it yet. Guards
// see it once, and what a scope spent on it is not spent again.
func (x *deciding) handOn() {
	c, o := &x.in.call, x.out
	switch {
	case x.in.resumes:
		o.counted = x.in.counted
		return
	case c.Point == "" || c.Past:
		return
	}

	o.digest = x.digest()
	for _, p := range x.in.passages[o.digest] {
		if !slices.Contains(p.points, c.Point) {
			o.passage, o.counted, x.history = p, p.first, x.in.history.Without(p.first)
			return
		}
	}
}

// pass keeps a call that may run as one on its way, or as the next step of one.
func (s *Session) pass(o *outcome) {
	r, point := o.record, o.in.call.Point
	p := o.passage
	switch {
	case o.digest == "":
		return
	case p == nil:
		p = &passage{digest: o.digest, first: r.call.ID, made: r.made}
		s.passages[o.digest] = append(s.passages[o.digest], p)
	case p.made != nil && r.made != nil:
		r.made = p.made
	}
	p.points, r.passage = append(p.points, point), p
}

// arrived ends the way of a call that has its result.
func (s *Session) arrived(r *callRecord) {
	p := r.passage
	if p == nil {
		return
	}
	rest := slices.DeleteFunc(s.passages[p.digest], func(other *passage) bool { return other == p })
	if s.passages[p.digest] = rest; len(rest) == 0 {
		delete(s.passages, p.digest)
	}
}
