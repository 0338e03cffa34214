package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// maxMonitors bounds the cached monitors: agents that offer tools on demand have
// tens of sets.
const maxMonitors = 256

// monitors builds and caches monitors for the tools of requests.
type monitors struct {
	o *Options

	mu   sync.Mutex
	file *contract.File // nil as long as contracts are made for each request
	by   map[hash]*remit.Monitor
	// offers are the offers of answers, by key.
	offers map[hash]*offer
	// mistakes are those of policies that were logged, within the same bound as monitors.
	mistakes map[string]bool
}

// get returns the monitor for an offer with some forced tools. A tool with an
// unusable definition, or without an entry in the contract file, stays unknown to
// it.
func (m *monitors) get(o *offer, forced []string) (*remit.Monitor, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lookup(o.tools, forced)
}

// offer returns the offer of a key; nil if it is no longer known.
func (m *monitors) offer(key hash) *offer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.offers[key]
}

// remember stores an offer, within a bound.
func (m *monitors) remember(o *offer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.offers[o.key] != nil {
		return
	}
	if m.offers == nil || len(m.offers) >= maxMonitors {
		m.offers = map[hash]*offer{}
	}
	m.offers[o.key] = o
}

// lookup returns the monitor for tools of which some are forced.
func (m *monitors) lookup(tools []json.RawMessage, forced []string) (*remit.Monitor, error) {
	key := toolsKey(tools, forced)
	if made := m.by[key]; made != nil {
		return made, nil
	}
	c, errs := schema.ParseEach(m.o.Name, tools, schema.Parse)
	if answers := forcedAnswers(c, forced); len(answers) < len(forced) {
		// A conversation keeps one monitor, whatever a turn forces.
		made, err := m.lookup(tools, answers)
		if err == nil && m.by[toolsKey(tools, answers)] == made {
			m.by[key] = made
		}
		return made, err
	}

	for _, err := range errs {
		m.o.Log.Info("a tool has no definition to hold its calls to, and they are denied", "error", err)
	}

	for i := range c.Tools {
		if found := synth.Instructions(&c.Tools[i]); len(found) > 0 {
			m.o.Log.Warn("a tool's definition speaks to the model", "tool", c.Tools[i].Name, "findings", found)
		}
		if why := m.o.Packs.Differs(&c.Tools[i], c, m.file); why != "" {
			m.o.Log.Warn("a tool's contract is not the pack's", "tool", c.Tools[i].Name, "why", why)
		}
	}

	file, lasts, err := m.contract(c)
	if err != nil {
		if file == nil {
			return nil, err
		}
		m.o.Log.Error("what was learned of new tools is lost, and their calls are denied", "error", err)
		m.reportFenced(c)
	}
	if m.o.Listed != nil {
		m.o.Listed(c, textsOf(tools))
	}
	file = m.answers(file, c, forced)
	o := m.o.Monitor
	o.Confirm, o.UnseenUser, o.Reviewed = nil, false, o.Reviewed && m.reviewed(c)
	o.Contracts, o.Tools, o.ReviewedDefinitions = []*contract.File{file}, []*schema.Catalogue{c}, m.o.Packs.Reviewed(c)
	if err := m.guards(&o); err != nil {
		return nil, err
	}
	made, err := remit.New(o)
	if err != nil {
		return nil, fmt.Errorf("the contracts of the request's tools: %w", err)
	}
	if m.by == nil || len(m.by) >= maxMonitors {
		m.by = map[hash]*remit.Monitor{} // they are made again
	}
	if lasts {
		m.by[key] = made
	}
	return made, nil
}

// guards compiles the policies for a request's tools. Those for tools that it doesn't
// offer have nothing to decide.
func (m *monitors) guards(o *remit.Options) error {
	if len(m.o.Policies) == 0 {
		return nil
	}
	var err error
	o.Guards, err = guard.Compile(m.o.Policies, guard.Deployment{Tools: o.Tools, Contracts: o.Contracts})
	var mistakes guard.Errors
	if !errors.As(err, &mistakes) {
		return err
	}
	if m.mistakes == nil {
		m.mistakes = map[string]bool{}
	}

	for _, e := range mistakes {
		if said := e.Position.String() + e.Message; !m.mistakes[said] && len(m.mistakes) < maxMonitors {
			m.mistakes[said] = true
			m.o.Log.Warn(guard.Consequence(e)+", with the tools of a request", "place", e.Position.String(), "mistake", e.Message, "hint", e.Hint)
		}
	}
	return nil
}

// contract returns the contract file for tools: the given one, extended by what
// is learned of tools that it lacks, or one synthesized from the definitions.
func (m *monitors) contract(c *schema.Catalogue) (file *contract.File, lasts bool, err error) {
	if m.file == nil && m.o.Learned == nil {
		return m.made(c), true, nil
	}
	if made := m.draftUnknown(c); len(made.Tools) > 0 && m.o.Learned != nil {
		if m.file, err = m.learn(made); err != nil {
			return m.file, false, err
		}
	}
	if m.file == nil {
		return m.made(c), true, nil
	}
	m.reportFenced(c)
	return m.file, true, nil
}

// made makes the contracts of tools that have none.
func (m *monitors) made(c *schema.Catalogue) *contract.File {
	made := m.o.Packs.Contract(c)
	if m.o.Weigh == nil {
		return made
	}
	return m.o.Weigh(c, made, m.o.Packs.Reviewed(c))
}

// textsOf returns the texts of definitions by the names of their tools.
func textsOf(tools []json.RawMessage) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, raw := range tools {
		c, _ := schema.ParseEach("", []json.RawMessage{raw}, schema.Parse)
		for i := range c.Tools {
			out[c.Tools[i].Name] = raw
		}
	}
	return out
}

func toolsKey(tools []json.RawMessage, forced []string) hash {
	return hashParts(append(bytesOf(tools), []byte(strings.Join(forced, "\x00")))...)
}

// reviewed reports whether a person can have reviewed all of these definitions:
// the contract file was made for them and has no marks.
func (m *monitors) reviewed(c *schema.Catalogue) bool {
	if m.o.Contract == nil {
		return m.o.Learned == nil
	}
	return !slices.ContainsFunc(c.Tools, func(t schema.Tool) bool {
		known, ok := m.o.Contract.Tool(t.Name)
		return !ok || known.Fingerprint != t.Fingerprint || known.Review != ""
	})
}

// countForced returns the number of forced tools if name is one of them,
// otherwise zero.
func countForced(name string, forced []string) int {
	if !slices.Contains(forced, name) {
		return 0
	}
	return len(forced)
}

// forcedAnswers returns the forced tools whose calls are answers because they are
// forced.
func forcedAnswers(c *schema.Catalogue, forced []string) []string {
	var names []string
	for i := range c.Tools {
		t := &c.Tools[i]
		if _, ok := synth.Answer(t, c, countForced(t.Name, forced)); ok && slices.Contains(forced, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// answers adds contracts for the tools whose calls the application reads as the
// model's answer, unless a person has edited them.
func (m *monitors) answers(file *contract.File, c *schema.Catalogue, forced []string) *contract.File {
	var names []string
	for i := range c.Tools {
		t := &c.Tools[i]
		answer, ok := synth.Answer(t, c, countForced(t.Name, forced))
		known, held := file.Tool(t.Name)
		if !ok || !held || !m.isUntouched(known, t, c) {
			continue
		}
		if len(names) == 0 {
			file = file.Clone()
			known, _ = file.Tool(t.Name)
		}
		*known = answer
		names = append(names, t.Name)
	}

	if len(names) > 0 {
		m.o.Log.Info("the calls of tools are taken for answers, by their names", "tools", names)
	}
	return file
}

// isUntouched reports whether a contract is as it was made, except for marks.
func (m *monitors) isUntouched(known *contract.Tool, t *schema.Tool, c *schema.Catalogue) bool {
	made, ok := m.made(c).Tool(t.Name)
	return ok && untouched(known, *made)
}

// untouched reports whether a contract is as it was synthesized, except for
// marks.
func untouched(known *contract.Tool, made contract.Tool) bool {
	now := *known
	now.Review, made.Review = "", ""
	text := func(t contract.Tool) string {
		f := contract.File{Version: contract.Version, Tools: []contract.Tool{t}}
		out, err := f.Marshal()
		if err != nil {
			return ""
		}
		return string(out)
	}
	was := text(made)
	return was != "" && text(now) == was
}

// draftUnknown synthesizes contracts for the tools that the file lacks, or has
// for another definition that may change.
func (m *monitors) draftUnknown(c *schema.Catalogue) *contract.File {
	if m.file == nil {
		return m.made(c)
	}
	made := &contract.File{Version: contract.Version, Server: m.o.Name}
	var all *contract.File
	for i := range c.Tools {
		t := &c.Tools[i]
		known, ok := m.file.Tool(t.Name)
		changed := ok && known.Fingerprint != "" && known.Fingerprint != t.Fingerprint
		fresh := !ok && len(m.file.Tools)+len(made.Tools) < schema.MaxTools
		accepted := changed && slices.Contains(m.o.Accept, t.Name)
		if !fresh && !accepted {
			continue
		}

		if all == nil {
			all = m.made(c)
		}
		if tool, ok := all.Tool(t.Name); ok {
			made.Tools = append(made.Tools, *tool)
		}
	}
	return made
}

// learn passes contracts on to be stored and returns those in force. With a
// contract file, that file stays in force and the new tools stay unknown.
func (m *monitors) learn(made *contract.File) (*contract.File, error) {
	names := make([]string, len(made.Tools))
	for i := range made.Tools {
		names[i] = made.Tools[i].Name
	}
	file, err := m.o.Learned(made)
	if err != nil {
		return m.file, fmt.Errorf("the contracts of the request's tools could not be kept: %w", err)
	}
	m.o.Log.Warn("contracts were made from the definitions of tools, and nobody has reviewed them", "tools", names)
	return file, nil
}

// reportFenced logs the tools whose calls are denied, and why.
func (m *monitors) reportFenced(c *schema.Catalogue) {
	for i := range c.Tools {
		t := &c.Tools[i]
		switch known, ok := m.file.Tool(t.Name); {
		case !ok:
			m.o.Log.Warn("a tool has no contract, and its calls are denied", "tool", t.Name)
		case known.Fingerprint != "" && known.Fingerprint != t.Fingerprint:
			m.o.Log.Warn("a tool's definition has changed since its contract was made, and its calls are denied: look at it, and start the proxy with --accept and its name", "tool", t.Name)
		}
	}
}

func bytesOf(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, raw := range list {
		out[i] = bytes.TrimSpace(raw)
	}
	return out
}
