package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictyaml"
)

// Approved are the calls of a tool that a person allowed for always: those in
// which exactly these arguments have exactly these values, by JSON pointer. What
// binds a call, and what may differ from call to call, is for the enforcement
// point to say. A value "/srv/notes/**" stands for the paths below a directory.
type Approved map[string]string

// Covers tells whether a call whose binding arguments have these values is one of
// those that were approved.
func (a Approved) Covers(values map[string]string) bool {
	if len(a) != len(values) {
		return false
	}
	for pointer, value := range values {
		want, ok := a[pointer]
		if !ok || (value != want && !within(want, value)) {
			return false
		}
	}
	return len(a) > 0
}

// within tells whether a path is below the directory that is written as
// "/srv/notes/**".
func within(directory, value string) bool {
	dir, ok := directoryOf(directory)
	return ok && plainPath(value) && below(dir, value)
}

// directoryOf reads "/srv/notes/**" as "/srv/notes/".
func directoryOf(s string) (string, bool) {
	dir, ok := strings.CutSuffix(s, "/**")
	return dir + "/", ok && strings.HasPrefix(dir, "/")
}

// Approval is a call that a person allows for always.
type Approval struct {
	Tool string
	Call Approved
}

// ErrNotApprovable is returned for calls that no contract file can hold.
var ErrNotApprovable = errors.New("the call can't be allowed for always")

// Check tells whether a file can hold the approval: [ErrNotApprovable] where it
// can't.
func (a Approval) Check() error {
	if len(a.Call) == 0 {
		return fmt.Errorf("%w: none of its arguments says what it does, and the file would let every call of %q through", ErrNotApprovable, strictyaml.Clip(a.Tool))
	}
	for pointer, value := range a.Call {
		if _, ok := directoryOf(value); ok {
			return fmt.Errorf("%w: the file would read %s as all that is below a directory", ErrNotApprovable, strictyaml.Clip(pointer))
		}
	}
	return nil
}

// maxApproved bounds the calls of one tool that are allowed for always: each call
// that would be asked about is compared with them, and nobody looks through more.
const maxApproved = 1000

// Approve returns a copy of the file in which the call is approved.
func (f *File) Approve(a Approval) (*File, error) {
	out := f.Clone()
	i := slices.IndexFunc(out.Tools, func(t Tool) bool { return t.Name == a.Tool })
	if i < 0 {
		return nil, fmt.Errorf("the contract has no tool %q", strictyaml.Clip(a.Tool))
	}
	t := &out.Tools[i]
	if err := a.Check(); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(t.Approved, func(have Approved) bool { return maps.Equal(have, a.Call) }) {
		return out, nil
	}
	if len(t.Approved) >= maxApproved {
		return nil, fmt.Errorf("%w: %d calls of %q are already", ErrNotApprovable, len(t.Approved), strictyaml.Clip(a.Tool))
	}
	t.Approved = append([]Approved{maps.Clone(a.Call)}, t.Approved...)
	return out, nil
}

// ApproveIn is [File.Approve] for the text of a contract file. Everything else in
// the text stays as people wrote it: comments, order, layout. Name stands in errors.
func ApproveIn(name string, data []byte, a Approval) ([]byte, error) {
	f, err := Load(name, data)
	if err != nil {
		return nil, err
	}

	want, err := f.Approve(a)
	if err != nil {
		return nil, err
	}
	wanted, err := want.Marshal()
	if err != nil {
		return nil, err
	}

	if had, err := f.Marshal(); err == nil && string(had) == string(wanted) {
		return data, nil
	}

	root, err := strictyaml.Parse(data)
	if err != nil {
		return nil, err
	}
	e := &edit{data: data}
	if err := e.approve(root, a); err != nil {
		return nil, fmt.Errorf("%s: %w: write it there by hand", name, err)
	}

	// An edit that reads in another way than it was meant is none.
	edited, err := Load(name, e.data)
	if err != nil {
		return nil, fmt.Errorf("%s is written in a way that can't be edited: write the call there by hand: %w", name, err)
	}
	if got, err := edited.Marshal(); err != nil || string(got) != string(wanted) {
		return nil, fmt.Errorf("%s is written in a way that can't be edited: write the call there by hand", name)
	}

	return e.data, nil
}

// approvedText is an approved call as the file spells it.
func approvedText(w *writer, a Approved) string {
	var m flow
	for _, pointer := range slices.Sorted(maps.Keys(a)) {
		m.add(w.key(pointer), w.text(a[pointer], true))
	}
	return m.String()
}
