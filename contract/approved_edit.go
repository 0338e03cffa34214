package contract

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictyaml"
	"go.yaml.in/yaml/v4"
)

// edit adds to the text of a contract file.
type edit struct{ data []byte }

// Reasons to refuse an edit.
var (
	errLayout = errors.New("the entry is written in a way that can't be edited")
	errEmpty  = errors.New("the entry has nothing that could be added to")
)

// approve adds the call to the approved calls of its tool.
func (e *edit) approve(root *strictyaml.Node, a Approval) error {
	_, tools := strictyaml.Member(root, "tools")
	_, tool := strictyaml.Member(tools, a.Tool)
	w := &writer{}
	call := approvedText(w, a.Call)
	if w.err != nil {
		return w.err
	}
	if _, list := strictyaml.Member(tool, "approved"); list != nil {
		return e.element(list, call)
	}
	if at, ok := e.at(tool); ok && e.data[at] == '{' {
		return e.member(tool, 1, "approved: ["+call+"]") // after the effect, as a rule
	}
	return e.member(tool, 1, "approved:\n  - "+call)
}

// member inserts a member into a mapping, before the member with the given index or
// before the last one.
func (e *edit) member(n *strictyaml.Node, before int, text string) error {
	at, ok := e.at(n)
	if !ok {
		return errEmpty
	}

	if e.data[at] == '{' {
		if before = min(before, len(n.Content)/2-1); before <= 0 {
			at++
			if len(n.Content) > 0 {
				text += ", "
			}
		} else if at, ok = e.at(n.Content[2*before]); ok {
			text += ", "
		}
		return e.insert(at, ok, text)
	}

	if len(n.Content) == 0 {
		return errEmpty
	}
	return e.line(n.Content[2*min(before, len(n.Content)/2-1)], text)
}

// element inserts an element at the start of a list.
func (e *edit) element(n *strictyaml.Node, text string) error {
	at, ok := e.at(n)
	switch {
	case !ok || n.Kind != yaml.SequenceNode:
		return errEmpty
	case e.data[at] == '[':
		if len(n.Content) > 0 {
			text += ", "
		}
		return e.insert(at+1, true, text)
	case e.data[at] == '-':
		return e.line(n, "- "+text)
	}
	return errLayout
}

// line inserts lines above a node that starts its own line, with the node's
// indentation.
func (e *edit) line(n *strictyaml.Node, text string) error {
	at, ok := e.at(n)
	if !ok {
		return errLayout
	}
	begin := bytes.LastIndexByte(e.data[:at], '\n') + 1
	indent := string(e.data[begin:at])
	if strings.Trim(indent, " ") != "" {
		return errLayout
	}
	end := "\n"
	if bytes.Contains(e.data, []byte("\r\n")) {
		end = "\r\n"
	}
	return e.insert(at, true, strings.ReplaceAll(text, "\n", end+indent)+end+indent)
}

func (e *edit) at(n *strictyaml.Node) (int, bool) {
	if n == nil {
		return 0, false
	}
	return strictyaml.Offset(e.data, n)
}

func (e *edit) insert(at int, ok bool, text string) error {
	if !ok {
		return errLayout
	}
	e.data = slices.Concat(e.data[:at], []byte(text), e.data[at:])
	return nil
}
