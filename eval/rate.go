package eval

import "math"

// Rate is a share with its Wilson score interval at 95 %.
type Rate struct {
	N     int     `json:"n"`
	Of    int     `json:"of"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

func (r *Rate) add(hit bool) {
	r.Of++
	if hit {
		r.N++
	}
	r.finish()
}

// finish computes the interval (Wilson 1927), which unlike the normal
// approximation says something useful at rates of 0 and 1.
func (r *Rate) finish() {
	if r.Of == 0 {
		return
	}
	const z = 1.959964
	n, p := float64(r.Of), float64(r.N)/float64(r.Of)
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	r.Value, r.Low, r.High = p, max(0, centre-half), min(1, centre+half)
}
