package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// maxMonitors is how many sets of tools have a monitor at once: agents that
// offer tools by need have tens.
const maxMonitors = 256

// monitors makes a monitor for the tools that a request defines.
type monitors struct {
	o *Options

	mu   sync.Mutex
	file *contract.File // nil as long as contracts are made for each request
	by   map[hash]*remit.Monitor
}

// get returns the monitor for tools. A tool whose definition can't be used, or
// for which the contract file has nothing, stays unknown to it.
func (m *monitors) get(tools []json.RawMessage) (*remit.Monitor, error) {
	key := hashed(bytesOf(tools)...)
	m.mu.Lock()
	defer m.mu.Unlock()
	if made := m.by[key]; made != nil {
		return made, nil
	}
	c, errs := schema.ParseEach(m.o.Name, tools, schema.Parse)
	for _, err := range errs {
		m.o.Log.Info("a tool has no definition to hold its calls to, and they are denied", "error", err)
	}
	for i := range c.Tools {
		if found := synth.Instructions(&c.Tools[i]); len(found) > 0 {
			m.o.Log.Warn("a tool's definition speaks to the model", "tool", c.Tools[i].Name, "findings", found)
		}
	}
	file, err := m.contract(c)
	if err != nil {
		return nil, err
	}
	o := m.o.Monitor
	o.Confirm, o.UnseenUser = nil, false
	o.Contracts, o.Tools = []*contract.File{file}, []*schema.Catalogue{c}
	made, err := remit.New(o)
	if err != nil {
		return nil, fmt.Errorf("the contracts of the request's tools: %w", err)
	}
	if m.by == nil || len(m.by) >= maxMonitors {
		m.by = map[hash]*remit.Monitor{} // they are made again
	}
	m.by[key] = made
	return made, nil
}

// contract is the file that tools are held to: the one that is there, or one
// made from the definitions.
func (m *monitors) contract(c *schema.Catalogue) (*contract.File, error) {
	if m.file != nil {
		for i := range c.Tools {
			if _, known := m.file.Tool(c.Tools[i].Name); !known {
				m.o.Log.Warn("a tool has no contract, and its calls are denied", "tool", c.Tools[i].Name)
			}
		}
		return m.file, nil
	}
	file := synth.Contract(c)
	if m.o.Synthesized == nil || len(c.Tools) == 0 {
		return file, nil
	}
	if err := m.o.Synthesized(file); err != nil {
		return nil, fmt.Errorf("the contracts of the request's tools could not be kept: %w", err)
	}
	m.o.Log.Info("contracts were made from the tools' schemas, and nobody has reviewed them", "tools", len(file.Tools))
	// From now on it is a file that people may have looked at.
	m.file = file
	return file, nil
}

func bytesOf(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, raw := range list {
		out[i] = bytes.TrimSpace(raw)
	}
	return out
}
