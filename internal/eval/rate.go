package eval

import "math"

// Rate is a share with its 95 % Wilson score interval. In JSON it is a number
// from 0 to 1 under its name, with the interval as NAME_ci: [low, high], and the
// counts as NAME_n and NAME_of.
type Rate struct {
	// N of Of cases are hits.
	N, Of int
	// Value is N / Of, or 0 without cases.
	Value float64
	// Low and High bound the interval.
	Low, High float64
}

// rateOf returns the rate of n hits in of cases.
func rateOf(n, of int) Rate {
	r := Rate{N: n, Of: of}
	r.finish()
	return r
}

func (r *Rate) add(hit bool) {
	r.Of++
	if hit {
		r.N++
	}
	r.finish()
}

// merge adds the cases of another rate.
func (r *Rate) merge(other Rate) {
	r.N, r.Of = r.N+other.N, r.Of+other.Of
	r.finish()
}

// Complement returns the rate of the cases that are not hits.
func (r Rate) Complement() Rate { return rateOf(r.Of-r.N, r.Of) }

// finish computes the interval (Wilson 1927), which unlike the normal
// approximation says something useful at rates of 0 and 1.
func (r *Rate) finish() {
	if r.Of == 0 {
		r.Value, r.Low, r.High = 0, 0, 1 // nothing is known
		return
	}
	const z = 1.959964
	n, p := float64(r.Of), float64(r.N)/float64(r.Of)
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	r.Value, r.Low, r.High = p, max(0, centre-half), min(1, centre+half)
	// Exact bounds stay exact despite rounding.
	if r.N == 0 {
		r.Low = 0
	}
	if r.N == r.Of {
		r.High = 1
	}
}

// object is a JSON object under construction.
type object map[string]any

// rate adds a rate to the object; see [Rate].
func (o object) rate(name string, r Rate) {
	o[name] = r.Value
	o[name+"_ci"] = [2]float64{r.Low, r.High}
	o[name+"_n"], o[name+"_of"] = r.N, r.Of
}
