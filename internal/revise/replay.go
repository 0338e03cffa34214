package revise

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

// The bounds of a replay: counted, not timed, so that the same store gives the same answer.
const (
	// maxCalls is how many calls of a tool are decided again.
	maxCalls = 1000
	// maxEvents and maxBytes bound what is read for that.
	maxEvents = 20_000
	maxBytes  = 32 << 20
	// maxTurned bounds the calls that are listed with what becomes of them.
	maxTurned = 50
	// sessionPage is how many sessions are looked for at a time.
	sessionPage = 100
)

// ErrSetting is returned for contracts and guards that can't be decided by, with the mistake.
var ErrSetting = errors.New("calls can't be decided by that")

// Desk is where contracts are changed.
type Desk struct {
	Files *Files
	Store store.Store
	// Monitor makes the monitor for a setting, with the deployment's own options; nil for
	// one with the setting alone.
	Monitor func(Setting) (*remit.Monitor, error)
	// InForce puts a contract that was written into force; nil where that takes a restart.
	InForce func(*contract.File) error
}

// Setting is what recorded calls are decided by.
type Setting struct {
	Contracts []*contract.File
	// Guards replace the deployment's own guards of the same tools; the others stay.
	Guards []*guard.File
	// Scopes is the mode of the scopes that are in the logs; empty for the deployment's own.
	Scopes scope.Mode
}

// Over returns guard files with those of the setting in place of those of the same tools.
func (s Setting) Over(own []*guard.File) []*guard.File {
	out := slices.DeleteFunc(slices.Clone(own), func(f *guard.File) bool {
		return slices.ContainsFunc(s.Guards, func(g *guard.File) bool { return g.Server == f.Server && g.Tool == f.Tool })
	})
	return append(out, s.Guards...)
}

// Verdicts counts decisions.
type Verdicts struct {
	Allow int `json:"allow"`
	Ask   int `json:"ask"`
	Deny  int `json:"deny"`
}

func (v *Verdicts) add(verdict remit.Verdict) {
	switch verdict {
	case remit.Allow:
		v.Allow++
	case remit.Ask:
		v.Ask++
	default:
		v.Deny++
	}
}

// Turned is a call that two sets of contracts decide otherwise.
type Turned struct {
	Session string         `json:"session"`
	Seq     int64          `json:"seq"`
	Call    string         `json:"call"`
	Server  string         `json:"server,omitempty"`
	Tool    string         `json:"tool"`
	Was     remit.Verdict  `json:"was"`
	Is      remit.Verdict  `json:"is"`
	Before  []remit.Reason `json:"reasons_before,omitempty"`
	After   []remit.Reason `json:"reasons,omitempty"`
}

// Outcome is what other contracts make of recorded calls.
type Outcome struct {
	Sessions int `json:"sessions"`
	Calls    int `json:"calls"`
	// More is set where a bound left calls out.
	More   bool     `json:"more,omitempty"`
	Before Verdicts `json:"before"`
	After  Verdicts `json:"after"`
	// Passed counts the calls that would run now and didn't, Stopped those the other way.
	Passed  int `json:"passed"`
	Stopped int `json:"stopped"`
	// Turned are the first of the calls that are decided otherwise; Unread counts the
	// sessions that can't be read again.
	Turned []Turned `json:"turned"`
	Unread int      `json:"unread,omitempty"`
}

// monitor makes the monitor for a setting.
func (d *Desk) monitor(s Setting) (*remit.Monitor, error) {
	if d.Monitor != nil {
		return mistaken(d.Monitor(s))
	}
	// What is in a store came by way of a gateway, which never sees the user.
	o := remit.Options{Contracts: s.Contracts, Scopes: s.Scopes, UnseenUser: true}
	if len(s.Guards) > 0 {
		var err error
		if o.Guards, err = guard.Compile(s.Guards, guard.Deployment{Contracts: s.Contracts, Tools: d.Files.catalogues()}); err != nil {
			return mistaken(nil, err)
		}
	}
	return mistaken(remit.New(o))
}

// mistaken marks the error of a monitor as one of its setting.
func mistaken(m *remit.Monitor, err error) (*remit.Monitor, error) {
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSetting, err)
	}
	return m, nil
}

// with returns the contracts with those of one server replaced, or added.
func with(files []*contract.File, f *contract.File) []*contract.File {
	var out []*contract.File
	for _, old := range files {
		if old.Server != f.Server {
			out = append(out, old)
		}
	}
	return append(out, f)
}

// comparison decides recorded calls again.
type comparison struct {
	store store.Store
	// before decides first; nil for what the log says.
	before, after *remit.Monitor
	// counts selects the calls that are compared.
	counts        func(*remit.Decision) bool
	out           Outcome
	events, bytes int
}

// full reports whether a bound is reached.
func (c *comparison) full() bool {
	return c.out.Calls >= maxCalls || c.events >= maxEvents || c.bytes >= maxBytes
}

// decided is a decision on a call of a log, and what was decided then.
type decided struct {
	seq int64
	was remit.Verdict
	*remit.Decision
}

// decide reads a session's log up to a place, and decides its calls.
func (c *comparison) decide(ctx context.Context, m *remit.Monitor, session string, end int64) iter.Seq2[decided, error] {
	at := int64(0)
	events := func(yield func(remit.Event, error) bool) {
		for r, err := range c.store.Read(ctx, session, 0) {
			if err == nil && r.Seq >= end {
				return
			}
			at = r.Seq
			if !yield(r.Event, err) {
				return
			}
		}
	}

	return func(yield func(decided, error) bool) {
		for r, err := range m.Review(ctx, session, events) {
			if err == nil && r.Event.Kind != remit.CallEvent {
				continue
			}
			if !yield(decided{at, r.Event.Verdict, r.Decision}, err) {
				return
			}
		}
	}
}

// end returns where the bounds end the reading of a session.
func (c *comparison) end(ctx context.Context, session string) (int64, error) {
	end := int64(0)
	for r, err := range c.store.Read(ctx, session, 0) {
		if err != nil {
			return end, err
		}
		if c.events >= maxEvents || c.bytes >= maxBytes {
			c.out.More = true
			break
		}

		c.events++
		c.bytes += len(r.Event.Text)
		if r.Event.Result != nil {
			c.bytes += len(r.Event.Result.Content) + len(r.Event.Result.Structured)
		}
		if r.Event.Call != nil {
			c.bytes += len(r.Event.Call.Arguments)
		}
		end = r.Seq + 1
	}
	return end, nil
}

// verdict is a decision of the first side.
type verdict struct {
	is  remit.Verdict
	why []remit.Reason
}

// first returns the first side's decisions on a session's calls, by their places; nil where the
// log's are meant.
func (c *comparison) first(ctx context.Context, id string, end int64) (map[int64]verdict, error) {
	if c.before == nil {
		return nil, nil
	}
	was := map[int64]verdict{}
	for d, err := range c.decide(ctx, c.before, id, end) {
		if err != nil {
			return nil, err
		}
		if c.counts(d.Decision) {
			was[d.seq] = verdict{d.Verdict, d.Reasons}
		}
	}
	return was, nil
}

// session compares the decisions on a session's calls.
func (c *comparison) session(ctx context.Context, id string) error {
	end, err := c.end(ctx, id)
	if err != nil {
		return err
	}
	first, err := c.first(ctx, id, end)
	if err != nil {
		return err
	}

	c.out.Sessions++
	for d, err := range c.decide(ctx, c.after, id, end) {
		if err != nil {
			return err
		}
		was, ok := first[d.seq]
		if first == nil {
			was, ok = verdict{is: d.was}, c.counts(d.Decision)
		}
		if ok {
			c.add(Turned{Session: id, Seq: d.seq, Call: d.Call, Server: d.Server, Tool: d.Tool, Was: was.is, Is: d.Verdict, Before: was.why, After: d.Reasons})
		}
	}
	return nil
}

// add counts a call.
func (c *comparison) add(t Turned) {
	if c.out.Calls == maxCalls {
		c.out.More = true
		return
	}
	c.out.Calls++
	c.out.Before.add(t.Was)
	c.out.After.add(t.Is)
	switch {
	case t.Was == t.Is:
		return
	case t.Is == remit.Allow:
		c.out.Passed++
	case t.Was == remit.Allow:
		c.out.Stopped++
	}
	if len(c.out.Turned) < maxTurned {
		c.out.Turned = append(c.out.Turned, t)
	}
}

// Check makes the file of an edit, and decides the tool's last calls again with it, those of the
// sessions that whose selects. Both sides are decided again, so that what differs is the
// contracts alone.
func (d *Desk) Check(ctx context.Context, whose store.Whose, e Edit) (*Proposal, *Outcome, error) {
	p, err := d.Files.Propose(e)
	if err != nil {
		return nil, nil, err
	}
	files := d.Files.List()
	c := &comparison{store: d.Store, out: Outcome{Turned: []Turned{}},
		counts: func(x *remit.Decision) bool { return x.Server == e.Server && x.Tool == e.Tool }}
	if c.before, err = d.monitor(Setting{Contracts: with(files, p.Was)}); err != nil {
		return p, nil, err
	}
	if c.after, err = d.monitor(Setting{Contracts: with(files, p.Contract)}); err != nil {
		return p, nil, err
	}

	filter := store.Filter{Whose: whose, Server: e.Server, Tool: e.Tool}
	for {
		list, err := d.Store.Find(ctx, filter, sessionPage)
		if err != nil {
			return p, nil, err
		}
		for i := range list {
			if c.full() {
				c.out.More = true
				return p, &c.out, nil
			}
			if err := c.tolerate(ctx, list[i].ID); err != nil {
				return p, nil, err
			}
		}
		if len(list) < sessionPage {
			return p, &c.out, nil
		}
		filter.After = &list[len(list)-1].SessionInfo
	}
}

// tolerate compares a session. One that can't be read again is only counted: a person must
// still be able to see the others.
func (c *comparison) tolerate(ctx context.Context, id string) error {
	err := c.session(ctx, id)
	switch {
	case err == nil:
	case ctx.Err() != nil, errors.Is(err, store.ErrClosed):
		return err
	default:
		c.out.Unread++
	}
	return nil
}

// WhatIf decides the calls of one session again in another setting: its contracts replace the
// deployment's own of the same servers. What they differ from is what the log says.
func (d *Desk) WhatIf(ctx context.Context, session string, s Setting) (*Outcome, error) {
	if _, err := d.Store.Session(ctx, session); err != nil {
		return nil, err
	}
	all := d.Files.List()
	for _, f := range s.Contracts {
		all = with(all, f)
	}
	s.Contracts = all
	m, err := d.monitor(s)
	if err != nil {
		return nil, err
	}
	c := &comparison{store: d.Store, after: m, out: Outcome{Turned: []Turned{}}, counts: func(*remit.Decision) bool { return true }}
	if err := c.session(ctx, session); err != nil {
		return nil, err
	}
	return &c.out, nil
}

// Write writes an edit to the contract's file. The audit log says first who it was, from
// where, and what is written; and once more, with what failed, if it was not.
func (d *Desk) Write(ctx context.Context, e Edit, by access.Principal, from string) (*Proposal, error) {
	var noted *store.Note
	p, err := d.Files.Write(e, func(p *Proposal) error {
		n := store.Note{About: "edited", Members: map[string]string{"server": e.Server, "tool": e.Tool, "by": by.Name, "from": from, "file": p.File, "sha256": p.Digest}}
		for i, c := range p.Changes {
			n.Members[fmt.Sprintf("change %d", i+1)] = c.String()
		}
		err := d.Store.Note(ctx, n)
		if err == nil {
			noted = &n
		}
		return err
	})

	if err != nil && noted != nil {
		noted.Members["failed"] = err.Error()
		return nil, errors.Join(err, d.Store.Note(context.WithoutCancel(ctx), *noted))
	}
	if err != nil || d.InForce == nil || p.Digest == p.Base {
		return p, err
	}
	return p, d.InForce(p.Contract)
}

// Words says what the contracts would have changed, in a sentence.
func (o *Outcome) Words() string {
	var parts []string
	if n := o.Before.Ask - o.After.Ask; n != 0 {
		less := "less"
		if n < 0 {
			n, less = -n, "more"
		}
		parts = append(parts, fmt.Sprintf("asked %s %s", display.Count(n, "time", "times"), less))
	}
	if o.Passed > 0 {
		parts = append(parts, fmt.Sprintf("let %s pass that did not", display.Count(o.Passed, "call", "calls")))
	}
	if o.Stopped > 0 {
		parts = append(parts, fmt.Sprintf("held back or denied %s that passed", display.Count(o.Stopped, "call", "calls")))
	}

	if n := o.After.Deny - o.Before.Deny; n > 0 {
		parts = append(parts, fmt.Sprintf("denied %s more", display.Count(n, "call", "calls")))
	}
	if len(parts) == 0 {
		return "This would have changed no decision."
	}
	return "This would have " + strings.Join(parts, ", and ") + "."
}

// Why returns the reasons that show what has changed: the new ones of a call that is stopped, and
// of one that passes those that it was stopped for.
func (t *Turned) Why() []remit.Reason {
	if t.Is == remit.Allow {
		return t.Before
	}
	return t.After
}
