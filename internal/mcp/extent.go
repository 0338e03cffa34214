package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/discharge"
	"github.com/remit-project/remit/internal/question"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// SessionLife is how long a yes for the session holds: one task of a person who
// is there, not a working day.
const SessionLife = 15 * time.Minute

// Approval returns the entry by which a contract file allows a call for always.
func Approval(d *remit.Decision) (contract.Approval, error) {
	refuse := func(why string) (contract.Approval, error) {
		return contract.Approval{}, fmt.Errorf("%w: %s", contract.ErrNotApprovable, why)
	}
	bound, ok := question.Binding(d)
	switch {
	case d.Through != "":
		return refuse("it goes through another tool")
	case !ok && len(d.Findings) > 0 && !slices.ContainsFunc(d.Reasons, question.Rememberable):
		return refuse("it is asked about for another reason than its values")
	case !ok:
		return refuse("nothing in it tells it from other calls of the tool: write 'unprovoked: off' there if every call may be made")
	}

	for _, f := range d.Findings {
		if f.Role == label.Credential {
			return refuse(f.Path + " is a credential, and the file would tell it")
		}
	}

	a := contract.Approval{Tool: d.Tool, Call: bound}
	return a, a.Check()
}

// Reach is an extent that a person can choose for a call, in words.
type Reach struct {
	Extent store.Extent
	Words  string
}

// Reaches returns the extents that a person can choose for a question about one call.
func Reaches(a *store.Approval) []Reach {
	if a.ByValue {
		return byValue(a.Decision)
	}
	return byCall(a.Decision)
}

// onlyOnce is the least extent.
var onlyOnce = Reach{store.Once, "exactly this call, with everything in it, once"}

// byCall returns how far a yes reaches where the gateway keeps the call.
func byCall(d *remit.Decision) []Reach {
	out := []Reach{onlyOnce}
	bound, ok := question.Binding(d)
	if !ok {
		return out
	}
	kin := alike(d, bound)
	out = append(out, Reach{store.ForSession, fmt.Sprintf("this call, and for %d minutes in this session %s", int(SessionLife.Minutes()), kin)})
	if _, err := Approval(d); err == nil {
		out = append(out, Reach{store.Always, fmt.Sprintf("this call, and in every session %s, until the entry is taken out of the server's contract file", kin)})
	}
	return out
}

// byValue returns how far a yes reaches where only its session keeps it
// ([remit.Session.Confirm]).
func byValue(d *remit.Decision) []Reach {
	var kept []string
	if d.Effect != contract.Egress {
		kept = append(kept, "the same call again")
	}
	var targets []string
	for _, f := range d.Findings {
		doubted := slices.ContainsFunc(d.Reasons, func(r remit.Reason) bool { return r.Path == f.Path })
		if doubted && f.Role == label.Target {
			targets = append(targets, question.Place(f.Path))
		}
	}
	if len(targets) > 0 {
		kept = append(kept, fmt.Sprintf("the same %s in other calls of it, which are then asked about for other reasons alone", question.Listed(targets)))
	}
	if len(kept) == 0 {
		return []Reach{onlyOnce}
	}
	return []Reach{onlyOnce, {store.ForSession, fmt.Sprintf("this call, and for %d minutes in this session %s", int(discharge.ConfirmationLife.Minutes()), strings.Join(kept, ", and "))}}
}

// alike says in words which calls are bound like this one.
func alike(d *remit.Decision, bound contract.Approved) string {
	var same, free []string
	for _, f := range d.Findings {
		list := &free
		if _, ok := bound[f.Path]; ok {
			list = &same
		}
		top, _, _ := strings.Cut(strings.TrimPrefix(f.Path, "/"), "/")
		if name := question.Place("/" + top); !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}

	text := "other calls of it with the same " + question.Listed(same)
	if len(free) > 0 {
		verb := " say"
		if len(free) == 1 {
			verb = " says"
		}
		text += ", whatever " + question.Listed(free) + verb
	}
	return text
}

// kept are the calls to which people agreed for their sessions.
type kept struct {
	mu    sync.Mutex
	calls map[string][]keptCall // by session
}

type keptCall struct {
	server, tool, through, variant string
	bound                          contract.Approved
	until                          time.Time
}

// maxKept bounds the calls of one session that are kept: the oldest is asked
// about again.
const maxKept = 1000

// add keeps a call of a session.
func (k *kept) add(d *remit.Decision, now time.Time) {
	bound, ok := question.Binding(d)
	if !ok {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.calls == nil {
		k.calls = map[string][]keptCall{}
	}
	for session, calls := range k.calls {
		calls = slices.DeleteFunc(calls, func(c keptCall) bool { return !now.Before(c.until) })
		if k.calls[session] = calls; len(calls) == 0 {
			delete(k.calls, session)
		}
	}
	calls := append(k.calls[d.Session], keptCall{d.Server, d.Tool, d.Through, d.Variant, bound, now.Add(SessionLife)})
	k.calls[d.Session] = calls[max(0, len(calls)-maxKept):]
}

// covers reports whether a person has agreed to such a call of this session.
func (k *kept) covers(d *remit.Decision, now time.Time) bool {
	bound, ok := question.Binding(d)
	if !ok {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.ContainsFunc(k.calls[d.Session], func(c keptCall) bool {
		return c.server == d.Server && c.tool == d.Tool && c.through == d.Through && c.variant == d.Variant && now.Before(c.until) && c.bound.Covers(bound)
	})
}

// approves reports whether a call is one that the server's contract allows for
// always.
func (s *server) approves(d *remit.Decision) bool {
	file := s.contract()
	if file == nil || d.Through != "" {
		return false
	}
	t, ok := file.Tool(d.Tool)
	if !ok || len(t.Approved) == 0 {
		return false
	}
	bound, ok := question.Binding(d)
	return ok && slices.ContainsFunc(t.Approved, func(a contract.Approved) bool { return a.Covers(bound) })
}

// agreed confirms a call that a person has agreed to beforehand, for the session
// or for always.
func (c *conversation) agreed(ctx context.Context, b *backend, s *ledger.Session, d *remit.Decision) (*remit.Decision, store.Extent, error) {
	extent := store.Once
	switch {
	case c.g.kept.covers(d, time.Now()):
		extent = store.ForSession
	case b.server.approves(d):
		extent = store.Always
	default:
		return d, "", nil
	}
	after, err := s.ConfirmAsked(ctx, d, store.Once)
	return after, extent, err
}

// remember takes note of how far a person's yes reaches. What can't be kept
// for always is kept for the session, which the person agreed to as well.
func (c *conversation) remember(ctx context.Context, d *remit.Decision, a store.Approval) {
	extent := a.Extent
	beyond := extent == store.ForSession || extent == store.Always
	if d.Verdict != remit.Allow || !beyond {
		return
	}
	c.g.kept.add(d, time.Now())
	if extent != store.Always {
		return
	}

	err := error(contract.ErrNotApprovable)
	if c.g.o.Always != nil {
		err = c.g.o.Always(ctx, d, a.By)
	}
	if err != nil {
		c.log.Warn("what was allowed for always could not be written down: it is allowed for the session", "tool", d.Tool, "call", d.Call, "error", err)
	}
}
