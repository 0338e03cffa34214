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

	"github.com/remit-project/remit/llm"
	"github.com/remit-project/remit/llm/llmtest"
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

// A recording is a file that people read and compare: no times, and nothing of where
// the endpoint is.
func TestRecordingFile(t *testing.T) {
	const want = `{
  "key": "KEY",
  "stage": "look-up",
  "subject": "France",
  "provider": "openai",
  "model": "model-of-openai",
  "request": {
    "model": "model-of-openai",
    "messages": [
      {
        "role": "user",
        "content": "What is the capital of France?"
      }
    ],
    "response_format": {
      "type": "json_schema",
      "json_schema": {
        "name": "capital",
        "schema": {
          "type": "object"
        },
        "strict": true
      }
    }
  },
  "attempts": [
    {
      "form": "object",
      "status": 200,
      "body": {
        "choices": [
          {
            "finish_reason": "stop",
            "index": 0,
            "logprobs": null,
            "message": {
              "content": "{\"city\":\"Paris\"}",
              "refusal": null,
              "role": "assistant"
            }
          }
        ],
        "created": 0,
        "id": "chatcmpl-llmtest",
        "model": "model-of-openai",
        "object": "chat.completion",
        "usage": {
          "completion_tokens": 3,
          "prompt_tokens": 30,
          "prompt_tokens_details": {
            "cached_tokens": 0
          },
          "total_tokens": 33
        }
      }
    }
  ],
  "outcome": "answered"
}
`
	s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply {
		return llmtest.Reply{Text: `{"city":"Paris"}`, Usage: llm.Usage{Input: 30, Output: 3}}
	})
	s.Fail(llmtest.NoSchema)
	p := prompt()
	p.System, p.Schema.JSON = "", json.RawMessage(`{"type": "object"}`)
	dir := t.TempDir()
	name, _, err := record(t, dir, s.Endpoint(llm.OpenAI), p)
	if err != nil {
		t.Fatal(err)
	}
	got := files(t, dir)[name]
	var key struct{ Key string }
	if err := json.Unmarshal([]byte(got), &key); err != nil || len(key.Key) != 64 || name != "look-up/France-"+key.Key[:12]+".json" {
		t.Errorf("%s: key %s: %v", name, key.Key, err)
	}
	if diff := cmp.Diff(want, strings.Replace(got, key.Key, "KEY", 1)); diff != "" {
		t.Error(diff)
	}
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

// Whatever a prompt is about, its recording is in the directory.
func TestNamesOfRecordings(t *testing.T) {
	s := llmtest.New(t, right)
	for _, name := range []string{"../../outside", "/etc/passwd", "..", ".", "", "a/b", "con\x00:*?", strings.Repeat("é", 300), "\xff"} {
		parent := t.TempDir()
		dir := filepath.Join(parent, "recordings")
		p := prompt()
		p.Stage, p.Subject = "s"+name, name
		if _, _, err := record(t, dir, s.Endpoint(llm.OpenAI), p); err != nil {
			t.Fatal(err)
		}
		for file := range files(t, parent) {
			if !strings.HasPrefix(file, "recordings/s") || strings.Count(file, "/") != 2 || len(file) > 200 {
				t.Errorf("%q is in %q", name, file)
			}
		}
	}
}

// A file that isn't what it should be is named, and nothing is asked in its place.
func TestBrokenRecordings(t *testing.T) {
	s := llmtest.New(t, right)
	for _, tc := range []struct {
		name string
		// spoil changes the file.
		spoil func(t *testing.T, file, text string) string
		want  string
	}{
		{"empty", func(*testing.T, string, string) string { return "" }, "EOF"},
		{"half of it", func(_ *testing.T, _, text string) string { return text[:len(text)/2] }, "EOF"},
		{"something behind it", func(_ *testing.T, _, text string) string { return text + "{}" }, "something follows"},
		{"another member", func(_ *testing.T, _, text string) string { return strings.Replace(text, `"key"`, `"x": 1, "key"`, 1) }, "unknown field"},
		{"another request", func(_ *testing.T, _, text string) string { return strings.Replace(text, "capital of", "end of", 1) }, "its request is another"},
		{"another key", func(_ *testing.T, _, text string) string { return strings.Replace(text, `"key": "`, `"key": "0`, 1) }, "its request is another"},
		{"no attempts", func(_ *testing.T, _, text string) string {
			head, _, _ := strings.Cut(text, `"attempts"`)
			return head + `"attempts": [], "outcome": "answered"}`
		}, "it has no attempts"},
		{"an unknown outcome", func(_ *testing.T, _, text string) string {
			return strings.Replace(text, `: "answered"`, `: "great"`, 1)
		}, `"great" is unknown`},
		{"an answer of no model", func(_ *testing.T, _, text string) string { return strings.Replace(text, `"choices"`, `"chosen"`, 1) }, "no message in it"},
		{"a directory", func(t *testing.T, file, _ string) string {
			if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o755)); err != nil {
				t.Fatal(err)
			}
			return ""
		}, "it is no file"},
		{"a link out of the directory", func(t *testing.T, file, text string) string {
			outside := filepath.Join(t.TempDir(), "outside.json")
			if err := errors.Join(os.WriteFile(outside, []byte(text), 0o644), os.Remove(file), os.Symlink(outside, file)); err != nil {
				t.Skip(err)
			}
			return ""
		}, "escapes"},
		{"an endless file", func(t *testing.T, file, _ string) string {
			if err := os.Truncate(file, 1<<30); err != nil {
				t.Skip(err)
			}
			return ""
		}, "longer than"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			name, _, err := record(t, dir, s.Endpoint(llm.OpenAI), prompt())
			if err != nil {
				t.Fatal(err)
			}
			asked := len(s.Asked())
			file := filepath.Join(dir, name)
			if text := tc.spoil(t, file, files(t, dir)[name]); text != "" || tc.name == "empty" {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for mode, recordings := range map[string]*llm.Recordings{"record": llm.Record(dir), "replay": llm.Replay(dir)} {
				_, err := newClient(t, llm.Options{Default: s.Endpoint(llm.OpenAI), Recordings: recordings}).Complete(t.Context(), prompt())
				if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%s: %v", mode, err)
				}
			}
			if n := len(s.Asked()) - asked; n != 0 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// An answer that can't be recorded is not used: the run could not be replayed.
func TestNoPlaceToRecord(t *testing.T) {
	s := llmtest.New(t, right)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if a, err := newClient(t, llm.Options{Default: s.Endpoint(llm.OpenAI), Recordings: llm.Record(file)}).Complete(t.Context(), prompt()); a != nil || err == nil {
		t.Error(a, err)
	}
}

// FuzzReplay: whatever a recording says was answered, a replay ends with an answer
// that meets the schema, or an error.
func FuzzReplay(f *testing.F) {
	for _, attempts := range []string{
		`[{"form": "schema", "status": 200, "body": {"choices": [{"message": {"content": "{\"city\": \"Paris\", \"population\": 2}"}}]}}]`,
		`[{"form": "schema", "status": 200, "body": {"choices": [{"message": {"content": null, "refusal": "no"}}]}}]`,
		`[{"form": "text", "status": 400, "body": {"error": {"message": "no", "code": "content_filter"}}}]`,
		`[{"form": "object", "status": 500, "body": "x"}]`, `[]`, `[{"body": null}]`, `null`,
	} {
		f.Add(attempts)
	}
	// The name and the head of the file are those of a real one.
	p, dir := prompt(), f.TempDir()
	e := llmtest.New(f, right).Endpoint(llm.OpenAI)
	name, _, err := record(f, dir, e, p)
	if err != nil {
		f.Fatal(err)
	}
	head, _, _ := strings.Cut(files(f, dir)[name], `"attempts"`)
	f.Fuzz(func(t *testing.T, attempts string) {
		text := head + `"attempts": ` + attempts + `, "outcome": "answered"}`
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := llm.New(llm.Options{Default: e, Recordings: llm.Replay(dir)})
		if err != nil {
			t.Fatal(err)
		}
		a, err := c.Complete(t.Context(), p)
		if err != nil {
			return
		}
		if mistakes, err := p.Schema.Mistakes(string(a.Value)); err != nil || len(mistakes) > 0 {
			t.Fatalf("%s: %q, %v", a.Value, mistakes, err)
		}
	})
}
