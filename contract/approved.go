package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictyaml"
)

// Approved describes tool calls that a person allowed permanently: calls in which
// these arguments, given by JSON pointer, have exactly these values. The
// enforcement point decides which arguments bind a call and which may differ
// between calls. The value "/srv/notes/**" matches every path below the directory.
type Approved map[string]string

// Covers reports whether the approval matches a call whose binding arguments have
// the given values.
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

// within reports whether value is a path below a directory written as "/srv/notes/**".
func within(directory, value string) bool {
	dir, ok := directoryOf(directory)
	return ok && plainPath(value) && below(dir, value)
}

// directoryOf returns "/srv/notes/" for "/srv/notes/**", and false for any other
// text.
func directoryOf(s string) (string, bool) {
	dir, ok := strings.CutSuffix(s, "/**")
	return dir + "/", ok && strings.HasPrefix(dir, "/")
}

// Approval is a call of a tool that a person allows permanently.
type Approval struct {
	Tool string
	Call Approved
}

// ErrNotApprovable is the error for a call that a contract file can't hold.
var ErrNotApprovable = errors.New("the call can't be allowed for always")

// Check returns an [ErrNotApprovable] error if a contract file can't hold the approval.
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

// Entry returns the lines that a contract file gets for the approval, below its tool.
func (a Approval) Entry() string {
	w := &writer{}
	return "approved:\n  - " + approvedText(w, a.Call) + "\n"
}

// maxApproved limits the approved calls of one tool. Each call that needs a
// confirmation is compared with all of them, and a person must be able to review
// them.
const maxApproved = 1000

// Approve returns a copy of the file that also approves the call.
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

// ApproveIn adds an approval to the text of a contract file, as [File.Approve] does
// to a File. It keeps comments, order and layout. Errors name the file by name.
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

	// Reject an edit that does not load as the intended file.
	edited, err := Load(name, e.data)
	if err != nil {
		return nil, fmt.Errorf("%s is written in a way that can't be edited: write the call there by hand: %w", name, err)
	}
	if got, err := edited.Marshal(); err != nil || string(got) != string(wanted) {
		return nil, fmt.Errorf("%s is written in a way that can't be edited: write the call there by hand", name)
	}

	return e.data, nil
}

// approvedText returns an approved call in the syntax of the file.
func approvedText(w *writer, a Approved) string {
	var m flow
	for _, pointer := range slices.Sorted(maps.Keys(a)) {
		m.add(w.key(pointer), w.text(a[pointer], true))
	}
	return m.String()
}
