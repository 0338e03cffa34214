package command

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// maxExpected bounds the commands that an error names: there are fewer below any other.
const maxExpected = 12

// Parse reads arguments into a struct with a field for each command, as [Program] has
// it, and runs nothing. Flags that print help are not expected.
func Parse(commands any, args []string) error {
	parser, err := kong.New(commands, kong.NoDefaultHelp())
	if err != nil {
		return err
	}
	c, err := trace(parser, args)
	if err == nil {
		err = apply(c)
	}
	return reworded(err)
}

// advice names the help of the command that the arguments select, as far as they do.
func (p Program) advice(c *kong.Context) string {
	if c == nil || c.Selected() == nil {
		return "run " + p.Name + " --help for the commands"
	}
	return "run " + c.Selected().FullPath() + " --help"
}

// trace finds what the arguments select. It and apply do what the parser's own Parse does except
// for hooks, which it finds by names that the linker can't know: a program with one such look-up
// keeps every method of every type.
func trace(parser *kong.Kong, args []string) (*kong.Context, error) {
	c, err := kong.Trace(parser, args)
	if err != nil {
		return nil, err
	}
	return c, c.Error // c is what was found up to the mistake
}

// apply writes the values into the commands, and checks them.
func apply(c *kong.Context) error {
	if err := c.Reset(); err != nil {
		return err
	}
	if err := c.Resolve(); err != nil {
		return err
	}
	if _, err := c.Apply(); err != nil {
		return err
	}

	for _, check := range []func(*kong.Context) error{checkValues, checkRequired, checkSelected, checkTogether} {
		if err := check(c); err != nil {
			return err
		}
	}
	return nil
}

// wantsHelp reports whether the arguments have the flag that prints help.
func wantsHelp(c *kong.Context) bool {
	return slices.ContainsFunc(c.Path, func(p *kong.Path) bool {
		return p.Flag != nil && p.Flag.Target.Type() == reflect.TypeFor[HelpFlag]()
	})
}

// checkValues holds values to their lists, wherever they come from, and asks those that
// have a bound of their own.
func checkValues(c *kong.Context) error {
	for _, p := range c.Path {
		node := p.Node()
		if node == nil {
			continue
		}
		for _, v := range node.Values() {
			if v.Required && !v.HasDefault && !v.Set {
				continue
			}
			if err := checkValue(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// bounded is a type of values that has a bound.
type bounded interface {
	// CheckFlag says what is wrong with the value.
	CheckFlag() error
}

func checkValue(v *kong.Value) error {
	if b, ok := v.Target.Interface().(bounded); ok {
		if err := b.CheckFlag(); err != nil {
			return fmt.Errorf("%s: %w", v.ShortSummary(), err)
		}
	}
	if v.Enum == "" {
		return nil
	}

	is := fmt.Sprint(v.Target.Interface())
	var choices []string
	for _, choice := range v.EnumSlice() {
		if choice == is {
			return nil
		}
		if choice != "" { // which is to leave the flag out
			choices = append(choices, strconv.Quote(choice))
		}
	}
	return fmt.Errorf("%s must be one of %s but got %q", v.ShortSummary(), strings.Join(choices, ","), is)
}

// checkRequired looks for flags without which a command can't run. Of those that exclude
// each other, one is enough.
func checkRequired(c *kong.Context) error {
	for _, p := range c.Path {
		var missing []string
		choices := map[string][]string{}
		for _, f := range p.Flags {
			switch {
			case !f.Required || f.Set || chosen(p.Flags, f.Xor):
			case len(f.Xor) > 0:
				group := strings.Join(f.Xor, ",")
				choices[group] = append(choices[group], f.Summary())
			default:
				missing = append(missing, f.Summary())
			}
		}

		for _, flags := range choices {
			missing = append(missing, strings.Join(flags, " or "))
		}
		if len(missing) > 0 {
			slices.Sort(missing)
			return errors.New("missing flags: " + strings.Join(missing, ", "))
		}
	}
	return nil
}

// chosen reports whether a flag of one of the groups is set.
func chosen(flags []*kong.Flag, groups []string) bool {
	return slices.ContainsFunc(flags, func(f *kong.Flag) bool {
		return f.Set && slices.ContainsFunc(f.Xor, func(x string) bool { return slices.Contains(groups, x) })
	})
}

// checkSelected looks for the rest of an unfinished command line: a command of those
// below, or arguments.
func checkSelected(c *kong.Context) error {
	node := selected(c)
	var missing []string
	for _, v := range node.Positional {
		if v.Required && !v.Set {
			missing = append(missing, v.Summary())
		}
	}
	if len(missing) > 0 {
		return errors.New("missing: " + strings.Join(missing, " "))
	}

	for _, child := range node.Children {
		if !child.Hidden {
			missing = append(missing, strconv.Quote(child.Name))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	switch {
	case len(missing) > maxExpected:
		return errors.New("there is no command")
	case len(missing) == 1:
		return errors.New("expected " + missing[0])
	}
	return errors.New("expected one of " + strings.Join(missing, ", "))
}

// selected returns the command that the arguments select; the program itself for none.
func selected(c *kong.Context) *kong.Node {
	if node := c.Selected(); node != nil {
		return node
	}
	return c.Model.Node
}

// checkTogether refuses flags that exclude each other.
func checkTogether(c *kong.Context) error {
	for _, p := range c.Path {
		seen := map[string]*kong.Flag{}
		for _, f := range p.Flags {
			if !f.Set {
				continue
			}
			for _, group := range f.Xor {
				if other := seen[group]; other != nil {
					return fmt.Errorf("--%s and --%s can't be used together", other.Name, f.Name)
				}
				seen[group] = f
			}
		}
	}
	return nil
}

// start runs the command that the arguments select.
func (p Program) start(ctx context.Context, c *kong.Context, s *Streams) error {
	node := selected(c)
	switch command := node.Target.Addr().Interface().(type) {
	case interface {
		Run(context.Context, *Streams) error
	}:
		return command.Run(ctx, s)
	case interface{ Run(*Streams) error }:
		return command.Run(s)
	case interface {
		Run(*kong.Application, *Streams, Program) error
	}:
		return command.Run(c.Model, s, p)
	}
	return fmt.Errorf("%s has no method Run", node.Path())
}
