package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options are the settings of a store. The zero value is a good one.
type Options struct {
	// Redact are rules for secrets beside [DefaultRules].
	Redact []Rule
	// Existing refuses to make a store that isn't there.
	Existing bool
	// Now is the clock; [time.Now] when nil.
	Now func() time.Time
}

//go:embed migrations
var migrations embed.FS

// Open opens a store, and makes or migrates it when it has to. The name is a
// path or sqlite:PATH for a store in one file, postgres://… (or postgresql://…) for
// a database, and nats://… (or tls://…) for a stream of NATS JetStream.
func Open(ctx context.Context, name string, o Options) (Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	redactor, err := NewRedactor(append(DefaultRules(), o.Redact...)...)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}

	common := questions{scribe: scribe{now: o.Now, redact: redactor}, hub: newHub()}
	if isStream(name) {
		return openStream(ctx, name, common, o)
	}
	s := newDatabase(common)
	switch {
	case strings.HasPrefix(name, "postgres://"), strings.HasPrefix(name, "postgresql://"):
		err = s.openPostgres(ctx, name, o)
	case isForeign(name):
		return nil, errForeign
	default:
		path := strings.TrimPrefix(name, "sqlite:")
		if path == "" {
			return nil, errors.New("open store: there is no name: write a path, postgres://… or nats://…")
		}
		err = s.openSQLite(ctx, path, o)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// errForeign is about an address of no server that is known. It isn't repeated: it may have a
// password.
var errForeign = errors.New("open store: there is no store of this kind: write postgres://… or nats://… in lower case, or sqlite:PATH for a file of such a name")

// isForeign reports whether a name looks like the address of a server, and is none that is known:
// another scheme, or PostgreSQL's keywords. A file of that name would be the store otherwise.
func isForeign(name string) bool {
	scheme, rest, found := strings.Cut(name, ":")
	isScheme := found && len(scheme) > 1 && strings.HasPrefix(rest, "/") && !strings.ContainsAny(scheme, `/\.`)
	keywords := strings.Contains(name, "host=") || strings.Contains(name, "password=")
	return (isScheme || keywords) && !strings.HasPrefix(name, "sqlite:")
}

// DefaultPath returns the path of the current user's store: remit.db in $XDG_STATE_HOME/remit,
// which is ~/.local/state/remit where that is not set.
func DefaultPath() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // the specification says to ignore others
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("the default place of the store: %w", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "remit", "remit.db"), nil
}

// migrationsOf returns the migrations of one kind of database.
func migrationsOf(kind string) (fs.FS, error) { return fs.Sub(migrations, "migrations/"+kind) }
