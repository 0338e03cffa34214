package shell

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/pattern"
)

//go:embed programs.yaml
var programs []byte

// class is what a program does, as the table says it.
type class string

const (
	reads   class = "read"
	writes  class = "write"
	marks   class = "mark"
	builds  class = "build"
	fetches class = "fetch"
	wraps   class = "wrap"
)

// because says why a program of another class reaches outside.
var because = map[class]string{
	"remove":  "removes or overwrites",
	"send":    "reaches other machines",
	"install": "brings in code from elsewhere",
	"run":     "runs code that it is given",
	"change":  "changes the machine or its settings",
}

// program is an entry of the table.
type program struct {
	Names []string `yaml:"names"`
	Does  class    `yaml:"does"`
	Flags flags    `yaml:"flags"`
	// Text is how many words are plain text; nil is 0, and -1 is all. An explicit 0
	// allows no words at all.
	Text *int `yaml:"text"`
	// Only is what that text must match as a whole, Not what it must not hold,
	// and Check the name of a reader of its language.
	Only  string `yaml:"only"`
	Not   string `yaml:"not"`
	Check string `yaml:"check"`
	// Runs says when it runs what the workspace defines besides what it does:
	// always, or where version control has hooks.
	Runs string `yaml:"runs"`
	// Asks is set where others may have written what it prints.
	Asks bool `yaml:"asks"`
	// Wraps says how the command that it runs is given: as its words, when empty;
	// as a line; as words to which a list of names is added.
	Wraps string `yaml:"wraps"`
	// Lists says when it prints the names of files: always, or with a flag.
	Lists string `yaml:"lists"`
	// Most is how many files it may name; nil is any number.
	Most *int `yaml:"most"`
	// Into is set where the last of its words may be a folder, into which the others go.
	Into bool `yaml:"into"`
	// Brings is set where it puts others' text into the workspace.
	Brings bool `yaml:"brings"`
	// Picks is set where it prints some of the lines that it reads, unchanged.
	Picks bool `yaml:"picks"`

	only, not *regexp.Regexp
	check     func(string) bool
}

// does reports whether the program runs what the workspace defines.
func (p *program) does(at Place) bool {
	return p.Does == builds || p.Runs == "always" || (p.Runs == "hooks" && at.Hooked())
}

// lists reports whether, with these arguments, it only prints names of files.
func (p *program) lists(words []Word) bool {
	if p.Lists == "always" {
		return true
	}
	flags := strings.Fields(p.Lists)
	return slices.ContainsFunc(words, func(w Word) bool { return w.Kind == Literal && slices.Contains(flags, w.Text) })
}

// flags are those that may be given. Takes maps each to what follows it.
type flags struct {
	any   bool
	takes map[string]byte
	// long is set where the program has flags of several letters after one dash, so that letters
	// are not read together.
	long bool
}

// What follows a flag.
const (
	nothing byte = 0
	word    byte = '='
	plain   byte = ':'
	output  byte = '>'
	script  byte = '~' // the text that the program is for
	follow  byte = '@' // nothing: links are followed below what is named
	command byte = '(' // a command, up to ";" or "+"
	glued   byte = '?' // plain text in the same word, or nothing
)

// takers are the characters that say what follows a flag.
const takers = "=:>~@(?"

// UnmarshalYAML reads "any" or a list.
func (f *flags) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Value == "any" {
		f.any = true
		return nil
	}
	var list []string
	if err := n.Decode(&list); err != nil {
		return err
	}

	f.takes = map[string]byte{}
	for _, name := range list {
		takes := nothing
		if last := name[len(name)-1]; strings.IndexByte(takers, last) >= 0 {
			name, takes = name[:len(name)-1], last
		}
		f.takes[name] = takes
		severalLetters := len(name) > 2 && !strings.HasPrefix(name, "--")
		f.long = f.long || severalLetters
	}
	return nil
}

// Programs is a table of programs. It is immutable.
type Programs struct {
	named map[string]*program
	// longest is the greatest number of words in a name.
	longest int
}

// Known reads the table of programs that Remit ships.
func Known() (*Programs, error) {
	var list []*program
	if err := yaml.Load(programs, &list, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("the table of programs: %w", err)
	}
	t := &Programs{named: map[string]*program{}}
	for _, p := range list {
		if err := p.prepare(); err != nil {
			return nil, fmt.Errorf("the table of programs: %s: %w", p.Names[0], err)
		}
		for _, name := range p.Names {
			if t.named[name] != nil {
				return nil, fmt.Errorf("the table of programs: %s appears twice", name)
			}
			t.named[name] = p
			t.longest = max(t.longest, len(strings.Fields(name)))
		}
	}
	return t, nil
}

// prepare makes an entry ready, and finds what is wrong in it.
func (p *program) prepare() (err error) {
	if p.Only != "" {
		if p.only, err = regexp.Compile("^(?:" + p.Only + ")$"); err != nil {
			return err
		}
	}
	if p.Not != "" {
		if p.not, err = regexp.Compile(p.Not); err != nil {
			return err
		}
	}

	if p.check = checks[p.Check]; p.Check != "" && p.check == nil {
		return fmt.Errorf("nothing reads %q", p.Check)
	}
	if because[p.Does] == "" && !slices.Contains([]class{reads, writes, marks, builds, fetches, wraps}, p.Does) {
		return fmt.Errorf("nothing is known to be %q", p.Does)
	}
	if !slices.Contains([]string{"", "always", "hooks"}, p.Runs) || !slices.Contains([]string{"", "line", "list"}, p.Wraps) {
		return errors.New("it runs or wraps in no known way")
	}
	return nil
}

// installed are the folders in which package managers put a project's programs.
var installed = pattern.OnUse(`^(?:\./)?(?:\.venv/bin|venv/bin|node_modules/\.bin)/`)

// find returns the entry for the longest beginning of a command, and how many
// words that is.
func (t *Programs) find(words []Word) (*program, int) {
	if len(words) > 0 && words[0].Kind == Literal {
		// What the project has installed for itself is as good as its own code.
		if base := installed().ReplaceAllString(words[0].Text, ""); base != words[0].Text && !strings.Contains(base, "/") {
			words = slices.Clone(words)
			words[0].Text = base
			if p, n := t.find(words); p != nil && p.Does == builds {
				return p, n
			}
			return nil, 0
		}
	}

	best, length := (*program)(nil), 0
	name := ""
	for i, w := range words[:min(len(words), t.longest)] {
		if w.Kind != Literal || strings.Contains(w.Text, " ") {
			break
		}
		if i > 0 {
			name += " "
		}
		name += w.Text
		if p := t.named[name]; p != nil {
			best, length = p, i+1
		}
	}
	return best, length
}

// builds reports whether a command runs what the workspace defines, and nothing
// else.
func (t *Programs) builds(words []Word) bool {
	p, _ := t.find(words)
	return p != nil && p.Does == builds
}
