// Package record gives CEL typed records. It turns a JSON Schema into CEL types with
// declared fields, and JSON texts into values of these types. A misspelt field, or a
// comparison of a text with a number, is then an error when an expression is compiled.
package record

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"cel.dev/cel-go/common/types"

	"github.com/remit-project/remit/internal/decimal"
	"github.com/remit-project/remit/schema"
)

type kind uint8

const (
	anything kind = iota // whatever the JSON is
	text
	boolean
	integer
	number
	list
	open   // an object whose members are not declared
	closed // an object with declared fields
)

// Shape describes the values at a place in a JSON document, with their CEL type.
type Shape struct {
	// Type is the CEL type of the values.
	Type *types.Type
	// Enum are the accepted texts; empty if all are.
	Enum []string
	// Format is the schema's format of a text, such as "date".
	Format string

	kind     kind
	nullable bool
	fields   []field
	elem     *Shape // of a list, and of an open object
}

type field struct {
	name     string
	required bool
	shape    *Shape
	access   *types.FieldType
}

// Anything returns the shape of untyped values; always the same.
func Anything() *Shape { return anyShape }

var anyShape = &Shape{Type: types.DynType, nullable: true}

// maxFields bounds the fields of all types together: the server that wrote a schema is
// not trusted.
const maxFields = 200_000

// Types are the record types of a CEL environment. It is not safe for use while
// types are being added.
type Types struct {
	shapes map[string]*Shape // by type name
	fields int
}

// NewTypes returns an empty set of types.
func NewTypes() *Types { return &Types{shapes: map[string]*Shape{}} }

// Add returns the shape that a schema describes, [Anything] for a nil node. Objects with
// declared fields become types, named after name and their place below it, such as
// "send_email/args/attachments". The name should have a slash, so that it can't hide a
// name in expressions.
func (t *Types) Add(name string, n *schema.Node) *Shape {
	return t.shape(name, n, 0)
}

func (t *Types) shape(name string, n *schema.Node, depth int) *Shape {
	if n == nil || n.Cut || len(n.Alternatives) > 0 || depth > schema.MaxDepth || t.fields > maxFields {
		return Anything()
	}

	s := &Shape{nullable: n.Nullable, Format: n.Format}
	switch {
	case slices.Equal(n.Types, []string{"string"}):
		s.kind, s.Type = text, types.StringType
		for _, e := range n.Enum {
			var member string
			if json.Unmarshal([]byte(e), &member) == nil {
				s.Enum = append(s.Enum, member)
			}
		}
	case slices.Equal(n.Types, []string{"boolean"}):
		s.kind, s.Type = boolean, types.BoolType
	case slices.Equal(n.Types, []string{"integer"}):
		s.kind, s.Type = integer, types.IntType
	case isNumber(n.Types):
		s.kind, s.Type = number, decimal.Type
	case slices.Equal(n.Types, []string{"array"}):
		s.kind, s.elem = list, t.shape(name+"/*", n.Items, depth+1)
		s.Type = types.NewListType(s.elem.Type)
	case slices.Equal(n.Types, []string{"object"}) && len(n.Properties) == 0 && n.Open:
		s.kind, s.elem = open, t.shape(name+"/*", n.Additional, depth+1)
		s.Type = types.NewMapType(types.StringType, s.elem.Type)
	case slices.Equal(n.Types, []string{"object"}):
		t.object(s, name, n, depth)
	default:
		return Anything()
	}

	return s
}

func isNumber(kinds []string) bool {
	return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k string) bool { return k != "number" && k != "integer" })
}

func (t *Types) object(s *Shape, name string, n *schema.Node, depth int) {
	for i := 2; t.shapes[name] != nil; i++ {
		name += "." + strconv.Itoa(i)
	}
	s.kind, s.Type = closed, types.NewObjectType(name)
	t.shapes[name] = s
	t.fields += len(n.Properties)
	for _, p := range n.Properties {
		f := field{name: p.Name, required: p.Required, shape: t.shape(name+"/"+p.Name, p.Node, depth+1)}
		f.access = &types.FieldType{Type: f.shape.Type, IsSet: isSet(p.Name), GetFrom: getFrom(p.Name)}
		s.fields = append(s.fields, f)
	}
}

// Declare adds a record type of a program's own, by its fields in order, and
// returns its shape: what [Shape.New] makes values of.
func (t *Types) Declare(name string, fields ...Field) *Shape {
	s := &Shape{kind: closed, Type: types.NewObjectType(name)}
	for _, f := range fields {
		s.fields = append(s.fields, field{name: f.Name, required: !f.Optional, shape: &Shape{Type: f.Type},
			access: &types.FieldType{Type: f.Type, IsSet: isSet(f.Name), GetFrom: getFrom(f.Name)}})
	}
	t.shapes[name] = s
	return s
}

// Field is a field of a record type that a program declares.
type Field struct {
	Name string
	Type *types.Type
	// Optional fields may be missing from a value.
	Optional bool
}

// Lookup returns the shape of a record type.
func (t *Types) Lookup(typeName string) (*Shape, bool) {
	s, ok := t.shapes[typeName]
	return s, ok
}

// With returns the record types that declare a field of the name, in the order
// of their names.
func (t *Types) With(field string) []*Shape {
	var out []*Shape
	for _, name := range slices.Sorted(maps.Keys(t.shapes)) {
		if _, _, ok := t.shapes[name].Field(field); ok {
			out = append(out, t.shapes[name])
		}
	}
	return out
}

// Field returns the shape of a declared field, and whether it must be there.
func (s *Shape) Field(name string) (shape *Shape, required, ok bool) {
	for i := range s.fields {
		if f := &s.fields[i]; f.name == name {
			return f.shape, f.required, true
		}
	}
	return nil, false, false
}

// Fields returns the names of the declared fields, in the order of the schema.
func (s *Shape) Fields() []string {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.name
	}
	return names
}
