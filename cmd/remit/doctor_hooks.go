package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/hook"
	"github.com/remit-project/remit/internal/inputs"
)

// hooks examines the hooks of an agent: in the file that is named, or in its
// usual places, the project's first.
func (c *doctorCommand) hooks(ctx context.Context) ([]*diagnosis, error) {
	if c.Client != "" || c.Config != "" {
		return nil, command.UsageError(errors.New("--hooks are examined by themselves: leave --client and --config out"))
	}
	agent, err := hook.Find(c.Hooks)
	if err != nil {
		return nil, command.UsageError(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	names := []string{c.File}
	if c.File == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, hint.Wrap(err, "name the file with --file")
		}
		names = []string{agent.Place(true, dir, home), agent.Place(false, dir, home)}
		if names[0] == names[1] {
			names = names[:1]
		}
	}
	var out []*diagnosis
	for _, name := range names {
		data, err := inputs.Read(name)
		if errors.Is(err, fs.ErrNotExist) && c.File == "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		installed, err := agent.Hooks(name, data)
		if err != nil {
			return nil, err
		}
		// Of two files, one without Remit's hooks says nothing about the other.
		if len(installed) == 0 && c.File == "" {
			continue
		}
		d, err := examineHooks(ctx, agent, name, data, dir, c.Timeout)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		return nil, hint.Wrap(fmt.Errorf("there are no hooks of Remit's in %s", strings.Join(names, ", ")), "install them with remit hook install "+agent.Name)
	}
	return out, nil
}

func examineHooks(ctx context.Context, agent *hook.Agent, name string, data []byte, dir string, timeout time.Duration) (*diagnosis, error) {
	d := &diagnosis{File: name, Server: agent.Title, Findings: []finding{}}
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
	proofs, err := agent.Proofs(name, data)
	if err != nil {
		return nil, err
	}
	for _, h := range proofs {
		out, err := runHook(ctx, h.Command, agent.Canary(h.Event, "remit-canary-"+strings.ToLower(rand.Text()), dir), dir, timeout)
		switch {
		case err != nil:
			d.add(true, "silent", "", "run its command by hand, and see what it says", "the hook for %s can't be run: %v", h.Event, err)
		case !agent.Denied(out):
			d.add(true, "open", "", "compare remit version with the program in "+name, "the hook for %s let a call pass that Remit denies (exit code %d)", h.Event, out.Exit)
		default:
			d.Denied++
		}
	}
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
