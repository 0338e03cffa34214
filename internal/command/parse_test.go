package command

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// percent is a value with a bound.
type percent int

// CheckFlag refuses what is not a percentage.
func (p percent) CheckFlag() error {
	if p > 100 {
		return errors.New("it is more than all")
	}
	return nil
}

type paintCommand struct {
	Colour string  `default:"red" enum:"red,blue" env:"COMMAND_TEST_COLOUR"`
	Share  percent `required:""`
	Wet    bool    `xor:"state" required:""`
	Dry    bool    `xor:"state" required:""`
	Dries  time.Duration
	Walls  []int `arg:""`
}

type paintCommands struct {
	Paint paintCommand `cmd:""`
	Tidy  struct {
		Brushes helloCommand `cmd:""`
		Floor   helloCommand `cmd:""`
		Secret  helloCommand `cmd:"" hidden:""`
	} `cmd:""`
}

// What a command line lacks or has too much of is said in words, and a command line without
// mistakes fills the command in.
func TestParse(t *testing.T) {
	for name, test := range map[string]struct {
		args   string
		colour string // in the environment
		want   string // the mistake
	}{
		"complete":                         {args: "paint --share 5 --wet 1 2"},
		"a value of the environment":       {args: "paint --share 5 --wet 1 2", colour: "blue"},
		"one of another list":              {args: "paint --share 5 --wet 1", colour: "green", want: `--colour must be one of "red","blue" but got "green"`},
		"a value of another list":          {args: "paint --share 5 --wet --colour green 1", want: `--colour must be one of "red","blue" but got "green"`},
		"a value beyond its bound":         {args: "paint --share 101 --wet 1", want: "--share: it is more than all"},
		"a required flag":                  {args: "paint --wet 1", want: "missing flags: --share=PERCENT"},
		"one of two required flags":        {args: "paint --share 5 1", want: "missing flags: --wet or --dry"},
		"flags that exclude each other":    {args: "paint --share 5 --wet --dry 1", want: "--wet and --dry can't be used together"},
		"an argument":                      {args: "paint --share 5 --wet", want: "missing: <walls> ..."},
		"a command":                        {args: "", want: `expected one of "paint", "tidy"`},
		"a command below another":          {args: "tidy", want: `expected one of "brushes", "floor"`},
		"a flag that there isn't":          {args: "paint --coluor x", want: "did you mean"},
		"a flag like no other":             {args: "paint --fat x", want: "unknown flag --fat."},
		"a flag without its value":         {args: "paint --colour", want: "--colour needs a value behind it"},
		"another flag in a value's place":  {args: "paint --colour --share 5", want: "--colour needs a value behind it."},
		"a time without its unit":          {args: "paint --share 5 --wet --dries 5 1", want: `--dries: "5" is no length of time: write a number with its unit, such as 30s`},
		"a value that is none of its kind": {args: "paint --share x --wet 1", want: `--share: "x" is no number here: write a whole number`},
	} {
		t.Run(name, func(t *testing.T) {
			if test.colour != "" {
				t.Setenv("COMMAND_TEST_COLOUR", test.colour)
			}
			var c paintCommands
			err := Parse(&c, strings.Fields(test.args))

			switch {
			case test.want != "":
				if err == nil || !strings.Contains(err.Error()+".", test.want) {
					t.Errorf("the mistake is %v, want %s", err, test.want)
				}
			case err != nil:
				t.Error(err)
			case c.Paint.Share != 5 || !c.Paint.Wet || len(c.Paint.Walls) != 2 || test.colour != "" && c.Paint.Colour != os.Getenv("COMMAND_TEST_COLOUR"):
				t.Errorf("it reads %+v", c.Paint)
			}
		})
	}
}
