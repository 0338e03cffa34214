package pack

import (
	"embed"
	"path"
	"strings"

	"github.com/remit-project/remit/contract"
)

//go:embed agents
var agents embed.FS

// AgentText returns the contract file of a coding agent's own tools, with its comments. Hooks
// show no definitions, so that its tools have no fingerprints, and it is selected by the
// agent whose hooks are installed.
func AgentText(agent string) ([]byte, error) { return agents.ReadFile("agents/" + agent + ".yaml") }

// Agents returns the contracts of the coding agents' own tools, by name.
func Agents() ([]*contract.File, error) {
	entries, err := agents.ReadDir("agents")
	if err != nil {
		return nil, err
	}

	var out []*contract.File
	for _, e := range entries {
		data, err := AgentText(strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
		if err != nil {
			return nil, err
		}
		f, err := contract.Load(e.Name(), data)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}
