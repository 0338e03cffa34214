package llm_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/llm"
	"github.com/remit-project/remit/llm/llmtest"
)

// files are those of a directory, with what is in them.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	if err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		out[name] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// What was recorded is not asked again, and a replay gives the same answer without
// an endpoint.
func TestRecordings(t *testing.T) {
	for name, faults := range map[string][]llmtest.Fault{
		"answered":               nil,
		"repaired":               {llmtest.WrongSchema, llmtest.Malformed},
		"after all sorts of bad": {llmtest.NoSchema, llmtest.Broken, llmtest.Truncated, llmtest.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, p llm.Provider) {
				s := llmtest.New(t, right)
				s.Fail(faults...)
				dir := t.TempDir()
				first, err := newClient(t, llm.Options{Default: s.Endpoint(p), Recordings: llm.Record(dir)}).Complete(t.Context(), prompt())
				if err != nil {
					t.Fatal(err)
				}
				recorded, asked := files(t, dir), len(s.Asked())
				for name, recordings := range map[string]*llm.Recordings{"reused": llm.Record(dir), "replayed": llm.Replay(dir)} {
					c := newClient(t, llm.Options{Default: s.Endpoint(p), Recordings: recordings})
					again, err := c.Complete(t.Context(), prompt())
					if err != nil {
						t.Fatal(err)
					}
					if string(again.Value) != string(first.Value) || again.Model != first.Model {
						t.Errorf("%s: %s of %s, first it was %s of %s", name, again.Value, again.Model, first.Value, first.Model)
					}
					if u := again.Usage; u.Calls != 0 || u.Reused != first.Usage.Calls || u.Input != 0 {
						t.Errorf("%s: usage %+v, first it was %+v", name, u, first.Usage)
					}
				}
				if len(s.Asked()) != asked {
					t.Errorf("%d requests for what was recorded", len(s.Asked())-asked)
				}
				if len(recorded) != 1 {
					t.Errorf("%d files", len(recorded))
				}
				for name, text := range recorded {
					if !strings.HasPrefix(name, "look-up/France-") || files(t, dir)[name] != text {
						t.Errorf("%s has changed or has another name", name)
					}
				}
			})
		})
	}
}
