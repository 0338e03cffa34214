package direct

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/ext"
	"cel.dev/cel-go/interpreter"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/decimal"
	"github.com/remit-project/remit/internal/record"
)

// tester is a test, or a run of a property.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Skipf(string, ...any)
}

// environment is one like that of guards.
func environment(t testing.TB) (*cel.Env, *Functions) {
	t.Helper()
	env, err := cel.NewCustomEnv(decimal.Library(), cel.OptionalTypes(),
		ext.Strings(), ext.Math(), ext.Lists(), ext.Sets(), ext.TwoVarComprehensions(), ext.Bindings(),
		cel.Variable("args", cel.DynType), cel.Variable("absent", cel.DynType), cel.Constant("TEN", cel.IntType, types.Int(10)),
		cel.Function("found", cel.Overload("found_map", []*cel.Type{cel.MapType(cel.StringType, cel.DynType)}, cel.DynType, cel.LateFunctionBinding())))
	if err != nil {
		t.Fatal(err)
	}
	return env, NewFunctions(env)
}

// compile checks an expression of a test's own.
func compile(t tester, env *cel.Env, text string) *cel.Ast {
	t.Helper()
	checked, err := check(t, env, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return checked
}

// check checks an expression. Drawn ones may have wrong types.
func check(t tester, env *cel.Env, text string) (*cel.Ast, error) {
	t.Helper()
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		t.Fatalf("%s: %v", text, issues.Err())
	}
	decimal.Literals(parsed.NativeRep())
	checked, issues := env.Check(parsed)
	return checked, issues.Err()
}

// values are the variables of a test. What is found is what was asked for, and nothing else
// is known of it.
type values struct{ args ref.Val }

func (v values) Value(name string) ref.Val {
	switch name {
	case "args":
		return v.args
	case "absent":
		return types.NewUnknown(1, nil)
	}
	return nil
}

func (v values) Call(function string, args []ref.Val) ref.Val {
	m := args[0].(interface {
		Find(ref.Val) (ref.Val, bool)
	})
	if what, ok := m.Find(types.String("a")); ok && what.Type() == types.IntType {
		return types.NewUnknown(1, nil)
	}
	return args[0]
}

func (v values) ResolveName(name string) (any, bool) { x := v.Value(name); return x, x != nil }

func (v values) Parent() cel.Activation { return nil }

func (v values) ResolveFunction(name string) (cel.LateBoundFunction, bool) {
	return func(_ string, args ...ref.Val) ref.Val { return v.Call(name, args) }, name == "found"
}

func decode(t tester, text string) ref.Val {
	t.Helper()
	v, err := record.Anything().Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// same fails where an expression has an answer, and cel-go another or a higher cost. It
// reports whether there was an answer.
func same(t tester, env *cel.Env, f *Functions, text, args string) bool {
	t.Helper()
	checked, err := check(t, env, text)
	if err != nil {
		t.Skipf("%s: %v", text, err)
	}
	p := Compile(f, checked)
	if p == nil {
		return false
	}
	program, err := env.Program(checked, cel.EvalOptions(cel.OptTrackCost), cel.OptimizeRegex(interpreter.MatchesRegexOptimization))
	if err != nil {
		t.Fatalf("%s has no program of CEL: %v", text, err)
	}
	v := values{decode(t, args)}
	const limit = 1_000_000
	got, left := p.eval(v, limit)
	if got == nil {
		return false
	}

	want, details, err := program.Eval(v)
	if err != nil {
		t.Fatalf("%s of %s is %s, and an error of CEL: %v", text, args, record.Text(got), err)
	}
	if shown := record.Text(got); got.Type() != want.Type() || shown != record.Text(want) || types.Equal(got, want) != types.True {
		t.Fatalf("%s of %s is %s, and %s of CEL", text, args, shown, record.Text(want))
	}
	if cost := details.ActualCost(); *cost > uint64(limit-left) {
		t.Fatalf("%s of %s costs %d, and is charged %d", text, args, *cost, limit-left)
	}
	return true
}

const sample = `{"id":"r1","n":3,"total":20.5,"on":"2026-03-02","ok":true,"none":null,"tags":["a","b","a"],"items":[{"id":"x","price":9.99,"count":2},{"id":"y","price":0.52,"count":1}],"by":{"x":{"left":4},"y":{"left":0}},"rows":[[1,2],[3]]}`

// TestAnswers: rules as people write them have an answer, the one of cel-go.
func TestAnswers(t *testing.T) {
	env, f := environment(t)
	for _, text := range []string{
		`args.n < 5 && args.total <= 20.50`,
		`args.n == TEN || args.id == "r1"`,
		`args.n in [1, 2, 3] && args.id in args.by == false`,
		`!has(args.note) || args.note.size() < 3`,
		`has(args.id) ? args.id : "none"`,
		`args.items.all(i, i.count > 0 && i.price < 10)`,
		`args.items.exists(i, i.id == "y")`,
		`args.items.exists_one(i, i.id == "y")`,
		`args.items.map(i, i.count * i.price).sum() == 20.5`,
		`args.items.filter(i, i.count > 1).map(i, i.id) == ["x"]`,
		`args.items.map(i, i.count > 1, i.id)`,
		`args.items.all(n, i, args.by[i.id].left >= n - 1)`,
		`args.tags.transformList(n, tag, n > 0, tag + "!")`,
		`args.by.exists(name, args.by[name].left == 0)`,
		`args.by.all(name, it, name.size() == 1 && it.left < 5)`,
		`args.rows.all(r, r.all(c, c > 0 && r.exists(d, d == c)))`,
		`args.?note.orValue("") == ""`,
		`args.?by.?x.?left.orValue(0) == 4`,
		`args.?by.x.left.orValue(0) == 4`,
		`args[?"id"].or(args.?note).hasValue()`,
		`args.tags[?7].orValue("z") == "z"`,
		`args.tags[0] + args.tags[1]`,
		`cel.bind(a, args.n + 1, a * a > 9)`,
		`cel.bind(a, absent, args.n > 1 || a)`,
		`args.n > 1 || absent`,
		`args.id.startsWith("r") && args.id.matches("^r[0-9]$")`,
		`found({"id": args.id}).id == "r1"`,
		`sets.contains(args.tags, ["a"]) && args.tags.distinct().size() == 2`,
		`decimal("9.99") == args.items[0].price`,
		`timestamp("2026-03-01T00:00:00Z") < timestamp(args.on + "T00:00:00Z")`,
		`{"a": args.n}.a == 3`,
		`args.none == null && args != null`,
		`"a,b".split(",") == args.tags.slice(0, 2)`,
		`args.tags.flatten() == args.tags && args.rows.flatten().size() == 3`,
		`type(args.id) == string && type(args.by) == map && type(args.tags) != map && type(args.n) != string && type(args.none) == null_type`,
		`math.greatest(args.n, 2) == 3 && -args.n < 0`,
	} {
		if !same(t, env, f, text, sample) {
			t.Errorf("no answer to %s", text)
		}
	}
}

// TestNoAnswer: what fails, is unknown, or might cost too much is left to cel-go.
func TestNoAnswer(t *testing.T) {
	env, f := environment(t)
	for _, text := range []string{
		`args.missing`, `args.tags[9]`, `args.id.x`, `args.n / 0 == 1`, `args.id < 3`, `absent`, `absent == 1`, `args.missing || true`,
		`found({"a": 1})`, `lists.range(1000000).size()`, `args.rows.flatten(2)`, `args.n.flatten()`, `args.ok && args.id`, `!args.n`, `args.n ? 1 : 2`,
		`-args.id == "r1"`, `-args.none == null`, `bytes(args.id) in dyn({"a": 1})`, `args.n.exists(x, true)`, `type(args.n) == uint`, `args.tags["0"]`, `args.items.map(i, i.id)[-1]`,
	} {
		if p := Compile(f, compile(t, env, text)); p != nil {
			if got := p.Eval(values{decode(t, sample)}, 1_000_000); got != nil {
				t.Errorf("%s is %s", text, record.Text(got))
			}
		}
	}
	costly := Compile(f, compile(t, env, `args.rows.all(a, args.rows.all(b, a == b || true))`))
	if got := costly.Eval(values{decode(t, sample)}, 1000); got != nil {
		t.Errorf("what costs too much is %s", record.Text(got))
	}
}

// TestPanics: a function that panics has no answer, as it is an error of cel-go.
func TestPanics(t *testing.T) {
	env, f := environment(t)
	env, err := env.Extend(cel.Function("fragile", cel.Overload("fragile_any", []*cel.Type{cel.DynType}, cel.BoolType,
		cel.UnaryBinding(func(ref.Val) ref.Val { panic("fragile") }))))
	if err != nil {
		t.Fatal(err)
	}
	checked := compile(t, env, `fragile(args.id)`)
	if got := Compile(NewFunctions(env), checked).Eval(values{decode(t, sample)}, 1000); got != nil {
		t.Errorf("fragile is %s", record.Text(got))
	}
	if !same(t, env, f, `args.id == "r1"`, sample) {
		t.Error("no answer after a panic")
	}
}

// expressions draws expressions over the members of the sample.
func expressions() *rapid.Generator[string] {
	leaf := rapid.SampledFrom([]string{"args", "args.id", "args.n", "args.total", "args.ok", "args.none", "args.tags", "args.items", "args.by", "args.rows", "args.missing", "args.by.x", "args.by.x.left",
		"absent", "1", "2.5", "0", `"a"`, `"r1"`, "true", "false", "null", "[]", `["a", "b"]`, "{}", "TEN", "x", "y"})
	return rapid.Custom(func(t *rapid.T) string {
		var draw func(depth int) string
		draw = func(depth int) string {
			if depth == 0 {
				return leaf.Draw(t, "leaf")
			}
			form := rapid.SampledFrom([]string{"L", "(D == D)", "(D != D)", "(D < D)", "(D >= D)", "(D && D)", "(D || D)", "(D + D)", "(D * D)", "(D in D)", "(bytes(D) in D)", "!D", "-D", "(D ? D : D)",
				"has(L.id)", "D.id", "D.?left", "D.?id.orValue(D)", "D[D]", "D[?D]", "D.all(x, D)", "D.exists(x, D)", "D.exists_one(x, D)", "D.map(x, D)", "D.filter(x, D)", "D.map(x, D, D)",
				"D.all(x, y, D)", "D.transformList(x, y, D)", "D.exists(y, D)", "cel.bind(x, D, D)", "D.size()", "[D, D]", `{"a": D}`, `found({"a": D})`, "D.sum()", "D.flatten()", "type(D) == string", "type(D) == map", "type(D) == int", "type(D) == type(D)", `D.startsWith(D)`, "dyn(D).contains(D)", `dyn(D).matches("[")`, `dyn(D).matches("a+")`}).Draw(t, "form")
			var b strings.Builder
			for _, c := range form {
				switch c {
				case 'D':
					b.WriteString(draw(rapid.IntRange(0, depth-1).Draw(t, "depth")))
				case 'L':
					b.WriteString(leaf.Draw(t, "leaf"))
				default:
					b.WriteRune(c)
				}
			}
			return b.String()
		}
		return draw(rapid.IntRange(1, 4).Draw(t, "depth"))
	})
}

// TestSameAsCEL: whatever has an answer has the one of cel-go, and is charged for no less.
func TestSameAsCEL(t *testing.T) {
	env, f := environment(t)
	// Variables of loops that are used outside of one.
	outside, err := env.Extend(cel.Variable("x", cel.DynType), cel.Variable("y", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	rapid.Check(t, func(t *rapid.T) {
		text := expressions().Draw(t, "expression")
		args := rapid.SampledFrom([]string{sample, `{}`, documents(t)}).Draw(t, "arguments")
		parsed, issues := outside.Parse(text)
		if issues.Err() != nil {
			return
		}
		decimal.Literals(parsed.NativeRep())
		if _, issues := outside.Check(parsed); issues.Err() != nil {
			return
		}
		if same(t, outside, f, text, args) {
			answered++
		}
	})
	if answered == 0 {
		t.Error("nothing was answered")
	}
}

// documents draws arguments with the members of the sample, of any kind.
func documents(t *rapid.T) string {
	value := rapid.SampledFrom([]string{`1`, `2.5`, `"a"`, `"r1"`, `true`, `null`, `[]`, `["a","b"]`, `[1,2.5]`, `[{"id":"a"},{"left":1}]`, `{}`, `{"a":{"left":1,"id":"b"}}`, `[[1],["a"]]`})
	members := map[string]json.RawMessage{}
	for _, name := range []string{"id", "n", "total", "ok", "none", "tags", "items", "by", "rows"} {
		members[name] = json.RawMessage(value.Draw(t, name))
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func BenchmarkEval(b *testing.B) {
	env, f := environment(b)
	checked := compile(b, env, `args.items.all(i, i.count > 0 && args.by[i.id].left >= 0)`)
	p := Compile(f, checked)
	program, err := env.Program(checked)
	if err != nil {
		b.Fatal(err)
	}
	v := values{decode(b, sample)}
	b.Run("direct", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Eval(v, 1_000_000)
		}
	})
	b.Run("cel", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := program.Eval(v); err != nil {
				b.Fatal(fmt.Errorf("of CEL: %w", err))
			}
		}
	})
}
