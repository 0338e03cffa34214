package command

import (
	"bytes"
	"strings"
	"testing"
)

type helloCommand struct {
	To string `default:"all"`
}

// Run greets.
func (c helloCommand) Run(s *Streams) error {
	_, err := s.Out.Write([]byte("hello " + c.To))
	return err
}

type commands struct {
	Help   HelpFlag     `short:"h"`
	Loud   bool         `help:"Be loud."`
	Hello  helloCommand `cmd:"" help:"Greet."`
	ByeBye helloCommand `cmd:"" help:"Leave."`
	Manual Manual       `cmd:"" help:"Print the manual page."`
}

// A program does the same whether all its commands are read or the one that is selected, and
// names all of them where the user asks for them.
func TestOnlyTheSelected(t *testing.T) {
	for name, test := range map[string]struct {
		args string
		code int
		want []string
	}{
		"a command":                   {"hello --to ann", 0, []string{"hello ann"}},
		"of two words":                {"bye-bye", 0, []string{"hello all"}},
		"a flag of the program":       {"hello --loud", 0, []string{"hello all"}},
		"before the command":          {"--loud hello", 0, []string{"hello all"}},
		"help":                        {"--help", 0, []string{"hello", "bye-bye"}},
		"help of a command":           {"help hello", 0, []string{"Greet.", "--to", "--loud"}},
		"what reads all commands":     {"manual", 0, []string{"hello", `bye\-bye`}},
		"a name that is nearly right": {"byebye", ExitUsage, []string{`did you mean "bye-bye"`}},
		"a command that is none":      {"Hello", ExitUsage, []string{"--help for the commands"}},
		"two commands":                {"hello bye-bye", ExitUsage, []string{"unexpected argument bye-bye"}},
		"none":                        {"", 0, []string{"hello", "bye-bye"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			code := Run(Program{Name: "greet", Commands: &commands{}}, strings.Fields(test.args), strings.NewReader(""), &out, &out)
			if code != test.code {
				t.Errorf("it ended with %d", code)
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it lacks %q:\n%s", want, out.String())
				}
			}
		})
	}
}
