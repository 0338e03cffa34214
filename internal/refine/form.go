package refine

import (
	"regexp"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/strictjson"
)

// form is what a value looks like. All but [worded] leave no room for words.
type form string

const (
	worded form = ""
	number form = "numbers"
	truth  form = "true or false"
	uuid   form = "UUIDs"
	moment form = "dates or times"
)

var forms = []struct {
	form    form
	matches func() *regexp.Regexp
}{
	{number, pattern.OnUse(`^-?[0-9]{1,18}(\.[0-9]{1,12})?$`)},
	{uuid, pattern.OnUse(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)},
	{moment, pattern.OnUse(`^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$`)},
}

// formOf returns the form of a value.
func formOf(l strictjson.Leaf) form {
	switch l.Kind {
	case strictjson.Bool:
		return truth
	case strictjson.Number, strictjson.String:
		for _, f := range forms {
			if f.matches().MatchString(l.Text) {
				return f.form
			}
		}
	}
	return worded
}

// join returns the form of values of two forms.
func (f form) join(other form) form {
	if f != other {
		return worded
	}
	return f
}
