package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/inquire"
	"github.com/remit-project/remit/internal/mcp/config"
)

// lookupsFlag names the servers with which rules look things up, for enforcement points
// that have no connection to the agent's tools.
type lookupsFlag struct {
	Lookups string `placeholder:"FILE" help:"The servers with which rules look things up: a gateway's configuration (remit.yaml), of which the servers count. Tools that none of them has are looked up as without it."`
}

// reader makes the reader for the rules of a directory, and returns what ends it; nil
// without the flag.
func (f lookupsFlag) reader(policies string, log *slog.Logger) (guard.Reader, func() error, error) {
	none := func() error { return nil }
	if f.Lookups == "" {
		return nil, none, nil
	}
	if policies == "" {
		return nil, nil, command.UsageError(hint.Wrap(errors.New("--lookups is for rules, and there are none"), "name their directory with --policies DIR"))
	}

	servers := &lookupServers{log: log}
	r, err := servers.reader(f.Lookups)
	return r, servers.close, err
}

// lookupServers are the servers of configurations, each made once.
type lookupServers struct {
	log *slog.Logger

	mu   sync.Mutex
	made map[string]*inquire.Servers
}

// reader returns the reader by the servers of a configuration. Nothing is started yet.
func (l *lookupServers) reader(name string) (guard.Reader, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if had := l.made[name]; had != nil {
		return had, nil
	}
	data, err := inputs.Read(name)
	if err != nil {
		return nil, err
	}
	file, err := config.Load(name, data, os.LookupEnv)
	if err != nil {
		return nil, err
	}

	var list []inquire.Server
	for _, s := range file.Servers {
		list = append(list, inquire.Server{Name: s.Name, Connect: connector(s, 0, l.log.With("server", s.Name))})
	}
	if l.made == nil {
		l.made = map[string]*inquire.Servers{}
	}
	l.made[name] = inquire.New(list, version())
	return l.made[name], nil
}

// close ends the servers.
func (l *lookupServers) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, s := range l.made {
		errs = append(errs, s.Close(context.Background()))
	}
	return errors.Join(errs...)
}
