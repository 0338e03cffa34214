package record

import (
	"fmt"
	"reflect"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// Object is a JSON object as a CEL value: a record of a declared type, or a map from names to
// values where its fields are not declared. It keeps the order of the document and is immutable.
type Object struct {
	shape *Shape
	names []string
	vals  []ref.Val
	index map[string]int // of larger ones
}

// smallObject is the number of members up to which looking at each is quicker
// than a map.
const smallObject = 12

// New makes a record of a declared type; the values are in the order of its
// fields, and nil where a field is not set.
func (s *Shape) New(vals ...ref.Val) *Object {
	o := &Object{shape: s, names: make([]string, 0, len(vals)), vals: make([]ref.Val, 0, len(vals))}
	for i, v := range vals {
		if v != nil {
			o.names, o.vals = append(o.names, s.fields[i].name), append(o.vals, v)
		}
	}
	return o
}

// Member implements [Record].
func (o *Object) Member(name string) (ref.Val, bool) {
	if len(o.names) <= smallObject {
		for i, n := range o.names {
			if n == name {
				return o.vals[i], true
			}
		}
		return nil, false
	}
	i, ok := o.index[name]
	if !ok {
		return nil, false
	}
	return o.vals[i], true
}

func (o *Object) sealed() *Object {
	if len(o.names) > smallObject {
		o.index = make(map[string]int, len(o.names))
		for i, n := range o.names {
			o.index[n] = i
		}
	}
	return o
}

// Members calls a function for each member, in the order of the document.
func (o *Object) Members(each func(name string, v ref.Val)) {
	for i, n := range o.names {
		each(n, o.vals[i])
	}
}

// AsMap returns a record as a map, for expressions that don't know its type. Any
// other value stays as it is.
func AsMap(v ref.Val) ref.Val {
	o, ok := v.(*Object)
	if !ok {
		return v
	}
	m := *o
	m.shape = mapShape
	return &m
}

// Find implements [traits.Mapper].
func (o *Object) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return nil, false
	}
	return o.Member(string(name))
}

// Get implements [traits.Indexer].
func (o *Object) Get(key ref.Val) ref.Val {
	v, ok := o.Find(key)
	if !ok {
		return types.NewErr("no such key: %v", key.Value())
	}
	return v
}

// IsSet implements [traits.FieldTester].
func (o *Object) IsSet(key ref.Val) ref.Val { return o.Contains(key) }

// Contains implements [traits.Container].
func (o *Object) Contains(key ref.Val) ref.Val {
	_, ok := o.Find(key)
	return types.Bool(ok)
}

// Size implements [traits.Sizer].
func (o *Object) Size() ref.Val { return types.Int(len(o.names)) }

// Iterator implements [traits.Iterable]; it goes through the names.
func (o *Object) Iterator() traits.Iterator {
	return types.NewStringList(types.DefaultTypeAdapter, o.names).Iterator()
}

// ConvertToNative implements [ref.Val].
func (o *Object) ConvertToNative(t reflect.Type) (any, error) {
	if reflect.TypeOf(o).AssignableTo(t) {
		return o, nil
	}
	return nil, fmt.Errorf("a record can't be converted to %v", t)
}

// ConvertToType implements [ref.Val].
func (o *Object) ConvertToType(t ref.Type) ref.Val {
	switch {
	case t.TypeName() == o.Type().TypeName():
		return o
	case t == types.TypeType:
		return o.Type().(*types.Type)
	}
	return types.NewErr("a record can't be converted to %s", t.TypeName())
}

// Equal implements [ref.Val].
func (o *Object) Equal(other ref.Val) ref.Val {
	m, ok := other.(traits.Mapper)
	if !ok || m.Size().Equal(o.Size()) != types.True {
		return types.False
	}
	for i, n := range o.names {
		v, ok := m.Find(types.String(n))
		if !ok || types.Equal(o.vals[i], v) != types.True {
			return types.False
		}
	}
	return types.True
}

// Type implements [ref.Val].
func (o *Object) Type() ref.Type { return o.shape.Type }

// Value implements [ref.Val].
func (o *Object) Value() any { return o }

// String returns the members as name: value, for people.
func (o *Object) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, n := range o.names {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s: %s", n, Text(o.vals[i]))
	}
	b.WriteByte('}')
	return b.String()
}
