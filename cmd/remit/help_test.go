package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// The help of the program fits on one screen.
func TestOverviewIsOneScreen(t *testing.T) {
	lines := strings.Split(overview, "\n")
	if len(lines) > 24 {
		t.Errorf("%d lines", len(lines))
	}
	for _, l := range lines {
		if utf8.RuneCountInString(l) > 80 {
			t.Errorf("too long: %s", l)
		}
	}
}

// The help of every command has one line of purpose, the usage, an example that
// begins with the command, and the flags.
func TestEveryCommandHasAnExample(t *testing.T) {
	parser, err := kong.New(&cli{}, kong.Name("remit"), kong.NoDefaultHelp())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range parser.Model.Leaves(true) {
		path := strings.Split(c.FullPath()[len("remit "):], " ")
		var out, errs bytes.Buffer
		if code := run(append(path, "--help"), strings.NewReader(""), &out, &errs); code != 0 {
			t.Errorf("%v: exit code %d, %s", path, code, &errs)
		}

		_, example, found := strings.Cut(out.String(), "\nExample:\n")
		if !found || !strings.Contains(example, "remit "+path[0]) {
			t.Errorf("remit %s has no example", strings.Join(path, " "))
		}
		if c.Help == "" || !strings.HasSuffix(c.Help, ".") {
			t.Errorf("remit %s: the purpose %q is not a sentence", strings.Join(path, " "), c.Help)
		}
	}
}
