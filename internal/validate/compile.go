package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Compile reads a schema of JSON Schema 2020-12, which can refer only to itself.
func Compile(text []byte) (*Schema, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not JSON: something follows the schema")
	}

	c := compiler{doc: doc, keywords: keywords(), at: map[string]*node{}}
	root, err := c.referred("#")
	if err != nil {
		return nil, err
	}
	for _, n := range c.at {
		if n.reaches(n, map[*node]bool{}) {
			return nil, errors.New("a schema refers to itself without a member or an element between")
		}
	}
	return &Schema{root}, nil
}

type compiler struct {
	doc      any
	keywords map[string]keyword
	// at are the schemas that references lead to, by reference. One that isn't ready yet
	// is there, too: schemas are recursive.
	at map[string]*node
}

// referred returns the schema that a reference leads to.
func (c *compiler) referred(ref string) (*node, error) {
	if n := c.at[ref]; n != nil {
		return n, nil
	}
	path, ok := strings.CutPrefix(ref, "#")
	if !ok || (path != "" && path[0] != '/') {
		return nil, fmt.Errorf("a schema can't refer to others as %q does: put the definition under $defs", ref)
	}

	target := c.doc
	for token := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		object, _ := target.(map[string]any)
		if target, ok = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]; !ok {
			return nil, fmt.Errorf("a schema refers to %q, which isn't there: put the definition under $defs", ref)
		}
	}

	n := &node{}
	c.at[ref] = n
	return n, c.into(n, target)
}

// schema compiles a part of the schema.
func (c *compiler) schema(v any) (*node, error) {
	n := &node{}
	return n, c.into(n, v)
}

func (c *compiler) into(n *node, v any) error {
	if holds, ok := v.(bool); ok {
		n.refuses = !holds
		return nil
	}
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is not a schema: write an object, true or false", kindOf(v))
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		read, ok := c.keywords[name]
		if !ok {
			return fmt.Errorf("the keyword %q is not known", name)
		}
		if read == nil {
			continue
		}
		if err := read(c, n, object[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}

	return nil
}

// keyword reads a keyword into a schema.
type keyword func(c *compiler, n *node, v any) error

// keywords returns those that are known, with nil for those that hold no value to anything.
func keywords() map[string]keyword {
	return map[string]keyword{
		"$schema": nil, "$comment": nil, "$defs": nil, "title": nil, "description": nil, "default": nil, "examples": nil,
		"deprecated": nil, "format": nil, "readOnly": nil, "writeOnly": nil,

		"type":     readTypes,
		"enum":     func(_ *compiler, n *node, v any) (err error) { n.listed, err = as[[]any](v); return err },
		"const":    func(_ *compiler, n *node, v any) error { n.all = append(n.all, &node{listed: []any{v}}); return nil },
		"required": func(_ *compiler, n *node, v any) (err error) { n.required, err = texts(v); return err },
		"pattern": func(_ *compiler, n *node, v any) error {
			text, err := as[string](v)
			if err == nil {
				n.pattern, err = regexp.Compile(text)
			}
			return err
		},

		"minLength": sized(characters, "minLength", false), "maxLength": sized(characters, "maxLength", true),
		"minItems": sized(elements, "minItems", false), "maxItems": sized(elements, "maxItems", true),
		"minProperties": sized(members, "minProperties", false), "maxProperties": sized(members, "maxProperties", true),
		"minimum":          ranged("minimum", func(compared int) bool { return compared >= 0 }),
		"maximum":          ranged("maximum", func(compared int) bool { return compared <= 0 }),
		"exclusiveMinimum": ranged("exclusiveMinimum", func(compared int) bool { return compared > 0 }),
		"exclusiveMaximum": ranged("exclusiveMaximum", func(compared int) bool { return compared < 0 }),

		"multipleOf": func(_ *compiler, n *node, v any) (err error) {
			if n.multiple, err = ratio(v); err == nil && n.multiple.Sign() <= 0 {
				err = errors.New("it must be more than 0")
			}
			return err
		},

		"properties":           readProperties,
		"additionalProperties": func(c *compiler, n *node, v any) (err error) { n.additional, err = c.schema(v); return err },
		"items":                func(c *compiler, n *node, v any) (err error) { n.items, err = c.schema(v); return err },
		"not":                  func(c *compiler, n *node, v any) (err error) { n.not, err = c.schema(v); return err },
		"$ref":                 readReference,
		"allOf": func(c *compiler, n *node, v any) error {
			list, err := c.list(v)
			n.all = append(n.all, list...)
			return err
		},
		"anyOf": chosen(false), "oneOf": chosen(true),
	}
}

func readTypes(_ *compiler, n *node, v any) (err error) {
	if text, ok := v.(string); ok {
		v = []any{text}
	}
	if n.types, err = texts(v); err != nil {
		return err
	}
	for _, t := range n.types {
		if !slices.Contains([]string{"null", "boolean", "string", "number", "integer", "array", "object"}, t) {
			return fmt.Errorf("%q is not a type", t)
		}
	}
	return nil
}

func readProperties(c *compiler, n *node, v any) error {
	object, err := as[map[string]any](v)
	n.properties = map[string]*node{}
	for name, part := range object {
		if n.properties[name], err = c.schema(part); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return err
}

func readReference(c *compiler, n *node, v any) error {
	ref, err := as[string](v)
	if err != nil {
		return err
	}
	target, err := c.referred(ref)
	n.all = append(n.all, target)
	return err
}

func chosen(one bool) keyword {
	return func(c *compiler, n *node, v any) error {
		forms, err := c.list(v)
		n.choices = append(n.choices, choice{forms, one})
		return err
	}
}

func sized(of func(any) (int, bool), name string, most bool) keyword {
	return func(_ *compiler, n *node, v any) error {
		number, err := as[json.Number](v)
		if err != nil {
			return err
		}
		bound, err := strconv.Atoi(string(number))
		n.sizes = append(n.sizes, size{name, of, bound, most})
		return err
	}
}

func ranged(name string, in func(int) bool) keyword {
	return func(_ *compiler, n *node, v any) error {
		bound, err := ratio(v)
		n.ranges = append(n.ranges, span{name, bound, in})
		return err
	}
}

// ratio reads a number exactly.
func ratio(v any) (*big.Rat, error) {
	number, err := as[json.Number](v)
	if err != nil {
		return nil, err
	}
	out, ok := new(big.Rat).SetString(string(number))
	if !ok {
		return nil, fmt.Errorf("%q is not a number", number)
	}
	return out, nil
}

// list compiles a list of schemas.
func (c *compiler) list(v any) ([]*node, error) {
	list, err := as[[]any](v)
	out := make([]*node, len(list))
	for i, part := range list {
		if out[i], err = c.schema(part); err != nil {
			return nil, err
		}
	}
	if err == nil && len(out) == 0 {
		err = errors.New("the list is empty")
	}
	return out, err
}

// as returns a value of a type.
func as[T any](v any) (T, error) {
	out, ok := v.(T)
	if !ok {
		return out, fmt.Errorf("it can't be %s", kindOf(v))
	}
	return out, nil
}

// texts reads a list of texts.
func texts(v any) ([]string, error) {
	list, err := as[[]any](v)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(list))
	for i, e := range list {
		if out[i], err = as[string](e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reaches reports whether a schema holds the same value to another one.
func (n *node) reaches(target *node, seen map[*node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	next := slices.Clone(n.all)
	for _, c := range n.choices {
		next = append(next, c.forms...)
	}
	if n.not != nil {
		next = append(next, n.not)
	}
	return slices.ContainsFunc(next, func(part *node) bool { return part == target || part.reaches(target, seen) })
}
