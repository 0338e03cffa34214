package main

import (
	"context"
	"errors"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/proxy"
	"github.com/remit-project/remit/internal/upkeep"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// durableProxy lets a proxy keep its sessions in a store, and returns what
// closes the store. Without a name, sessions end with the process.
func durableProxy(ctx context.Context, o *proxy.Options, name string, queue bool) (st store.Store, end func() error, err error) {
	if name == "" {
		if queue {
			return nil, nil, command.UsageError(hint.Wrap(errors.New("there is no store whose queue could hold questions"), "name one with --store"))
		}
		return nil, func() error { return nil }, nil
	}
	s, err := openStore(ctx, name, store.Options{}, o.Log)
	if err != nil {
		return nil, nil, err
	}
	l := ledger.New(s, ledger.Options{})
	o.Ledger = l
	o.Ready = func(ctx context.Context) error { return upkeep.Ready(ctx, s, l, version()) }
	if queue {
		o.Approver = &ledger.Queue{Approvals: s, Life: proxy.DefaultApproval}
	}
	return s, s.Close, nil
}
