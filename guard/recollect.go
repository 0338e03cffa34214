package guard

import (
	"errors"
	"fmt"
	"time"

	"github.com/remit-project/remit/contract"
)

// ErrUnreached is what a [Reader] returns, alone or wrapped, for a tool that it can't call. What
// the agent itself looked up in the session counts then.
var ErrUnreached = errors.New("no reader can call the tool")

// MaxToldAge bounds how long the result of the agent's own call answers a look-up: a
// person reads a proposal and agrees to it meanwhile.
const MaxToldAge = 10 * time.Minute

// fromSession is where such a result came from, with the id of the call.
const fromSession = "session:"

// untold returns the advice where the session doesn't have a result, or none that is new enough.
// The arguments are left out where they may come from what the model hasn't seen.
func (x *evaluation) untold(l *Lookup, what string) error {
	with := ""
	if x.request.Reader == nil {
		with = " with " + cut(string(l.Arguments), MaxShown/2)
	}
	return fmt.Errorf("%s: call %s%s, and then make this call again", what, l.Tool, with)
}

// recollect answers a look-up with the latest result that the same call of the agent had. It
// is told to be stale when a call that may change something came after it, or in the
// same message.
func (x *evaluation) recollect(l *Lookup) (*Result, error) {
	entries := x.request.History.Entries
	changed := false

	for i := len(entries) - 1; i >= 0; i-- {
		e := &entries[i]
		if e.Kind != CallEntry {
			continue
		}
		c := e.Call
		if c.Tool != l.Tool || c.Server != l.Server || !SameArguments(c.Arguments, l.Arguments) {
			changed = changed || !x.onlyReads[toolName{c.Server, c.Tool}]
			continue
		}
		if c.Result == nil {
			continue
		}
		if changed || x.changesBeside(i) || x.request.Now.Sub(e.Time) > MaxToldAge {
			return nil, x.untold(l, "what the session has of it may have changed since")
		}
		return &Result{Content: c.Result.Content, Structured: c.Result.Structured, From: fromSession + c.ID}, nil
	}

	return nil, x.untold(l, "the session doesn't have it either")
}

// changesBeside reports whether a call that may change something comes right before a
// call: the two may have run at the same time.
func (x *evaluation) changesBeside(at int) bool {
	for i := at - 1; i >= 0; i-- {
		switch e := &x.request.History.Entries[i]; {
		case e.Kind != CallEntry:
			return false
		case !x.onlyReads[toolName{e.Call.Server, e.Call.Tool}]:
			return true
		}
	}
	return false
}

// onlyReads lists the tools none of whose calls changes anything.
func (s Deployment) onlyReads() map[toolName]bool {
	out := map[toolName]bool{}
	for _, f := range s.Contracts {
		for i := range f.Tools {
			t := &f.Tools[i]
			if t.Effect == contract.Read && t.Unwrap == nil && (t.Variants == nil || !changes(t.Variants.Cases)) {
				out[toolName{f.Server, t.Name}] = true
			}
		}
	}
	return out
}
