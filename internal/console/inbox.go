package console

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/store"
)

// maxTurns is how many of the user's turns a question shows, the last ones.
const maxTurns = 2

// approval reads a question that the person's scopes reach.
func (v *visit) approval(ctx context.Context, id string) (store.Approval, error) {
	a, err := v.c.o.Store.Approval(ctx, id)
	if err == nil {
		_, err = v.reach(ctx, a.Session)
	}
	if err != nil {
		return store.Approval{}, err
	}
	return a, nil
}

// inboxPage is the list of questions that wait, by session.
type inboxPage struct {
	Groups []group
	// More is set when there are questions beyond those that are shown.
	More bool
	// Done is the question that the person has just answered; nil for none.
	Done *settled
}

// group is the questions of one session.
type group struct {
	Session   string
	Questions []waiting
}

// waiting is a question in the list.
type waiting struct {
	ID    string
	Calls []call
	Times times
}

// times are when a question was asked and until when it waits.
type times struct{ Created, Expires, Now time.Time }

// settled is what became of a question.
type settled struct {
	ID, Tool string
	State    store.State
	Extent   store.Extent
	By, Why  string
	At       time.Time
	// Lost is set for a person who has answered too late.
	Lost bool
	// Calls are the calls of a question about several, with what became of each.
	Calls []settledCall
}

type settledCall struct {
	Tool   string
	Agreed bool
}

func (c *Console) inbox(ctx context.Context, v *visit) (outcome, error) {
	version, err := v.version(ctx, "inbox")
	if err != nil {
		return outcome{}, err
	}
	list, err := c.o.Store.PendingOf(ctx, v.whose(), store.Turn{}, maxShownWaiting+1)
	if err != nil {
		return outcome{}, err
	}

	page := inboxPage{More: len(list) > maxShownWaiting}
	at := map[string]int{}
	for i := range list[:min(len(list), maxShownWaiting)] {
		a := &list[i]
		w := waiting{ID: a.ID, Times: times{a.Created, a.Expires, c.o.Now()}}
		for n, asked := range a.Calls() {
			w.Calls = append(w.Calls, prepared(n, asked, nil))
		}
		n, ok := at[a.Session]
		if !ok {
			n = len(page.Groups)
			at[a.Session] = n
			page.Groups = append(page.Groups, group{Session: a.Session})
		}
		page.Groups[n].Questions = append(page.Groups[n].Questions, w)
	}

	if id := v.FormValue("done"); id != "" {
		if a, err := v.approval(ctx, id); err == nil && a.State != store.Pending {
			page.Done = settledOf(&a)
		}
	}
	return outcome{page: "inbox", frame: frame{Title: "Inbox", View: "inbox", Live: "inbox", Version: version, Body: page}}, nil
}

func settledOf(a *store.Approval) *settled {
	s := &settled{ID: a.ID, Tool: a.Decision.Tool, State: a.State, Extent: a.Extent, By: a.By, Why: a.Why, At: a.Settled}
	if len(a.More) > 0 {
		for _, c := range a.Calls() {
			s.Calls = append(s.Calls, settledCall{c.Decision.Tool, a.Agrees(c.Decision.Call)})
		}
	}
	return s
}

// questionPage is one question.
type questionPage struct {
	ID, Session string
	Times       times
	// Turns are what the user asked last, in order.
	Turns []turn
	Calls []call
	// Choices are how the person may answer with yes; none where they may not answer.
	Choices []choice
	May     bool
	Settled *settled
}

// turn is what the user said.
type turn struct {
	Seq  int64
	Time time.Time
	Text []run
}

// choice is an extent of an approval, in words.
type choice struct {
	Extent store.Extent
	Name   string
	Words  string
	// Entry is what the server's contract file gets for always, below the tool, and File the
	// file's name; empty where it isn't known here.
	Entry, File string
}

// names are what the buttons say.
var names = map[store.Extent]string{store.Once: "Allow once", store.ForSession: "Allow for this session", store.Always: "Allow always"}

// choices returns the extents that a person can choose for a question: none where no call is
// shown whole.
func (c *Console) choices(a *store.Approval, calls []call) []choice {
	var out []choice
	if !slices.ContainsFunc(calls, func(c call) bool { return c.Whole }) {
		return nil
	}
	if len(a.More) > 0 {
		return []choice{{Extent: store.Once, Name: names[store.Once], Words: "exactly the calls that are marked, with everything in them, once"}}
	}
	for _, r := range mcp.Reaches(a) {
		one := choice{Extent: r.Extent, Name: names[r.Extent], Words: r.Words}
		if r.Extent == store.Always {
			one.Entry, one.File = entryOf(a.Decision), c.o.Desk.Files.File(a.Decision.Server)
		}
		out = append(out, one)
	}
	return out
}

// entryOf returns what the server's contract file gets when a call is allowed for always.
func entryOf(d *remit.Decision) string {
	approval, err := mcp.Approval(d)
	if err != nil {
		return ""
	}
	return approval.Entry()
}

func (c *Console) question(ctx context.Context, v *visit) (outcome, error) {
	return c.ask(ctx, v, v.PathValue("id"), 0)
}

// ask shows a question, with the status of the answer to a form.
func (c *Console) ask(ctx context.Context, v *visit, id string, status int) (outcome, error) {
	topic := topic("question", id)
	version, err := v.version(ctx, topic)
	if err != nil {
		return outcome{}, err
	}
	a, err := v.approval(ctx, id)
	if err != nil {
		return outcome{}, err
	}
	page := questionPage{
		ID: a.ID, Session: a.Session, Times: times{a.Created, a.Expires, c.o.Now()},
		May: v.who.May(access.ApprovalsAnswer),
	}

	page.Calls = callsOf(&a)
	if a.State == store.Pending {
		page.Choices = c.choices(&a, page.Calls)
	} else {
		page.Settled = settledOf(&a)
		page.Settled.Lost = status == http.StatusConflict && a.By != ""
	}
	turns, err := c.o.Store.Turns(ctx, a.Session, maxSeq, maxTurns)
	if err != nil {
		return outcome{}, err
	}
	for _, r := range slices.Backward(turns) {
		page.Turns = append(page.Turns, turn{r.Seq, r.Event.Time, excerpt(r.Event.Text, nil, maxShownTurn)})
	}
	return outcome{page: "question", frame: frame{
		Title: "May it call " + titleOf(a.Decision.Tool) + "?", View: "inbox", Status: status,
		Live: topic, Version: version, Body: page,
	}}, nil
}

// callsOf prepares the calls of a question.
func callsOf(a *store.Approval) []call {
	var out []call
	for i, asked := range a.Calls() {
		out = append(out, callOf(i, asked))
	}
	return out
}

// errAnswer is told for a form that no button of the page sends.
var errAnswer = &failure{http.StatusBadRequest, "That is not one of the answers to this question."}

// answer answers a question.
func (c *Console) answer(ctx context.Context, v *visit) (outcome, error) {
	a, err := v.approval(ctx, v.PathValue("id"))
	if err != nil {
		return outcome{}, err
	}
	given := store.Answer{By: v.who.Name, Why: v.PostForm.Get("why"), From: "console " + v.RemoteAddr}
	if word := v.PostForm.Get("answer"); word != "no" {
		calls := callsOf(&a)
		offered := c.choices(&a, calls)
		if !slices.ContainsFunc(offered, func(c choice) bool { return string(c.Extent) == word }) {
			return outcome{}, errAnswer
		}
		given.Approve, given.Extent = true, store.Extent(word)
		if len(a.More) > 0 {
			given.Calls = v.PostForm["call"]
		}
		if slices.ContainsFunc(calls, func(c call) bool { return !c.Whole && slices.Contains(given.Calls, c.Call) }) {
			return outcome{}, errAnswer
		}
		if len(a.More) > 0 && len(given.Calls) == 0 {
			return outcome{}, &failure{http.StatusBadRequest, "No call was marked: mark those that may be made, or answer no."}
		}
	}

	_, err = c.o.Store.Answer(ctx, a.ID, given)
	c.live.wake()
	switch {
	case errors.Is(err, store.ErrSettled):
		return c.ask(ctx, v, a.ID, http.StatusConflict)
	case errors.Is(err, store.ErrInvalid):
		return outcome{}, errAnswer
	case err != nil:
		return outcome{}, err
	}
	c.o.Log.Info("answered", "question", a.ID, "session", a.Session, "approve", given.Approve, "for", given.Extent, "principal", v.who.Name, "from", v.RemoteAddr)
	return outcome{to: "inbox?done=" + a.ID}, nil
}

// does says what an effect is, in words.
var does = map[contract.Effect]string{
	contract.Read: "reads", contract.Write: "changes something", contract.Destructive: "may destroy something",
	contract.Execute: "executes something", contract.Egress: "sends something out",
}
