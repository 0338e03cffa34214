package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"sync"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/inputs"
)

// learned keeps the contracts of tools as they come: the file that people read
// and edit, and beside it the base of merges.
type learned struct {
	dir contractDir
	log *slog.Logger

	mu sync.Mutex // one edit of the file at a time
}

// add merges new contracts into the file of their server, and returns the result. Edits of people
// stay, and a tool that a person removed stays removed.
func (l *learned) add(made *contract.File) (*contract.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	edited, err := l.dir.find(made.Server)
	if err != nil {
		return nil, err
	}
	if edited == nil {
		return made, l.dir.add(made)
	}

	name, err := l.dir.file(made.Server)
	if err != nil {
		return nil, err
	}
	baseName := baseOf(name)
	base, err := inputs.ExistingContract(baseName)
	if err != nil {
		return nil, err
	}
	if base == nil {
		base = &contract.File{Version: contract.Version, Server: made.Server}
	}
	generated := with(base, made.Tools)
	var conflicts []contract.Conflict
	text, err := atomicfile.Edit(name, func(was []byte) ([]byte, error) {
		edited, err := contract.Load(name, was)
		if err != nil {
			return nil, err
		}
		merged, found := contract.Merge(base, generated, edited)
		conflicts = found
		return l.text(name, was, edited, merged)
	})
	if err != nil {
		return nil, err
	}
	for _, c := range conflicts {
		l.log.Warn("a contract was edited where a new definition says something else: the edit was kept", "file", name, "place", conflictText(name, c))
	}
	// The base last, as contract synth does it.
	if err := writeContract(baseName, based(generated, conflicts)); err != nil {
		return nil, err
	}
	return contract.Load(name, text)
}

// with returns a generated file with tools that were generated again or are new.
func with(base *contract.File, tools []contract.Tool) *contract.File {
	out := base.Clone()
	for _, t := range tools {
		if at, known := out.Tool(t.Name); known {
			*at = t
		} else {
			out.Tools = append(out.Tools, t)
		}
	}
	return out
}

// text returns a file as it is written. Where tools have come and nothing else has changed they
// are put at the end, so that comments stay.
func (l *learned) text(name string, was []byte, edited, merged *contract.File) ([]byte, error) {
	whole, err := contractText(name, merged)
	if err != nil {
		return nil, err
	}

	fresh := &contract.File{Version: contract.Version, Server: merged.Server}
	for _, t := range merged.Tools {
		if _, known := edited.Tool(t.Name); !known {
			fresh.Tools = append(fresh.Tools, t)
		}
	}

	added, err := fresh.Marshal()
	if err != nil {
		return nil, err
	}
	_, added, found := bytes.Cut(added, []byte("\ntools:\n"))
	if !found {
		return whole, nil
	}

	longer := fmt.Appendf(bytes.TrimRight(was, " \t\r\n"), "\n%s", added)
	if f, err := contract.Load(name, longer); err == nil {
		if same, err := f.Marshal(); err == nil && bytes.Equal(same, whole) {
			return longer, nil
		}
	}
	return whole, nil
}
