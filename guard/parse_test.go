package guard_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/guard"
)

// written returns the expressions of the policies in the repository.
func written(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"testdata/rental/*.yaml", "../examples/*/policy/guards/*.yaml", "../examples/*/guards/*.yaml"} {
		names, err := filepath.Glob(pattern)
		must(t, err)
		for _, name := range names {
			data, err := os.ReadFile(name)
			must(t, err)
			f, err := guard.Load(name, data)
			must(t, err)
			for _, p := range f.Policies {
				out = append(out, p.Require.Text)
				for _, v := range p.Variables {
					out = append(out, v.Value.Text)
				}
			}
		}
	}
	if len(out) < 100 {
		t.Fatalf("%d expressions", len(out))
	}
	return out
}

// FuzzParse parses hostile expressions with both parsers of cel-go: what the quick one takes,
// the other takes as well, and both make the same of it, place by place.
func FuzzParse(f *testing.F) {
	for _, text := range append(written(f), `a.?b[?c].orValue({?"d": e})`, `-1 - -x + !!(-1.5) / 2u`, "x ? y : z ? 'a\\n' : b\"c\"", `cel.bind(x, y, x.all(i, v, i < v) && [1, 2,].exists(k, k in m))`, "// none\n a.`b-c`", `"""a"b""" + r'\d'`, `T{f: 1, ?g: a.b}`, `.a.b(c) || has(a.b) && has(a)`) {
		f.Add(text)
	}
	parse := guard.Parsers(f)
	f.Fuzz(func(t *testing.T, text string) {
		quick, own := parse(text)
		if quick != "" {
			if diff := cmp.Diff(own, quick); diff != "" {
				t.Fatalf("%q (-own +quick):\n%s", text, diff)
			}
		}
	})
}

// TestParse: rules that people write are parsed by the quick parser.
func TestParse(t *testing.T) {
	parse := guard.Parsers(t)
	for _, text := range written(t) {
		if quick, _ := parse(text); quick == "" && text != "" {
			t.Errorf("left to the other parser: %s", text)
		}
	}
}
