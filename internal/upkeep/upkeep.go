// Package upkeep looks after the store of a running server: it removes old
// sessions, logs the digest of the audit log, and finds out whether the store still
// works.
package upkeep

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/remit-project/remit/store"
)

const (
	// pruneEvery is the time between two searches for old sessions, which are kept for
	// days.
	pruneEvery = time.Hour
	// lastHead bounds the last entry of the audit log, when the server ends.
	lastHead = 5 * time.Second
)

// DigestPrefix begins the digest of an audit log where it is shown.
const DigestPrefix = "sha256:"

// Options say what is done, and how often.
type Options struct {
	// Retention is how long a session is kept after its last event; for ever if zero.
	Retention time.Duration
	// Head is the time between two digests of the audit log; zero for none.
	Head time.Duration
	// Log gets the digests, and what fails. A failure is tried again.
	Log *slog.Logger
}

// Keeper looks after a store in the background.
type Keeper struct {
	o    Options
	s    store.Store
	stop context.CancelFunc
	work sync.WaitGroup
}

// Start begins to look after a store, at once and then from time to time, until
// ctx ends or [Keeper.Stop] is called.
func Start(ctx context.Context, s store.Store, o Options) *Keeper {
	k := &Keeper{o: o, s: s}
	ctx, k.stop = context.WithCancel(ctx)
	if o.Retention > 0 {
		k.work.Go(func() { k.repeat(ctx, pruneEvery, "removing old sessions", k.prune) })
	}
	if o.Head > 0 {
		k.work.Go(func() { k.repeat(ctx, o.Head, "noting the head of the audit log", k.logHead) })
	}
	return k
}

// repeat does something at once and then at every interval, until ctx ends.
func (k *Keeper) repeat(ctx context.Context, interval time.Duration, what string, do func(context.Context) error) {
	for {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			k.o.Log.Warn(what+" failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(interval):
		}
	}
}

func (k *Keeper) prune(ctx context.Context) error {
	n, err := k.s.Prune(ctx, time.Now().Add(-k.o.Retention))
	if n > 0 {
		k.o.Log.Info("sessions were removed", "sessions", n, "retention", k.o.Retention)
	}
	return err
}

func (k *Keeper) logHead(ctx context.Context) error {
	head, err := k.s.Head(ctx)
	if err == nil {
		k.o.Log.Info("head of the audit log", "digest", DigestPrefix+head.Hash.String(), "entries", head.Entries)
	}
	return err
}

// Stop stops the work, waits for it, and logs the digest a last time, so that later
// entries of the audit log are known to come from another program.
func (k *Keeper) Stop() error {
	k.stop()
	k.work.Wait()
	if k.o.Head <= 0 {
		return nil
	}

	ctx, cancel := context.WithTimeout(context.Background(), lastHead)
	defer cancel()
	return k.logHead(ctx)
}

// Reachable returns an error if a store doesn't answer. After trouble it also checks
// that the store can be written to, which leaves a note in the audit log with the
// program's version.
func Reachable(ctx context.Context, s store.Store, troubled bool, version string) error {
	if _, err := s.Session(ctx, "none"); err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if !troubled {
		return nil
	}
	return s.Note(ctx, store.Note{About: "recovered", Members: map[string]string{"version": version}})
}

// Writer is what knows whether the store could last be written to, a ledger.
type Writer interface {
	// Trouble returns why it could not; nil since it could.
	Trouble() error
	// Recovered says that it can again.
	Recovered()
}

// Ready returns an error if a store doesn't answer, or can't be written to since a writer
// could not.
func Ready(ctx context.Context, s store.Store, w Writer, version string) error {
	troubled := w.Trouble() != nil
	err := Reachable(ctx, s, troubled, version)
	if err == nil && troubled {
		w.Recovered()
	}
	return err
}
