package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/remit-project/remit/internal/decimal"
)

// Encode returns a value as JSON, with sorted members and times in RFC 3339. A value that
// JSON can't express is an error.
func Encode(v ref.Val) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := encode(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func encode(b *bytes.Buffer, v ref.Val) error {
	switch v := v.(type) {
	case types.Null:
		b.WriteString("null")
	case types.Bool, types.Int, types.Uint:
		fmt.Fprint(b, v.Value())
	case types.String:
		return quote(b, string(v))
	case types.Timestamp:
		return quote(b, v.Format(time.RFC3339Nano))
	case *decimal.Decimal:
		text := v.String()
		if strings.HasSuffix(text, "…") {
			return fmt.Errorf("a number without end: round it")
		}
		b.WriteString(text)
	case *types.Optional:
		return fmt.Errorf("an optional value: write ?name: value, or orValue()")
	case traits.Mapper:
		return encodeMap(b, v)
	case traits.Lister:
		b.WriteByte('[')
		for it := v.Iterator(); it.HasNext() == types.True; {
			if b.Bytes()[b.Len()-1] != '[' {
				b.WriteByte(',')
			}
			if err := encode(b, it.Next()); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		return fmt.Errorf("JSON has no %s", v.Type().TypeName())
	}

	return nil
}

func encodeMap(b *bytes.Buffer, m traits.Mapper) error {
	type member struct {
		name  string
		value ref.Val
	}
	var members []member
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		name, ok := key.(types.String)
		if !ok {
			return fmt.Errorf("a member's name must be a text, not a %s", key.Type().TypeName())
		}
		members = append(members, member{string(name), m.Get(key)})
	}

	slices.SortFunc(members, func(x, y member) int { return strings.Compare(x.name, y.name) })
	b.WriteByte('{')
	for i, one := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := quote(b, one.name); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := encode(b, one.value); err != nil {
			return err
		}
	}

	b.WriteByte('}')
	return nil
}

func quote(b *bytes.Buffer, s string) error {
	if !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }) {
		b.WriteByte('"')
		b.WriteString(s)
		b.WriteByte('"')
		return nil
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line's end
	return nil
}
