package shell

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

//go:embed programs.yaml
var programs []byte

// class is what a program does, as the table says it.
type class string

const (
	reads   class = "read"
	writes  class = "write"
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
	// Text is how many words are plain text; nil is 0, and -1 is all. A Text of
	// 0 that is written down allows no words at all.
	Text *int   `yaml:"text"`
	Only string `yaml:"only"`

	only *regexp.Regexp
}

// flags are those that may be given. Takes maps each to what follows it.
type flags struct {
	any   bool
	takes map[string]byte
	// long tells that the program has flags of several letters after one dash,
	// so that letters are not read together.
	long bool
}

// What follows a flag.
const (
	nothing byte = 0
	word    byte = '='
	plain   byte = ':'
	output  byte = '>'
)

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
		if last := name[len(name)-1]; last == word || last == plain || last == output {
			name, takes = name[:len(name)-1], last
		}
		f.takes[name] = takes
		f.long = f.long || len(name) > 2 && !strings.HasPrefix(name, "--")
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
		if p.Only != "" {
			only, err := regexp.Compile("^(?:" + p.Only + ")$")
			if err != nil {
				return nil, fmt.Errorf("the table of programs: %s: %w", p.Names[0], err)
			}
			p.only = only
		}
		if because[p.Does] == "" && !slices.Contains([]class{reads, writes, builds, fetches, wraps}, p.Does) {
			return nil, fmt.Errorf("the table of programs: %s: nothing is known to be %q", p.Names[0], p.Does)
		}
		for _, name := range p.Names {
			if t.named[name] != nil {
				return nil, fmt.Errorf("the table of programs: %s stands twice", name)
			}
			t.named[name] = p
			t.longest = max(t.longest, len(strings.Fields(name)))
		}
	}
	return t, nil
}

// find returns the entry for the longest beginning of a command, and how many
// words that is.
func (t *Programs) find(words []Word) (*program, int) {
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
