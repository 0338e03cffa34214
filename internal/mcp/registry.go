package mcp

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// server is what the gateway knows about one server across conversations.
type server struct {
	Server
	// given is set where the contract was there before the server was asked.
	given bool
	log   *slog.Logger

	mu      sync.Mutex
	file    *contract.File
	flagged map[string]bool // definitions whose instructions were reported
	broken  error           // the contract could not be kept
}

// keeper is told of contracts that come into force.
type keeper struct {
	// weigh weighs what a model reads against contracts that were made for a server without any; it may be nil.
	weigh func(c *schema.Catalogue, made *contract.File, reviewed []string) *contract.File
	// synthesized keeps contracts that were made for a server without any, inForce
	// notes those that have changed. Either may be nil.
	synthesized, inForce func(*contract.File) error
}

func (s *server) contract() *contract.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file
}

// meet takes note of the tools that the server shows. A server without
// contracts gets them from the definitions that were seen first: one that
// changes later has another fingerprint, and is fenced off by it.
func (s *server) meet(c *schema.Catalogue, keep keeper) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.flag(c)
	switch {
	case s.broken != nil:
		return s.broken
	case s.given:
		s.compare(c)
		return nil
	case s.file == nil:
		file := s.contracts(c, keep)
		for i := range file.Tools {
			synth.Below(&file.Tools[i], s.Directories)
		}
		if keep.synthesized != nil {
			if err := keep.synthesized(file); err != nil {
				s.broken = fmt.Errorf("the contract of server %q could not be kept: %w", s.Name, err)
				return s.broken
			}
			// From now on it is a file that people may have looked at.
			s.given = true
		}
		if err := s.use(file, keep); err != nil {
			return err
		}
		s.log.Info("contracts were made from the tools' schemas, and nobody has reviewed them", s.made(c)...)
		s.suggest(c)
		return nil
	}

	if fresh := s.fresh(c, keep); len(fresh) > 0 {
		file := *s.file
		file.Tools = slices.Concat(file.Tools, fresh)
		if err := s.use(&file, keep); err != nil {
			return err
		}
		s.log.Info("the server has new tools", "tools", len(fresh))
	}
	return nil
}

// made describes contracts that were made for a server: how many, and how many of them a
// pack reviewed.
func (s *server) made(c *schema.Catalogue) []any {
	out := []any{"tools", len(c.Tools)}
	for _, p := range s.Packs {
		out = append(out, "pack", p.Name, "reviewed", len(s.Packs.Reviewed(c)))
	}
	return out
}

// suggest names a pack with reviewed contracts for a server for which none was selected, nor
// refused.
func (s *server) suggest(c *schema.Catalogue) {
	if s.Packs != nil {
		return
	}
	switch p, reviewed, err := pack.About(c); {
	case err != nil:
		s.log.Warn("the packs can't be read", "error", err)
	case p != nil:
		s.log.Info("there is a pack with reviewed contracts for these tools: start with --pack "+p.Name+", or pack: "+p.Name+
			" in remit.yaml, after the contract file that was made is removed", "tools", len(c.Tools), "reviewed", reviewed)
	}
}

// contracts makes the contracts of a server without any. The caller holds the lock.
func (s *server) contracts(c *schema.Catalogue, keep keeper) *contract.File {
	made := s.Packs.Contract(c)
	if keep.weigh == nil {
		return made
	}
	return keep.weigh(c, made, s.Packs.Reviewed(c))
}

// fresh makes the contracts of tools that the server did not have before. The caller
// holds the lock.
func (s *server) fresh(c *schema.Catalogue, keep keeper) []contract.Tool {
	known := func(t schema.Tool) bool { _, ok := s.file.Tool(t.Name); return ok }
	if !slices.ContainsFunc(c.Tools, func(t schema.Tool) bool { return !known(t) }) {
		return nil
	}
	made := s.contracts(c, keep)
	var out []contract.Tool
	for i := range c.Tools {
		if tool, ok := made.Tool(c.Tools[i].Name); ok && !known(c.Tools[i]) {
			synth.Below(tool, s.Directories)
			out = append(out, *tool)
		}
	}
	return out
}

// compare reports a contract file that has none of the server's tools: it is
// another server's.
func (s *server) compare(c *schema.Catalogue) {
	known := slices.ContainsFunc(c.Tools, func(t schema.Tool) bool { _, ok := s.file.Tool(t.Name); return ok })
	if known || len(c.Tools) == 0 {
		return
	}
	s.log.Error("the contract file has none of the server's tools, and so all of its calls are denied: if it is another server's, give this one a name of its own with --name, or in the configuration",
		"tools", len(c.Tools), "contracts", len(s.file.Tools))
}

// use puts a contract in force. The caller holds the lock.
func (s *server) use(file *contract.File, keep keeper) error {
	if keep.inForce != nil {
		if err := keep.inForce(file); err != nil {
			return fmt.Errorf("the contract of server %q could not be noted: %w", s.Name, err)
		}
	}
	s.file = file
	return nil
}

// replace puts another contract in force, and returns the one before.
func (s *server) replace(file *contract.File) (was *contract.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, s.file, s.given, s.broken = s.file, file, file != nil, nil
	return was
}

// approve lets a call through for always, from now on.
func (s *server) approve(a contract.Approval) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return fmt.Errorf("the server %q has no contract yet", s.Name)
	}
	file, err := s.file.Approve(a)
	if err != nil {
		return err
	}
	s.file = file
	return nil
}

// flag reports definitions that speak to the model, and those that are others than the ones
// that a pack reviewed.
func (s *server) flag(c *schema.Catalogue) {
	for i := range c.Tools {
		t := &c.Tools[i]
		if s.flagged[t.Fingerprint] || len(s.flagged) > schema.MaxTools {
			continue
		}
		if found := synth.Instructions(t); len(found) > 0 {
			s.flagged[t.Fingerprint] = true
			s.log.Warn("a tool's definition speaks to the model", "tool", t.Name, "findings", found)
		}
		if why := s.Packs.Differs(t, c, s.file); why != "" {
			s.flagged[t.Fingerprint] = true
			s.log.Warn("a tool's contract is not the pack's", "tool", t.Name, "why", why)
		}
	}
}

// fenced reports whether a tool is not the one that its contract was made for.
func (s *server) fenced(t *schema.Tool) bool {
	file := s.contract()
	if file == nil {
		return true
	}
	known, ok := file.Tool(t.Name)
	return ok && known.Fingerprint != "" && known.Fingerprint != t.Fingerprint
}

// uncontracted reports whether a tool is one that the server's contract file doesn't
// have: whatever its description says, it can't be called.
func (s *server) uncontracted(tool string) bool {
	file := s.contract()
	if file == nil {
		return false
	}
	_, known := file.Tool(tool)
	return !known
}

// withheld reports whether a tool is neither shown nor called: no contract knows it. Such a tool
// takes no other one's name, and no rule or scope of another one hangs on it: else a server could
// stop the work of others by what it lists.
func (s *server) withheld(tool string) bool {
	return s.mode(tool) == Enforce && s.uncontracted(tool)
}

// offered returns the definitions without those of tools that are withheld.
func (s *server) offered(c *schema.Catalogue) *schema.Catalogue {
	if c == nil {
		return nil
	}
	out := *c
	out.Tools = slices.DeleteFunc(slices.Clone(c.Tools), func(t schema.Tool) bool { return s.withheld(t.Name) })
	return &out
}

// catalogue reads tool definitions, leaving out those that can't be used.
func (s *server) catalogue(tools []json.RawMessage) *schema.Catalogue {
	c, errs := schema.ParseEach(s.Name, tools, schema.ParseMCP)
	for _, err := range errs {
		s.log.Warn("a tool's definition can't be used", "error", err)
	}
	return c
}
