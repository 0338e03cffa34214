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
	// steps of the descent, and how long the first ones are.
	steps  = 250
	stride = 0.15
	// minGroups is in how many groups a feature has to occur: what only one server has
	// says nothing about another.
	minGroups = 2
	// negligible weights, in [unit], are left out of the table.
	negligible = 4
)

// Fit makes a table of examples by logistic regression with a penalty on the square of
// the weights. The same examples in the same order give the same table on one platform.
func Fit(examples []Example) *Table {
	f := newFit(examples)
	for s := range steps {
		f.step(s)
	}
	return f.table()
}

// fit is a regression on its way.
type fit struct {
	classes, features []string
	rows              [][]int // for each example, the numbers of its features
	class             []int   // for each example, the number of its class
	weights           []float64
	slope, size       []float64 // running means of the gradient and of its square
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
	n := len(f.features) * len(f.classes)
	f.weights, f.slope, f.size = make([]float64, n), make([]float64, n), make([]float64, n)
	return f
}

// step goes one step down, by the method of Kingma and Ba (Adam, 2014), which needs no
// length that fits the data.
func (f *fit) step(n int) {
	const keepSlope, keepSize, tiny = 0.9, 0.999, 1e-8
	gradient := f.gradient()
	length := stride * (1 - float64(n)/float64(steps))
	c1, c2 := 1-math.Pow(keepSlope, float64(n+1)), 1-math.Pow(keepSize, float64(n+1))
	for i, g := range gradient {
		f.slope[i] = keepSlope*f.slope[i] + (1-keepSlope)*g
		f.size[i] = keepSize*f.size[i] + (1-keepSize)*g*g
		f.weights[i] -= length * (f.slope[i] / c1) / (math.Sqrt(f.size[i]/c2) + tiny)
	}
}

// gradient is that of the loss and of half the squared weights.
func (f *fit) gradient() []float64 {
	k := len(f.classes)
	out := slices.Clone(f.weights)
	sums := make([]float64, k)
	for i, row := range f.rows {
		clear(sums)
		for _, n := range row {
			for c := range k {
				sums[c] += f.weights[n*k+c]
			}
		}
		all := logSum(sums)

		for c := range k {
			sums[c] = math.Exp(sums[c] - all)
		}
		sums[f.class[i]]--
		for _, n := range row {
			for c := range k {
				out[n*k+c] += sums[c]
			}
		}
	}
	return out
}

func (f *fit) table() *Table {
	k := len(f.classes)
	t := &Table{classes: f.classes, weights: map[string][]int{}}
	for n, name := range f.features {
		weights := make([]int, k)
		matters := false
		for c := range k {
			weights[c] = int(math.Round(f.weights[n*k+c] * unit))
			matters = matters || weights[c] >= negligible || weights[c] <= -negligible
		}
		if matters {
			t.weights[name] = weights
		}
	}
	return t
}
