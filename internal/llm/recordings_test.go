package llm_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

// files are those of a directory, with what is in them.
func files(t testing.TB, dir string) map[string]string {
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

// record records one prompt, and returns the file's name within the directory.
func record(t testing.TB, dir string, e llm.Endpoint, p llm.Prompt) (name string, answer *llm.Answer, err error) {
	t.Helper()
	answer, err = newClient(t, llm.Options{Default: e, Recordings: llm.Record(dir)}).Complete(t.Context(), p)
	for name = range files(t, dir) {
	}
	return name, answer, err
}

// The name of a recording depends on what is asked only: not on where, in which
// order, or on what endpoints turned out to lack by then.
func TestRecordingsAreTheSame(t *testing.T) {
	each(t, func(t *testing.T, p llm.Provider) {
		all := map[string]map[string]string{}
		for name, order := range map[string][]string{"forwards": {"France", "Spain", "Italy"}, "backwards": {"Italy", "Spain", "France"}} {
			dir := t.TempDir()
			s := llmtest.New(t, func(a llmtest.Asked) llmtest.Reply { return llmtest.Reply{JSON: paris, Fault: llmtest.NoSchema} })
			c := newClient(t, llm.Options{Default: s.Endpoint(p), Recordings: llm.Record(dir)})
			for _, country := range order {
				q := prompt()
				q.Subject, q.Messages[0].Text = country, "What is the capital of "+country+"?"
				if _, err := c.Complete(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			}
			all[name] = files(t, dir)
		}
		if diff := cmp.Diff(all["forwards"], all["backwards"]); diff != "" || len(all["forwards"]) != 3 {
			t.Error(diff)
		}
	})
}

// Prompts that are the same are asked once, also at the same time.
func TestSamePrompts(t *testing.T) {
	s := llmtest.New(t, right)
	c := newClient(t, llm.Options{Default: s.Endpoint(llm.OpenAI), Recordings: llm.Record(t.TempDir())})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := c.Complete(t.Context(), prompt()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(s.Asked()); n != 1 {
		t.Errorf("%d requests", n)
	}
	if u := c.Usage()["look-up"]; u.Calls != 1 || u.Reused != 7 {
		t.Errorf("%+v", u)
	}
}

// What ended badly is asked again when a run goes on, and ends alike in a replay.
func TestBadEnds(t *testing.T) {
	for fault, want := range map[llmtest.Fault]string{llmtest.Refused: "refused", llmtest.Truncated: "truncated", llmtest.WrongSchema: "invalid"} {
		t.Run(want, func(t *testing.T) {
			each(t, func(t *testing.T, p llm.Provider) {
				var well atomic.Bool
				s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply {
					if well.Load() {
						return llmtest.Reply{JSON: paris}
					}
					return llmtest.Reply{JSON: paris, Fault: fault}
				})
				dir := t.TempDir()
				o := llm.Options{Default: s.Endpoint(p), Recordings: llm.Record(dir)}
				a, first := newClient(t, o).Complete(t.Context(), prompt())
				if got := city(t, a, first); got != want {
					t.Fatal(got)
				}
				for _, text := range files(t, dir) {
					if !strings.Contains(text, `"outcome": "`+want+`"`) {
						t.Error(text)
					}
				}
				asked := len(s.Asked())
				replay := llm.Options{Default: o.Default, Recordings: llm.Replay(dir)}
				if _, err := newClient(t, replay).Complete(t.Context(), prompt()); err == nil || err.Error() != first.Error() || len(s.Asked()) != asked {
					t.Errorf("replayed: %v", err)
				}
				well.Store(true)
				for _, o := range []llm.Options{o, replay} {
					a, err := newClient(t, o).Complete(t.Context(), prompt())
					if got := city(t, a, err); got != "Paris" || len(s.Asked()) != asked+1 {
						t.Errorf("%s after %d requests", got, len(s.Asked()))
					}
				}
			})
		})
	}
}

// A run that was stopped goes on where it was.
func TestResume(t *testing.T) {
	s := llmtest.New(t, right)
	o := llm.Options{Default: s.Endpoint(llm.OpenAI), Recordings: llm.Record(t.TempDir()), Budget: llm.Budget{Calls: 2}}
	run := func() (done int, last error) {
		c := newClient(t, o)
		for _, subject := range []string{"a", "b", "c"} {
			p := prompt()
			p.Subject = subject
			p.Messages[0].Text += subject
			if _, err := c.Complete(t.Context(), p); err != nil {
				return done, err
			}
			done++
		}
		return done, nil
	}
	if done, err := run(); done != 2 || !errors.Is(err, llm.ErrBudget) {
		t.Fatal(done, err)
	}
	if done, err := run(); done != 3 || err != nil || len(s.Asked()) != 3 {
		t.Error(done, err, len(s.Asked()))
	}
}

// A replay never goes out: what is missing is named.
func TestNothingToReplay(t *testing.T) {
	s := llmtest.New(t, right)
	for name, dir := range map[string]string{"an empty directory": t.TempDir(), "no directory": filepath.Join(t.TempDir(), "none")} {
		_, err := newClient(t, llm.Options{Default: s.Endpoint(llm.OpenAI), Recordings: llm.Replay(dir)}).Complete(t.Context(), prompt())
		if err == nil || !strings.Contains(err.Error(), "look-up of France") || !strings.Contains(err.Error(), dir+"/look-up/France-") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(s.Asked()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// Where the check has become stricter than when an answer was recorded, a run asks
// on from there, and a replay says so.
func TestStricterCheck(t *testing.T) {
	s := llmtest.New(t, func(a llmtest.Asked) llmtest.Reply {
		if len(a.Messages) > 1 {
			return llmtest.Reply{JSON: capital{"Lyon", 1}}
		}
		return llmtest.Reply{JSON: paris}
	})
	dir := t.TempDir()
	if _, _, err := record(t, dir, s.Endpoint(llm.OpenAI), prompt()); err != nil {
		t.Fatal(err)
	}
	p := prompt()
	p.Check = func(value json.RawMessage) error {
		if strings.Contains(string(value), "Paris") {
			return errors.New("any other")
		}
		return nil
	}
	_, err := newClient(t, llm.Options{Default: s.Endpoint(llm.OpenAI), Recordings: llm.Replay(dir)}).Complete(t.Context(), p)
	if err == nil || !strings.Contains(err.Error(), "ends before an answer that is valid now") {
		t.Error(err)
	}
	for range 2 { // the second time all of it is recorded
		_, a, err := record(t, dir, s.Endpoint(llm.OpenAI), p)
		if got := city(t, a, err); got != "Lyon" || len(s.Asked()) != 2 {
			t.Error(got, len(s.Asked()))
		}
	}
}
