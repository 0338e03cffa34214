package command

import (
	"errors"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/strictyaml"
)

// What the parser says of a flag, in its words.
var (
	withoutValue = pattern.OnUse(`^(--[^:]+): expected .* value but got (?:"EOL" \(<EOL>\)$|".*" \((?:long|short) flag\))`)
	noDuration   = pattern.OnUse(`^(--[^:]+): expected duration but got (".*?"): .*$`)
	noNumber     = pattern.OnUse(`^(--[^:]+): expected a valid \d+ bit (u?int|float) but got (".*?")`)
	unknownFlag  = pattern.OnUse(`^(unknown flag -+(\S+)), did you mean "-+(\S+)"\?$`)
)

// reworded says a mistake in the command line in the words of the rest of the program, with what
// to write. It takes no flag for a misspelling of another one that is much unlike it.
func reworded(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if m := withoutValue().FindStringSubmatch(text); m != nil {
		return errors.New(m[1] + " needs a value behind it")
	}
	if m := noDuration().FindStringSubmatch(text); m != nil {
		return errors.New(m[1] + ": " + m[2] + " is no length of time: write a number with its unit, such as 30s, 5m or 2h")
	}
	if m := noNumber().FindStringSubmatch(text); m != nil {
		return errors.New(m[1] + ": " + m[3] + " is no number here: write " + map[string]string{"int": "a whole number", "uint": "a whole number, 0 or more", "float": "a number"}[m[2]])
	}
	if m := unknownFlag().FindStringSubmatch(text); m != nil && strictyaml.Suggest(m[2], []string{m[3]}) == "" {
		return errors.New(m[1])
	}
	return err
}
