package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/hook"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/telemetry"
	"github.com/remit-project/remit/store"
)

// pageEvery is the time between two writes of the metrics of hooks. Scrapes are not more
// frequent.
const pageEvery = 15 * time.Second

type hookMetrics struct{}

// Help is shown below the flags.
func (hookMetrics) Help() string {
	return `Prints what the daemon of the hooks counted since it began, in Prometheus's text format. It is at most 15 seconds
old, and stays when the daemon has ended. The file is metrics.prom beside the daemon's log: the text file collector of
Prometheus's node exporter reads it there.

Example:
  remit hook metrics`
}

// Run prints the page.
func (hookMetrics) Run(s *command.Streams) error {
	path, err := store.DefaultPath()
	if err != nil {
		return err
	}
	dir := hook.Dir(path)
	data, err := inputs.Read(filepath.Join(dir, pageName))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err == nil {
			return hint.Wrap(errors.New("the daemon of the hooks has written no metrics yet"), fmt.Sprintf("try again in %v, which is how often it does", pageEvery))
		}
		return hint.Wrap(errors.New("no hook has decided anything yet"), "install hooks with remit hook install AGENT")
	}
	if err != nil {
		return err
	}
	_, err = s.Out.Write(data)
	return err
}

// pageName is the file with the metrics of hooks, in the daemon's directory.
const pageName = "metrics.prom"

// keepingPage writes the metrics of hooks from time to time. The returned function writes
// them a last time, and ends that.
func keepingPage(ctx context.Context, name string, r *telemetry.Recorder, log *slog.Logger) (end func()) {
	if r == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // calls are decided to the end
	var work sync.WaitGroup
	work.Go(func() { keepPage(ctx, name, r, log) })
	return func() { stop(); work.Wait() }
}

// keepPage writes the page until ctx ends, and then once more.
func keepPage(ctx context.Context, name string, r *telemetry.Recorder, log *slog.Logger) {
	last := ""
	write := func() {
		page, err := r.Page(context.WithoutCancel(ctx))
		if err == nil && page != last {
			if err = atomicfile.Write(name, []byte(page), 0o600); err == nil {
				last = page
			}
		}
		if err != nil {
			log.Warn("the metrics could not be written", "error", err)
		}
	}

	tick := time.NewTicker(pageEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			write()
		case <-ctx.Done():
			write()
			return
		}
	}
}
