package record

import (
	"bytes"
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
)

// Encode returns a value as JSON, with sorted members and times in RFC 3339. A value that
// JSON can't express is an error.
func Encode(v ref.Val) (json.RawMessage, error) {
	return encode(make([]byte, 0, 64), v)
}

// encode adds a value to a text.
func encode(to []byte, v ref.Val) ([]byte, error) {
	switch v := v.(type) {
	case types.Null:
		return append(to, "null"...), nil
	case types.Bool:
		return strconv.AppendBool(to, bool(v)), nil
	case types.Int:
		return strconv.AppendInt(to, int64(v), 10), nil
	case types.Uint:
		return strconv.AppendUint(to, uint64(v), 10), nil
	case types.String:
		return quote(to, string(v))
	case types.Timestamp:
		return quote(to, v.Format(time.RFC3339Nano))
	case *decimal.Decimal:
		text := v.String()
		if strings.HasSuffix(text, "…") {
			return nil, fmt.Errorf("a number without end: round it")
		}
		return append(to, text...), nil
	case *types.Optional:
		return nil, fmt.Errorf("an optional value: write ?name: value, or orValue()")
	case traits.Mapper:
		return encodeMap(to, v)
	case traits.Lister:
		return encodeList(to, v)
	}

	return nil, fmt.Errorf("JSON has no %s", v.Type().TypeName())
}

func encodeList(to []byte, l traits.Lister) (_ []byte, err error) {
	to = append(to, '[')
	for it := l.Iterator(); it.HasNext() == types.True; {
		if to[len(to)-1] != '[' {
			to = append(to, ',')
		}
		if to, err = encode(to, it.Next()); err != nil {
			return nil, err
		}
	}
	return append(to, ']'), nil
}

func encodeMap(to []byte, m traits.Mapper) (_ []byte, err error) {
	type member struct {
		name  string
		value ref.Val
	}
	var few [4]member
	members := few[:0]
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		name, ok := key.(types.String)
		if !ok {
			return nil, fmt.Errorf("a member's name must be a text, not a %s", key.Type().TypeName())
		}
		members = append(members, member{string(name), m.Get(key)})
	}

	slices.SortFunc(members, func(x, y member) int { return strings.Compare(x.name, y.name) })
	to = append(to, '{')
	for i, one := range members {
		if i > 0 {
			to = append(to, ',')
		}
		if to, err = quote(to, one.name); err != nil {
			return nil, err
		}
		if to, err = encode(append(to, ':'), one.value); err != nil {
			return nil, err
		}
	}

	return append(to, '}'), nil
}

func quote(to []byte, s string) ([]byte, error) {
	if !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }) {
		return append(append(append(to, '"'), s...), '"'), nil
	}
	b := bytes.NewBuffer(to)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return nil, err
	}
	return b.Bytes()[:b.Len()-1], nil // without the line's end
}
