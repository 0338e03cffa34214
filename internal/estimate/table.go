package estimate

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed roles.txt
var rolesText string

//go:embed floors.txt
var floorsText string

//go:embed effects.txt
var effectsText string

//go:embed outputs.txt
var outputsText string

// Roles returns the table that is built in for the roles of arguments, Floors that for
// the lowest floors that a careful reader accepts for them, Effects that for the effects of
// tools, and Outputs that for whether strangers may have written what they return. A mistake in
// them is found by the package's tests.
var (
	Roles   = sync.OnceValue(func() *Table { return mustParse(rolesText) })
	Floors  = sync.OnceValue(func() *Table { return mustParse(floorsText) })
	Effects = sync.OnceValue(func() *Table { return mustParse(effectsText) })
	Outputs = sync.OnceValue(func() *Table { return mustParse(outputsText) })
)

func mustParse(text string) *Table {
	t, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return t
}

// Table has the weight of every feature for every class. It doesn't change.
type Table struct {
	classes []string
	// weights are in hundredths of a natural logarithm of odds, in the order of classes.
	weights map[string][]int
}

// unit is one natural logarithm of odds, in weights.
const unit = 100

// Parse reads a table: a line "classes CLASS...", then a line a feature, its name and its
// weights separated by tabs.
func Parse(text string) (*Table, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	classes := strings.Fields(lines[0])
	if len(classes) < 3 || classes[0] != "classes" {
		return nil, fmt.Errorf("line 1 is %.80q: write \"classes\" and their names", lines[0])
	}

	t := &Table{classes: classes[1:], weights: map[string][]int{}}
	for i, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != len(t.classes)+1 {
			return nil, fmt.Errorf("line %d has %d fields: write a feature and %d weights", i+2, len(fields), len(t.classes))
		}
		weights := make([]int, len(t.classes))
		for j, f := range fields[1:] {
			w, err := strconv.Atoi(f)
			if err != nil {
				return nil, fmt.Errorf("line %d: %.20q is not a whole number", i+2, f)
			}
			weights[j] = w
		}
		t.weights[fields[0]] = weights
	}
	return t, nil
}

// String writes a table as [Parse] reads it.
func (t *Table) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "classes %s\n", strings.Join(t.classes, " "))
	for _, f := range slices.Sorted(maps.Keys(t.weights)) {
		b.WriteString(f)
		for _, w := range t.weights[f] {
			fmt.Fprintf(&b, "\t%d", w)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Odds returns for each class the natural logarithm of its probability.
func (t *Table) Odds(features []string) map[string]float64 {
	sums := make([]float64, len(t.classes))
	for _, f := range features {
		for i, w := range t.weights[f] {
			sums[i] += float64(w) / unit
		}
	}
	all := logSum(sums)

	out := make(map[string]float64, len(sums))
	for i, c := range t.classes {
		out[c] = sums[i] - all
	}
	return out
}

// logSum returns the logarithm of the sum of the exponentials.
func logSum(xs []float64) float64 {
	top, sum := slices.Max(xs), 0.0
	for _, x := range xs {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}

// Why returns up to n features that speak most for one class against another.
func (t *Table) Why(features []string, class, against string, n int) []string {
	i, j := slices.Index(t.classes, class), slices.Index(t.classes, against)
	if i < 0 || j < 0 {
		return nil
	}
	var out []string
	margin := func(f string) int { return t.weights[f][i] - t.weights[f][j] }
	for _, f := range features {
		if t.weights[f] != nil && margin(f) > 0 {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return margin(b) - margin(a) })
	return first(out, n)
}
