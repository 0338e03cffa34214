package main

import (
	"strings"
	"testing"
)

const printed = `goos: linux
cpu: Intel(R) Xeon(R) Processor
BenchmarkDecide/1024KB/hit-2         	    2000	     55693 ns/op	         6.5 floors	     39490 p50-ns	    9968 B/op	      53 allocs/op
BenchmarkLoad-2   	       1	10622474913 ns/op	      6920 bytes/rule	498547712 B/op	 6459621 allocs/op
BenchmarkLoad-2   	       1	10000000000 ns/op	      6920 bytes/rule	498547712 B/op	 6459620 allocs/op
BenchmarkLoad-2   	       1	20000000000 ns/op	      6920 bytes/rule	498547712 B/op	 6459622 allocs/op
PASS
`

// What benchmarks print is read by their names, and of several runs the quickest.
func TestParse(t *testing.T) {
	got := parse([]byte(printed))
	if len(got) != 2 || got["BenchmarkDecide/1024KB/hit"]["floors"] != 6.5 || got["BenchmarkLoad"]["allocs/op"] != 6459620 {
		t.Errorf("got %v", got)
	}
}

// A ratio is the median over pairs; a benchmark that the base lacks has none.
func TestTable(t *testing.T) {
	p := &pair{what: "a decision", name: "BenchmarkDecide"}
	for _, run := range [][2]float64{{100, 50}, {10, 9}, {400, 100}} {
		p.before, p.after = append(p.before, figures{"ns/op": run[0], "allocs/op": 80}), append(p.after, figures{"ns/op": run[1], "allocs/op": 40, "floors": 6.25})
	}
	medians := &pair{what: "a middle one", name: "BenchmarkMiddle", before: []figures{{"ns/op": 1, "p50-ns": 100}}, after: []figures{{"ns/op": 9, "p50-ns": 80}}}
	if got := table([]*pair{medians}, "abc", 1); !strings.HasSuffix(got, "| a middle one | `Middle` | 0.8 |  |  |  |  |\n") {
		t.Errorf("got %s", got)
	}
	got := table([]*pair{p}, "abc", 3)
	if want := "| a decision | `Decide` | 0.5 | 40 | 0.5 | 6.25 |  |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want the row %s", got, want)
	}
}

// Percentiles of single rounds appear next to those of the floor and of an empty loop.
func TestTails(t *testing.T) {
	slow := &pair{name: "BenchmarkDecide", before: []figures{{"p99-ns": 80_000}}, after: []figures{{"p50-ns": 25_000, "p99-ns": 40_000, "floor-p50-ns": 8_000, "floor-p99-ns": 16_000, "idle-p50-ns": 20_000, "idle-p99-ns": 30_500}}}
	got := tails([]*pair{{name: "BenchmarkLoad", after: []figures{{"ns/op": 1}}}, slow})
	if want := "| `Decide` | 25 | 40 | 0.5 | 8 | 16 | 20 | 30.5 |\n"; !strings.HasSuffix(got, want) || strings.Contains(got, "Load") {
		t.Errorf("got %s, want the row %s", got, want)
	}
}

// The report takes the place of the one before, and nothing else of the page changes.
func TestReplace(t *testing.T) {
	page := []byte("# Page\n" + opening + "old\n" + closing + "\nmore\n")
	once, err := replace(page, "new\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := "# Page\n" + opening + "\nnew\n\n" + closing + "\nmore\n"; string(once) != want {
		t.Errorf("got %q, want %q", once, want)
	}
	if twice, err := replace(once, "new\n"); err != nil || string(twice) != string(once) {
		t.Errorf("again: %q, %v", twice, err)
	}
	for _, wrong := range []string{"", opening, closing} {
		if _, err := replace([]byte(wrong), ""); err == nil {
			t.Errorf("%q has no marks", wrong)
		}
	}
}
