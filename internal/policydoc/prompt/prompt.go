// Package prompt holds what the policy compiler says to models: one file a
// stage, which people can read and replace by their own.
//
// A file is a text/template without calls of methods that defines "system", what is the same for all
// requests of the stage, "request", and what a stage says beside.
package prompt

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/text"
)

//go:embed *.md
var builtin embed.FS

const ending = ".md"

// Set are the prompts of all stages.
type Set struct{ stages map[string]stage }

type stage struct {
	template *template.Template
	version  string
	size     int
}

// parts returns the names of what a prompt defines.
func (s stage) parts() []string {
	var out []string
	if s.template == nil {
		return nil
	}
	for _, t := range s.template.Templates() {
		if t.Name() != s.template.Name() {
			out = append(out, t.Name())
		}
	}
	return out
}

// Text is a prompt with its data filled in.
type Text struct{ System, Request string }

// Files returns the prompts that come with Remit, one file a stage.
func Files() fs.FS { return builtin }

// Load reads the prompts that come with Remit, and those files of a directory
// that replace them; nil for none. A file of the directory that no stage has is
// an error.
func Load(replaced fs.FS) (*Set, error) {
	s := &Set{stages: map[string]stage{}}
	if err := s.add(builtin, ""); err != nil {
		return nil, err
	}
	if replaced == nil {
		return s, nil
	}
	known := s.Stages()
	if err := s.add(replaced, "custom:"); err != nil {
		return nil, err
	}
	for name := range s.stages {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("prompt %s%s: there is no such stage; the stages are %s", name, ending, strings.Join(known, ", "))
		}
	}
	return s, nil
}

func (s *Set) add(files fs.FS, origin string) error {
	names, err := fs.Glob(files, "*"+ending)
	if err != nil {
		return err
	}

	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("prompt: %w", err)
		}
		t, err := template.New(name).Option("missingkey=error").Parse(string(text))
		if err != nil {
			return fmt.Errorf("prompt: %w", err)
		}

		stageName := strings.TrimSuffix(path.Base(name), ending)
		// What replaces a prompt says all that the one does which comes with Remit.
		for _, part := range append([]string{"system", "request"}, s.stages[stageName].parts()...) {
			if t.Lookup(part) == nil {
				return fmt.Errorf(`prompt %s: write {{define %q}} … {{end}}`, name, part)
			}
		}

		sum := sha256.Sum256(text)
		s.stages[stageName] = stage{t, fmt.Sprintf("%s%x", origin, sum[:6]), len(text)}
	}

	return nil
}

// Stages lists the stages that have a prompt, in order.
func (s *Set) Stages() []string {
	var out []string
	for name := range s.stages {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Version names the text of a stage's prompt: the beginning of its digest, with
// "custom:" before it where it isn't the one that comes with Remit.
func (s *Set) Version(stage string) string { return s.stages[stage].version }

// Size returns the length of a stage's prompt without its data, in bytes.
func (s *Set) Size(stage string) int { return s.stages[stage].size }

// Render fills a stage's prompt in. The system part gets no data but what is
// the same for all requests of a run.
func (s *Set) Render(stage string, run, request any) (Text, error) {
	system, err := s.Part(stage, "system", run)
	if err != nil {
		return Text{}, err
	}
	rest, err := s.Part(stage, "request", request)
	if err != nil {
		return Text{}, err
	}
	return Text{system, rest}, nil
}

// Part fills one part of a stage's prompt in: "system", "request", or what it says
// later in a conversation.
func (s *Set) Part(stage, part string, data any) (string, error) {
	st, ok := s.stages[stage]
	if !ok {
		return "", fmt.Errorf("prompt: there is no stage %q", stage)
	}
	text, err := execute(st.template, part, data)
	if err != nil {
		return "", fmt.Errorf("prompt: %w", err)
	}
	return text, nil
}

func execute(t *template.Template, part string, data any) (string, error) {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, part, data); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}
