package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/revise"
)

// replayTime bounds how long recorded calls are decided again for a page.
const replayTime = 10 * time.Second

// editPage is the contract of a tool, with what becomes of an edit.
type editPage struct {
	Server, Tool string
	Effect       contract.Effect
	Why          string
	Args         []editedArg
	// Marked is set where something of the tool is marked for a review, and Reviewed where
	// the edit takes the marks off.
	Marked, Reviewed bool
	Base             string
	// Redefined is what the server has changed about the definition; nil for nothing.
	Redefined *redefined
	// Proposal is what the edit results in; nil before there is one.
	Proposal *revise.Proposal
	Patch    []patchLine
	Outcome  *revise.Outcome
	// Write is set where this person may write the file from here.
	Write bool
	// Done is set after the file was written, and InForce where it is in force by now.
	Done, InForce bool
	Mistake       string
}

// editedArg is an argument with the role and the floor that the form has.
type editedArg struct {
	revise.Arg
	Why, Review string
}

// patchLine is a line of a difference.
type patchLine struct{ Class, Text string }

// patchLines prepares the difference of a file for a page.
func patchLines(patch string) []patchLine {
	out := diffLines(patch)
	// The first three lines name the files.
	return out[min(3, len(out)):]
}

// diffLines returns the lines of a difference.
func diffLines(patch string) []patchLine {
	var out []patchLine
	for l := range strings.Lines(patch) {
		class := ""
		switch l[0] {
		case '+':
			class = "added"
		case '-':
			class = "removed"
		case '@':
			class = "dim"
		}
		out = append(out, patchLine{class, strings.TrimSuffix(l, "\n")})
	}
	return out
}

// errEdit is told for a form that no page of the console sends.
var errEdit = &failure{http.StatusBadRequest, "That is not a role and a floor for each of some arguments."}

// edit reads a form.
func (v *visit) edit() (revise.Edit, error) {
	e := revise.Edit{Server: v.FormValue("server"), Tool: v.FormValue("tool")}
	form := v.PostForm
	e.Base, e.Reviewed = form.Get("base"), form.Get("reviewed") != ""
	lists := [][]string{form["variant"], form["pattern"], form["role"], form["floor"]}
	if slices.ContainsFunc(lists, func(l []string) bool { return len(l) != len(lists[0]) }) {
		return e, errEdit
	}
	for i, pattern := range lists[1] {
		a := revise.Arg{Variant: lists[0][i], Pattern: pattern}
		if a.Role.UnmarshalText([]byte(lists[2][i])) != nil || a.Floor.UnmarshalText([]byte(lists[3][i])) != nil {
			return e, errEdit
		}
		e.Args = append(e.Args, a)
	}
	return e, nil
}

// tool shows the contract of a tool, and what becomes of the edit in the form.
func (c *Console) tool(ctx context.Context, v *visit) (outcome, error) {
	e, err := v.edit()
	if err != nil {
		return outcome{}, err
	}
	p, err := c.o.Desk.Files.Propose(e)
	if err != nil {
		return outcome{}, editFailure(err)
	}
	page := editPage{Server: e.Server, Tool: e.Tool, Reviewed: e.Reviewed, Base: p.Base, Done: v.FormValue("done") == p.Digest,
		InForce: c.o.Desk.InForce != nil, Write: c.o.Desk.Files.Writable() && v.who.May(access.ContractsWrite)}

	was, _ := p.Was.Tool(e.Tool)
	page.read(was, &e)
	page.Redefined = c.redefined(e.Server, was)
	if p.Digest != p.Base {
		page.Proposal, page.Patch = p, patchLines(p.Patch)
		if page.Outcome, err = c.replayed(ctx, v, e); err != nil {
			if ctx.Err() != nil {
				return outcome{}, ctx.Err()
			}
			page.Mistake = err.Error()
		}
	}
	return outcome{page: "tool", frame: frame{Title: e.Tool + " of " + e.Server, View: "tools", Body: page}}, nil
}

// replayed decides the tool's last calls again.
func (c *Console) replayed(ctx context.Context, v *visit, e revise.Edit) (*revise.Outcome, error) {
	thinking, cancel := context.WithTimeout(ctx, replayTime)
	defer cancel()
	_, out, err := c.o.Desk.Check(thinking, v.whose(), e)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the calls of the past could not be decided again within %s", replayTime)
	}
	return out, err
}

// read takes the arguments of a tool, with what the form has for them.
func (p *editPage) read(t *contract.Tool, e *revise.Edit) {
	p.Effect, p.Why = t.Effect, t.Why
	for range revise.Marks(t) {
		p.Marked = true
	}
	add := func(variant string, args []contract.Arg) {
		for _, a := range args {
			out := editedArg{revise.Arg{Variant: variant, Pattern: a.Pattern, Role: a.Role, Floor: a.Floor}, a.Why, a.Review}
			at := slices.IndexFunc(e.Args, func(x revise.Arg) bool { return x.Variant == variant && x.Pattern == a.Pattern })
			if at >= 0 {
				out.Role, out.Floor = e.Args[at].Role, e.Args[at].Floor
			}
			p.Args = append(p.Args, out)
		}
	}

	add("", t.Args)
	if t.Variants != nil {
		for _, c := range t.Variants.Cases {
			add(c.Value, c.Args)
		}
	}
}

// editFailure returns what people are told of an edit that can't be made.
func editFailure(err error) error {
	switch {
	case errors.Is(err, revise.ErrNone):
		return errNotFound
	case errors.Is(err, revise.ErrMoved):
		return &failure{http.StatusConflict, "The contract file has been changed since this page was made. Go back, reload it, and edit it again."}
	case errors.Is(err, revise.ErrReadOnly):
		return &failure{http.StatusForbidden, "The console may not write contract files here. Take the patch."}
	case errors.Is(err, revise.ErrBroken):
		return &failure{http.StatusInternalServerError, err.Error()}
	}
	return err
}

// writeTool writes an edit to the contract's file.
func (c *Console) writeTool(ctx context.Context, v *visit) (outcome, error) {
	e, err := v.edit()
	if err != nil {
		return outcome{}, err
	}
	if e.Base == "" {
		return outcome{}, errEdit // the person has not seen what it changes
	}
	p, err := c.o.Desk.Write(ctx, e, *v.who, "console "+v.RemoteAddr)
	if err != nil {
		return outcome{}, editFailure(err)
	}
	if p.Unsettled != nil {
		c.o.Log.Warn("the review of a definition could not be noted beside its contract", "server", e.Server, "tool", e.Tool, "error", p.Unsettled)
	}
	c.o.Log.Info("a contract was edited", "server", e.Server, "tool", e.Tool, "file", p.File, "principal", v.who.Name, "from", v.RemoteAddr)
	at, err := query("server", e.Server, "tool", e.Tool, "done", p.Digest)
	return outcome{to: "tool?" + string(at)}, err
}

// patch serves the difference that an edit makes, for those who keep the file.
func (c *Console) patch(w http.ResponseWriter, v *visit) {
	err := v.form(w)
	var e revise.Edit
	if err == nil {
		e, err = v.edit()
	}
	var p *revise.Proposal
	if err == nil {
		p, err = c.o.Desk.Files.Propose(e)
	}
	if err != nil {
		c.fail(w, v.Request, v, editFailure(err))
		return
	}
	sendPatch(w, "contract.patch", p.Patch)
}

// sendPatch sends a difference as a file.
func sendPatch(w http.ResponseWriter, name, patch string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", "attachment; filename="+name)
	_, _ = w.Write([]byte(patch)) // the reader has gone, then
}

// Does says in words what the tool does.
func (p editPage) Does() string { return does[p.Effect] }

// FileName returns the name of the contract's file, without its folder.
func (p editPage) FileName() string { return filepath.Base(p.Proposal.File) }
