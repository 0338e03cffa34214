package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/remit-project/remit/internal/decimal"
	"github.com/remit-project/remit/internal/strictjson"
)

// Decode reads a JSON text in canonical form, as [strictjson.Document] writes it, as a
// value of the shape. A wrong type, a missing member or a text outside the enumeration
// is an error with its place. Members that a record doesn't declare are left out.
//
// [strictjson.Document]: https://pkg.go.dev/github.com/remit-project/remit/strictjson#Document
func (s *Shape) Decode(canonical []byte) (ref.Val, error) {
	d := decoder{data: string(canonical)}
	v, err := d.value(s)
	if err != nil {
		at := ""
		for _, name := range d.path {
			at += "/" + strictjson.EscapeToken(name)
		}
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return v, nil
}

// decoder reads a text that is known to be valid JSON without white space.
type decoder struct {
	data string
	at   int
	path []string // of the place that a mistake was found at
}

func (d *decoder) value(s *Shape) (ref.Val, error) {
	if d.at >= len(d.data) {
		return nil, fmt.Errorf("the text is cut")
	}

	switch c := d.data[d.at]; c {
	case '{':
		return d.object(s)
	case '[':
		return d.list(s)
	case '"':
		t, err := d.text()
		switch {
		case err != nil:
			return nil, err
		case s.kind != text && s.kind != anything:
			return nil, s.not("a text")
		case len(s.Enum) > 0 && !slices.Contains(s.Enum, t):
			return nil, fmt.Errorf("%s is none of %s", strconv.Quote(t), strings.Join(s.Enum, ", "))
		}
		return types.String(t), nil
	case 't', 'f', 'n':
		return d.word(s)
	}

	return d.number(s)
}

func (d *decoder) word(s *Shape) (ref.Val, error) {
	switch {
	case strings.HasPrefix(d.data[d.at:], "null"):
		d.at += len("null")
		if !s.nullable {
			return nil, s.not("null")
		}
		return types.NullValue, nil
	case s.kind != boolean && s.kind != anything:
		return nil, s.not("a boolean")
	}
	yes := d.data[d.at] == 't'
	d.at += len("false")
	if yes {
		d.at--
	}
	return types.Bool(yes), nil
}

func (d *decoder) number(s *Shape) (ref.Val, error) {
	start := d.at
	for d.at < len(d.data) && strings.IndexByte("+-.eE0123456789", d.data[d.at]) >= 0 {
		d.at++
	}
	if s.kind != number && s.kind != integer && s.kind != anything {
		return nil, s.not("a number")
	}
	v, err := decimal.Parse(d.data[start:d.at])
	if err != nil {
		return nil, err
	}
	if _, whole := v.(types.Int); s.kind == integer && !whole {
		return nil, s.not("the number " + d.data[start:d.at])
	}
	return v, nil
}

func (d *decoder) text() (string, error) {
	start := d.at + 1
	for i := start; i < len(d.data); i++ {
		switch d.data[i] {
		case '"':
			d.at = i + 1
			return d.data[start:i], nil
		case '\\':
			return d.escaped(start - 1)
		}
	}
	return "", fmt.Errorf("the text is cut")
}

func (d *decoder) escaped(start int) (string, error) {
	for i := start + 1; i < len(d.data); i++ {
		switch d.data[i] {
		case '\\':
			i++
		case '"':
			d.at = i + 1
			var t string
			err := json.Unmarshal([]byte(d.data[start:d.at]), &t)
			return t, err
		}
	}
	return "", fmt.Errorf("the text is cut")
}

func (d *decoder) list(s *Shape) (ref.Val, error) {
	elem := s.elem
	switch {
	case s.kind == anything:
		elem = s
	case s.kind != list:
		return nil, s.not("a list")
	}

	vals := []ref.Val{}
	for d.at++; d.data[d.at] != ']'; {
		v, err := d.value(elem)
		if err != nil {
			return nil, d.in(strconv.Itoa(len(vals)), err)
		}
		vals = append(vals, v)
		if d.data[d.at] == ',' {
			d.at++
		}
	}

	d.at++
	return types.NewRefValList(types.DefaultTypeAdapter, vals), nil
}

// AnyObject returns the shape of objects that no schema describes.
func AnyObject() *Shape { return mapShape }

// mapShape is the shape of all objects that no schema describes.
var mapShape = &Shape{kind: open, Type: types.NewMapType(types.StringType, types.DynType), elem: anyShape}

func (d *decoder) object(s *Shape) (ref.Val, error) {
	switch s.kind {
	case anything:
		s = mapShape
	case open, closed:
	default:
		return nil, s.not("an object")
	}

	o := &Object{shape: s}
	if n := len(s.fields); n > 0 {
		o.names, o.vals = make([]string, 0, n), make([]ref.Val, 0, n)
	}
	for d.at++; d.data[d.at] != '}'; {
		name, err := d.text()
		if err != nil {
			return nil, err
		}

		d.at++ // the colon
		elem, declared := s.elem, true
		if s.kind == closed {
			if elem, _, declared = s.Field(name); !declared {
				elem = Anything()
			}
		}
		v, err := d.value(elem)
		if err != nil {
			return nil, d.in(name, err)
		}

		// A declared member that is null is not set. An undeclared member can't be
		// named in an expression.
		isSet := declared && v != types.NullValue
		if s.kind != closed || isSet {
			o.names, o.vals = append(o.names, name), append(o.vals, v)
		}
		if d.data[d.at] == ',' {
			d.at++
		}
	}

	d.at++
	o.sealed()
	for i := range s.fields {
		f := &s.fields[i]
		if f.required && !f.shape.nullable {
			if _, ok := o.Member(f.name); !ok {
				return nil, d.in(f.name, fmt.Errorf("it is missing"))
			}
		}
	}

	return o, nil
}

func (d *decoder) in(name string, err error) error {
	d.path = append([]string{name}, d.path...)
	return err
}

func (s *Shape) not(what string) error {
	return fmt.Errorf("the schema wants %s here, not %s", kindNames[s.kind], what)
}

var kindNames = [...]string{"anything", "a text", "a boolean", "a whole number", "a number", "a list", "an object", "an object"}

// Text shows a value to people, in one line.
func Text(v ref.Val) string {
	switch v := v.(type) {
	case types.String:
		return strconv.Quote(string(v))
	case types.Null:
		return "null"
	case types.Timestamp:
		return v.Format(time.RFC3339)
	case types.Duration:
		return v.Duration.String()
	case traits.Lister:
		var b strings.Builder
		b.WriteByte('[')
		for it := v.Iterator(); it.HasNext() == types.True; {
			if b.Len() > 1 {
				b.WriteString(", ")
			}
			b.WriteString(Text(it.Next()))
		}
		b.WriteByte(']')
		return b.String()
	case fmt.Stringer:
		return v.String()
	case traits.Mapper:
		var b strings.Builder
		b.WriteByte('{')
		for it := v.Iterator(); it.HasNext() == types.True; {
			if b.Len() > 1 {
				b.WriteString(", ")
			}
			key := it.Next()
			b.WriteString(Text(key) + ": " + Text(v.Get(key)))
		}
		b.WriteByte('}')
		return b.String()
	}

	return fmt.Sprint(v.Value())
}
