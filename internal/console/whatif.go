package console

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/store"
)

// whatIfPage is a session under a contract that is not in force.
type whatIfPage struct {
	ID string
	// Text is the contract as it was pasted.
	Text string
	// Servers have contracts to begin with.
	Servers []string
	Outcome *revise.Outcome
	Mistake string
}

// whatIf decides a session again under a contract that a person pastes.
func (c *Console) whatIf(ctx context.Context, v *visit) (outcome, error) {
	info, err := v.reach(ctx, v.FormValue("id"))
	if err != nil {
		return outcome{}, err
	}
	page := whatIfPage{ID: info.ID, Text: v.PostForm.Get("contract")}
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

	if strings.TrimSpace(v.PostForm.Get("contract")) != "" {
		if page.Outcome, err = c.decideIf(ctx, info.ID, page.Text); err != nil {
			if ctx.Err() != nil || errors.Is(err, store.ErrNotFound) {
				return outcome{}, err
			}
			page.Mistake = err.Error()
		}
	}
	return outcome{page: "whatif", frame: frame{Title: "What if", View: "sessions", Body: page}}, nil
}

// decideIf decides a session's calls with the text of a contract.
func (c *Console) decideIf(ctx context.Context, session, text string) (*revise.Outcome, error) {
	f, err := contract.Load("contract", []byte(text))
	if err != nil {
		return nil, err
	}
	thinking, cancel := context.WithTimeout(ctx, replayTime)
	defer cancel()
	out, err := c.o.Desk.WhatIf(thinking, session, []*contract.File{f})
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the session could not be decided again within %s", replayTime)
	}
	return out, err
}
