package mutation

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Apart is a call that a rule and its mutant judge differently: an example, with
// one value changed.
type Apart struct {
	// Example is the one that it is made of, and Where the place that is changed:
	// "args/amount", "get_order/paid" or "now".
	Example, Where string
	// Value is the new value there, as JSON; empty where an element was left out.
	Value string
	// Rule and Mutant are what they say of it.
	Rule, Mutant label.Verdict
	// Call is the example as it is then; what it expects isn't known.
	Call guard.Example
}

// maxTries bounds the search for such a call: beyond it, people are quicker.
const maxTries = 300

// tell looks for values that distinguish a mutant from its rule: the boundaries that the
// expressions name, in every place of the examples.
func tell(ctx context.Context, g, mutant *guard.Guard, rule *verdicts, part guard.Part, text string, examples []guard.Example) *Apart {
	bounds := boundaries(part.Expression.Text, text)
	for _, p := range g.Parts() {
		if p.Policy == part.Policy {
			bounds.rule += p.Expression.Text + "\n"
			bounds.compared.add(p.Variable, p.Expression.Text)
		}
	}
	bounds.compared.add("", text)

	tries := 0
	for i := range examples {
		for where, e := range variations(&examples[i], bounds) {
			if tries++; tries > maxTries || ctx.Err() != nil {
				return nil
			}
			a, b := rule.of(ctx, &e.Example), guardtest.Result{}
			guardtest.Judge(ctx, mutant, &e.Example, &b)
			if a.Failed == "" && b.Failed == "" && a.Got != b.Got {
				return &Apart{examples[i].Name, where.place, where.value, a.Got, b.Got, e.Example}
			}
		}
	}

	return nil
}

// verdicts are what a rule says of calls. Most mutants of a part are tried with the same
// ones, and the rule is asked once about each.
type verdicts struct {
	rule  *guard.Guard
	mu    sync.Mutex
	known map[string]guardtest.Result
}

// of returns what the rule says of an example.
func (v *verdicts) of(ctx context.Context, e *guard.Example) guardtest.Result {
	key := fmt.Sprintf("%s\x00%s\x00%s", e.Name, e.Now.Format(time.RFC3339Nano), e.Args)
	for _, g := range e.Given {
		key += "\x00" + string(g.Result)
	}
	v.mu.Lock()
	r, ok := v.known[key]
	v.mu.Unlock()
	if ok {
		return r
	}

	guardtest.Judge(ctx, v.rule, e, &r)
	v.mu.Lock()
	v.known[key] = r
	v.mu.Unlock()
	return r
}

// bounds are the values that expressions name.
type bounds struct {
	numbers []*big.Rat
	spans   []time.Duration
	// rule is all that the rule has: fields that it doesn't name don't matter.
	rule string
	// compared says what texts may be where, and texts are those of the documents, by the members
	// that have them.
	compared comparisons
	texts    map[string][]string
}

func boundaries(texts ...string) bounds {
	var b bounds
	env, err := parser()
	if err != nil {
		return b
	}

	for _, text := range texts {
		a, issues := env.Parse(text)
		if issues.Err() != nil {
			continue
		}

		ast.PreOrderVisit(a.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
			if e.Kind() != ast.LiteralKind {
				return
			}
			switch v := e.AsLiteral().(type) {
			case types.Int, types.Double:
				if r, ok := new(big.Rat).SetString(fmt.Sprint(v.Value())); ok {
					b.numbers = append(b.numbers, r)
				}
			case types.String:
				if d, err := time.ParseDuration(string(v)); err == nil {
					b.spans = append(b.spans, d, -d)
				}
			}
		}))
	}

	return b
}

// variation is an example with one value changed.
type variation struct{ guard.Example }

type place struct{ place, value string }

// variations yields an example with each of its values changed to each boundary
// that it could have.
func variations(e *guard.Example, b bounds) func(yield func(place, variation) bool) {
	return func(yield func(place, variation) bool) {
		more := true
		documents := []json.RawMessage{e.Args}
		for _, g := range e.Given {
			documents = append(documents, g.Result)
		}
		for i, doc := range documents {
			var root any
			d := json.NewDecoder(strings.NewReader(string(doc)))
			d.UseNumber()
			if len(doc) == 0 || d.Decode(&root) != nil {
				continue
			}
			inDocument(&root, "", neighbours(documents, b), func(at, value string) bool {
				changed, err := changedAt(doc, root, at)
				if err != nil {
					return true
				}
				v := variation{*e}
				if i == 0 {
					v.Args = changed
					more = yield(place{"args" + at, value}, v)
				} else {
					v.Given = slices.Clone(e.Given)
					v.Given[i-1].Result = changed
					more = yield(place{e.Given[i-1].Tool + at, value}, v)
				}
				return more
			})
			if !more {
				return
			}
		}
		for _, now := range moments(e, documents, b) {
			v := variation{*e}
			v.Now = now
			if !yield(place{"now", now.Format(time.RFC3339)}, v) {
				return
			}
		}
	}
}

// changedAt returns a document with the value that its changed form has at a place. The order of
// members stays, so that what is kept of it is told by its difference.
func changedAt(doc json.RawMessage, root any, at string) (json.RawMessage, error) {
	value, ok := root, true
	for _, name := range strings.Split(at, "/")[1:] {
		switch v := value.(type) {
		case map[string]any:
			value, ok = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if ok = err == nil && i >= 0 && i < len(v); ok {
				value = v[i]
			}
		default:
			ok = false
		}
		if !ok {
			return json.Marshal(root) // a name with a slash in it
		}
	}

	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	parsed, err := strictjson.Parse(doc, strictjson.OutputLimits())
	if err != nil || !parsed.At(at).Exists() {
		return json.Marshal(root)
	}
	return strictjson.Splice(doc, parsed.At(at).Span(), raw), nil
}

// moments returns times at which a rule about times may turn: the times in the documents plus the
// spans that the rule names, and the moments right before and after these.
func moments(e *guard.Example, documents []json.RawMessage, b bounds) []time.Time {
	if e.Now.IsZero() {
		return nil
	}

	from := []time.Time{e.Now}
	for _, text := range neighbours(documents, b).allTexts() {
		for _, in := range []*time.Location{e.Now.Location(), time.UTC} {
			for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
				if t, err := time.ParseInLocation(layout, text, in); err == nil {
					from = append(from, t)
				}
			}
		}
	}

	var out []time.Time
	for _, t := range from {
		for _, span := range append([]time.Duration{0}, b.spans...) {
			for _, beside := range []time.Duration{0, time.Second, -time.Second} {
				out = append(out, t.Add(span+beside).In(e.Now.Location()))
			}
		}
	}

	return out
}

// neighbours adds the numbers and texts of the documents to the boundaries, since
// rules compare fields with each other, and what lies just beside all numbers.
func neighbours(documents []json.RawMessage, b bounds) bounds {
	out := bounds{rule: b.rule, compared: b.compared, texts: map[string][]string{}}
	numbers := slices.Clone(b.numbers)
	for _, doc := range documents {
		var root any
		d := json.NewDecoder(strings.NewReader(string(doc)))
		d.UseNumber()
		if d.Decode(&root) != nil {
			continue
		}
		scalars(root, "", func(name string, v any) {
			switch v := v.(type) {
			case json.Number:
				if r, ok := new(big.Rat).SetString(string(v)); ok && len(v) < 30 {
					numbers = append(numbers, r)
				}
			case string:
				if !slices.Contains(out.texts[name], v) {
					out.texts[name] = append(out.texts[name], v)
				}
			}
		})
	}

	for _, n := range numbers {
		for _, by := range []int64{0, 100, -100, 1, -1} {
			moved := new(big.Rat).Add(n, big.NewRat(by, 100))
			if !slices.ContainsFunc(out.numbers, func(o *big.Rat) bool { return o.Cmp(moved) == 0 }) {
				out.numbers = append(out.numbers, moved)
			}
		}
	}

	return out
}

// inDocument changes each value of a document in turn, and emits where and to
// what while it is changed. A list also has an element left out, and one twice.
func inDocument(at *any, path string, b bounds, emit func(at, value string) bool) bool {
	try := func(value any, shown string) bool {
		had := *at
		*at = value
		more := emit(path, shown)
		*at = had
		return more
	}

	switch v := (*at).(type) {
	case json.Number:
		for _, n := range b.numbers {
			text := n.FloatString(2)
			if n.IsInt() {
				text = n.Num().String()
			}
			if text != string(v) && !try(json.Number(text), text) {
				return false
			}
		}
	case string:
		for _, t := range b.textsFor(memberOf(path), v) {
			if !try(t, strconv.Quote(t)) {
				return false
			}
		}
	case bool:
		return try(!v, strconv.FormatBool(!v))
	case []any:
		for i := range v {
			if !inDocument(&v[i], path+"/"+strconv.Itoa(i), b, emit) {
				return false
			}
		}
		if n := len(v); n > 1 {
			return try(v[:n-1], fmt.Sprintf("%d elements", n-1)) && try(append(slices.Clone(v), v[n-1]), fmt.Sprintf("%d elements", n+1))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member := v[name]
			if _, deeper := member.(map[string]any); !deeper && !strings.Contains(b.rule, name) {
				continue
			}
			if !inDocument(&member, path+"/"+name, b, func(at, value string) bool {
				v[name] = member
				return emit(at, value)
			}) {
				return false
			}
			v[name] = member
		}
	}

	return true
}
