package console

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

// maxOutlined bounds the events of all outlines that are kept: some hundred bytes each.
const maxOutlined = 400_000

// outline is what is known of each event of a session, without its text: enough to find
// where the origins of a value are.
type outline struct {
	events []outlined
	// names are the places of events by the names that evidence has for them.
	names map[string]int64
	// calls are the places of the decisions on a call, in order.
	calls  map[string][]int64
	counts map[string]int
	// trust is the lowest that evidence has of an event's text.
	trust map[int64]label.Trust
}

// outlined is one event.
type outlined struct {
	Kind    remit.EventKind
	Call    string
	Tool    string
	Verdict remit.Verdict
	// Shadow is set where the decision was not enforced.
	Shadow bool
	// Name is what evidence calls the event's text; empty where it has none.
	Name string
}

// newOutline returns the outline of a session without events.
func newOutline() *outline {
	return &outline{names: map[string]int64{}, calls: map[string][]int64{}, counts: map[string]int{}, trust: map[int64]label.Trust{}}
}

// add takes the next event in.
func (o *outline) add(r store.Record) {
	seq := int64(len(o.events))
	e := outlined{Kind: r.Event.Kind}
	number := func(kind string) string {
		n := o.counts[kind]
		o.counts[kind]++
		return kind + ":" + strconv.Itoa(n)
	}
	switch e.Kind {
	case remit.SystemEvent, remit.UserEvent, remit.AttachmentEvent:
		e.Name = o.name(number(string(e.Kind)), seq)
	case remit.AssistantEvent:
		e.Name = o.name(number("model"), seq)
	case remit.ResultEvent:
		e.Call = r.Event.Result.Call
		e.Name = o.name("result:"+e.Call, seq)
		if len(r.Event.Result.Structured) > 0 && r.Event.Result.Content != "" {
			o.name("result:"+e.Call+"/structured", seq)
		}
	}

	if d := r.Decision; d != nil {
		e.Call, e.Tool, e.Verdict, e.Shadow = d.Call, d.Tool, d.Verdict, r.Shadow
		o.calls[d.Call] = append(o.calls[d.Call], seq)
		for i := range d.Findings {
			o.learn(d.Findings[i].Evidence)
		}
	}
	o.events = append(o.events, e)
}

// name gives an event its name. One that came before keeps its own: evidence refers to it.
func (o *outline) name(name string, seq int64) string {
	for i, unique := 2, name; ; i++ {
		if _, taken := o.names[unique]; !taken {
			o.names[unique] = seq
			return unique
		}
		unique = name + "~" + strconv.Itoa(i)
	}
}

// learn takes note of how far texts are trusted.
func (o *outline) learn(evidence []remit.Evidence) {
	for _, e := range evidence {
		seq, field, ok := o.find(e.Origin)
		if !ok || field != "" {
			continue
		}
		if had, ok := o.trust[seq]; !ok || e.Trust < had {
			o.trust[seq] = e.Trust
		}
	}
}

// find returns the place of an event by the name that evidence has for it or for a field of
// it, and the field.
func (o *outline) find(origin string) (seq int64, field string, ok bool) {
	if seq, ok := o.names[origin]; ok {
		return seq, "", true
	}
	// Both the id of a call and the name of a member may have the sign that divides them.
	for at := range len(origin) {
		if origin[at] != '#' {
			continue
		}
		if seq, ok := o.names[origin[:at]]; ok {
			return seq, origin[at+1:], true
		}
	}
	return 0, "", false
}

// written returns the call and the argument in which the model wrote a text, by the name
// that evidence has for it.
func (o *outline) written(origin string) (seq int64, path string, ok bool) {
	name, isCall := strings.CutPrefix(origin, "call:")
	if !isCall {
		return 0, "", false
	}
	for at := range len(name) {
		if name[at] != '#' {
			continue
		}
		if seqs := o.calls[name[:at]]; len(seqs) > 0 {
			return seqs[len(seqs)-1], name[at+1:], true
		}
	}
	return 0, "", false
}

// stopped yields the places of the calls that were not allowed, from one on.
func (o *outline) stopped(from int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := max(from, 0); i < int64(len(o.events)); i++ {
			e := &o.events[i]
			held := e.Verdict == remit.Ask || e.Verdict == remit.Deny
			if held && !yield(i) {
				return
			}
		}
	}
}

// outlines keeps the outlines of the sessions that people look at.
type outlines struct {
	store store.Store

	mu   sync.Mutex
	kept []*keptOutline // the last used first
}

type keptOutline struct {
	mu      sync.Mutex
	session string
	outline *outline
}

func newOutlines(s store.Store) *outlines { return &outlines{store: s} }

// of returns the outline of a session as it is now. The function must not keep it.
func (l *outlines) of(ctx context.Context, session string, use func(*outline) error) error {
	k := l.take(session)
	k.mu.Lock()
	defer k.mu.Unlock()

	if k.outline == nil {
		k.outline = newOutline()
	}
	for r, err := range l.store.Read(ctx, session, int64(len(k.outline.events))) {
		if err != nil {
			return fmt.Errorf("outline of session %q: %w", session, err)
		}
		k.outline.add(r)
	}
	return use(k.outline)
}

// take returns the place where the outline of a session is kept, and forgets the ones
// that were not used for longest.
func (l *outlines) take(session string) *keptOutline {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.kept, func(k *keptOutline) bool { return k.session == session })
	k := &keptOutline{session: session}
	if at >= 0 {
		k = l.kept[at]
		l.kept = slices.Delete(l.kept, at, at+1)
	}
	l.kept = slices.Insert(l.kept, 0, k)

	events := 0
	for i, other := range l.kept {
		if i == 0 || !other.mu.TryLock() {
			continue // it is in use
		}
		if other.outline != nil {
			events += len(other.outline.events)
		}
		other.mu.Unlock()
		if events > maxOutlined || i >= maxKept {
			l.kept = l.kept[:i]
			break
		}
	}
	return k
}

// maxKept bounds the outlines that are kept.
const maxKept = 64

// record reads one event of a session.
func (l *outlines) record(ctx context.Context, session string, seq int64) (store.Record, error) {
	for r, err := range l.store.Read(ctx, session, seq) {
		return r, err
	}
	return store.Record{}, errNoEvent
}

var errNoEvent = errors.Join(store.ErrNotFound, errors.New("the session has no such event"))
