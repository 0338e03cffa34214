// Package definitions stores the definitions of a server's tools next to its contract file: each as
// it was when its contract was made or reviewed last, and as the server has it now where that is
// another one. A fingerprint in a contract shows that a definition has changed; only the text
// shows what.
package definitions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/schema"
)

const (
	version = 1
	// maxDefinition bounds a definition that is kept, in bytes; of a longer one the file has
	// the fingerprint alone.
	maxDefinition = 256 << 10
	// maxKept bounds the definitions of a file, in bytes. Where a server's are more, those of
	// the tools that come last are left out in the same way.
	maxKept = 16 << 20
)

// fileLimits bound a file that is read: both definitions of each tool, and room to spare.
var fileLimits = strictjson.Limits{Size: 3 * maxKept, Depth: 64, Leaves: 2_000_000}

// Definition is what a server says of a tool.
type Definition struct {
	Fingerprint string `json:"fingerprint"`
	// Text is the definition as JSON; empty where it was too long to be kept.
	Text json.RawMessage `json:"definition,omitempty"`
}

// Tool is what is kept of a tool.
type Tool struct {
	// Reviewed is the definition that the contract was made for or reviewed with, as long as
	// its contract has no mark; nil where none was seen so far.
	Reviewed *Definition `json:"reviewed,omitempty"`
	// Present is the last definition that the server showed instead; nil where it has shown no
	// other one since.
	Present *Definition `json:"present,omitempty"`
	// Back is set where the server has shown the reviewed one again after the present one.
	Back bool `json:"back,omitempty"`
}

// Changed reports whether the server has shown another definition than the reviewed one.
func (t Tool) Changed() bool { return t.Reviewed != nil && t.Present != nil }

// file is the form of a file.
type file struct {
	Version int             `json:"version"`
	Tools   map[string]Tool `json:"tools"`
}

// Shown is the definition of a tool as a server shows it.
type Shown struct {
	Tool string
	Definition
}

// Of brings the definitions of a catalogue together with their texts.
func Of(c *schema.Catalogue, texts map[string]json.RawMessage) []Shown {
	out := make([]Shown, 0, len(c.Tools))
	for i := range c.Tools {
		t := &c.Tools[i]
		out = append(out, Shown{t.Name, Definition{t.Fingerprint, texts[t.Name]}})
	}
	return out
}

// Name returns the file of definitions for a contract file.
func Name(contractFile string) string {
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(contractFile), ".yaml"), ".yml")
	return filepath.Join(filepath.Dir(contractFile), "."+base+".definitions.json")
}

// Read reads what is kept beside a contract file; nothing where there is no file.
func Read(contractFile string) (map[string]Tool, error) {
	data, err := inputs.Read(Name(contractFile))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Tool{}, nil
	}
	if err != nil {
		return nil, err
	}
	tools, err := load(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Name(contractFile), err)
	}
	return tools, nil
}

func load(data []byte) (map[string]Tool, error) {
	doc, err := strictjson.Parse(data, fileLimits)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(doc.Canonical()))
	d.DisallowUnknownFields()
	var f file
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	if f.Version != version {
		return nil, fmt.Errorf("the file has version %d, and this is a remit that reads version %d: remove it, and it is made anew", f.Version, version)
	}
	if f.Tools == nil {
		f.Tools = map[string]Tool{}
	}
	return f.Tools, nil
}

// Keep takes up the definitions that a server shows, for the tools that its contract file has.
// A definition becomes the reviewed one where the contract was made for it and has no mark.
func Keep(contractFile string, shown []Shown) error {
	return update(contractFile, func(f *contract.File, tools map[string]Tool) {
		for _, s := range shown {
			if known, ok := f.Tool(s.Tool); ok {
				tools[s.Tool] = take(tools[s.Tool], known, s.Definition)
			}
		}
	})
}

// Settle makes the present definitions of tools the reviewed ones whose contracts say so by now.
func Settle(contractFile string) error {
	return update(contractFile, func(f *contract.File, tools map[string]Tool) {
		for name, t := range tools {
			if known, ok := f.Tool(name); ok && t.Present != nil {
				tools[name] = take(t, known, *t.Present)
			}
		}
	})
}

// take takes up the present definition of a tool.
func take(t Tool, known *contract.Tool, d Definition) Tool {
	if len(d.Text) > maxDefinition {
		d.Text = nil
	}
	made := known.Fingerprint == d.Fingerprint
	if known.Fingerprint == "" {
		made = t.Reviewed == nil || t.Reviewed.Fingerprint == d.Fingerprint // which no contract tells
	}
	switch {
	case t.Reviewed != nil && t.Reviewed.Fingerprint == d.Fingerprint:
		// What it said in between stays: a server may show it to some alone.
		t.Back = t.Present != nil
	case made && known.Review == "":
		return Tool{Reviewed: &d}
	default:
		t.Present, t.Back = &d, false
	}
	return t
}

// update changes the file beside a contract file that there is.
func update(contractFile string, change func(*contract.File, map[string]Tool)) error {
	f, err := inputs.ExistingContract(contractFile)
	if err != nil || f == nil {
		return err
	}
	unlock, err := atomicfile.Lock(filepath.Dir(contractFile))
	if err != nil {
		return err
	}
	defer unlock()
	was, err := os.ReadFile(Name(contractFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tools := map[string]Tool{}
	if err == nil {
		if tools, err = load(was); err != nil {
			tools = map[string]Tool{} // what can't be read is made again
		}
	}

	change(f, tools)
	data, err := written(f, tools)
	if err != nil || bytes.Equal(data, was) {
		return err
	}
	return atomicfile.Write(Name(contractFile), data, 0o644)
}

// written returns the file of the tools that have contracts, within its bound.
func written(f *contract.File, tools map[string]Tool) ([]byte, error) {
	out, size := file{Version: version, Tools: map[string]Tool{}}, 0
	short := func(d *Definition) *Definition {
		if d == nil {
			return nil
		}
		if size += len(d.Text); size > maxKept {
			return &Definition{Fingerprint: d.Fingerprint}
		}
		return d
	}
	for i := range f.Tools {
		if t, ok := tools[f.Tools[i].Name]; ok {
			out.Tools[f.Tools[i].Name] = Tool{short(t.Reviewed), short(t.Present), t.Back}
		}
	}
	data, err := json.MarshalIndent(out, "", " ")
	return append(data, '\n'), err
}
