package guard

import (
	"errors"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/remit-project/remit/internal/record"
)

// leaf is a value that may be named, or why it can't be.
type leaf struct {
	text string
	err  error
	// thing numbers the object of which the text is a member, where it has nothing but several
	// texts; 0 for others.
	thing int
}

var errNotSayable = errors.New("true, false and null can't be named: compare them")

// leavesOf returns the scalars of a value.
func leavesOf(v ref.Val, out []leaf) []leaf {
	switch v := v.(type) {
	case types.Bool, types.Null:
		return append(out, leaf{err: errNotSayable})
	case types.String:
		return append(out, leaf{text: string(v)})
	case types.Timestamp:
		return append(out, leaf{text: v.Time.Format(timestampLayout(v.Time))})

	case traits.Mapper:
		before, onlyTexts := len(out), true
		for it := v.Iterator(); it.HasNext() == types.True; {
			member := v.Get(it.Next())
			_, isText := member.(types.String)
			onlyTexts = onlyTexts && isText
			out = leavesOf(member, out)
		}
		for i := before; i < len(out) && onlyTexts && len(out)-before > 1; i++ {
			out[i].thing = before + 1
		}
		return out
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			out = leavesOf(it.Next(), out)
		}
		return out
	}

	if err, ok := v.Value().(error); ok && types.IsError(v) {
		return append(out, leaf{err: err})
	}
	return append(out, leaf{text: record.Text(v)})
}

func timestampLayout(t time.Time) string {
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return time.DateOnly
	}
	return time.RFC3339
}
