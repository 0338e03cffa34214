package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/tryout"
	"github.com/remit-project/remit/internal/strictjson"
)

// tryFlags say what look-ups are asked with when they are tried.
type tryFlags struct {
	Try []string `placeholder:"TOOL=JSON" sep:"none" help:"Arguments that a look-up answers to, when look-ups are tried. Others take theirs from results. Repeatable."`
}

// given returns the arguments by the tools' names.
func (f tryFlags) given() (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for _, one := range f.Try {
		tool, args, _ := strings.Cut(one, "=")
		doc, err := strictjson.Parse([]byte(args), strictjson.DefaultLimits())
		if err != nil || doc.Root().Kind() != strictjson.Object {
			return nil, command.UsageError(fmt.Errorf(`--try %s: write TOOL=ARGUMENTS, with the arguments as a JSON object, as in --try 'get_user={"user_id": "u1"}'`, one))
		}
		out[tool] = doc.Canonical()
	}
	return out, nil
}

// ask asks look-ups by the servers of a configuration, as long as the function runs that
// gets what came of it.
func (f tryFlags) ask(ctx context.Context, configuration string, lookups []guard.Readable, known map[string]policydoc.Sample, then func(guard.Reader, map[string]tryout.Asked) error) (err error) {
	given, err := f.given()
	if err != nil {
		return err
	}
	servers := &lookupServers{log: slog.New(slog.DiscardHandler)}
	reader, err := servers.reader(configuration)
	if err != nil {
		return err
	}
	defer func() {
		if closed := servers.close(); err == nil {
			err = closed
		}
	}()
	return then(reader, tryout.Ask(ctx, reader, lookups, given, known))
}

// tryLookups makes the look-ups that have no real sample, and adds their results to what is
// recorded.
func (c *policyCompileCommand) tryLookups(ctx context.Context, s *command.Streams, scope guard.Deployment, known map[string]policydoc.Sample, into *recorded) error {
	if c.Lookups == "" {
		if len(c.Try) > 0 {
			return command.UsageError(errors.New("--try says what look-ups are asked with: name their servers with --try-lookups FILE"))
		}
		return nil
	}

	all := maps.Clone(known)
	maps.Copy(all, into.samples)
	open := slices.DeleteFunc(scope.Readable(), func(r guard.Readable) bool {
		sample, ok := all[policydoc.Key(r.Server, r.Name)]
		return ok && sample.Source != policydoc.Guessed
	})
	return c.ask(ctx, c.Lookups, open, all, func(_ guard.Reader, asked map[string]tryout.Asked) error {
		for _, key := range slices.Sorted(maps.Keys(asked)) {
			a := asked[key]
			if a.Why != nil {
				printUnasked(s, a)
				continue
			}
			fmt.Fprintf(s.Err, "%s returned a sample\n", display.Name(a.Tool))
			into.samples[key] = a.Sample
			into.results[key] = append(into.results[key], a.Result)
		}
		return nil
	})
}

// guardsDir returns the directory of guard files at a path.
func guardsDir(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return filepath.Dir(path)
}

// printUnasked says why a look-up has no real result.
func printUnasked(s *command.Streams, a tryout.Asked) {
	fmt.Fprintf(s.Err, "%s was not looked up: %s (--try '%s={…}' gives arguments)\n", display.Name(a.Tool), display.Line(a.Why.Error()), display.Name(a.Tool))
}

// liveResult is the JSON form of what came of trying a policy.
type liveResult struct {
	Tool    string   `json:"tool"`
	Policy  string   `json:"policy"`
	Lookups []string `json:"lookups"`
	Decided int      `json:"decided_live"`
	Example string   `json:"example,omitempty"`
	Failed  string   `json:"failed,omitempty"`
	Unasked string   `json:"not_tried,omitempty"`
}

// tryLive decides the examples of rules with the real look-ups. It reports whether a rule
// could not be decided so, or one on a guess was not tried.
func (c *policyTestCommand) tryLive(ctx context.Context, s *command.Streams, p *policies) (unproven bool, err error) {
	known := map[string]policydoc.Sample{}
	for _, path := range c.Paths {
		samples, err := policydoc.ReadSamples(guardsDir(path))
		if err != nil {
			return false, err
		}
		maps.Copy(known, samples)
	}
	used := map[string]bool{}
	guessed := map[string]bool{}
	for _, g := range p.set.Guards() {
		for _, policy := range g.File.Policies {
			n := g.Needs(policy.Name)
			for _, tool := range n.Lookups {
				used[tool] = true
			}
			guessed[g.Tool+"\x00"+policy.Name] = len(n.Guessed) > 0
		}
	}

	// Others are asked as well: what they return has the arguments of those that are used.
	lookups := p.scope.Readable()
	err = c.ask(ctx, c.Live, lookups, known, func(reader guard.Reader, asked map[string]tryout.Asked) error {
		for _, key := range slices.Sorted(maps.Keys(asked)) {
			if a := asked[key]; a.Why != nil && used[a.Tool] {
				printUnasked(s, a)
			}
		}
		proven, tried := 0, tryout.Try(ctx, p.set, reader, asked)
		for _, t := range tried {
			if t.Proven() {
				proven++
			}
			unproven = unproven || t.Failed != "" || (!t.Proven() && guessed[t.Tool+"\x00"+t.Policy])
			if err := c.printLive(s, t); err != nil {
				return err
			}
		}
		if c.JSON {
			return nil
		}
		_, err := fmt.Fprintf(s.Out, "live: %d of %s decided on real look-ups\n", proven, display.Count(len(tried), "rule", "rules"))
		return err
	})
	return unproven, err
}

func (c *policyTestCommand) printLive(s *command.Streams, t tryout.Tried) error {
	if c.JSON {
		unasked := t.Unasked
		if t.Decided > 0 || t.Failed != "" {
			unasked = ""
		}
		return writeJSON(s.Out, liveResult{t.Tool, t.Policy, t.Lookups, t.Decided, t.Example, t.Failed, unasked})
	}
	shade := display.Paint(s.Color)
	switch {
	case t.Failed != "":
		fmt.Fprintf(s.Out, "%s: %s %s, %s\n  %s %s\n", display.Line(t.Position.String()), shade.Bad("failed live:"), display.Name(t.Policy), display.Line(t.Example),
			shade.Bad("+ can't be decided:"), display.Line(t.Failed))
	case !t.Proven():
		fmt.Fprintf(s.Out, "%s: %s %s, %s\n", display.Line(t.Position.String()), shade.Bad("not tried:"), display.Name(t.Policy), display.Line(t.Unasked))
	}
	return nil
}
