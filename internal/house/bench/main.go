// Bench measures two revisions of the tree with the benchmarks of this one, in turns, and writes
// the figures into a page between two marks. Machines differ, and a shared one differs
// from minute to minute: what counts is the ratio of a pair, and its median.
//
//	go run ./internal/house/bench -base REVISION [-runs N] [-page FILE]
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/atomicfile"
)

// benchmarks are what is measured: what an agent waits for, and the start.
var benchmarks = []benchmark{
	{what: "a decision on five short arguments, after 1 MB", dir: ".", name: "BenchmarkDecide$/1024KB", times: "4000x", pinned: true},
	{what: "a decision on five short arguments, after 10 MB", dir: ".", name: "BenchmarkDecide$/10240KB/hit", times: "4000x", pinned: true},
	{what: "a decision that is on the disk, SQLite", dir: "./ledger", name: "BenchmarkDurable$", times: "500x"},
	{what: "a request that goes on with a conversation", dir: "./internal/proxy", name: "BenchmarkFollowing$", times: "10x"},
	{what: "the policies of a service desk for one call", dir: "./guard", name: "BenchmarkRental$", times: "20x", again: 100},
	{what: "the policies of an airline for one call", dir: "./examples/airline", name: "BenchmarkRules$", times: "20x", again: 100},
	{what: "loading a thousand guarded tools", dir: "./guard", name: "BenchmarkLoad$", times: "1x"},
}

type benchmark struct {
	what, dir, name, times string
	// again is how often short ones run, once where it is 0. The quickest counts, which is one
	// that the machine left alone.
	again int
	// pinned benchmarks run on one core, where the system has a program for that: what is
	// measured of single rounds is then not of the scheduler.
	pinned bool
}

// The units of the page's columns, in order.
const (
	timeUnit  = "ns/op"
	allocUnit = "allocs/op"
	floorUnit = "floors" // the time, as a multiple of the floor's in the same run
	// What one round in a hundred takes longer than, one of the floor, and an empty loop; and
	// their medians.
	tailUnit, middleUnit           = "p99-ns", "p50-ns"
	floorTailUnit, floorMiddleUnit = "floor-p99-ns", "floor-p50-ns"
	idleTailUnit, idleMiddleUnit   = "idle-p99-ns", "idle-p50-ns"
)

func main() {
	base := flag.String("base", "", "the revision to compare with")
	runs := flag.Int("runs", 5, "how many pairs to measure")
	page := flag.String("page", "docs/performance.md", "the page to write")
	flag.Parse()

	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, *base, *runs, *page); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, base string, runs int, page string) error {
	if base == "" || runs < 1 {
		return errors.New("say which revision to compare with (-base), and measure at least one pair (-runs)")
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	for _, name := range []string{"before", "after"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return err
		}
	}
	before := tree{root: filepath.Join(dir, "base"), binaries: filepath.Join(dir, "before")}
	after := tree{root: ".", binaries: filepath.Join(dir, "after")}
	if _, err := output(ctx, ".", "git", "worktree", "add", "--detach", before.root, base); err != nil {
		return err
	}
	defer output(context.WithoutCancel(ctx), ".", "git", "worktree", "remove", "--force", before.root)

	for _, b := range benchmarks {
		if err := before.take(after, b.dir); err != nil {
			return err
		}
	}
	pairs, err := measure(ctx, before, after, runs)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	text, err = replace(text, table(pairs, base, runs))
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return atomicfile.Write(page, text, 0o644)
}

// tree is a checkout, and where the test programs of its packages are.
type tree struct{ root, binaries string }

// take takes over the benchmarks of a package from another tree, so that both are measured
// alike.
func (t tree) take(from tree, dir string) error {
	text, err := os.ReadFile(filepath.Join(from.root, dir, "bench_test.go"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(t.root, dir, "bench_test.go"), text, 0o600)
}

// build makes the test program of a package.
func (t tree) build(ctx context.Context, dir string) error {
	_, err := output(ctx, t.root, "go", "test", "-c", "-o", t.program(dir), dir)
	return err
}

func (t tree) program(dir string) string {
	return filepath.Join(t.binaries, strings.Trim(strings.ReplaceAll(dir, "/", "-"), ".-")+".test")
}

// run runs a benchmark once.
func (t tree) run(ctx context.Context, b benchmark) (map[string]figures, error) {
	command := []string{t.program(b.dir), "-test.run", "^$", "-test.bench", b.name, "-test.benchtime", b.times, "-test.benchmem", "-test.count", strconv.Itoa(max(1, b.again))}
	if pin, err := exec.LookPath("taskset"); b.pinned && err == nil {
		command = append([]string{pin, "-c", strconv.Itoa(runtime.NumCPU() - 1)}, command...)
	}
	text, err := output(ctx, filepath.Join(t.root, b.dir), command[0], command[1:]...)
	if err != nil {
		return nil, err
	}
	return parse(text), nil
}

// pair has what was measured of a benchmark before and after, run by run.
type pair struct {
	what, name    string
	before, after []figures
}

// measure runs the benchmarks of both trees in turns.
func measure(ctx context.Context, before, after tree, runs int) ([]*pair, error) {
	for _, t := range []tree{before, after} {
		for _, b := range benchmarks {
			if err := t.build(ctx, b.dir); err != nil {
				return nil, err
			}
		}
	}

	var pairs []*pair
	for _, b := range benchmarks {
		found := map[string]*pair{}
		for range runs {
			old, err := before.run(ctx, b)
			if err != nil {
				return nil, err
			}
			now, err := after.run(ctx, b)
			if err != nil {
				return nil, err
			}
			for _, name := range sorted(now) {
				p := found[name]
				if p == nil {
					p = &pair{what: b.what, name: name}
					found[name], pairs = p, append(pairs, p)
				}
				p.before, p.after = append(p.before, old[name]), append(p.after, now[name])
			}
		}
	}
	return pairs, nil
}

// figures are the metrics of one run of a benchmark, by their units.
type figures map[string]float64

// parse reads what benchmarks print, by their names without the number of processors. Of one
// that ran several times it keeps the quickest.
func parse(text []byte) map[string]figures {
	out := map[string]figures{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}

		f := figures{}
		for i := 2; i+1 < len(fields); i += 2 {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				f[fields[i+1]] = v
			}
		}

		name := fields[0]
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i]
		}
		if before, ok := out[name]; !ok || f[timeUnit] < before[timeUnit] {
			out[name] = f
		}
	}
	return out
}

// ratio returns the median of after to before over the pairs that have both.
func (p *pair) ratio(unit string) (float64, bool) {
	var all []float64
	for i := range p.after {
		old, now := p.before[i][unit], p.after[i][unit]
		if old > 0 && now > 0 {
			all = append(all, now/old)
		}
	}
	return median(all)
}

// time returns the ratio of times: of their medians where a benchmark says them, which an
// interruption doesn't change.
func (p *pair) time() (float64, bool) {
	if v, ok := p.ratio(middleUnit); ok {
		return v, true
	}
	return p.ratio(timeUnit)
}

// value returns the median of what was measured afterwards.
func (p *pair) value(unit string) (float64, bool) {
	var all []float64
	for _, f := range p.after {
		if v, ok := f[unit]; ok {
			all = append(all, v)
		}
	}
	return median(all)
}

func median(all []float64) (float64, bool) {
	if len(all) == 0 {
		return 0, false
	}
	slices.Sort(all)
	return all[len(all)/2], true
}

// table returns the figures as a table in Markdown.
func table(pairs []*pair, base string, runs int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Medians of %d pairs, in turns with revision %s; a ratio is that of a pair, after to before.\n\n", runs, base)
	b.WriteString("| what | benchmark | time, ratio | allocations | ratio | times the floor | ratio |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, p := range pairs {
		fmt.Fprintf(&b, "| %s | `%s` |", p.what, strings.TrimPrefix(p.name, "Benchmark"))
		fmt.Fprintf(&b, " %s |", short(p.time())) // the time alone says nothing on another machine
		for _, unit := range [...]string{allocUnit, floorUnit} {
			fmt.Fprintf(&b, " %s | %s |", short(p.value(unit)), short(p.ratio(unit)))
		}
		b.WriteByte('\n')
	}
	b.WriteString(tails(pairs))
	return b.String()
}

// tails returns the table of benchmarks that report percentiles of single rounds, next to those
// of their floor and of an empty loop: the floor waits for memory as they do, the loop doesn't.
func tails(pairs []*pair) string {
	var b strings.Builder
	for _, p := range pairs {
		if _, ok := p.value(tailUnit); !ok {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\nOn one core, in batches of a hundred, and of those the one in the middle; in microseconds:\n\n" +
				"| benchmark | P50 | P99 | P99, ratio | the floor, P50 | P99 | an empty loop, P50 | P99 |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |", strings.TrimPrefix(p.name, "Benchmark"),
			short(p.micros(middleUnit)), short(p.micros(tailUnit)), short(p.ratio(tailUnit)))
		for _, unit := range [...]string{floorMiddleUnit, floorTailUnit, idleMiddleUnit, idleTailUnit} {
			fmt.Fprintf(&b, " %s |", short(p.micros(unit)))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// micros is value for nanoseconds.
func (p *pair) micros(unit string) (float64, bool) {
	v, ok := p.value(unit)
	return v / 1000, ok
}

// short writes a figure with three digits, and nothing where there is none.
func short(v float64, ok bool) string {
	if !ok {
		return ""
	}
	if v >= 1000 {
		return strconv.Itoa(int(v))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// The marks between which the page is written.
const (
	opening = "<!-- bench-report: make bench-report writes what follows -->\n"
	closing = "<!-- bench-report ends -->"
)

// replace puts text between the marks of a page.
func replace(page []byte, text string) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(opening))
	_, after, closed := bytes.Cut(rest, []byte(closing))
	if !ok || !closed {
		return nil, errors.New("the marks of the report are missing")
	}
	return slices.Concat(before, []byte(opening+"\n"+text+"\n"+closing), after), nil
}

// output runs a program in a directory, and returns what it prints.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	var failed bytes.Buffer
	c.Stderr = &failed
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, cmp.Or(failed.String(), string(out)))
	}
	return out, nil
}

func sorted(m map[string]figures) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
