package asked

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/shell"
)

//go:embed requests.yaml
var text []byte

// request is an entry of the table.
type request struct {
	Run      []string          `yaml:"run"`
	Verbs    []string          `yaml:"verbs"`
	Nouns    []string          `yaml:"nouns"`
	Must     []string          `yaml:"must"`
	Takes    string            `yaml:"takes"`
	Needs    bool              `yaml:"needs"`
	Defaults []string          `yaml:"defaults"`
	Flags    []string          `yaml:"flags"`
	Said     map[string]string `yaml:"said"`
	Fills    bool              `yaml:"fills"`
	Like     string            `yaml:"like"`

	like *regexp.Regexp

	nouns map[string]bool
	flags map[string]byte // what follows a flag
}

// Table is what people say for commands. It is immutable.
type Table struct {
	requests  []*request
	scripts   *request
	spellings [][2][]string // what is written, and what it is read as
	fillers   map[string]bool
	kinds     map[string]bool
}

// Known reads the table that Remit ships.
var Known = sync.OnceValues(func() (*Table, error) {
	var in struct {
		Spellings [][]string `yaml:"spellings"`
		Requests  []*request `yaml:"requests"`
		Scripts   *request   `yaml:"scripts"`
		Fillers   []string   `yaml:"fillers"`
		Kinds     []string   `yaml:"kinds"`
	}
	if err := yaml.Load(text, &in, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("the table of requests: %w", err)
	}
	t := &Table{requests: in.Requests, scripts: in.Scripts, fillers: set(in.Fillers), kinds: set(in.Kinds)}
	for _, s := range in.Spellings {
		for _, other := range s[1:] {
			t.spellings = append(t.spellings, [2][]string{strings.Fields(other), strings.Fields(s[0])})
		}
	}
	for _, r := range append(in.Requests, in.Scripts) {
		r.nouns = set(append(r.Nouns, r.Must...))
		var err error
		if r.like, err = regexp.Compile(r.Like); err != nil {
			return nil, fmt.Errorf("the table of requests: %w", err)
		}
		r.flags = map[string]byte{}
		for _, f := range r.Flags {
			last := f[len(f)-1]
			if strings.IndexByte(":~=", last) < 0 {
				r.flags[f] = 0
				continue
			}
			r.flags[f[:len(f)-1]] = last
		}
		switch r.Takes {
		case "", "path", "package", "name", "address":
		default:
			return nil, fmt.Errorf("the table of requests: nothing is known to take %q", r.Takes)
		}
	}
	return t, nil
})

func set(words []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		out[w] = true
	}
	return out
}

// Place is where a command is run.
type Place struct {
	// Root is the workspace's root, and Branch the branch that it is on; empty
	// where there is none.
	Root, Branch string
	// Name is how a person writes where a path leads, seen from a directory, and
	// whether that is inside the workspace.
	Name func(dir, path string) (name string, inside bool)
}

// Answer is what the user's words say of a command.
type Answer struct {
	// Prompt is the place of the prompt that asks for it; -1 when none does.
	Prompt int
	// Doubt says that the user spoke of it, and didn't ask for it.
	Doubt bool
}

// maxPrompts bounds how many of the last prompts are looked at.
const maxPrompts = 64

// Find looks for the prompt that asks for a command, the newest first. What a
// later one forbids is not asked for.
func (t *Table) Find(prompts []string, far shell.Far, at Place) Answer {
	none := Answer{Prompt: -1}
	if len(far.Words) == 0 || far.Fed || slices.ContainsFunc(far.Words, func(w shell.Word) bool { return w.Kind != shell.Literal }) {
		return none
	}

	x := &finding{t: t, at: at, dirs: far.Dirs}
	raw := make([]string, len(far.Words))
	for i, w := range far.Words {
		raw[i] = w.Text
	}
	x.raw, x.words = strings.Join(raw, " "), t.spelled(raw)

	recent := true // nothing but agreement was said since
	for i := len(prompts) - 1; i >= max(0, len(prompts)-maxPrompts); i-- {
		all := pieces(prompts[i])
		switch {
		case x.asks(all, recent):
			return Answer{Prompt: i}
		case x.speaks(all):
			return Answer{Prompt: -1, Doubt: true}
		}
		recent = recent && goesOn(prompts[i])
	}
	return none
}

// spelled returns a command in the one form that its spellings have.
func (t *Table) spelled(words []string) []string {
	for range 3 { // as often as one spelling leads to another
		for _, s := range t.spellings {
			if len(words) < len(s[0]) || !slices.Equal(words[:len(s[0])], s[0]) {
				continue
			}
			if s[0][0] == s[1][0] && len(s[0]) == 1 && len(s[1]) > 1 && len(words) > 1 {
				continue // a program alone is spelled so: "yarn"
			}
			words = slices.Concat(s[1], words[len(s[0]):])
		}
	}
	return words
}
