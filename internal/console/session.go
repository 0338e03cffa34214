package console

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

const (
	// pageEvents is how many events one page of a session shows, and pageBytes when it
	// ends before.
	pageEvents = 80
	pageBytes  = 256 << 10
	// maxFold is how much of a text is shown at first, in bytes.
	maxFold = 1500
	// maxText is how much of a text one page about it shows, in bytes.
	maxText = 64 << 10
	// pageSessions is how many sessions one page lists.
	pageSessions = 40
	// searchTime bounds a search, which may read whole logs.
	searchTime = 5 * time.Second
	// liveTime is how long after its last event a session counts as live.
	liveTime = 2 * time.Minute
	// maxAbout is how much of what the user asked first a list shows, in bytes.
	maxAbout = 160
)

// sessionPage is a page of a session's log.
type sessionPage struct {
	store.SessionInfo
	Live   bool
	Events []event
	From   int64
	// Before and After are the first events of the pages around this one; -1 for none.
	Before, After int64
	// Stopped are the calls of the session that were not allowed, the first ones.
	Stopped []jump
	Way     *way
	// At and Path are the argument whose origins are shown.
	At   int64
	Path string
	Now  time.Time
	// Play is set for the playground, whose arguments are buttons of a form.
	Play bool
}

// jump is a call to go to.
type jump struct {
	Seq     int64
	Tool    string
	Verdict remit.Verdict
	// Shadow is set for a call that ran all the same, in shadow mode.
	Shadow bool
}

// event is one event of a log.
type event struct {
	Seq  int64
	Time time.Time
	Kind remit.EventKind
	// Who says whose text it is, and Trust how far it is trusted, where that is known.
	Who   string
	Trust *label.Trust
	Name  string
	// Tool is the one that returned a result.
	Tool   string
	Call   string
	Bodies []body
	// Decided is the decision of a call.
	Decided *decided
	// Scope is what a scope event authorises.
	Scope *scoped
	// Origin is set when the way back leads here.
	Origin bool
}

// body is a text of an event.
type body struct {
	Label string
	Size  int
	Runs  []run
	// Folded is set when a part is left out.
	Folded bool
}

// decided is a decision with its arguments.
type decided struct {
	*remit.Decision
	// Shadow is set where the decision would have stopped the call, and shadow mode let it run.
	Shadow    bool
	Does      string
	Arguments []argument
	More      int
	Malformed bool
}

// scoped is the scope of a turn.
type scoped struct {
	Words  []string
	Text   string
	Failed string
	// Unnamed says why it isn't known what names of the scope mean.
	Unnamed string
}

// maxJumps bounds the links to stopped calls.
const maxJumps = 30

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func (c *Console) session(ctx context.Context, v *visit) (outcome, error) {
	info, err := v.reach(ctx, v.FormValue("id"))
	if err != nil {
		return outcome{}, err
	}
	topic := topic("session", info.ID)
	version, err := v.version(ctx, topic)
	if err != nil {
		return outcome{}, err
	}

	now := c.o.Now()
	page := sessionPage{SessionInfo: info, Live: isLive(info, now), Before: -1, After: -1, From: number(v.FormValue("from")), At: -1, Now: now}
	if at := v.FormValue("at"); at != "" {
		page.At, page.Path = number(at), v.FormValue("path")
	}
	err = c.outlines.of(ctx, info.ID, func(o *outline) error {
		if v.FormValue("from") == "last" {
			page.From = max(0, int64(len(o.events))-pageEvents/2)
		}
		return c.fill(ctx, o, &page, v.FormValue("open"))
	})
	if err != nil {
		return outcome{}, err
	}
	return outcome{page: "session", frame: frame{Title: "Session " + titleOf(info.ID), View: "sessions", Live: topic, Version: version, Body: page}}, nil
}

// fill reads the events of a page, and the way back from the argument that was chosen.
func (c *Console) fill(ctx context.Context, o *outline, page *sessionPage, open string) error {
	for seq := range o.stopped(0) {
		e := &o.events[seq]
		page.Stopped = append(page.Stopped, jump{seq, e.Tool, e.Verdict, e.Shadow})
		if len(page.Stopped) == maxJumps {
			break
		}
	}
	marks := map[int64][]originMark{}
	if page.At >= 0 {
		var err error
		if page.Way, err = back(ctx, o, c.reading(page.ID), page.At, page.Path); err != nil {
			return err
		}
		marks = page.Way.Marks
	}

	size := 0
	for r, err := range c.o.Store.Read(ctx, page.ID, page.From) {
		if err != nil {
			return err
		}
		full := len(page.Events) == pageEvents || size > pageBytes
		if full || r.Seq >= int64(len(o.events)) {
			page.After = r.Seq
			break
		}
		e := o.event(r, marks[r.Seq], open == strconv.FormatInt(r.Seq, 10))
		if e.Decided != nil && r.Seq == page.At {
			e.Decided.choose(page.Path)
		}
		size += e.size()
		page.Events = append(page.Events, e)
	}
	if page.From > 0 {
		page.Before = max(0, page.From-pageEvents)
	}
	return nil
}

// reading returns what reads an event of a session.
func (c *Console) reading(session string) func(context.Context, int64) (store.Record, error) {
	return func(ctx context.Context, seq int64) (store.Record, error) {
		return c.outlines.record(ctx, session, seq)
	}
}

// choose marks the argument whose origins are shown.
func (d *decided) choose(path string) {
	for i := range d.Arguments {
		d.Arguments[i].Chosen = d.Arguments[i].Path == path
	}
}

// size is about how many bytes an event takes on a page.
func (e *event) size() int {
	n := 500
	for _, b := range e.Bodies {
		for _, r := range b.Runs {
			n += len(r.Text)
		}
	}
	if e.Decided != nil {
		n += 600 * len(e.Decided.Arguments)
	}
	return n
}

func isLive(info store.SessionInfo, now time.Time) bool {
	return info.Ended.IsZero() && now.Sub(info.Active) < liveTime
}

// writers says whose text an event has.
var writers = map[remit.EventKind]string{
	remit.SystemEvent: "deployment", remit.UserEvent: "user", remit.AttachmentEvent: "attachment", remit.AssistantEvent: "model",
	remit.CallEvent: "call", remit.ConfirmationEvent: "a person agreed", remit.ResultEvent: "result", remit.ScopeEvent: "scope of the turn",
	remit.AgreementEvent: "the user agreed", remit.PrincipalEvent: "principal",
}

// fixed are the trusts of texts that are the same in every session.
var fixed = map[remit.EventKind]label.Trust{
	remit.SystemEvent: label.Trusted, remit.UserEvent: label.User,
	remit.AttachmentEvent: label.External,
}

// event prepares an event for showing, with what is to be marked in its text.
func (o *outline) event(r store.Record, marks []originMark, open bool) event {
	e := event{Seq: r.Seq, Time: r.Event.Time, Kind: r.Event.Kind, Who: writers[r.Event.Kind], Name: r.Event.Name, Origin: len(marks) > 0}
	if t, ok := fixed[e.Kind]; ok {
		e.Trust = &t
	} else if t, ok := o.trust[r.Seq]; ok && e.Kind == remit.ResultEvent {
		e.Trust = &t
	}

	most := maxFold
	if open {
		most = maxText
	}
	text := func(name, s string, marks []originMark) {
		if s == "" {
			return
		}
		runs := excerpt(s, marksIn(s, marks), most)
		folded := slices.ContainsFunc(runs, func(r run) bool { return r.Gap > 0 })
		e.Bodies = append(e.Bodies, body{name, len(s), runs, folded})
	}
	switch {
	case r.Event.Result != nil:
		res := r.Event.Result
		e.Call = res.Call
		if made := o.calls[res.Call]; len(made) > 0 {
			e.Tool = o.events[made[len(made)-1]].Tool
		}
		text("", res.Content, besides(marks, false))
		if len(res.Structured) > 0 {
			text("structured", canonical(res.Structured), besides(marks, res.Content != ""))
		}
	case r.Event.Principal != nil:
		data, err := json.MarshalIndent(r.Event.Principal, "", "  ")
		if err == nil {
			text("", string(data), nil)
		}
	default:
		text("", r.Event.Text, marks)
	}

	if r.Decision != nil {
		e.Decided, e.Call, e.Tool = decidedOf(r.Decision, open), r.Decision.Call, r.Decision.Tool
		e.Decided.Shadow = r.Shadow && r.Decision.Verdict != remit.Allow
	}
	if e.Kind == remit.ScopeEvent {
		e.Scope = scopeOf(&r.Event)
	}
	return e
}

// besides returns the marks of a result's structure, or those of its text, when it has both.
func besides(marks []originMark, structure bool) []originMark {
	var out []originMark
	for _, m := range marks {
		if m.Field != "" || strings.HasSuffix(m.Origin, "/structured") == structure {
			out = append(out, m)
		}
	}
	return out
}

// canonical returns the text of a structured result as evidence counts its bytes.
func canonical(data []byte) string {
	doc, err := strictjson.Parse(data, strictjson.OutputLimits())
	if err != nil {
		return string(data)
	}
	return string(doc.Canonical())
}

// decidedOf prepares a decision; open shows all of its arguments.
func decidedOf(d *remit.Decision, open bool) *decided {
	out := &decided{Decision: d, Does: does[d.Effect]}
	most := maxArguments
	if open {
		most = len(d.Findings)
	}
	doc, err := strictjson.Parse(d.Arguments, strictjson.DefaultLimits())
	if err != nil {
		doc, out.Malformed = nil, len(d.Arguments) == 0 && len(d.Findings) == 0
	}
	for i := range d.Findings[:min(most, len(d.Findings))] {
		if !open {
			out.Arguments = append(out.Arguments, argumentOf(&d.Findings[i], nil))
			continue
		}
		out.Arguments = append(out.Arguments, argumentOf(&d.Findings[i], doc))
	}
	out.More = len(d.Findings) - len(out.Arguments)
	return out
}

// scopeOf says what a scope event authorises.
func scopeOf(e *remit.Event) *scoped {
	if e.Named != nil {
		return &scoped{Words: explanation.Names(e.Named), Unnamed: e.Named.Failed}
	}
	s := &scoped{Text: string(e.Scope)}
	if e.Planned != nil {
		s.Failed = e.Planned.Failed
	}
	if len(e.Scope) == 0 {
		return s
	}
	// Without the tools some entries may be refused; their text is shown in any case.
	if parsed, _, err := scope.Parse(e.Scope, nil); err == nil && parsed != nil {
		s.Words = explanation.Words(parsed)
	}
	return s
}

// textPage is one text of a session, in pieces.
type textPage struct {
	Session string
	Seq     int64
	Part    int
	Parts   int
	Size    int
	From    int
	Who     string
	Runs    []run
}

// text shows the whole text of an event.
func (c *Console) text(ctx context.Context, v *visit) (outcome, error) {
	info, err := v.reach(ctx, v.FormValue("id"))
	if err != nil {
		return outcome{}, err
	}
	r, err := c.outlines.record(ctx, info.ID, number(v.FormValue("seq")))
	if err != nil {
		return outcome{}, err
	}
	whole := r.Event.Text
	if res := r.Event.Result; res != nil {
		if whole = res.Content; whole == "" || v.FormValue("structured") != "" {
			whole = canonical(res.Structured)
		}
	}

	page := textPage{
		Session: info.ID, Seq: r.Seq, Size: len(whole), Who: writers[r.Event.Kind],
		Parts: max(1, (len(whole)+maxText-1)/maxText),
	}
	page.Part = min(int(min(number(v.FormValue("part")), maxSeq/maxText)), page.Parts-1)
	page.From = page.Part * maxText
	part := whole[runeStart(whole, page.From):runeStart(whole, min(page.From+maxText, len(whole)))]
	page.Runs = []run{{Text: part}}
	return outcome{page: "text", frame: frame{Title: "Text", View: "sessions", Body: page}}, nil
}
