package main

import (
	"context"
	"errors"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/gateway/mcp"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// durable lets a gateway keep its sessions in a store, and returns what closes
// the store. Without a name, sessions end with the process.
func durable(ctx context.Context, o *mcp.Options, name string, queue bool) (end func() error, err error) {
	if name == "" {
		if queue {
			return nil, usage{hint(errors.New("there is no store whose queue could hold questions"), "name one with --store, or store in the configuration")}
		}
		return func() error { return nil }, nil
	}
	s, err := store.Open(ctx, name, store.Options{})
	if err != nil {
		return nil, err
	}
	// The gateway says for each client which monitor decides.
	l := ledger.New(s, func() *remit.Monitor { return nil }, ledger.Options{})
	o.Sessions = ledgerSessions{l}
	if queue {
		o.Approver = ledgerApprover{ledger.NewApprover(l, s, ledger.ApproverOptions{Life: o.Limits.Approval})}
	}
	return s.Close, nil
}

// ledgerSessions are the sessions of a store as the gateway uses them.
type ledgerSessions struct{ l *ledger.Ledger }

// Open implements [mcp.Sessions].
func (s ledgerSessions) Open(ctx context.Context, m *remit.Monitor, id string) (mcp.Session, error) {
	return s.l.OpenUnder(ctx, m, id)
}

// ledgerApprover asks by the queue of a store.
type ledgerApprover struct{ a *ledger.Approver }

// Ask implements [mcp.Approver].
func (p ledgerApprover) Ask(ctx context.Context, s mcp.Session, d *remit.Decision) (*remit.Decision, error) {
	session, ok := s.(*ledger.Session)
	if !ok {
		return d, errors.New("the session is not in the store")
	}
	answer, err := p.a.AskIn(ctx, session, d)
	if err != nil {
		return d, err
	}
	return answer.Decision, nil
}
