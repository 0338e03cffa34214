package airline

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/schema"
)

//go:embed airline.json contracts/airline.yaml guards/*.yaml unenforced.yaml
var files embed.FS

// Deployment returns the tools' definitions and contracts.
func Deployment() (guard.Deployment, error) {
	definitions, err := files.ReadFile("airline.json")
	if err != nil {
		return guard.Deployment{}, err
	}
	tools, err := schema.Parse(Name, definitions)
	if err != nil {
		return guard.Deployment{}, err
	}
	written, err := files.ReadFile("contracts/airline.yaml")
	if err != nil {
		return guard.Deployment{}, err
	}
	contracts, err := contract.Load("contracts/airline.yaml", written)
	if err != nil {
		return guard.Deployment{}, err
	}
	return guard.Deployment{Tools: []*schema.Catalogue{tools}, Contracts: []*contract.File{contracts}}, nil
}

// Policies returns the guard files: one for every tool, and one a tool that has
// rules of its own.
func Policies() ([]*guard.File, error) {
	guards, err := fs.Sub(files, "guards")
	if err != nil {
		return nil, err
	}
	return guard.LoadDir(guards)
}

// errNotReading is returned for look-ups with tools that change something.
var errNotReading = errors.New("the tool does more than read")

// Read implements [guard.Reader]: rules look things up with the tools themselves.
func (a *Airline) Read(_ context.Context, _, name string, arguments json.RawMessage) (*guard.Result, error) {
	for _, t := range a.tools {
		if t.definition.Name == name && !t.definition.Annotations.ReadOnlyHint {
			return nil, fmt.Errorf("%s: %w", name, errNotReading)
		}
	}
	result, err := a.Call(name, arguments)
	if err != nil {
		return nil, err
	}
	return &guard.Result{Structured: result}, nil
}
