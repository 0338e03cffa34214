package scope

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/remit-project/remit/internal/scalar"
)

func errWhere(n int) error {
	return fmt.Errorf("where has %d conditions: write at most %d", n, MaxArgs)
}

// matches reads the conditions on a field: one, or a list of objects of which all have to hold.
func (r *reader) matches(data json.RawMessage, depth int) ([]Match, error) {
	var several []json.RawMessage
	isObject := func(v json.RawMessage) bool { return len(v) > 0 && v[0] == '{' }
	if err := json.Unmarshal(data, &several); err != nil || !slices.ContainsFunc(several, isObject) {
		several = []json.RawMessage{data}
	}
	if len(several) > MaxArgs {
		return nil, errWhere(len(several))
	}

	out := make([]Match, 0, len(several))
	for _, condition := range several {
		if len(several) > 1 && !isObject(condition) {
			return nil, errors.New("a list has conditions and bare values: write each as an object")
		}
		m, err := r.match(condition, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// match reads a condition of a source.
func (r *reader) match(data json.RawMessage, depth int) (Match, error) {
	if len(data) == 0 || data[0] != '{' {
		values, err := readValues(data)
		return Match{Is: values}, err
	}

	var raw rawMatch
	if err := decode(data, &raw); err != nil {
		return Match{}, err
	}
	if len(raw.Or) > MaxSources {
		return Match{}, fmt.Errorf("or has %d members: write at most %d", len(raw.Or), MaxSources)
	}
	out := Match{Or: raw.Or, Prefix: raw.Prefix, Ends: raw.Ends, Before: raw.Before, After: raw.After, Below: Value(raw.Below), Above: Value(raw.Above)}
	var err error
	if raw.Is != nil {
		if out.Is, err = readValues(raw.Is); err != nil {
			return Match{}, err
		}
	}
	if raw.Contains != nil {
		if out.Contains, err = readWords(raw.Contains); err != nil {
			return Match{}, err
		}
	}
	if raw.From != nil {
		if out.From, err = r.sources(raw.From, depth+1); err != nil {
			return Match{}, fmt.Errorf("from: %w", err)
		}
	}
	return out, out.check()
}

// readWords reads the words that a text has to contain, or a list of them as alternatives.
func readWords(data json.RawMessage) ([]string, error) {
	values, err := readValues(data)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, v := range values {
		if v != "" {
			out = append(out, string(v))
		}
	}
	return out, nil
}

// check returns an error if a condition says nothing, or has a bound that isn't one.
func (w Match) check() error {
	if err := w.checkWays(); err != nil {
		return err
	}
	for _, v := range []Value{w.Before, w.After} {
		_, isMoment := scalar.Moment(string(v))
		_, isClock := scalar.Clock(string(v))
		if v != "" && !isMoment && !isClock {
			return fmt.Errorf("%s is not a day, a moment or a time: write it as 2026-01-31, 2026-01-31 14:00 or 14:00", clip([]byte(v)))
		}
	}
	for _, v := range []Value{w.Below, w.Above} {
		if _, ok := scalar.Number(string(v)); v != "" && !ok {
			return fmt.Errorf("%s is not a plain number: write it as 12.5", clip([]byte(v)))
		}
	}
	return nil
}

// checkWays returns an error if a condition says nothing, or takes its value from nowhere.
func (w Match) checkWays() error {
	others := len(w.Is)+len(w.Contains) > 0 || w.Prefix+w.Ends+string(w.Before+w.After+w.Below+w.Above) != ""
	switch {
	case w.hasBlanks():
		return errors.New("prefix, ends and contains need more than blanks: write words")
	case slices.Contains(w.Or, ""):
		return errors.New("or has a member without a name: write the names of members")
	case w.From == nil && !others:
		return errors.New("the condition is empty: write a value, or one of from, prefix, ends, contains, before, after, below and above")
	case w.From == nil:
		return nil
	case others:
		return errors.New("from goes alone: write another condition for is, prefix, ends, contains, before, after, below and above")
	case len(w.From) == 0:
		return errors.New("from is empty: write the source of the value")
	case slices.ContainsFunc(w.From, func(s Source) bool { return len(scalar.Words(s.Field)) == 0 }):
		return errors.New("a source of a condition needs a field: write the member that has the value")
	}
	return nil
}

// hasBlanks reports whether a condition looks for blanks alone.
func (w Match) hasBlanks() bool {
	return slices.ContainsFunc(append([]string{w.Prefix, w.Ends}, w.Contains...), func(text string) bool { return text != "" && scalar.Fold(text) == "" })
}
