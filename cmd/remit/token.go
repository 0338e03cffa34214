package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
)

type tokenCommand struct {
	New    tokenNew    `cmd:"" help:"Make a token for a principal, and print it once."`
	List   tokenList   `cmd:"" help:"List the tokens with their principals, scopes and ends."`
	Rotate tokenRotate `cmd:"" help:"Make a token in place of another, and end that one after a while."`
	Revoke tokenRevoke `cmd:"" help:"Revoke a token, or all tokens of a principal."`
}

type tokenList struct {
	tokensFlag
}

// Help is shown below the flags.
func (tokenList) Help() string {
	return `Prints one token a line: the beginning of its hash, its principal, its end, and its scopes.

Example:
  remit token list`
}

// Run lists the tokens.
func (c *tokenList) Run(_ context.Context, s *command.Streams) error {
	name, err := c.file()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	grants, err := access.ParseTokens(name, data)
	if err != nil {
		return err
	}

	for _, g := range grants {
		until := "never ends"
		switch {
		case !g.Expires.IsZero() && g.Expires.After(time.Now()):
			until = "ends " + g.Expires.UTC().Format(time.RFC3339)
		case !g.Expires.IsZero():
			until = "ended " + g.Expires.UTC().Format(time.RFC3339)
		}
		scopes := make([]string, len(g.Scopes))
		for i, scope := range g.Scopes {
			scopes[i] = string(scope)
		}
		fmt.Fprintf(s.Out, "%s  %s  %s  %s\n", shortHash(g), display.Line(g.Name), until, strings.Join(scopes, " "))
	}

	return nil
}

// shownHash is how much of a hash names a token among those of a file.
const shownHash = 12

func shortHash(g access.Grant) string { return g.Hash.String()[:shownHash] }

type tokenRevoke struct {
	tokensFlag
	ID        string `arg:"" optional:"" help:"The token, as remit token list names it."`
	Principal string `placeholder:"NAME" help:"All tokens of this principal."`
}

// Help is shown below the flags.
func (tokenRevoke) Help() string {
	return `A server that runs notices at its next request.

Example:
  remit token list
  remit token revoke 3f0c51a2b7de`
}

// Run takes tokens out of the file.
func (c *tokenRevoke) Run(_ context.Context, s *command.Streams) error {
	if (c.ID == "") == (c.Principal == "") {
		return command.UsageError(hint.Wrap(errors.New("which token is to end?"), "name one as remit token list does, or a principal with --principal NAME"))
	}
	name, err := c.file()
	if err != nil {
		return err
	}
	var data []byte
	var gone []access.Grant
	if c.Principal != "" {
		data, gone, err = takeTokens(name, func(g access.Grant) bool { return g.Name == c.Principal })
	} else {
		data, gone, err = takeToken(name, c.ID)
	}
	if err != nil {
		return err
	}

	if err := atomicfile.Write(name, data, 0o600); err != nil {
		return err
	}
	for _, g := range gone {
		fmt.Fprintf(s.Out, "ended %s of %s\n", shortHash(g), display.Line(g.Name))
	}

	return nil
}

// takeTokens reads a file of tokens, and returns it without those that are meant, and those.
func takeTokens(name string, meant func(access.Grant) bool) ([]byte, []access.Grant, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	data, gone, err := access.RemoveTokens(name, data, meant)
	if errors.Is(err, access.ErrNoSuchToken) {
		return nil, nil, hint.Wrap(err, "remit token list names those that there are")
	}
	return data, gone, err
}

// takeToken does so for the one token that an id names: the beginning of its hash, with or
// without sha256: before it.
func takeToken(name, id string) ([]byte, []access.Grant, error) {
	begin := strings.TrimPrefix(strings.ToLower(id), "sha256:")
	if len(begin) < shownHash {
		return nil, nil, command.UsageError(hint.Wrap(fmt.Errorf("%q is not the id of a token, which is the first %d digits of its hash or more", id, shownHash), "remit token list shows them; --principal NAME ends all tokens of a program or a person"))
	}
	data, gone, err := takeTokens(name, func(g access.Grant) bool { return strings.HasPrefix(g.Hash.String(), begin) })
	if err == nil && len(gone) > 1 {
		return nil, nil, command.UsageError(hint.Wrap(fmt.Errorf("%q names %d tokens", id, len(gone)), "write more of it"))
	}
	return data, gone, err
}

type tokenNew struct {
	tokensFlag
	Principal string   `required:"" placeholder:"NAME" help:"Whose the token is: a program or a person. Sessions belong to the principal that creates them."`
	Scope     []string `required:"" sep:"none" placeholder:"SCOPE" help:"What it may do, as events:write; all is everything. Repeatable."`
	Expires   string   `placeholder:"AGE|TIME" help:"When it ends: after 90d or 12h, or at 2027-03-31T09:00:00Z. Never without it."`
}

// Help is shown below the flags.
func (tokenNew) Help() string {
	return `The file keeps a hash of the token and nothing that it could be made from. To end a token: remit token revoke. A server that runs notices.

Scopes:
  sessions:read        sessions, their decisions and explanations
  sessions:write       begin and end sessions
  sessions:any         the other scopes reach the sessions of all principals
  events:write         say what the model sees, in the user's name too
  decisions:write      propose calls, and ask people about them
  confirmations:write  say that a person agreed to a call
  approvals:read       read questions to people
  approvals:answer     answer them
  contracts:read       read the deployment's contracts
  contracts:write      change them, where the server may
  audit:read           read and verify the audit log over all sessions

Example:
  remit token new --principal planner --scope sessions:write --scope events:write --scope decisions:write`
}

// Run makes a token.
func (c *tokenNew) Run(_ context.Context, s *command.Streams) error {
	if strings.TrimSpace(c.Principal) == "" {
		return command.UsageError(errors.New("--principal is empty: say whose the token is"))
	}
	token, hash := access.NewToken()
	grant := access.Grant{Principal: access.Principal{Name: c.Principal}, Hash: hash}
	for _, word := range c.Scope {
		var scope access.Scope
		if word == "all" {
			grant.Scopes = access.Scopes()
			continue
		}
		if err := scope.UnmarshalText([]byte(word)); err != nil {
			return command.UsageError(hint.Wrap(fmt.Errorf("--scope: %w %q", err, word), "remit token new --help lists the scopes"))
		}
		if !slices.Contains(grant.Scopes, scope) {
			grant.Scopes = append(grant.Scopes, scope)
		}
	}

	if c.Expires != "" {
		at, err := ending(c.Expires, time.Now())
		if err != nil {
			return command.UsageError(fmt.Errorf("--expires: %w", err))
		}
		grant.Expires = at.Truncate(time.Second)
	}
	name, err := c.file()
	if err != nil {
		return err
	}

	if err := addToken(name, grant); err != nil {
		return err
	}
	fmt.Fprintf(s.Err, "added to %s; the token is shown this once:\n", name)
	_, err = fmt.Fprintln(s.Out, token)
	return err
}

// addToken writes a token into the file, which only the user may read.
func addToken(name string, grant access.Grant) error {
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if data, err = access.AddToken(name, data, grant); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(name, data, 0o600)
}

// file returns the file of tokens.
func (f tokensFlag) file() (string, error) {
	if f.Tokens != "" {
		return f.Tokens, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", hint.Wrap(err, "say where the tokens are with --tokens FILE")
	}
	return filepath.Join(dir, "remit", "tokens.yaml"), nil
}

// ending reads a time, or an age from now on.
func ending(text string, now time.Time) (time.Time, error) {
	before, err := when(text, now)
	if err != nil || !before.Before(now) {
		return before, err
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, fmt.Errorf("%s is over", text)
	}
	return now.Add(now.Sub(before)), nil
}
