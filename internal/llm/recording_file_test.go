package llm_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

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
		}, "it is not a file"},
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
