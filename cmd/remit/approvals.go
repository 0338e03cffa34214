package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"os/user"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

type approvalsCommand struct {
	List   approvalsList   `cmd:"" default:"withargs" help:"Show the questions that wait for an answer."`
	Answer approvalsAnswer `cmd:"" help:"Answer a question: approve or deny."`
}

type approvalsList struct {
	storeFlag
	Watch bool `help:"Go on, and show questions as they come."`
	JSON  bool `name:"json" help:"Print one question a line, as JSON."`
}

// lookEvery is how often --watch looks for new questions.
const lookEvery = time.Second

// Help is shown below the flags.
func (approvalsList) Help() string {
	return `Each question shows the tool, every argument that fell short, and where its value came from. What others wrote stands behind a bar, on lines of its own, with everything invisible made visible.

Example:
  remit approvals
  remit approvals --watch
  remit approvals answer k3jx5a2qd7 deny`
}

// Run shows the questions.
func (c *approvalsList) Run(ctx context.Context, s *command.Streams) error {
	if !c.Watch {
		return c.withAny(ctx, s, "no question is waiting", func(st store.Store) error {
			list, err := st.Pending(ctx, 0)
			if err == nil && len(list) == 0 && !c.JSON {
				newPrinter(s).line(0, display.Line("no question is waiting in "+c.where()))
			}
			return errors.Join(err, c.show(ctx, s, st, list))
		})
	}

	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return c.with(ctx, func(st store.Store) error {
		shown := map[string]bool{}
		for {
			list, err := st.Pending(ctx, 0)
			switch {
			case ctx.Err() != nil:
				return nil
			case err != nil:
				return err
			}
			open := map[string]bool{}
			fresh := slices.DeleteFunc(slices.Clone(list), func(a store.Approval) bool { return shown[a.ID] })
			for _, a := range list {
				open[a.ID] = true
			}
			shown = open // those that were answered don't come again
			if err := c.show(ctx, s, st, fresh); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(lookEvery):
			}
		}
	})
}

// show writes questions.
func (c *approvalsList) show(ctx context.Context, s *command.Streams, st store.Views, list []store.Approval) error {
	p := newPrinter(s)
	for i := range list {
		if c.JSON {
			if err := writeJSON(s.Out, &list[i]); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			p.line(0, "")
		}
		turns, err := st.Turns(ctx, list[i].Session, math.MaxInt64, 1)
		if err != nil {
			return err
		}
		p.question(&list[i], turns, c.sameStore("remit", "approvals", "answer"), time.Now())
	}
	return nil
}

type approvalsAnswer struct {
	storeFlag
	For    string `enum:"once,session,always" default:"once" help:"How far an approval reaches, as remit approvals shows it: this call alone (once), calls like it in the session, or in every session (always)."`
	By     string `placeholder:"NAME" help:"Who answers, for the record; the account's name without it."`
	Why    string `placeholder:"TEXT" help:"Why, for the record."`
	ID     string `arg:"" help:"The question, as remit approvals shows it."`
	Answer string `arg:"" enum:"approve,deny" help:"approve or deny."`
	Calls  []int  `arg:"" optional:"" help:"The numbers of the calls to approve, of a question about several; all without them."`
}

// Help is shown below the flags.
func (approvalsAnswer) Help() string {
	return `An approval is for exactly this call, and is used once. With --for session it is also for calls like it, as the question says, in this session for a while; with --for always the gateway writes the call into the server's contract file, and calls like it pass in every session. A question about several calls is approved for all of them, or for those whose numbers follow.

Example:
  remit approvals answer k3jx5a2qd7 approve
  remit approvals answer k3jx5a2qd7 approve 1 3
  remit approvals answer k3jx5a2qd7 deny`
}

// chosen returns the ids of the calls with the numbers that were given; of all without one.
func (c *approvalsAnswer) chosen(a *store.Approval) ([]string, error) {
	calls := a.Calls()
	var ids []string
	for _, n := range c.Calls {
		if n < 1 || n > len(calls) {
			return nil, fmt.Errorf("the question has no call %d: it has 1 to %d", n, len(calls))
		}
		ids = append(ids, calls[n-1].Decision.Call)
	}
	if len(c.Calls) > 0 {
		return ids, nil
	}
	for _, asked := range calls {
		ids = append(ids, asked.Decision.Call)
	}
	return ids, nil
}

// Run answers a question.
func (c *approvalsAnswer) Run(ctx context.Context, s *command.Streams) error {
	by := c.By
	if by == "" {
		if u, err := user.Current(); err == nil {
			by = u.Username
		}
	}

	return c.with(ctx, func(st store.Store) error {
		answer := store.Answer{Approve: c.Answer == "approve", Extent: store.Extent(c.For), By: by, Why: c.Why, From: "terminal"}
		asked, err := st.Approval(ctx, c.ID)
		if err == nil && answer.Approve {
			if answer.Calls, err = c.chosen(&asked); err != nil {
				return command.UsageError(hint.Wrap(err, "remit approvals shows the numbers"))
			}
			if c.For == string(store.Always) {
				if err := forAlways(&asked); err != nil {
					return command.UsageError(hint.Wrap(err, "approve it with --for once"))
				}
			}
		}

		var a store.Approval
		if err == nil {
			a, err = st.Answer(ctx, c.ID, answer)
		}
		switch {
		case errors.Is(err, store.ErrNotFound):
			return hint.Wrap(err, "remit approvals lists the questions that wait; "+c.where()+" was looked into, and --store names another store")
		case errors.Is(err, store.ErrSettled):
			return hint.Wrap(err, "a question is answered once, in time: the agent has to propose the call again")
		case err != nil:
			return err
		}
		p := newPrinter(s)
		taken := a.State != store.Approved || c.taken(ctx, st)
		text := p.Bad("denied")
		if a.State == store.Approved {
			text = p.Good("approved")
			text += ", " + string(a.Extent)
		}
		for _, asked := range a.Calls() {
			said := text
			if d := asked.Decision; len(a.Agreed) > 0 && !a.Agrees(d.Call) {
				said = p.Bad("denied")
			}
			p.line(0, fmt.Sprintf("%s: call %s of %s", said, foreign(asked.Decision.Call), foreign(asked.Decision.Tool)))
		}
		if !taken {
			p.line(2, fmt.Sprintf("the agent has not acted on it so far, and can for another %s: it may have gone", age(time.Until(a.Expires))))
		}
		return nil
	})
}

// An agent that waits acts on a yes at once.
const (
	takeUpTime  = 3 * time.Second
	takeUpEvery = 50 * time.Millisecond
)

// taken waits a moment for the agent to act on a yes, and reports whether it did. Where that can't be
// told, nothing is to be said.
func (c *approvalsAnswer) taken(ctx context.Context, st store.Store) bool {
	ctx, cancel := context.WithTimeout(ctx, takeUpTime)
	defer cancel()
	for {
		a, err := st.Approval(ctx, c.ID)
		switch {
		case ctx.Err() != nil:
			return false
		case err != nil, a.State != store.Approved:
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(takeUpEvery):
		}
	}
}

// forAlways returns why a call can't be allowed for always; nil when it can.
func forAlways(a *store.Approval) error {
	if a.ByValue {
		return fmt.Errorf("%w: no gateway asks, and nothing else writes to a contract file", contract.ErrNotApprovable)
	}
	_, err := mcp.Approval(a.Decision)
	return err
}

// bar begins every line in which a question shows what others wrote. Their text is never at the
// beginning of a line, and has no bar in it.
const bar = "│ "

// question writes what a person is asked, and the command that answers.
func (p *printer) question(a *store.Approval, turns []store.Record, answering string, now time.Time) {
	calls := a.Calls()
	if len(calls) > 1 {
		p.several(a, turns, calls, answering, now)
		return
	}
	p.line(0, p.Bold(a.ID)+"  may the agent call this tool?"+effectOf(a.Decision))
	p.quote(2, toolOf(a.Decision), p.Bold)
	p.times(a, now)
	p.lastSaid(turns, now)
	p.line(2, "session and call:")
	p.quote(2, foreign(a.Session)+" "+foreign(a.Call), p.Dim)
	p.about(calls[0])

	p.line(2, "to answer: "+answering+" "+a.ID+" approve, or deny; what is approved is")
	for _, r := range mcp.Reaches(a) {
		how := "--for " + string(r.Extent)
		if r.Extent == store.Once {
			how += ", or nothing"
		}
		p.line(4, how+":")
		p.quote(4, foreign(r.Words), nil)
	}
}

// effectOf says what a call does, after other words.
func effectOf(d *remit.Decision) string {
	if d.Effect == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", d.Effect)
}

// toolOf names the tool that a call is of.
func toolOf(d *remit.Decision) string {
	tool := foreign(d.Tool)
	if d.Variant != "" {
		tool += " " + foreign(d.Variant)
	}
	if d.Server != "" {
		tool += " of server " + foreign(d.Server)
	}
	if d.Through != "" {
		tool += " through " + foreign(d.Through)
	}
	return tool
}

func (p *printer) times(a *store.Approval, now time.Time) {
	p.line(2, p.Dim(fmt.Sprintf("asked %s ago, expires in %s", age(now.Sub(a.Created)), age(a.Expires.Sub(now)))))
}

// maxShownTurn bounds what a question repeats of the user's words, in bytes.
const maxShownTurn = 1200

// lastSaid writes what the user said last: it may be about the question, and newer.
func (p *printer) lastSaid(turns []store.Record, now time.Time) {
	for i := range turns {
		e := &turns[i].Event
		p.line(2, p.Dim(fmt.Sprintf("what the user said last, %s ago:", age(now.Sub(e.Time)))))
		p.quote(2, foreign(strings.ToValidUTF8(e.Text[:min(len(e.Text), maxShownTurn)], "")), nil)
	}
}

// several writes a question about several calls.
func (p *printer) several(a *store.Approval, turns []store.Record, calls []store.Asked, answering string, now time.Time) {
	p.line(0, p.Bold(a.ID)+fmt.Sprintf("  may the agent make these %d calls?", len(calls)))
	p.times(a, now)
	p.lastSaid(turns, now)
	p.line(2, "session:")
	p.quote(2, foreign(a.Session), p.Dim)
	for i, c := range calls {
		p.line(0, p.Bold(fmt.Sprintf("%d.", i+1))+" may it call this tool?"+effectOf(c.Decision))
		p.quote(2, toolOf(c.Decision), p.Bold)
		p.line(2, "call:")
		p.quote(2, foreign(c.Decision.Call), p.Dim)
		p.about(c)
	}

	p.line(2, "to answer: "+answering+" "+a.ID+" approve, or deny; to approve some of the calls, add their numbers: approve 1 "+fmt.Sprint(len(calls)))
	p.line(2, "what is approved is exactly these calls, with everything in them, once")
}

// about writes what is to be known of a call of a question.
func (p *printer) about(c store.Asked) {
	d := c.Decision
	for i := range d.Findings {
		if f := &d.Findings[i]; asksAbout(d, f) {
			p.asked(c, f)
		}
	}

	p.line(2, "why it is asked:")
	for _, r := range d.Reasons {
		text := r.Message
		if r.Path != "" {
			text = r.Path + ": " + text
		}
		p.quote(2, foreign(text), nil)
	}

	p.line(2, "the other arguments:")
	if !p.others(d) {
		p.line(4, "none")
	}
}

// asksAbout reports whether an argument is what the question is about.
func asksAbout(d *remit.Decision, f *remit.Finding) bool {
	return !f.Satisfied || slices.ContainsFunc(d.Reasons, func(r remit.Reason) bool { return r.Path == f.Path })
}

// asked writes one argument that fell short, and where it came from.
func (p *printer) asked(a store.Asked, f *remit.Finding) {
	p.line(2, "the argument")
	p.quote(2, foreign(cmpPath(f.Path)), p.Bold)
	role := ""
	if f.Role != label.NoRole {
		role = fmt.Sprintf(" (%s)", f.Role)
	}
	p.line(2, fmt.Sprintf("has the value%s", role))
	p.quote(2, foreign(whole(a.Decision, f)), func(s string) string { return p.trust(f.Trust, s) })
	if odd := letters(whole(a.Decision, f)); odd != "" {
		p.line(2, p.Warn("beware")+": it has characters beyond ASCII, which may look like others: "+odd)
	}

	is := "which is " + p.trust(f.Trust, f.Trust.String())
	if f.Trust < f.Floor {
		is += fmt.Sprintf(", and should be %s or better", f.Floor)
	}
	p.line(2, is)
	for _, place := range a.Places {
		if place.Path != f.Path {
			continue
		}
		verb := "it stands in text of trust "
		if place.Vouches {
			verb = "it is vouched for by text of trust "
		}
		p.line(2, verb+p.trust(place.Trust, place.Trust.String())+":")
		where := foreign(place.Origin)
		switch {
		case place.Tool == "":
		case place.Written:
			where += ", the model's own call of " + foreign(place.Tool)
		default:
			where += ", returned by " + foreign(place.Tool)
		}
		p.quote(2, where, p.Dim)
		p.quote(2, foreign(place.Before)+"»"+foreign(place.Text)+"«"+foreign(place.After), nil)
		if len(place.Record) > 0 {
			p.line(2, "in a record with")
		}
		for _, m := range place.Record {
			p.quote(2, foreign(m.Name)+" = "+foreign(m.Value), nil)
		}
	}
}

// others writes the arguments that the question is not about; false when there
// are none.
func (p *printer) others(d *remit.Decision) bool {
	found := false
	for i := range d.Findings {
		f := &d.Findings[i]
		if asksAbout(d, f) {
			continue
		}
		found = true
		p.quote(2, foreign(cmpPath(f.Path))+" = "+foreign(whole(d, f)), p.Dim)
	}
	return found
}

// maxWhole is how much of a value a question shows, in bytes: a person who agrees to a call has
// to see what it does, and won't read more.
const maxWhole = 4000

// whole returns the text of an argument, of which a finding has the beginning.
func whole(d *remit.Decision, f *remit.Finding) string {
	doc, err := strictjson.Parse(d.Arguments, strictjson.DefaultLimits())
	if err != nil {
		return f.Value
	}
	leaf, ok := doc.Get(f.Path)
	switch {
	case !ok:
		return f.Value
	case len(leaf.Text) > maxWhole:
		return strings.ToValidUTF8(leaf.Text[:maxWhole], "") + fmt.Sprintf(" (and %d more bytes, which are not shown)", len(leaf.Text)-maxWhole)
	}
	return leaf.Text
}

func cmpPath(path string) string {
	if path == "" {
		return "(the whole)"
	}
	return path
}

// quote writes text of others behind a bar, broken so that the terminal never
// breaks it.
func (p *printer) quote(indent int, text string, style func(string) string) {
	for _, l := range fold(text, max(p.width-indent-4, command.MinWidth/2)) {
		if style != nil {
			l = style(l)
		}
		p.line(indent+2, bar+l)
	}
}

// fold breaks text into lines of at most n columns, after a space where there
// is one. It counts characters of unknown width as wide ones.
func fold(s string, n int) []string {
	var lines []string
	from, space, at := 0, 0, 0 // the line's beginning, after its last space, and its width
	for i, r := range s {
		w := width(r)
		for at > 0 && at+w > n {
			end := i
			if space > from {
				end = space
			}
			lines = append(lines, s[from:end])
			from, at = end, 0
			for _, r := range s[from:i] {
				at += width(r)
			}
		}
		if at += w; r == ' ' {
			space = i + 1
		}
	}

	return append(lines, s[from:])
}

func width(r rune) int {
	if r >= 0x1100 {
		return 2
	}
	return 1
}

// foreign is [visible] for text that a person decides by: spaces that are not
// spaces, letters without ink, towers of marks and the signs of the question
// itself are shown as escapes too.
func foreign(s string) string {
	var b strings.Builder
	for span := range display.Spans(s) {
		if span.Escaped {
			b.WriteString(span.Text)
			continue
		}
		for _, r := range span.Text {
			if strings.ContainsRune("\n\t│»«⏎…", r) {
				b.WriteString(display.Escape(r))
			} else {
				b.WriteRune(r)
			}
		}
	}

	return b.String()
}

// maxLetters bounds how many characters beyond ASCII a question names: the rest
// of a text in another script says nothing more.
const maxLetters = 8

// letters names the characters of a value that are beyond ASCII; empty when
// there are none.
func letters(s string) string {
	var list []string
	seen := map[rune]bool{}
	for _, r := range s {
		if r <= unicode.MaxASCII || seen[r] {
			continue
		}
		if seen[r] = true; len(list) == maxLetters {
			list = append(list, "and more")
			break
		}
		list = append(list, fmt.Sprintf("U+%04X", r))
	}
	return strings.Join(list, ", ")
}

// age writes how long something takes, to the second.
func age(d time.Duration) string { return max(d, 0).Round(time.Second).String() }
