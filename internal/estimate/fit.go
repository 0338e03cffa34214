package estimate

import (
	"math"
	"slices"
)

// Example is something labelled: its features, and what it is. Group is what it shares with
// examples like it, a server.
type Example struct {
	Group    string
	Features []string
	Class    string
}

const (
	// ridge is the penalty on half the square of a weight.
	ridge = 1.0
	// minGroups is in how many groups a feature has to occur: what only one server has
	// says nothing about another.
	minGroups = 2
	// negligible weights, in [unit], are left out of the table.
	negligible = 8
)

// Fit makes a table of examples by logistic regression with a penalty on the square of
// the weights. The same examples in the same order give the same table on one platform.
func Fit(examples []Example) *Table {
	f := newFit(examples)
	return f.table(least(len(f.features)*len(f.classes), f.loss))
}

// fit is what a regression is about.
type fit struct {
	classes, features []string
	rows              [][]int // for each example, the numbers of its features
	class             []int   // for each example, the number of its class
}

func newFit(examples []Example) *fit {
	f := &fit{}
	groups := map[string]map[string]bool{}
	for _, e := range examples {
		if !slices.Contains(f.classes, e.Class) {
			f.classes = append(f.classes, e.Class)
		}
		for _, name := range e.Features {
			if groups[name] == nil {
				groups[name] = map[string]bool{}
			}
			groups[name][e.Group] = true
		}
	}
	slices.Sort(f.classes)

	number := map[string]int{}
	for _, e := range examples {
		var row []int
		for _, name := range e.Features {
			if len(groups[name]) < minGroups {
				continue
			}
			n, ok := number[name]
			if !ok {
				n = len(f.features)
				number[name] = n
				f.features = append(f.features, name)
			}
			row = append(row, n)
		}
		f.rows = append(f.rows, row)
		f.class = append(f.class, slices.Index(f.classes, e.Class))
	}
	return f
}

// loss is how unlikely weights make what the examples are, with the penalty.
func (f *fit) loss(weights, slope []float64) float64 {
	total := 0.0
	for i, w := range weights {
		total += ridge / 2 * w * w
		slope[i] = ridge * w
	}

	k := len(f.classes)
	sums := make([]float64, k)
	for i, row := range f.rows {
		clear(sums)
		for _, n := range row {
			add(sums, 1, weights[n*k:(n+1)*k])
		}
		all := logSum(sums)
		total += all - sums[f.class[i]]

		for c := range k {
			sums[c] = math.Exp(sums[c] - all)
		}
		sums[f.class[i]]--
		for _, n := range row {
			add(slope[n*k:(n+1)*k], 1, sums)
		}
	}
	return total
}

func (f *fit) table(fitted []float64) *Table {
	k := len(f.classes)
	t := &Table{classes: f.classes, weights: map[string][]int{}}
	for n, name := range f.features {
		weights := make([]int, k)
		matters := false
		for c := range k {
			weights[c] = int(math.Round(fitted[n*k+c] * unit))
			matters = matters || weights[c] >= negligible || weights[c] <= -negligible
		}
		if matters {
			t.weights[name] = weights
		}
	}
	return t
}
