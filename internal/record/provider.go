package record

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// Record is what values of record types are made of. [Object] is one; a program
// may have others, whose members are worked out when they are asked for.
type Record interface {
	// Member returns the value of a field, and whether it is set.
	Member(name string) (ref.Val, bool)
}

// Provider adds the types to those that a CEL environment has.
func (t *Types) Provider(base types.Provider) types.Provider {
	return &provider{Provider: base, types: t}
}

type provider struct {
	types.Provider
	types *Types
}

// FindStructType implements [types.Provider].
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if s, ok := p.types.shapes[name]; ok {
		return types.NewTypeTypeWithParam(s.Type), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames implements [types.Provider].
func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	if s, ok := p.types.shapes[name]; ok {
		return s.Fields(), true
	}
	return p.Provider.FindStructFieldNames(name)
}

// FindStructFieldType implements [types.Provider].
func (p *provider) FindStructFieldType(name, fieldName string) (*types.FieldType, bool) {
	s, ok := p.types.shapes[name]
	if !ok {
		return p.Provider.FindStructFieldType(name, fieldName)
	}
	for i := range s.fields {
		if f := &s.fields[i]; f.name == fieldName {
			return f.access, true
		}
	}
	return nil, false
}

// FindStructFieldDescription returns, for cel-go's description of an environment, what a field
// may have.
func (p *provider) FindStructFieldDescription(name, fieldName string) (string, bool) {
	s, ok := p.types.shapes[name]
	if !ok {
		return "", false
	}
	for i := range s.fields {
		if f := &s.fields[i]; f.name == fieldName {
			return f.description(), true
		}
	}
	return "", false
}

// description says of a field what its type doesn't.
func (f *field) description() string {
	var words []string
	if !f.required || f.shape.nullable {
		words = append(words, "optional")
	}
	if len(f.shape.Enum) > 0 {
		words = append(words, "one of "+strings.Join(f.shape.Enum, ", "))
	}
	if f.shape.Format != "" {
		words = append(words, "format "+f.shape.Format)
	}
	return strings.Join(words, "; ")
}

// NewValue implements [types.Provider]. Records come from documents, and an
// expression makes none.
func (p *provider) NewValue(name string, fields map[string]ref.Val) ref.Val {
	if _, ok := p.types.shapes[name]; ok {
		return types.NewErr("a record of type %s can't be made in an expression", name)
	}
	return p.Provider.NewValue(name, fields)
}

func isSet(name string) ref.FieldTester {
	return func(target any) bool {
		o, ok := target.(Record)
		if !ok {
			return false
		}
		_, ok = o.Member(name)
		return ok
	}
}

func getFrom(name string) ref.FieldGetter {
	return func(target any) (any, error) {
		o, ok := target.(Record)
		if !ok {
			return nil, fmt.Errorf("no such key: %s", name)
		}
		v, ok := o.Member(name)
		if !ok {
			return nil, fmt.Errorf("no such key: %s", name)
		}
		return v, nil
	}
}
