package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/store"
)

// progressFile is where a check of the audit log notes how far it came. It writes over and removes
// nothing but what it read there or wrote itself, so that neither another file nor the
// progress of another check is lost.
type progressFile struct {
	name string
	// has is what the file has; nil while there is none.
	has []byte
}

const (
	// progressVersion is that of the file's form.
	progressVersion = 1
	// maxProgress bounds the file: it has a hundred problems at most.
	maxProgress = 1 << 20
)

// noted is the form of the file.
type noted struct {
	Version int `json:"version"`
	store.Progress
}

func (n *noted) text() ([]byte, error) {
	data, err := json.Marshal(n)
	return append(data, '\n'), err
}

// read returns what the file says, the beginning where there is none.
func (f *progressFile) read() (store.Progress, error) {
	file, err := os.Open(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return store.Progress{}, nil
	}
	if err != nil {
		return store.Progress{}, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxProgress+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return store.Progress{}, err
	}

	p, err := parseProgress(data)
	if err != nil {
		return p, hint.Wrap(fmt.Errorf("%s: %w", f.name, err), "name a file that isn't there yet, or what an interrupted check left")
	}
	f.has = data
	return p, nil
}

// parseProgress reads what a check noted, and nothing else: byte for byte what it would write.
func parseProgress(data []byte) (store.Progress, error) {
	var n noted
	if err := json.Unmarshal(data, &n); err != nil {
		return store.Progress{}, fmt.Errorf("it is not the progress of a check: %w", err)
	}
	text, err := n.text()
	if err != nil {
		return store.Progress{}, err
	}

	// Without a head, the store's own chain was broken, which is a problem.
	p := n.Progress
	held := p.Own.Hash != store.Hash{} || !p.Report.OK()
	switch {
	case n.Version != progressVersion:
		err = fmt.Errorf("it is not the progress of a check in version %d", progressVersion)
	case !bytes.Equal(text, data):
		err = errors.New("it is not the progress of a check as one writes it")
	case p.Began.IsZero(), p.After == "", !held:
		err = errors.New("it is the progress of no check: when that began, how far it came or the head of the store's own chain is missing")
	}
	return p, err
}

// note writes how far the check came.
func (f *progressFile) note(p store.Progress) error {
	text, err := (&noted{progressVersion, p}).text()
	if err != nil {
		return err
	}
	if f.has == nil {
		err = atomicfile.Create(f.name, text, 0o600)
	} else {
		err = atomicfile.Replace(f.name, f.has, text)
	}
	if err != nil {
		return fmt.Errorf("the progress of the check can't be noted in %s: %w", f.name, err)
	}
	f.has = text
	return nil
}

// remove removes the file at the end of the check.
func (f *progressFile) remove() error {
	if f.has == nil {
		return nil
	}
	err := atomicfile.Remove(f.name, f.has)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
