package proxy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/strictjson"
)

// shape says where an answer has calls. Unnamed members pass unchanged, unless a
// client could read them as a named one: clients must not read more than was
// decided.
type shape struct {
	// list is true when the value is a list of values of this shape.
	list bool
	// members must have exactly this spelling.
	members []string
	// inner are the shapes of members that hold calls.
	inner map[string]*shape
}

// callMembers are the names under which APIs have calls. They must be absent
// where a shape doesn't name them.
var callMembers = []string{"tool_calls", "tool_call", "tool_uses", "tool_use", "function_calls", "function_call"}

// readable returns an error if clients could read an answer, or an event of one,
// differently from what was decided.
func readable(body []byte, s *shape) error {
	if err := strict(body); err != nil {
		return fmt.Errorf("%w: %v", errBody, err)
	}
	return s.check(body)
}

// check returns an error if a value doesn't have the shape.
func (s *shape) check(value json.RawMessage) error {
	if absent(value) {
		return nil
	}
	if !s.list {
		return s.object(value)
	}
	if value[0] != '[' {
		return fmt.Errorf("%w: a list is expected", errBody)
	}
	for _, v := range values(value) {
		if err := s.object(v); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) object(value json.RawMessage) error {
	members, err := strictjson.Members(value)
	if err != nil {
		return fmt.Errorf("%w: an object is expected", errBody)
	}

	for _, m := range members {
		inner := m.Value.Of(value)
		if slices.Contains(s.members, m.Name) {
			if of := s.inner[m.Name]; of != nil {
				if err := of.check(inner); err != nil {
					return err
				}
			}
			continue
		}
		folded := foldedName(m.Name)
		is := func(name string) bool { return foldedName(name) == folded }
		call := slices.ContainsFunc(callMembers, is) && !absent(inner)
		if call || slices.ContainsFunc(s.members, is) {
			return fmt.Errorf("%w: some clients read calls in the member %q", errBody, display.Line(m.Name))
		}
	}

	return nil
}

// lenient takes out of a name what the most lenient JSON parser passes over, and replaces the long s,
// which has no lower case of its own.
var lenient = strings.NewReplacer("_", "", "-", "", " ", "", "ſ", "s")

// foldedName returns a member's name as the most lenient JSON parser reads it.
func foldedName(name string) string { return strings.ToLower(lenient.Replace(name)) }

// callLike reports whether message parts of a kind could be calls.
func callLike(kind string) bool {
	kind = strings.ToLower(kind)
	return strings.Contains(kind, "call") || strings.Contains(kind, "tool") || strings.Contains(kind, "function")
}

// noCalls returns an error if a message's content has parts that could be calls.
func noCalls(content json.RawMessage) error {
	for _, p := range parts(content) {
		if callLike(p.kind) {
			return fmt.Errorf("%w: its text has a part of type %q", errBody, display.Line(p.kind))
		}
	}
	return nil
}
