package fileschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/mcp/config"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/scope"
)

// loaders are what reads each kind of file. A schema is held to its loader.
var loaders = map[string]func([]byte) error{
	"configuration": func(data []byte) error {
		_, err := config.Load("f", data, func(string) (string, bool) { return "a-value-of-the-environment", true })
		return err
	},
	"contract": func(data []byte) error { _, err := contract.Load("f", data); return err },
	"guard":    func(data []byte) error { _, err := guard.Load("f", data); return err },
	"mapping":  func(data []byte) error { _, err := policydoc.LoadMapping("f", data); return err },
	"scope": func(data []byte) error {
		_, refused, err := scope.Parse(data, nil)
		if err == nil && len(refused) > 0 {
			return errors.New(refused[0].String())
		}
		return err
	},
}

// whole are files that together have every key of their kind.
func whole(t testing.TB, kind string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", kind+"*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("there is no testdata/%s*: %v", kind, err)
	}
	out := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err := errors.Join(err, loaders[kind](data)); err != nil {
			t.Fatalf("%s, whose keys are the format's, is not read: %v", name, err)
		}
		out[name] = data
	}
	return out
}

// samples are the files of the repository that a loader takes.
func samples(t testing.TB, kind string) map[string][]byte {
	t.Helper()
	out := whole(t, kind)
	for _, dir := range []string{"contract/testdata/good", "guard/testdata", "examples", "eval/reviewed/agentdojo", "internal/policydoc"} {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(name) != ".yaml" {
				return err
			}
			data, err := os.ReadFile(name)
			if err == nil && loaders[kind](data) == nil {
				out[name] = data
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func compiled(t testing.TB, kind string) *jsonschema.Schema {
	t.Helper()
	data, err := Of(kind)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(kind, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(kind)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// value is a YAML text as a validator of JSON Schema sees it.
func value(t testing.TB, data []byte) any {
	t.Helper()
	var v any
	if err := yaml.Load(data, &v); err != nil {
		t.Fatal(err)
	}
	return plain(v)
}

// plain makes of a value what JSON has.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			out[k] = plain(e)
		}
		return out
	case map[any]any:
		out := map[string]any{}
		for k, e := range v {
			out[fmt.Sprint(k)] = plain(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plain(e)
		}
		return out
	case time.Time:
		return v.Format(time.RFC3339)
	case int:
		return json.Number(fmt.Sprint(v))
	case int64:
		return json.Number(fmt.Sprint(v))
	case uint64:
		return json.Number(fmt.Sprint(v))
	}
	return v
}

// What a loader reads, its schema accepts: an editor marks no good file.
func TestGoodFilesAreAccepted(t *testing.T) {
	for _, k := range Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			schema := compiled(t, k.Name)
			for name, data := range samples(t, k.Name) {
				if err := schema.Validate(value(t, data)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

// Where a loader says what may be written instead of a word.
var (
	hinted  = regexp.MustCompile(`write ([^()]+?)\)?$`)
	members = regexp.MustCompile(`it may have ([a-z_, ]+)$`)
)

// alternatives are the keys, or the words, that a loader names instead of zzz; nil where
// it names none.
func alternatives(err error, keys bool) []string {
	var said []string
	var mistakes strictyaml.Errors
	if errors.As(err, &mistakes) {
		i := slices.IndexFunc(mistakes, func(m *strictyaml.Error) bool {
			return strings.Contains(m.Message, `has no key "zzz"`) || !keys && strings.HasPrefix(m.Message, "unknown ")
		})
		if i >= 0 {
			said = hinted.FindStringSubmatch(mistakes[i].Hint)
		}
	} else if err != nil {
		said = members.FindStringSubmatch(err.Error())
	}
	if said == nil {
		return nil
	}
	words := strings.FieldsFunc(strings.ReplaceAll(said[1], " or ", ","), func(r rune) bool { return r == ',' || r == ' ' })
	slices.Sort(words)
	return words
}

// The keys that a loader knows at a place are those of the schema, and the words too: the
// loaders themselves are asked, with a word that none of them knows.
func TestKeysAndWordsAreTheLoaders(t *testing.T) {
	for _, k := range Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			schema := compiled(t, k.Name)
			seen := map[string]bool{}
			for _, data := range whole(t, k.Name) {
				root := value(t, data)
				walk(root, schema, func(path []any, v any, s *jsonschema.Schema) {
					changed := func(with any) error { return loaders[k.Name](text(t, replace(root, path, with))) }
					if object, ok := v.(map[string]any); ok && len(s.Properties) > 0 {
						for name := range object {
							seen[s.Location+" "+name] = true
						}
						more := maps.Clone(object)
						more["zzz"] = nil
						keys := alternatives(changed(more), true)
						if known := slices.Sorted(maps.Keys(s.Properties)); !slices.Equal(keys, known) {
							t.Errorf("%v: the loader knows the keys %q, the schema %q", path, keys, known)
						}
					}
					if known := enumeration(s); len(known) > 0 {
						err := changed("zzz")
						if words := alternatives(err, false); err == nil || words != nil && !slices.Equal(words, known) {
							t.Errorf("%v: the loader knows the words %q, the schema %q: %v", path, words, known, err)
						}
					}
				})
			}

			all(schema, map[*jsonschema.Schema]bool{}, func(s *jsonschema.Schema) {
				for name := range s.Properties {
					if !seen[s.Location+" "+name] {
						t.Errorf("no testdata/%s* has the key %s of %s", k.Name, name, s.Location)
					}
				}
			})
		})
	}
}

// What a schema refuses, the loader refuses, whatever is changed in a file.
func TestRefusalsAreTheLoaders(t *testing.T) {
	for _, k := range Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			schema, load := compiled(t, k.Name), loaders[k.Name]
			files := whole(t, k.Name)
			names := slices.Sorted(maps.Keys(files))
			rapid.Check(t, func(r *rapid.T) {
				root := value(t, files[rapid.SampledFrom(names).Draw(r, "file")])
				var paths [][]any
				var words []any
				walk(root, schema, func(path []any, v any, _ *jsonschema.Schema) {
					paths = append(paths, slices.Clone(path))
					words = append(words, v)
				})
				words = append(words, "zzz", nil, true, json.Number("7"), "", map[string]any{}, []any{}, []any{nil})
				for range rapid.IntRange(1, 3).Draw(r, "changes") {
					root = replace(root, rapid.SampledFrom(paths).Draw(r, "where"), rapid.SampledFrom(words).Draw(r, "what"))
				}

				data := text(t, root)
				if err := schema.Validate(value(t, data)); err != nil && load(data) == nil {
					r.Fatalf("the loader takes what the schema refuses: %v\n%s", err, data)
				}
			})
		})
	}
}

// walk visits the values of a document with the schemas that describe them.
func walk(v any, s *jsonschema.Schema, visit func(path []any, v any, s *jsonschema.Schema)) {
	var at func(path []any, v any, s *jsonschema.Schema)
	at = func(path []any, v any, s *jsonschema.Schema) {
		for s != nil && s.Ref != nil {
			s = s.Ref
		}
		if s == nil {
			return
		}
		for _, other := range s.AnyOf {
			if len(s.Properties) == 0 && other.Validate(v) == nil {
				at(path, v, other)
				return
			}
		}
		visit(path, v, s)
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				next := s.Properties[name]
				if next == nil {
					next, _ = s.AdditionalProperties.(*jsonschema.Schema)
				}
				at(append(slices.Clone(path), name), v[name], next)
			}
		case []any:
			for i, e := range v {
				next, _ := s.Items.(*jsonschema.Schema)
				at(append(slices.Clone(path), i), e, next)
			}
		}
	}
	at(nil, v, s)
}

// all visits every schema that a schema leads to.
func all(s *jsonschema.Schema, done map[*jsonschema.Schema]bool, visit func(*jsonschema.Schema)) {
	if s == nil || done[s] {
		return
	}
	done[s] = true
	visit(s)
	all(s.Ref, done, visit)
	for _, p := range s.Properties {
		all(p, done, visit)
	}
	more, _ := s.AdditionalProperties.(*jsonschema.Schema)
	all(more, done, visit)
	items, _ := s.Items.(*jsonschema.Schema)
	all(items, done, visit)
}

// enumeration returns the words of a schema, if that is what it has.
func enumeration(s *jsonschema.Schema) []string {
	if s.Enum == nil {
		return nil
	}
	var words []string
	for _, v := range s.Enum.Values {
		word, ok := v.(string)
		if !ok {
			return nil
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return words
}

// replace returns a document with another value at a place.
func replace(root any, path []any, with any) any {
	if len(path) == 0 {
		return with
	}
	switch v := root.(type) {
	case map[string]any:
		name, ok := path[0].(string)
		if _, has := v[name]; !ok || !has {
			return root
		}
		out := maps.Clone(v)
		out[name] = replace(v[name], path[1:], with)
		return out
	case []any:
		i, ok := path[0].(int)
		if !ok || i >= len(v) {
			return root
		}
		out := slices.Clone(v)
		out[i] = replace(v[i], path[1:], with)
		return out
	}
	return root
}

// text writes a document. JSON is YAML.
func text(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
