package remit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// unwrap puts the tool that a meta-tool would call in the place of the meta-tool:
// from here on the inner call is decided. The other arguments of the outer call
// are still held to the outer contract.
func (x *deciding) unwrap(doc *strictjson.Document) bool {
	u := x.bound.contract.Tool.Unwrap
	inner, ok := x.called(doc)
	if !ok {
		return false
	}

	outer := x.target
	x.through, x.bound = &outer, inner
	x.d.Through = x.d.Tool
	x.d.Server, x.d.Tool, x.d.Precision = inner.server, inner.contract.Tool.Name, inner.contract.Precision
	if !x.callable(inner) {
		return false
	}

	var arguments json.RawMessage
	for _, l := range doc.Leaves() {
		switch {
		case outer.definition != nil && !outer.definition.Accepts(l.Pointer):
			x.refuse(UnknownArgument, l.Pointer, "the tool's schema has no such argument", "leave it out")
		case l.Pointer == u.Arguments:
			arguments = x.written(l)
		case l.Pointer == u.Tool, l.Pointer == u.Server && u.Server != "":
			// They say which tool is called.
		default:
			place, own := strings.CutPrefix(l.Pointer, u.Arguments)
			if own = own && strings.HasPrefix(place, "/"); !own {
				place = l.Pointer
			}
			x.leaves = append(x.leaves, leaf{Leaf: l, place: place, outer: !own})
		}
	}
	if arguments == nil {
		arguments = strictjson.Get(x.d.Arguments, segments(u.Arguments)...)
	}
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	x.through.arguments = x.d.Arguments
	x.target = target{binding: inner, arguments: arguments, prefix: u.Arguments}
	return len(x.d.Reasons) == 0
}

// called finds the tool that a call of a meta-tool names.
func (x *deciding) called(doc *strictjson.Document) (*binding, bool) {
	u := x.bound.contract.Tool.Unwrap
	tool, ok := doc.Get(u.Tool)
	if !ok || tool.Kind != strictjson.String {
		x.refuse(InvalidArguments, u.Tool, "it must name the tool that is to be called", "give the tool's name")
		return nil, false
	}

	server := x.bound.server
	if named := doc.At(u.Server); u.Server != "" && named.Exists() {
		// What names no server may mean any to the tool, and so to nobody else.
		if server = named.Text(); server == "" {
			x.refuse(InvalidArguments, u.Server, "it must name the server of the tool that is to be called", "give the server's name, or leave it out")
			return nil, false
		}
	}
	inner, ok := x.in.find(server, tool.Text)
	if !ok {
		x.refuse(UnknownTool, u.Tool, fmt.Sprintf("the tool %q has no contract", cutText(tool.Text)),
			"write one beside that of "+x.bound.contract.Tool.Name)
		return nil, false
	}
	return inner, true
}

// callable reports whether a tool may be called through another one.
func (x *deciding) callable(inner *binding) bool {
	u := x.through.contract.Tool.Unwrap
	if inner.contract.Tool.Unwrap != nil {
		x.refuse(InvalidArguments, u.Tool, fmt.Sprintf("%q calls another tool itself", cutText(x.d.Tool)), "name the tool that is to be called in the end")
		return false
	}

	// A tool that can only be called through another one is in no list.
	expected := inner.unlisted && inner.contract.Tool.Fingerprint == ""
	if inner.changed != "" && !expected {
		x.refuse(ChangedTool, u.Tool, inner.changed, reviewChange)
		return false
	}
	return true
}

// written reads the arguments of the inner call where they are not an object with
// members: there are none, or they are written as a string of JSON. The call goes
// on with the canonical form of what was read.
func (x *deciding) written(at strictjson.Leaf) json.RawMessage {
	if at.Kind == strictjson.Object || at.Kind == strictjson.Null {
		return json.RawMessage("{}")
	}

	inner, outer, err := rewrite(x.in.call.Arguments, at)
	if err != nil {
		x.refuse(InvalidArguments, at.Pointer, "the arguments of the tool are not acceptable: "+err.Error(), "send one JSON object, every member once")
		return nil
	}
	for _, l := range inner.Leaves() {
		if l.Pointer != "" { // the empty object
			place := l.Pointer
			l.Pointer, l.Indexes = at.Pointer+place, l.Indexes<<strings.Count(at.Pointer, "/")
			x.leaves = append(x.leaves, leaf{Leaf: l, place: place})
		}
	}
	x.d.Arguments = outer.Canonical()
	return inner.Canonical()
}

var errNotObject = errors.New("they are not a JSON object")

// rewrite reads the JSON in a string of a call, and returns the call with the
// canonical form of it.
func rewrite(call json.RawMessage, at strictjson.Leaf) (inner, outer *strictjson.Document, err error) {
	if at.Kind != strictjson.String {
		return nil, nil, errNotObject
	}
	if inner, err = strictjson.Parse([]byte(at.Text), strictjson.DefaultLimits()); err != nil {
		return nil, nil, err
	}
	if inner.Root().Kind() != strictjson.Object {
		return nil, nil, errNotObject
	}

	text, err := json.Marshal(string(inner.Canonical()))
	if err != nil {
		return nil, nil, err
	}
	// The limits were kept by the call as it came.
	outer, err = strictjson.Parse(slices.Concat(call[:at.Start], text, call[at.End:]), strictjson.OutputLimits())
	return inner, outer, err
}

// segments returns the member names of a JSON pointer.
func segments(pointer string) []string {
	names := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i := range names {
		names[i] = memberName(names[i])
	}
	return names
}

// lastSegment returns the last segment of a pointer, still escaped.
func lastSegment(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }

// memberName undoes the escapes of one segment of a JSON pointer.
func memberName(segment string) string {
	return strictjson.UnescapeToken(segment)
}
