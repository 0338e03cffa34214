package validate

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// node is a schema, or a part of one.
type node struct {
	// refuses is set for the schema false.
	refuses bool

	types []string
	// listed are the values of enum or const; nil where every value is in order.
	listed []any
	// sizes and ranges bound what is counted, and numbers.
	sizes   []size
	ranges  []span
	pattern *regexp.Regexp
	// multiple is what numbers are multiples of; nil for any.
	multiple *big.Rat

	properties map[string]*node
	required   []string
	// additional is for members that properties doesn't name, items for the elements of
	// lists; nil where everything is in order.
	additional, items *node

	// all must hold, a reference among them.
	all []*node
	// choices are the lists of anyOf and oneOf.
	choices []choice
	not     *node
}

// size is a bound on how long a text, a list or an object is.
type size struct {
	keyword string
	of      func(value any) (int, bool)
	bound   int
	most    bool
}

// span is a bound on numbers.
type span struct {
	keyword string
	bound   *big.Rat
	// in reports whether a number is in order by how it compares with the bound.
	in func(compared int) bool
}

// choice is a list of schemas of which one must hold, or with one set no more than that.
type choice struct {
	forms []*node
	one   bool
}

// hold adds the mistakes of a value.
func (n *node) hold(value any, at place, f *findings) {
	if n.refuses {
		f.add(at, func() string { return "false schema" })
		return
	}
	if len(n.types) > 0 && !slices.ContainsFunc(n.types, func(t string) bool { return isOf(value, t) }) {
		f.add(at, func() string { return fmt.Sprintf("got %s, want %s", kindOf(value), strings.Join(n.types, " or ")) })
	}
	if n.listed != nil && !slices.ContainsFunc(n.listed, func(want any) bool { return equal(want, value) }) {
		f.add(at, func() string { return "value must be " + oneOf(n.listed) })
	}

	n.holdBounds(value, at, f)
	switch value := value.(type) {
	case map[string]any:
		n.holdMembers(value, at, f)
	case []any:
		if n.items != nil {
			for i, element := range value {
				n.items.hold(element, at.in(strconv.Itoa(i)), f)
			}
		}
	}

	for _, part := range n.all {
		part.hold(value, at, f)
	}
	for _, c := range n.choices {
		c.hold(value, at, f)
	}
	if n.not != nil && n.not.accepts(value) {
		f.add(at, func() string { return "'not' failed" })
	}
}

// accepts reports whether a value has no mistake.
func (n *node) accepts(value any) bool {
	var f findings
	n.hold(value, place{}, &f)
	return f.total == 0
}

func (n *node) holdBounds(value any, at place, f *findings) {
	for _, s := range n.sizes {
		got, counts := s.of(value)
		tooLittle, tooMuch := got < s.bound && !s.most, got > s.bound && s.most
		if counts && (tooLittle || tooMuch) {
			f.add(at, func() string { return fmt.Sprintf("%s: got %d, want %d", s.keyword, got, s.bound) })
		}
	}
	if text, ok := value.(string); ok && n.pattern != nil && !n.pattern.MatchString(text) {
		f.add(at, func() string {
			return fmt.Sprintf("%s does not match pattern %s", quote(text), quote(n.pattern.String()))
		})
	}

	if len(n.ranges) > 0 || n.multiple != nil {
		n.holdNumber(value, at, f)
	}
}

func (n *node) holdNumber(value any, at place, f *findings) {
	number, ok := numberOf(value)
	if !ok {
		return
	}
	for _, s := range n.ranges {
		if !s.in(number.Cmp(s.bound)) {
			f.add(at, func() string { return fmt.Sprintf("%s: got %s, want %s", s.keyword, decimal(number), decimal(s.bound)) })
		}
	}
	if n.multiple != nil && !new(big.Rat).Quo(number, n.multiple).IsInt() {
		f.add(at, func() string { return fmt.Sprintf("multipleOf: got %s, want %s", decimal(number), decimal(n.multiple)) })
	}
}

func (n *node) holdMembers(value map[string]any, at place, f *findings) {
	var missing, unknown []string
	for _, name := range n.required {
		if _, ok := value[name]; !ok {
			missing = append(missing, quote(name))
		}
	}
	if len(missing) > 0 {
		f.add(at, func() string {
			return plural(len(missing), "missing property ", "missing properties ") + strings.Join(missing, ", ")
		})
	}

	for _, name := range slices.Sorted(maps.Keys(value)) {
		switch part, known := n.properties[name]; {
		case known:
			part.hold(value[name], at.in(name), f)
		case n.additional == nil:
		case n.additional.refuses:
			unknown = append(unknown, quote(name))
		default:
			n.additional.hold(value[name], at.in(name), f)
		}
	}
	if len(unknown) > 0 {
		f.add(at, func() string { return "additional properties " + strings.Join(unknown, ", ") + " not allowed" })
	}
}

// hold holds a value to alternatives. They are one mistake: none of them alone is what has
// to be corrected.
func (c choice) hold(value any, at place, f *findings) {
	var forms []string
	fits := 0
	for _, form := range c.forms {
		g := findings{whole: f.whole}
		form.hold(value, at, &g)
		if g.total == 0 {
			fits++
		}
		forms = append(forms, g.worded...)
	}

	switch {
	case fits == 0:
		slices.Sort(forms)
		f.add(at, func() string {
			return "fits none of the allowed forms: " + strings.Join(forms[:min(len(forms), maxWorded)], "; or ")
		})
	case fits > 1 && c.one:
		f.add(at, func() string { return fmt.Sprintf("fits %d of the forms of which it may fit one", fits) })
	}
}

// isOf reports whether a value is of a type.
func isOf(value any, kind string) bool {
	if kind == "integer" {
		n, ok := numberOf(value)
		return ok && n.IsInt()
	}
	return kindOf(value) == kind
}

// kindOf returns the type of a value, number for all numbers.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

// numberOf returns a number exactly.
func numberOf(value any) (*big.Rat, bool) {
	switch value := value.(type) {
	case json.Number:
		return new(big.Rat).SetString(string(value))
	case float64:
		n := new(big.Rat).SetFloat64(value)
		return n, n != nil
	}
	return nil, false
}

// equal reports whether two values are the same, numbers by their value.
func equal(a, b any) bool {
	if x, ok := numberOf(a); ok {
		y, ok := numberOf(b)
		return ok && x.Cmp(y) == 0
	}
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

func oneOf(values []any) string {
	var words []string
	for _, v := range values {
		text, isText := v.(string)
		if !isText {
			text = fmt.Sprint(v)
		} else {
			text = quote(text)
		}
		words = append(words, text)
	}
	return plural(len(words), "", "one of ") + strings.Join(words, ", ")
}

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// quote writes a text between single quotes, which need no escapes in JSON.
func quote(s string) string {
	s = strconv.Quote(s)
	s = strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
	return "'" + strings.ReplaceAll(s, "'", `\'`) + "'"
}

// decimal writes a number as people do.
func decimal(n *big.Rat) string {
	f, _ := n.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// What the keywords that bound sizes count.

func characters(value any) (int, bool) {
	text, ok := value.(string)
	return utf8.RuneCountInString(text), ok
}

func elements(value any) (int, bool) {
	list, ok := value.([]any)
	return len(list), ok
}

func members(value any) (int, bool) {
	object, ok := value.(map[string]any)
	return len(object), ok
}
