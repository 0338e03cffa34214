package main

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/doctor"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/hook"
	"github.com/remit-project/remit/internal/survey"
)

// Where doors listen by themselves.
const (
	usualProxy = "127.0.0.1:8742"
	usualServe = "127.0.0.1:7677"
)

// tokenVariable has the token for a decision API: no list of processes shows it.
const tokenVariable = "REMIT_TOKEN"

// listening examines the doors that run and were named.
func (c *doctorCommand) listening(ctx context.Context) ([]*doctor.Diagnosis, error) {
	if c.Client != "" || c.File != "" || c.Config != "" || c.Hooks != "" {
		return nil, command.UsageError(errors.New("--proxy and --serve are examined by themselves: leave the other flags out"))
	}
	var out []*doctor.Diagnosis
	if c.Proxy != "" {
		address, err := doorOf("--proxy", c.Proxy)
		if err != nil {
			return nil, err
		}
		out = append(out, doctor.ExamineProxy(ctx, address, c.Timeout))
	}

	if c.Serve != "" {
		address, err := doorOf("--serve", c.Serve)
		if err != nil {
			return nil, err
		}
		token := os.Getenv(tokenVariable)
		if token == "" {
			return nil, command.UsageError(hint.Wrap(errors.New("there is no token for the decision API"),
				"put one into "+tokenVariable+": remit token new --principal doctor --scope sessions:write --scope events:write --scope decisions:write"))
		}
		out = append(out, doctor.ExamineServe(ctx, address, token, c.Timeout))
	}
	return out, nil
}

// doorOf returns the address of a door from the value of a flag. The base URL that an SDK has
// for it, with /v1 at the end, will do.
func doorOf(flag, text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", command.UsageError(errors.New(flag + ": write an address such as http://" + usualProxy))
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/v1")
	return u.String(), nil
}

// everything examines all doors of the machine: what clients and agents have configured,
// what listens in its usual place, and this program's own.
func (c *doctorCommand) everything(ctx context.Context, s *command.Streams) ([]*doctor.Diagnosis, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, hint.Wrap(err, "name a client's file with --file")
	}
	m, err := survey.Look(dir, home)
	if err != nil {
		return nil, err
	}

	var entries []doctor.Entry
	var out []*doctor.Diagnosis
	for _, f := range m.Clients {
		if f.Trouble != nil {
			out = append(out, doctor.Unreadable(string(f.Client), f.Name, f.Trouble))
			continue
		}
		for _, server := range f.File.Servers {
			entries = append(entries, doctor.Entry{Server: server, File: f.Name, Dir: server.Dir})
		}
	}
	out = append(out, doctor.Examine(ctx, entries, c.settings())...)
	hooks, err := c.allHooks(ctx, m, dir, home)
	if err != nil {
		return nil, err
	}
	out = append(out, hooks...)

	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	out = append(out, c.usual(ctx, newPrinter(s))...)
	return append(out, doctor.ExamineSession(ctx, []string{exe, "session"}, c.Timeout), doctor.ExamineLibrary(ctx)), nil
}

// allHooks examines the hooks of the user's agents, and those of the project. An agent
// without Remit's hooks is one that nothing stops.
func (c *doctorCommand) allHooks(ctx context.Context, m *survey.Machine, dir, home string) ([]*doctor.Diagnosis, error) {
	var out []*doctor.Diagnosis
	for _, a := range hook.Agents() {
		found, err := c.hooksOf(ctx, a, []string{a.Place(true, dir, home), a.Place(false, dir, home)})
		if err != nil {
			out = append(out, doctor.Unreadable(a.Title, a.Place(false, dir, home), err))
			continue
		}
		out = append(out, found...)
		if len(found) > 0 {
			continue
		}
		for _, there := range m.Agents {
			if there.Name == a.Name {
				out = append(out, doctor.Unhooked(a, there.File))
			}
		}
	}
	return out, nil
}

// usual examines what listens in its usual place, and says what doesn't.
func (c *doctorCommand) usual(ctx context.Context, p *printer) []*doctor.Diagnosis {
	var out []*doctor.Diagnosis
	if reached(ctx, usualProxy) {
		out = append(out, doctor.ExamineProxy(ctx, "http://"+usualProxy, c.Timeout))
	} else if !c.JSON {
		p.line(0, p.Dim("no proxy listens on "+usualProxy+"; examine one elsewhere with --proxy URL"))
	}

	token := os.Getenv(tokenVariable)
	switch {
	case reached(ctx, usualServe) && token != "":
		out = append(out, doctor.ExamineServe(ctx, "http://"+usualServe, token, c.Timeout))
	case c.JSON:
	case reached(ctx, usualServe):
		p.line(0, p.Dim("something listens on "+usualServe+"; put a token into "+tokenVariable+" to examine it as a decision API"))
	default:
		p.line(0, p.Dim("no decision API listens on "+usualServe+"; examine one elsewhere with --serve URL"))
	}
	return out
}

// reached reports whether something listens.
func reached(ctx context.Context, address string) bool {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}
