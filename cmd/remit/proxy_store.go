package main

import (
	"context"
	"errors"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/proxy"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// durableProxy lets a proxy keep its sessions in a store, and returns what
// closes the store. Without a name, sessions end with the process.
func durableProxy(ctx context.Context, o *proxy.Options, name string, queue bool) (end func() error, err error) {
	if name == "" {
		if queue {
			return nil, command.UsageError(hint.Wrap(errors.New("there is no store whose queue could hold questions"), "name one with --store"))
		}
		return func() error { return nil }, nil
	}
	s, err := store.Open(ctx, name, store.Options{})
	if err != nil {
		return nil, err
	}
	// The proxy says for each request which monitor decides.
	l := ledger.New(s, func() *remit.Monitor { return nil }, ledger.Options{})
	o.Sessions = proxySessions{l, s}
	if queue {
		o.Approver = proxyApprover{ledger.NewApprover(l, s, ledger.ApproverOptions{Life: proxy.DefaultApproval})}
	}
	return s.Close, nil
}

// proxySessions are the sessions of a store as the proxy uses them.
type proxySessions struct {
	l     *ledger.Ledger
	store store.Sessions
}

// Open implements [proxy.Sessions].
func (p proxySessions) Open(ctx context.Context, m *remit.Monitor, id string) (proxy.Session, []remit.Event, error) {
	s, err := p.l.OpenUnder(ctx, m, id)
	if err != nil {
		return nil, nil, err
	}
	var log []remit.Event
	for rec, err := range p.store.Read(ctx, id, 0) {
		if err != nil {
			return nil, nil, err
		}
		log = append(log, rec.Event)
	}
	return s, log, nil
}

// proxyApprover asks by the queue of a store.
type proxyApprover struct{ a *ledger.Approver }

// Ask implements [proxy.Approver].
func (p proxyApprover) Ask(ctx context.Context, s proxy.Session, d *remit.Decision) (*remit.Decision, error) {
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
