package main

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

type policyTestCommand struct {
	policyFlags
	JSON  bool   `help:"Print every result as a line of JSON."`
	JUnit string `name:"junit" placeholder:"FILE" help:"Write the results in the form of JUnit as well."`
	Live  string `placeholder:"FILE" help:"Also decide the examples with the real look-ups, by the servers of a gateway's configuration (remit.yaml): a rule on what nobody knows has to be decided there."`
	Watch bool   `short:"w" help:"Run again whenever a file changes, until interrupted."`
	tryFlags
}

// Help is shown below the flags.
func (policyTestCommand) Help() string {
	return `Every example is judged by its own rule alone. Exit code 4 when one fails, or a file has errors.

With --live, rules that look things up are also decided with what the real tools return: each look-up is asked once, and
its ids stand in the examples for those that were made up. Exit code 4 when a rule can't be decided so.

Example:
  remit policy test policies --tools airline.json --junit results.xml
  remit policy test policy/guards --tools shop.json --live remit.yaml --try 'get_user={"user_id": "test-user-1"}'`
}

// watchEvery is how often files are looked at for changes. Looking works on
// every file system, and a few hundred files are nothing.
const watchEvery = 500 * time.Millisecond

// Run runs the examples.
func (c *policyTestCommand) Run(ctx context.Context, s *command.Streams) error {
	if !c.Watch {
		return c.once(ctx, s)
	}

	for {
		seen := c.stamp()
		if err := c.once(ctx, s); err != nil {
			s.Report(err)
		}
		tick := time.NewTicker(watchEvery)
		for c.stamp() == seen {
			select {
			case <-ctx.Done():
				tick.Stop()
				return nil
			case <-tick.C:
			}
		}
		tick.Stop()
		fmt.Fprintln(s.Out)
	}
}

// stamp changes when a file that matters does.
func (c *policyTestCommand) stamp() string {
	paths := append(append([]string{}, c.Tools...), c.Paths...)
	if c.Contracts != "" {
		paths = append(paths, c.Contracts)
	}

	var b strings.Builder
	for _, path := range paths {
		names, err := inputs.YAML(path, "", "")
		if err != nil {
			names = []string{path}
		}
		for _, name := range names {
			for _, file := range [...]string{name, policydoc.TestsFile(name)} {
				if info, err := os.Stat(file); err == nil {
					fmt.Fprintln(&b, file, info.Size(), info.ModTime().UnixNano())
				}
			}
		}
	}
	return b.String()
}

func (c *policyTestCommand) once(ctx context.Context, s *command.Streams) error {
	p, err := c.read()
	if err != nil {
		return err
	}
	p.sayUnchecked(s)
	p.printMistakes(s)

	failed, results := 0, p.test(ctx)
	for _, r := range results {
		if !r.Passed() {
			failed++
		}
		if c.JSON {
			if err := writeJSON(s.Out, resultOf(r)); err != nil {
				return err
			}
		} else if !r.Passed() {
			printFailure(s, r)
		}
	}

	if c.JUnit != "" {
		if err := writeJUnit(c.JUnit, results); err != nil {
			return err
		}
	}
	if !c.JSON {
		shade, all := display.Paint(s.Color), display.Count(len(results), "example", "examples")
		switch {
		case failed > 0:
			fmt.Fprintf(s.Out, "%s: %d of %s\n", shade.Bad("failed"), failed, all)
		case len(p.mistakes) > 0:
			fmt.Fprintf(s.Out, "%s of the files without errors passed\n", all)
		case len(results) == 0:
			fmt.Fprintf(s.Out, "%s: the rules have no examples\n", shade.Bad("nothing is tested"))
		default:
			fmt.Fprintf(s.Out, "%s: %s\n", shade.Good("ok"), all)
		}
	}

	unproven := false
	if c.Live != "" {
		if unproven, err = c.tryLive(ctx, s, p); err != nil {
			return err
		}
	}
	if failed > 0 || len(p.mistakes) > 0 || len(results) == 0 || unproven {
		return command.Status(exitFindings)
	}
	return nil
}

// printFailure prints an example that its rule doesn't pass.
func printFailure(s *command.Streams, r guardtest.Result) {
	shade := display.Paint(s.Color)
	fmt.Fprintf(s.Out, "%s: %s %s, %s\n", display.Line(r.Position.String()), shade.Bad("failed:"), display.Name(r.Rule), display.Line(r.Example))
	fmt.Fprintf(s.Out, "  %s %s\n", shade.Good("- expected"), r.Want)
	if r.Failed != "" {
		fmt.Fprintf(s.Out, "  %s %s\n", shade.Bad("+ can't be decided:"), display.Line(r.Failed))
	} else {
		fmt.Fprintf(s.Out, "  %s %s\n", shade.Bad("+ got     "), r.Got)
	}
	for _, v := range r.Values {
		fmt.Fprintf(s.Out, "    %s = %s\n", display.Line(v.Name), display.Line(v.Value))
	}
}

// policyResult is the JSON form of what came of an example.
type policyResult struct {
	Server  string        `json:"server,omitempty"`
	Tool    string        `json:"tool"`
	Policy  string        `json:"policy"`
	Example string        `json:"example"`
	Place   string        `json:"place"`
	Passed  bool          `json:"passed"`
	Want    label.Verdict `json:"want"`
	Got     label.Verdict `json:"got"`
	Failed  string        `json:"failed,omitempty"`
	Values  []guard.Value `json:"values,omitempty"`
}

func resultOf(r guardtest.Result) policyResult {
	return policyResult{r.Server, r.Tool, r.Rule, r.Example, r.Position.String(), r.Passed(), r.Want, r.Got, r.Failed, r.Values}
}

// The form of JUnit, as far as everybody agrees on it.
type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes one suite a tool.
func writeJUnit(file string, results []guardtest.Result) (err error) {
	var out junitSuites
	var took time.Duration
	for _, r := range results {
		if len(out.Suites) == 0 || out.Suites[len(out.Suites)-1].Name != r.Tool {
			out.Suites, took = append(out.Suites, junitSuite{Name: r.Tool}), 0
		}
		suite := &out.Suites[len(out.Suites)-1]
		c := junitCase{Class: r.Tool + "." + r.Rule, Name: r.Example, Time: seconds(r.Took)}
		if !r.Passed() {
			suite.Failures++
			c.Failure = &junitFailure{Message: fmt.Sprintf("expected %s, got %s", r.Want, r.Got), Text: r.Failed}
			for _, v := range r.Values {
				c.Failure.Text += fmt.Sprintf("\n%s = %s", v.Name, v.Value)
			}
		}
		suite.Tests++
		took += r.Took
		suite.Time = seconds(took)
		suite.Cases = append(suite.Cases, c)
	}

	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer closeFile(f, &err)
	if _, err := io.WriteString(f, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(f)
	e.Indent("", "  ")

	if err := e.Encode(out); err != nil {
		return err
	}
	_, err = io.WriteString(f, "\n")
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }
