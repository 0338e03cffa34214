package main

import (
	"errors"
	"fmt"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/refine"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/store"
)

type refineCommand struct {
	Contracts string   `required:"" placeholder:"PATH" help:"The contract file, or a directory of them."`
	Log       []string `placeholder:"FILE" sep:"none" help:"Audit logs, as remit audit export writes them, for the values that people confirmed. Repeatable."`
	JSON      bool     `help:"Print the proposals as JSON."`
	Sessions  []string `arg:"" optional:"" name:"recordings" help:"Recorded sessions."`
}

// Help is shown below the flags.
func (refineCommand) Help() string {
	return `Proposes changes to contracts from what was seen: the format of results, fields with no room for words, ids that come
back as arguments, values that people confirmed in several sessions. Nothing is changed: what was seen is not proof, and an
attacker may have written it. A ! marks what would let more calls pass. Edit the contracts yourself.

Example:
  remit contract refine --contracts contracts sessions.jsonl
  remit audit export --out log.jsonl && remit contract refine --contracts contracts --log log.jsonl`
}

// Run proposes refinements.
func (c *refineCommand) Run(s *command.Streams) error {
	if len(c.Sessions)+len(c.Log) == 0 {
		return command.UsageError(hint.Wrap(errors.New("there is nothing to look at"), "name recordings, or audit logs with --log FILE"))
	}
	files, err := inputs.Contracts(c.Contracts)
	if err != nil {
		return err
	}
	o, err := refine.New(files)
	if err != nil {
		return err
	}
	for _, name := range c.Sessions {
		if err := observeSessions(o, name); err != nil {
			return err
		}
	}
	for _, name := range c.Log {
		if err := observeLog(o, name); err != nil {
			return err
		}
	}

	proposals := o.Proposals()
	if c.JSON {
		return writeJSON(s.Out, proposals)
	}
	p := newPrinter(s)
	for _, x := range proposals {
		p.line(0, x.String())
	}
	p.line(0, display.Count(len(proposals), "proposal", "proposals"))
	return nil
}

func observeSessions(o *refine.Observer, name string) (err error) {
	f, err := inputs.Open(name, aRecording)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	n := 0
	for session, err := range trace.Read(f) {
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		n++
		o.Session(session)
	}
	if n == 0 {
		return noSession(name)
	}
	return nil
}

func observeLog(o *refine.Observer, name string) (err error) {
	f, err := inputs.Open(name, "an audit log (*.jsonl)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for line, err := range store.ReadLines(f) {
		if err == nil {
			err = o.Line(line)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
