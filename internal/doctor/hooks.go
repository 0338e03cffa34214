package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/hook"
)

// ExamineHooks examines the hooks that the file of a coding agent has: it runs each
// with a call that must be denied. The agent works in dir, and has MCP servers of its own.
func ExamineHooks(ctx context.Context, agent *hook.Agent, name string, data []byte, dir string, servers int, timeout time.Duration) (*Diagnosis, error) {
	d := &Diagnosis{File: name, Server: agent.Title, Findings: []Finding{}}
	flaws, err := agent.Check(name, data)
	if err != nil {
		return nil, err
	}

	for _, f := range flaws {
		code := "gap"
		if f.Open {
			code = "open"
		}
		d.add(f.Open, code, "", f.Remedy, "%s", f.Message)
	}

	hooks, err := agent.Hooks(name, data)
	if err != nil {
		return nil, err
	}
	blind := !slices.ContainsFunc(hooks, func(h hook.Hook) bool { return h.Named(dir).Contracts != "" })
	if servers > 0 && len(hooks) > 0 && blind {
		d.add(false, "uncontracted", "", "name the directory of their contracts, for servers behind remit gateway that of the gateway: remit hook install "+agent.Name+" --contracts DIR",
			"the hooks have no contracts for the MCP servers of %s, and deny every call of their tools", agent.Title)
	}

	proofs, err := agent.Proofs(name, data)
	if err != nil {
		return nil, err
	}

	var named []hook.Settings
	for _, h := range proofs {
		out, err := runHook(ctx, h.Command, agent.Canary(h.Event, "remit-canary-"+strings.ToLower(rand.Text()), dir), dir, timeout)
		switch {
		case err != nil:
			d.add(true, "silent", "", "run its command by hand, and see what it says", "the hook for %s can't be run: %v", h.Event, err)
		case !agent.Denied(out):
			d.add(true, "open", "", "compare remit version with the program in "+name, "the hook for %s let a call pass that Remit denies (exit code %d)", h.Event, out.Exit)
		case agent.Undecided(out) != "":
			d.add(true, "undecided", "", "correct what it says; until then no call runs, whatever it is", "the hook for %s can decide no call: %s", h.Event, agent.Undecided(out))
		default:
			d.Denied++
			if settings := h.Named(dir); !slices.Contains(named, settings) {
				named = append(named, settings)
			}
		}
	}

	for _, settings := range named {
		if err := settings.Check(); err != nil {
			d.add(true, "undecided", "", "correct it; until then the calls that it is about are denied, whatever they are", "the hooks can't decide all calls: %v", err)
		}
	}
	d.settle()
	return d, nil
}

// runHook runs a hook as its agent does: by a shell, with the event as its input.
func runHook(ctx context.Context, command string, event []byte, dir string, timeout time.Duration) (hook.Output, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, bytes.NewReader(event), &stdout, &stderr
	cmd.WaitDelay = time.Second // for what it left running with its output
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ctx.Err() != nil) {
		return hook.Output{}, errors.Join(err, ctx.Err())
	}
	return hook.Output{Stdout: stdout.String(), Stderr: stderr.String(), Exit: cmd.ProcessState.ExitCode()}, nil
}
