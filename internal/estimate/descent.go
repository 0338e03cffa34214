package estimate

import (
	"math"
	"slices"
)

const (
	// maxSteps bounds the descent.
	maxSteps = 200
	// remembered is how many past steps estimate the curvature.
	remembered = 8
	// maxHalvings is how often a step that goes too far is halved.
	maxHalvings = 20
	// sufficient is the share of the gain which the slope predicts that a step has to reach.
	sufficient = 1e-4
	// settled is the gain, as a share of the loss, below which the descent ends.
	settled = 1e-5
)

// loss is a smooth convex function. It writes its slope at a point, and returns its value there.
type loss func(at, slope []float64) float64

// least finds where a function of n numbers is least, by the method of Liu and Nocedal
// (L-BFGS, 1989). It draws nothing at random.
func least(n int, of loss) []float64 {
	d := &descent{at: make([]float64, n), slope: make([]float64, n)}
	d.loss = of(d.at, d.slope)
	for range maxSteps {
		before := d.loss
		if !d.step(of) || before-d.loss < settled*before {
			break
		}
	}
	return d.at
}

// descent is a point on the way down, and the last steps to it.
type descent struct {
	at, slope []float64
	loss      float64
	steps     []step
}

// step is how far a step went, and by how much the slope changed.
type step struct{ moved, bent []float64 }

// step goes down once, and reports whether it found a lower point.
func (d *descent) step(of loss) bool {
	down := d.direction()
	promised := dot(down, d.slope)
	length := 1.0
	for range maxHalvings {
		at, slope := sum(d.at, length, down), make([]float64, len(d.at))
		if l := of(at, slope); l <= d.loss+sufficient*length*promised {
			d.remember(step{moved: sum(at, -1, d.at), bent: sum(slope, -1, d.slope)})
			d.at, d.slope, d.loss = at, slope, l
			return true
		}
		length /= 2
	}
	return false
}

// remember keeps a step that says something about the curvature.
func (d *descent) remember(s step) {
	if dot(s.moved, s.bent) <= 0 {
		return
	}
	d.steps = append(d.steps, s)
	if len(d.steps) > remembered {
		d.steps = d.steps[1:]
	}
}

// direction returns the way down, by the slope and the curvature that the last steps show.
func (d *descent) direction() []float64 {
	down := slices.Clone(d.slope)
	shares := make([]float64, len(d.steps))
	for i, s := range slices.Backward(d.steps) {
		shares[i] = dot(s.moved, down) / dot(s.moved, s.bent)
		add(down, -shares[i], s.bent)
	}

	length := 1 / max(1, math.Sqrt(dot(d.slope, d.slope)))
	if n := len(d.steps); n > 0 {
		last := d.steps[n-1]
		length = dot(last.moved, last.bent) / dot(last.bent, last.bent)
	}
	for i := range down {
		down[i] *= length
	}
	for i, s := range d.steps {
		add(down, shares[i]-dot(s.bent, down)/dot(s.moved, s.bent), s.moved)
	}

	for i := range down {
		down[i] = -down[i]
	}
	return down
}

func dot(a, b []float64) (out float64) {
	for i := range a {
		out += a[i] * b[i]
	}
	return out
}

// add adds a multiple of b to a.
func add(a []float64, times float64, b []float64) {
	for i := range a {
		a[i] += times * b[i]
	}
}

// sum returns a plus a multiple of b.
func sum(a []float64, times float64, b []float64) []float64 {
	out := slices.Clone(a)
	add(out, times, b)
	return out
}
