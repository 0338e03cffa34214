package command

import (
	_ "embed" // the shells' scripts
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/remit-project/remit/internal/display"
)

// completeWord is the word with which the shells' scripts ask for candidates. The words of the
// command line follow it, without the program's name; the last is the one before the cursor.
const completeWord = "__complete"

// filesWanted is the line that asks the shell for the names of files.
const filesWanted = ":files"

// maxCandidates bounds the lines of one answer: a shell shows no more.
const maxCandidates = 200

//go:embed complete.bash
var completeBash string

//go:embed complete.zsh
var completeZsh string

//go:embed complete.fish
var completeFish string

// Completion is the command that prints the script with which a shell completes the
// program's command line. The script asks the program itself, and so never falls
// behind it.
type Completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help is shown below the flags.
func (Completion) Help() string {
	return `Prints the script with which a shell completes commands, flags and their values. It
asks the program itself, so it needs no update when the program gets one.

Example:
  source <(remit completion bash)                                  # in ~/.bashrc
  source <(remit completion zsh)                                   # in ~/.zshrc
  remit completion fish > ~/.config/fish/completions/remit.fish`
}

// Run prints the script.
func (c Completion) Run(_ *kong.Application, s *Streams, p Program) error {
	script := map[string]string{"bash": completeBash, "zsh": completeZsh, "fish": completeFish}[c.Shell]
	_, err := io.WriteString(s.Out, strings.ReplaceAll(script, "PROGRAM", p.Name))
	return err
}

// complete prints the candidates for the last of the words, each with what it is for.
func complete(model *kong.Application, words []string, out io.Writer) error {
	if len(words) == 0 {
		words = []string{""}
	}
	c := cursor{node: model.Node}
	for _, word := range words[:len(words)-1] {
		c.pass(word)
	}

	candidates := c.candidates(words[len(words)-1])
	for _, line := range candidates[:min(len(candidates), maxCandidates)] {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// cursor is where a command line has got to.
type cursor struct {
	node *kong.Node
	// positionals counts the arguments that the command has so far.
	positionals int
	// flag still needs its value; nil if none does.
	flag *kong.Flag
	// plain is set after "--": flags end there.
	plain bool
}

// pass goes past one finished word.
func (c *cursor) pass(word string) {
	switch {
	case c.flag != nil:
		c.flag = nil
	case c.plain:
		c.positionals++
	case word == "--":
		c.plain = true
	case strings.HasPrefix(word, "-"):
		name, _, withValue := strings.Cut(word, "=")
		if f := c.find(name); f != nil && !withValue && !f.IsBool() && !f.IsCounter() {
			c.flag = f
		}
	default:
		c.enter(word)
	}
}

// enter goes into a command, or counts an argument.
func (c *cursor) enter(word string) {
	for _, child := range c.node.Children {
		if child.Name == word || slices.Contains(child.Aliases, word) {
			c.node, c.positionals = child, 0
			return
		}
	}
	c.positionals++
}

// find returns the flag of a name with its dashes; nil if there is none.
func (c *cursor) find(name string) *kong.Flag {
	for _, group := range c.node.AllFlags(false) {
		for _, f := range group {
			if name == "--"+f.Name || (f.Short != 0 && name == "-"+string(f.Short)) {
				return f
			}
		}
	}
	return nil
}

// candidates lists what the word can be completed to.
func (c *cursor) candidates(word string) []string {
	name, value, inValue := strings.Cut(word, "=")
	switch {
	case c.flag != nil:
		return values(c.flag.Value, "", word)
	case inValue && strings.HasPrefix(word, "--"):
		if f := c.find(name); f != nil {
			return values(f.Value, name+"=", value)
		}
		return nil
	case strings.HasPrefix(word, "-") && !c.plain:
		return c.flags(word)
	}

	if commands := c.commands(word); len(commands) > 0 {
		return commands
	}
	if n := len(c.node.Positional); n > 0 {
		// The last argument may take any number of values.
		return values(c.node.Positional[min(c.positionals, n-1)], "", word)
	}
	return nil
}

// flags lists the flags that begin with the word.
func (c *cursor) flags(word string) (out []string) {
	for _, group := range c.node.AllFlags(true) {
		for _, f := range group {
			if strings.HasPrefix("--"+f.Name, word) {
				out = append(out, candidate("--"+f.Name, f.Help))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// commands lists the commands that begin with the word.
func (c *cursor) commands(word string) (out []string) {
	for _, child := range c.node.Children {
		if !child.Hidden && strings.HasPrefix(child.Name, word) {
			out = append(out, candidate(child.Name, child.Help))
		}
	}
	return out
}

// values lists the values of a flag or an argument: those of its list, or files.
func values(v *kong.Value, prefix, word string) (out []string) {
	if v.Enum == "" {
		return []string{filesWanted}
	}
	for _, choice := range v.EnumSlice() {
		if choice != "" && strings.HasPrefix(choice, word) {
			out = append(out, prefix+choice)
		}
	}
	return out
}

// candidate writes a word and what it is for.
func candidate(word, help string) string {
	return word + "\t" + display.OneLine(help)
}
