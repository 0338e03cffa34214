// Gate runs go test with the arguments that it is given, prints what go test prints of
// packages and failures, and ends with the CPU time of it all, with building, the tests that
// took long, and those that were skipped, and why.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// slow is how many seconds a test may take before it is named: the gate is run often.
const slow = 10

func main() {
	code, err := run(os.Stdout, append([]string{"test", "-json"}, os.Args[1:]...))
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// run runs the go command, and returns its exit code.
func run(w io.Writer, args []string) (int, error) {
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}

	r := newReport(w)
	readErr := r.read(out)
	err = cmd.Wait()
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Fprintf(w, "took: %.0f s of CPU time\n", used.Seconds())
	r.summary()

	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode(), readErr
	}
	return 0, errors.Join(err, readErr)
}

// event is one that go test -json prints.
type event struct {
	Action     string
	Package    string
	Test       string
	ImportPath string
	Output     string
	Elapsed    float64
}

// test is one test of a package.
type test struct{ pkg, name string }

// long is a test that took long.
type long struct {
	test
	seconds float64
}

// report is what comes of a run.
type report struct {
	w       io.Writer
	output  map[test][]string
	slow    []long
	reasons map[string][]test // the skipped tests, by the reason
}

func newReport(w io.Writer) *report {
	return &report{w: w, output: map[test][]string{}, reasons: map[string][]test{}}
}

// read prints the output of packages and of tests that fail, as it comes.
func (r *report) read(from io.Reader) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			r.line(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("output of go test: %w", err)
		}
	}
}

func (r *report) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil {
		_, _ = r.w.Write(line) // go says something itself
		return
	}

	t := test{e.Package, e.Test}
	switch e.Action {
	case "output", "build-output":
		if e.Test == "" && e.Output != "PASS\n" {
			fmt.Fprint(r.w, e.Output)
		} else if e.Test != "" {
			r.output[t] = append(r.output[t], e.Output)
		}
	case "pass", "fail", "skip":
		r.end(t, &e)
	}
}

// end takes note of how a test ended. That of a package is in its output.
func (r *report) end(t test, e *event) {
	if t.name == "" {
		r.unfinished(t.pkg)
		return
	}

	switch e.Action {
	case "fail":
		for _, line := range r.output[t] {
			fmt.Fprint(r.w, line)
		}
	case "skip":
		why := reason(r.output[t])
		r.reasons[why] = append(r.reasons[why], t)
	}
	if e.Elapsed >= slow && !strings.Contains(t.name, "/") {
		r.slow = append(r.slow, long{t, e.Elapsed})
	}
	delete(r.output, t)
}

// unfinished prints the output of tests that never ended, as when one panics.
func (r *report) unfinished(pkg string) {
	var tests []test
	for t := range r.output {
		if t.pkg == pkg {
			tests = append(tests, t)
		}
	}
	slices.SortFunc(tests, func(a, b test) int { return cmp.Compare(a.name, b.name) })
	for _, t := range tests {
		for _, line := range r.output[t] {
			fmt.Fprint(r.w, line)
		}
		delete(r.output, t)
	}
}

// reason returns what a test said when it was skipped: the last line of its output
// that go test didn't write, without the place.
func reason(output []string) string {
	for _, line := range slices.Backward(output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "===") {
			continue
		}
		if place, text, ok := strings.Cut(line, ": "); ok && strings.Contains(place, ".go:") {
			return text
		}
		return line
	}
	return "it doesn't say why"
}

// summary prints the tests that took long, and then those that were skipped.
func (r *report) summary() {
	slices.SortFunc(r.slow, func(a, b long) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range r.slow {
		fmt.Fprintf(r.w, "slow: %.0f s: %s %s\n", t.seconds, t.pkg, t.name)
	}

	if len(r.reasons) == 0 {
		fmt.Fprintln(r.w, "skipped: nothing")
		return
	}
	reasons := make([]string, 0, len(r.reasons))
	for why := range r.reasons {
		reasons = append(reasons, why)
	}
	slices.Sort(reasons)
	for _, why := range reasons {
		fmt.Fprintf(r.w, "skipped: %s\n", why)
		for _, t := range r.reasons[why] {
			fmt.Fprintf(r.w, "  %s %s\n", t.pkg, t.name)
		}
	}
}
