package console

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

// whatIfPage is a session under a contract that is not in force.
type whatIfPage struct {
	ID string
	// Text is the contract as it was pasted, Guard the guard file, and Scopes the mode of scopes;
	// empty for the deployment's own.
	Text, Guard string
	Scopes      scope.Mode
	// Modes are the modes of scopes.
	Modes []scope.Mode
	// Servers have contracts to begin with.
	Servers []string
	Outcome *revise.Outcome
	Mistake string
}

// modes says in words what a mode makes of scopes.
var modes = map[scope.Mode]string{scope.ModeOff: "they are ignored", scope.ModeGrant: "they let calls run that are doubtful otherwise", scope.ModeBound: "all that is outside of them is asked about, too"}

// whatIf decides a session again under a contract, a guard file or scopes that a person chooses.
func (c *Console) whatIf(ctx context.Context, v *visit) (outcome, error) {
	info, err := v.reach(ctx, v.FormValue("id"))
	if err != nil {
		return outcome{}, err
	}
	page := whatIfPage{ID: info.ID, Text: v.PostForm.Get("contract"), Guard: v.PostForm.Get("guard"), Scopes: scope.Mode(v.PostForm.Get("scopes")),
		Modes: []scope.Mode{scope.ModeOff, scope.ModeGrant, scope.ModeBound}}
	from := v.FormValue("server")
	for _, f := range c.o.Desk.Files.List() {
		page.Servers = append(page.Servers, f.Server)
		if f.Server != from || page.Text != "" {
			continue
		}
		text, err := f.Marshal()
		if err != nil {
			return outcome{}, err
		}
		page.Text = string(text)
	}

	posted := strings.TrimSpace(v.PostForm.Get("contract")+page.Guard) != "" || page.Scopes != ""
	if posted {
		if page.Outcome, err = c.decideIf(ctx, info.ID, &page); err != nil {
			if ctx.Err() != nil || errors.Is(err, store.ErrNotFound) {
				return outcome{}, err
			}
			page.Mistake = err.Error()
		}
	}
	return outcome{page: "whatif", frame: frame{Title: "What if", View: "sessions", Body: page}}, nil
}

// decideIf decides a session's calls by what the page has.
func (c *Console) decideIf(ctx context.Context, session string, page *whatIfPage) (*revise.Outcome, error) {
	setting := revise.Setting{}
	if strings.TrimSpace(page.Text) != "" {
		f, err := contract.Load("contract", []byte(page.Text))
		if err != nil {
			return nil, err
		}
		setting.Contracts = []*contract.File{f}
	}
	if strings.TrimSpace(page.Guard) != "" {
		f, err := guard.Load("guard", []byte(page.Guard))
		if err != nil {
			return nil, err
		}
		setting.Guards = []*guard.File{f}
	}
	if page.Scopes != "" {
		if err := setting.Scopes.UnmarshalText([]byte(page.Scopes)); err != nil {
			return nil, err
		}
	}

	thinking, cancel := context.WithTimeout(ctx, replayTime)
	defer cancel()
	out, err := c.o.Desk.WhatIf(thinking, session, setting)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the session could not be decided again within %s", replayTime)
	}
	return out, err
}
