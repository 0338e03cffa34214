package main

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

const clinic = "../../examples/clinic"

// quickTool is the tool of the clinic that tests compile alone. Of the others,
// cancel_appointment takes ten times as long: the long TestCompileReplays compiles all.
const quickTool = "book_appointment"

// recordedAnswers are the answers of the clinic's recordings, by what was asked.
// Their files are found by the whole question; here what prompts always say is left
// out, so that a server can answer that goes by a conversation alone.
func recordedAnswers(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	out := map[string]json.RawMessage{}
	names, err := filepath.Glob(filepath.Join(clinic, "recordings", "*", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no recordings: %v", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Request struct {
				Messages []struct{ Role, Content string }
			}
			Attempts []struct {
				Body struct {
					Choices []struct {
						Message struct{ Content json.RawMessage }
					}
				}
			}
		}
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var said []string
		for _, m := range r.Request.Messages {
			if m.Role != "system" {
				said = append(said, m.Content)
			}
		}
		last := r.Attempts[len(r.Attempts)-1].Body.Choices[0].Message.Content
		var text string
		if json.Unmarshal(last, &text) == nil {
			last = json.RawMessage(text)
		}
		out[strings.Join(said, "\x00")] = last
	}
	return out
}

// clinicModel is an endpoint that answers as was recorded. Where it is asked to put
// an answer right, it gives the answer to the question before.
func clinicModel(t *testing.T) *llmtest.Server {
	recorded := recordedAnswers(t)
	return llmtest.New(t, func(a llmtest.Asked) llmtest.Reply {
		var said []string
		for _, m := range a.Messages {
			said = append(said, m.Text)
		}
		for n := len(said); n > 0; n -= 2 {
			if answer, ok := recorded[strings.Join(said[:n], "\x00")]; ok {
				return llmtest.Reply{JSON: answer}
			}
		}
		if os.Getenv("UPDATE") != "" {
			return llmtest.Reply{JSON: recorded[nearest(recorded, said)]}
		}
		t.Errorf("nobody recorded an answer to\n%s", said[len(said)-1])
		return llmtest.Reply{Fault: llmtest.Refused}
	})
}

// nearest returns the recorded question that shares most lines with what is asked now.
func nearest(recorded map[string]json.RawMessage, said []string) string {
	lines := map[string]bool{}
	for _, l := range strings.Split(said[0], "\n") {
		lines[l] = true
	}
	best, most := "", -1.0
	for _, question := range slices.Sorted(maps.Keys(recorded)) {
		messages := strings.Split(question, "\x00")
		own := strings.Split(messages[0], "\n")
		shared := 0
		for _, l := range own {
			if lines[l] {
				shared++
			}
		}
		alike := float64(shared) / float64(len(own)+len(lines))
		if len(messages) == len(said) {
			alike++
		}
		if alike > most {
			best, most = question, alike
		}
	}
	return best
}

// compileClinic runs remit policy compile as people do.
func compileClinic(t *testing.T, remit, out string, env []string, args ...string) (string, error) {
	t.Helper()
	all := append([]string{"policy", "compile", clinic + "/policy.md", "--tools", clinic + "/tools.json",
		"--sessions", clinic + "/sessions.jsonl", "--out", out, "--model", "recorded-model"}, args...)
	cmd := exec.CommandContext(t.Context(), remit, all...)
	cmd.Env = append(os.Environ(), env...)
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// endpointOf are the environment and the flags with which a server is asked.
func endpointOf(s *llmtest.Server, p llm.Provider) (env, args []string) {
	if p == llm.Anthropic {
		return []string{"ANTHROPIC_API_KEY=" + llmtest.Key, "ANTHROPIC_BASE_URL=" + s.URL()}, []string{"--model", "anthropic:recorded-model"}
	}
	return []string{"OPENAI_API_KEY=" + llmtest.Key, "OPENAI_BASE_URL=" + s.URL() + "/v1"}, nil
}

// tree are the files below a directory.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[filepath.ToSlash(strings.TrimPrefix(path, root))] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// toolFiles returns the mapping, the rules and the tests of quickTool.
func toolFiles(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	for _, kind := range []string{"mapping", "guards", "guards/tests"} {
		data, err := os.ReadFile(filepath.Join(root, kind, quickTool+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(data))
	}
	return out
}

// TestCompile runs the compiler over HTTP, against both APIs, with all that goes wrong at
// providers and in models, and results in the same files.
func TestCompile(t *testing.T) {
	remit, want := program(t, "remit"), toolFiles(t, filepath.Join(clinic, "policy"))
	for _, p := range []llm.Provider{llm.OpenAI, llm.Anthropic} {
		t.Run(string(p), func(t *testing.T) {
			s := clinicModel(t)
			s.Fail(llmtest.NoSchema, llmtest.RateLimited, "", llmtest.Malformed, llmtest.Overloaded, llmtest.WrongSchema, llmtest.Truncated,
				llmtest.Broken, "", llmtest.Refused, llmtest.NoUsage, llmtest.Cut, "", llmtest.Unreadable, llmtest.Malformed)
			env, args := endpointOf(s, p)
			out := t.TempDir()
			if said, err := compileClinic(t, remit, out, env, append(args, "--only", quickTool)...); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if diff := cmp.Diff(want, toolFiles(t, out)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompileReportsWhatItCannotGet(t *testing.T) {
	remit := program(t, "remit")
	t.Run("from a model that doesn't want to", func(t *testing.T) {
		s := clinicModel(t)
		s.Fail("", "", llmtest.Refused, llmtest.Refused) // the answer to its second question, twice
		env, args := endpointOf(s, llm.OpenAI)
		said, err := compileClinic(t, remit, t.TempDir(), env, append(args, "--only", quickTool)...)
		if err == nil || !strings.Contains(said, quickTool+": refine of "+quickTool+": the model refused") || !strings.Contains(said, "hint: what was there before stays") {
			t.Errorf("it says, with %v:\n%s", err, said)
		}
	})
	t.Run("into a file", func(t *testing.T) {
		said, err := compileClinic(t, remit, clinic+"/policy.md", nil)
		if err == nil || !strings.Contains(said, "--out "+clinic+"/policy.md is a file: name a folder") {
			t.Errorf("it says, with %v:\n%s", err, said)
		}
	})
	t.Run("within its budget", func(t *testing.T) {
		s := clinicModel(t)
		env, args := endpointOf(s, llm.OpenAI)
		args = append(args, "--only", quickTool)
		out := t.TempDir()
		said, err := compileClinic(t, remit, out, env, append(args, "--max-calls", "9")...)
		if err == nil || !strings.Contains(said, llm.ErrBudget.Error()) {
			t.Errorf("it says, with %v:\n%s", err, said)
		}
		// The next run goes on where this one was.
		if said, err := compileClinic(t, remit, out, env, args...); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		seen := map[string]bool{}
		for _, a := range s.Asked() {
			if seen[string(a.Body)] {
				t.Errorf("asked twice: %s", a.Messages[0].Text)
			}
			seen[string(a.Body)] = true
		}
		if diff := cmp.Diff(toolFiles(t, filepath.Join(clinic, "policy")), toolFiles(t, out)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	})
}

// TestCompileReplays answers from recordings alone, byte by byte, and then has nothing left to
// ask. With UPDATE set it records again what it is asked, for a changed prompt that keeps its
// answers.
func TestCompileReplays(t *testing.T) {
	remit, recordings := program(t, "remit"), clinic+"/recordings"
	golden := filepath.Join(clinic, "policy")
	if os.Getenv("UPDATE") != "" {
		env, args := endpointOf(clinicModel(t), llm.OpenAI)
		for _, old := range []string{recordings, golden} {
			if err := os.RemoveAll(old); err != nil {
				t.Fatal(err)
			}
		}
		if said, err := compileClinic(t, remit, golden, env, append(args, "--record", recordings)...); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	// The gate compiles one tool: all of them take two minutes with the race detector.
	var only []string
	files := func(root string) any { return tree(t, root) }
	if testing.Short() {
		only = []string{"--only", quickTool}
		files = func(root string) any { return toolFiles(t, root) }
	}

	out := t.TempDir()
	if said, err := compileClinic(t, remit, out, nil, append(only, "--replay", recordings)...); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if diff := cmp.Diff(files(golden), files(out)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if said, err := compileClinic(t, remit, out, nil, append(only, "--replay", t.TempDir())...); err != nil {
		t.Errorf("what did not change is asked about: %v\n%s", err, said)
	}
}
