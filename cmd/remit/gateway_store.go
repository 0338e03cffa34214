package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/judge"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/config"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/internal/upkeep"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// deployment is a gateway as flags or a configuration describe it.
type deployment struct {
	options mcp.Options
	// files are the contract files of servers, by the servers' names. One may
	// not be there yet.
	files map[string]string
	// guards are the guard files.
	guards []string
	// config is the configuration's file; empty without one.
	config string
	// store names the store, and queue reports whether questions go there.
	store string
	queue bool
	audit config.Audit
	// edit lets people change contract files in the console.
	edit bool
	// notify is the command that is run when a question begins to wait.
	notify []string
}

// running is a deployment that was started.
type running struct {
	*mcp.Gateway
	// ready says what keeps the gateway from serving.
	ready func(ctx context.Context, troubled bool) error
	// files are the contract files that SIGHUP reads again, by server.
	files map[string]string
	// store has the sessions, and desk the contracts; nil without a store.
	store store.Store
	desk  *revise.Desk
	// end ends what start has begun. The gateway has ended by then.
	end func() error
}

// openStore opens the store of a server, and logs where it made one: a path with a mistake in it
// is made, too, directories included.
func openStore(ctx context.Context, name string, o store.Options, log *slog.Logger) (store.Store, error) {
	_, missing := os.Stat(strings.TrimPrefix(name, "sqlite:"))
	s, err := store.Open(ctx, name, o)
	if err == nil && errors.Is(missing, fs.ErrNotExist) && !strings.Contains(name, "://") {
		log.Info("there was no store, and one was made", "file", name)
	}
	return s, reachable(name, err)
}

// reachable adds to an error about a store what to look at.
func reachable(name string, err error) error {
	if _, advised := hint.Of(err); err == nil || advised {
		return err
	}
	info, missing := os.Stat(strings.TrimPrefix(name, "sqlite:"))
	switch {
	case strings.HasPrefix(name, "postgres://"), strings.HasPrefix(name, "postgresql://"):
		return hint.Wrap(err, "see whether the database runs, and whether the store's name leads there: postgres://USER@HOST/DATABASE")
	case strings.HasPrefix(name, "nats://"), strings.HasPrefix(name, "tls://"):
		return hint.Wrap(err, "see whether NATS runs with JetStream, and whether the store's name leads there: nats://HOST:4222")
	case missing == nil && info.IsDir():
		return hint.Wrap(err, "name a file in it: "+filepath.Join(name, "remit.db"))
	}
	return err
}

// start makes the gateway, over its store where there is one.
func (d *deployment) start(ctx context.Context, log *slog.Logger) (*running, error) {
	if len(d.notify) > 0 {
		d.options.Notify = notifier{d.notify, log}.tell
	}
	if !d.options.Elicit && !d.queue && slices.ContainsFunc(d.options.Servers, func(s mcp.Server) bool { return s.Mode != mcp.Shadow }) {
		log.Warn("no person can be asked about a call, and what would need a yes is denied: let the client ask with --elicit, or remit approvals with --queue; in a configuration, under approvals")
	}
	d.options.Listed = (&listing{d.files, log}).take
	if d.store == "" {
		o := d.options
		always := &approved{files: d.files}
		o.Always = always.add
		g, err := mcp.New(o)
		always.gateway = g
		return &running{Gateway: g, files: d.files, end: func() error { return nil }}, err
	}

	s, err := openStore(ctx, d.store, store.Options{Redact: d.audit.Redact}, log)
	if err != nil {
		return nil, err
	}
	o := d.options
	o.Ledger = ledger.New(s, ledger.Options{})
	always := &approved{files: d.files, audit: s}
	o.Always = always.add
	o.Queue = &ledger.Queue{Approvals: s, Life: cmp.Or(o.Limits.Approval, mcp.DefaultApproval) + answerGrace, CallOnly: true}

	if d.queue {
		o.Approver = o.Queue
	}
	files := revise.Held(d.files, d.edit)
	for _, server := range o.Servers {
		if server.Contract != nil {
			files.Put(server.Contract)
		}
	}
	o.InForce = func(f *contract.File) error {
		files.Put(f)
		return noteContract(ctx, s, f)
	}
	g, err := mcp.New(o)
	if err == nil {
		err = d.noteStart(ctx, s)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}

	always.gateway = g
	k := upkeep.Start(ctx, s, upkeep.Options{Retention: d.audit.Retention, Head: d.audit.Head, Log: log})
	ready := func(ctx context.Context, troubled bool) error { return upkeep.Reachable(ctx, s, troubled, version()) }
	inForce := func(f *contract.File) error { return g.Reload(f.Server, f) }
	return &running{Gateway: g, ready: ready, files: d.files, store: s, end: func() error { return errors.Join(k.Stop(), s.Close()) },
		desk: &revise.Desk{Files: files, Monitor: replayed(o.Monitor, o.Policies, true), InForce: inForce}}, nil
}

// answerGrace is how much longer a question is in the queue than the gateway waits
// for the answer, so that it is the gateway that says when it is too late.
const answerGrace = 5 * time.Second

// noteStart writes into the audit log what is in force from now on.
func (d *deployment) noteStart(ctx context.Context, a store.Audit) error {
	n := store.Note{About: "start", Members: map[string]string{"version": version()}}
	add := func(what, name string) error {
		data, err := inputs.Read(name)
		if err == nil {
			n.Members[what] = fmt.Sprintf("%s sha256:%x", name, sha256.Sum256(data))
		}
		return err
	}
	if d.config != "" {
		if err := add("configuration", d.config); err != nil {
			return err
		}
	}

	for _, name := range d.guards {
		if err := add("rules of "+name, name); err != nil {
			return err
		}
	}
	if j, ok := d.options.Judge.(*judge.Judge); ok {
		n.Members["judge"] = j.String()
	}
	if p, ok := d.options.Monitor.Planner.(*loggedPlanner); ok {
		n.Members["planner"] = p.String()
	}

	for _, s := range d.options.Servers {
		if s.Contract == nil {
			continue
		}
		if err := add("contract of "+s.Name, d.files[s.Name]); err != nil {
			return err
		}
	}

	return a.Note(ctx, n)
}

// noteContract writes a contract that has come into force into the audit log.
func noteContract(ctx context.Context, a store.Audit, f *contract.File) error {
	text, err := f.Marshal()
	if err != nil {
		return err
	}
	return a.Note(ctx, store.Note{About: "contract", Members: map[string]string{
		"server": f.Server, "tools": fmt.Sprint(len(f.Tools)), "sha256": fmt.Sprintf("%x", sha256.Sum256(text)),
	}})
}
