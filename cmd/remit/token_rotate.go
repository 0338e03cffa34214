package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
)

type tokenRotate struct {
	tokensFlag
	ID      string `arg:"" help:"The token, as remit token list names it."`
	Keep    string `default:"1h" placeholder:"AGE" help:"How long the old token still works, as 1h or 7d; 0h ends it at once (1h)."`
	Expires string `placeholder:"AGE|TIME" help:"When the new one ends: after 90d or 12h, or at 2027-03-31T09:00:00Z. When the old one would have, without it."`
}

// Help is shown below the flags.
func (tokenRotate) Help() string {
	return `Makes a token in place of another, with the same principal and the same scopes, and prints it once. Both are taken for
a while, so that callers can be given the new one. Sessions stay their principal's. A server that runs notices at its
next request.

Example:
  remit token list
  remit token rotate 3f0c51a2b7de --keep 1d`
}

// Run writes both tokens.
func (c *tokenRotate) Run(_ context.Context, s *command.Streams) error {
	now := time.Now()
	until, err := keptUntil(c.Keep, now)
	if err != nil {
		return command.UsageError(fmt.Errorf("--keep: %w", err))
	}
	name, err := c.file()
	if err != nil {
		return err
	}
	data, gone, err := takeToken(name, c.ID)
	if err != nil {
		return err
	}

	old := gone[0]
	token, hash := access.NewToken()
	fresh := access.Grant{Principal: old.Principal, Hash: hash, Expires: old.Expires}
	if c.Expires != "" {
		if fresh.Expires, err = ending(c.Expires, now); err != nil {
			return command.UsageError(fmt.Errorf("--expires: %w", err))
		}
		fresh.Expires = fresh.Expires.Truncate(time.Second)
	}
	if !fresh.Expires.IsZero() && !fresh.Expires.After(now) {
		return command.UsageError(hint.Wrap(errors.New("the old token has ended, and the new one would end with it"), "say when it ends with --expires"))
	}

	// An old token never lives longer than it would have.
	if old.Expires.IsZero() || until.Before(old.Expires) {
		old.Expires = until
	}
	list := []access.Grant{fresh}
	if old.Expires.After(now) {
		list = []access.Grant{old, fresh}
	}
	for _, g := range list {
		if data, err = access.AddToken(name, data, g); err != nil {
			return err
		}
	}
	if err := atomicfile.Write(name, data, 0o600); err != nil {
		return err
	}

	fmt.Fprintf(s.Err, "%s of %s ends %s; the token in its place is shown this once:\n", shortHash(old), display.Line(old.Name), old.Expires.UTC().Format(time.RFC3339))
	_, err = fmt.Fprintln(s.Out, token)
	return err
}

// keptUntil reads how long an old token still works; 0 for not at all.
func keptUntil(age string, now time.Time) (time.Time, error) {
	if strings.Trim(age, "0smhd") == "" {
		return now.Truncate(time.Second), nil
	}
	until, err := ending(age, now)
	return until.Truncate(time.Second), err
}
