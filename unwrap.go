package remit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// unwrap puts the tool that a meta-tool would call in the place of the
// meta-tool: from here on the inner call is what is decided. What the outer call
// has beside it is still held to the outer contract.
func (x *deciding) unwrap(doc *strictjson.Document) bool {
	u := x.bound.contract.Tool.Unwrap
	tool, ok := doc.Get(u.Tool)
	if !ok || tool.Kind != strictjson.String {
		x.refuse(InvalidArguments, u.Tool, "it must name the tool that is to be called", "give the tool's name")
		return false
	}
	server := x.bound.server
	if named, ok := doc.Get(u.Server); ok && u.Server != "" {
		server = named.Text
	}
	inner, ok := x.s.monitor.find(server, tool.Text)
	if !ok {
		x.refuse(UnknownTool, u.Tool, fmt.Sprintf("the tool %q has no contract", shown(tool.Text)),
			"write one beside that of "+x.bound.contract.Tool.Name)
		return false
	}
	x.outer, x.bound, x.prefix = x.bound, inner, u.Arguments
	x.d.Through = x.d.Tool
	x.d.Server, x.d.Tool, x.d.Precision = inner.server, inner.contract.Tool.Name, inner.contract.Precision
	switch {
	case inner.contract.Tool.Unwrap != nil:
		x.refuse(InvalidArguments, u.Tool, fmt.Sprintf("%q calls another tool itself", shown(tool.Text)), "name the tool that is to be called in the end")
		return false
	case inner.changed != "" && !(inner.unlisted && inner.contract.Tool.Fingerprint == ""):
		// A tool that can only be called through another one is in no list.
		x.refuse(ChangedTool, u.Tool, inner.changed, "review the tool and make its contract again with: remit contract synth")
		return false
	}
	leaves := x.leaves
	x.leaves = nil
	for _, leaf := range leaves {
		switch {
		case x.outer.definition != nil && !x.outer.definition.Accepts(leaf.Pointer):
			x.refuse(UnknownArgument, leaf.Pointer, "the tool's schema has no such argument", "leave it out")
		case leaf.Pointer == u.Arguments:
			x.written(leaf)
		case leaf.Pointer != u.Tool && (leaf.Pointer != u.Server || u.Server == ""):
			x.leaves = append(x.leaves, leaf)
		}
	}
	return len(x.d.Reasons) == 0
}

// written reads the arguments of the inner call where they are no object with
// members: there are none, or they are written as a string of JSON. The call goes
// on with the canonical form of what was read.
func (x *deciding) written(at strictjson.Leaf) {
	if at.Kind == strictjson.Object || at.Kind == strictjson.Null {
		return
	}
	outer, err := x.rewritten(at)
	if err != nil {
		x.refuse(InvalidArguments, at.Pointer, "the arguments of the tool are not acceptable: "+err.Error(), "send one JSON object, every member once")
		return
	}
	x.d.Arguments = outer.Canonical()
}

func (x *deciding) rewritten(at strictjson.Leaf) (*strictjson.Document, error) {
	if at.Kind != strictjson.String {
		return nil, errors.New("they are no JSON object")
	}
	inner, err := strictjson.Parse([]byte(at.Text), strictjson.DefaultLimits())
	if err != nil {
		return nil, err
	}
	if inner.Root() != strictjson.Object {
		return nil, errors.New("they are no JSON object")
	}
	for _, leaf := range inner.Leaves() {
		if leaf.Pointer != "" { // the empty object
			leaf.Pointer = at.Pointer + leaf.Pointer
			x.leaves = append(x.leaves, leaf)
		}
	}
	text, err := json.Marshal(string(inner.Canonical()))
	if err != nil {
		return nil, err
	}
	// The limits were kept by the call as it came.
	source := x.call.Arguments
	return strictjson.Parse(slices.Concat(source[:at.Start], text, source[at.End:]), strictjson.OutputLimits())
}

// inner returns the arguments of the inner call, which stand at a pointer of the
// outer one's as an object or as the text of one.
func inner(arguments json.RawMessage, pointer string) json.RawMessage {
	for _, segment := range strings.Split(pointer, "/")[1:] {
		var members map[string]json.RawMessage
		if json.Unmarshal(arguments, &members) != nil {
			return json.RawMessage("{}")
		}
		arguments = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)]
	}
	var text string
	if json.Unmarshal(arguments, &text) == nil && text != "" {
		return json.RawMessage(text)
	}
	if len(arguments) == 0 || string(arguments) == "null" {
		return json.RawMessage("{}") // see [deciding.written]
	}
	return arguments
}
