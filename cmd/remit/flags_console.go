package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/console"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/store"
)

// nameStore is the advice of a command that takes its settings from flags.
const nameStore = "name one with --store"

// carriedConsole lets a gateway or a proxy serve the console, too.
type carriedConsole struct {
	tokensFlag
	Console string `placeholder:"HOST:PORT" help:"Serve the web console there, on the loopback interface. People sign in with a token. It shows what is in the store."`
	Edit    bool   `help:"Let people whose token has contracts:write change contract files in the console."`
}

// check finds mistakes before anything starts. The advice says how a store is named.
func (f carriedConsole) check(stored bool, advice string) error {
	switch {
	case f.Console == "" && (f.Edit || f.Tokens != ""):
		return command.UsageError(errors.New("--edit and --tokens are about the console: say where it listens with --console HOST:PORT"))
	case f.Console == "":
		return nil
	case !stored:
		return command.UsageError(hint.Wrap(errors.New("the console shows what is in a store, and there is none"), advice))
	case !loopback(f.Console):
		return command.UsageError(hint.Wrap(fmt.Errorf("--console %s can be reached from other machines", f.Console), "listen on 127.0.0.1, or run remit serve --console over the same store"))
	}
	return nil
}

// serve serves the console over a store until the returned function is called.
func (f carriedConsole) serve(ctx context.Context, st store.Store, d *revise.Desk, log *slog.Logger) (end func() error, err error) {
	if f.Console == "" {
		return func() error { return nil }, nil
	}
	tokens, err := f.open()
	if err != nil {
		return nil, err
	}
	played, err := samples()
	if err != nil {
		return nil, err
	}
	d.Store = st
	pages, err := console.New(console.Options{Store: st, Principal: tokens.Find, Hosts: access.Hosts{}, Desk: d, Samples: played, Log: log})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", f.Console)
	if err != nil {
		return nil, hint.Wrap(err, "choose another address with --console HOST:PORT")
	}

	log.Info("console", "url", "http://"+l.Addr().String()+pages.Base())
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- pages.Serve(ctx, l) }()
	return func() error { stop(); return <-ended }, nil
}

// replayed makes monitors for recorded calls: by the rules of those that decide, and without
// the models and look-ups that cost something.
func replayed(o remit.Options, own []*guard.File, unseen bool) func(revise.Setting) (*remit.Monitor, error) {
	o.Tools, o.Planner, o.Judge, o.Reader = nil, nil, nil, nil
	o.UnseenUser = o.UnseenUser || unseen
	return func(s revise.Setting) (*remit.Monitor, error) {
		changed := o
		changed.Contracts = s.Contracts
		if s.Scopes != "" {
			changed.Scopes = s.Scopes
		}
		if len(s.Guards) > 0 {
			var err error
			if changed.Guards, err = guard.Compile(s.Over(own), guard.Deployment{Contracts: s.Contracts}); err != nil {
				return nil, err
			}
		}
		return remit.New(changed)
	}
}
