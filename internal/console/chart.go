package console

import (
	"math"
	"strconv"
	"time"

	"github.com/remit-project/remit/internal/figures"
)

// bar is a step of time in the chart, with where its parts begin and how high they are.
type bar struct {
	figures.Verdicts
	At       time.Time
	X, Width float64
	Parts    []part
}

// part is the part of a bar that one verdict has: where it begins, and how long it is.
type part struct {
	Verdict  string
	At, Long float64
}

// partsOf divides a bar of a hundred, for the largest count, into its verdicts: what was stopped
// first.
func partsOf(v figures.Verdicts, most int) []part {
	scale, at := 100/float64(max(most, 1)), 0.0
	var out []part
	for _, p := range []struct {
		verdict string
		n       int
	}{{"deny", v.Deny}, {"ask", v.Ask}, {"shadow", v.Shadow}, {"allow", v.Allow}} {
		if p.n > 0 {
			out = append(out, part{p.verdict, at, float64(p.n) * scale})
			at += float64(p.n) * scale
		}
	}
	return out
}

// The size of the chart, in its own units.
const (
	chartWide = 600.0
	chartHigh = 120.0
)

// barsOf returns the empty bars of a time.
func barsOf(since, now time.Time, step time.Duration) []bar {
	bars := make([]bar, int(now.Sub(since)/step)+1)
	wide := chartWide / float64(len(bars))
	for i := range bars {
		bars[i].At, bars[i].X, bars[i].Width = since.Add(time.Duration(i)*step), float64(i)*wide, wide*0.8
	}
	return bars
}

// stack places the parts of a bar, one on the other: those that were stopped on top.
func (b *bar) stack(most int) {
	b.Parts = partsOf(b.Verdicts, most)
	scale := chartHigh / 100
	top := chartHigh - float64(b.All())*chartHigh/float64(max(most, 1))
	for i := range b.Parts {
		b.Parts[i].At, b.Parts[i].Long = top+b.Parts[i].At*scale, b.Parts[i].Long*scale
	}
}

// roundUp returns the next number that an axis can end with and has a half: 2, 4, 10, 20, …
func roundUp(n int) int {
	if n == 0 {
		return 0
	}
	ten := int(math.Pow10(int(math.Log10(float64(n)))))
	for _, f := range []int{1, 2, 4, 6, 8, 10} {
		if end := f * ten; end >= n && end%2 == 0 {
			return end
		}
	}
	return 10 * ten
}

// slot is a row of a distribution: how many were within a range, and how wide the row's bar
// is of a hundred.
type slot struct {
	Words string
	N     int
	Width float64
}

// slotEnd is a range's words, and where it ends.
type slotEnd struct {
	words string
	end   time.Duration
}

var (
	decisionSlots = []slotEnd{
		{"under 1 ms", time.Millisecond}, {"1 to 5 ms", 5 * time.Millisecond},
		{"5 to 20 ms", 20 * time.Millisecond}, {"20 to 100 ms", 100 * time.Millisecond},
		{"0.1 to 1 s", time.Second}, {"1 s and more", math.MaxInt64},
	}
	answerSlots = []slotEnd{{"under 10 s", 10 * time.Second}, {"10 s to 1 min", time.Minute}, {"1 to 10 min", 10 * time.Minute}, {"10 min to 1 h", time.Hour}, {"1 h and more", math.MaxInt64}}
)

// slotsOf counts times by the ranges that they fall into.
func slotsOf(list []time.Duration, ends []slotEnd) []slot {
	out, most := make([]slot, len(ends)), 0
	for i, e := range ends {
		out[i].Words = e.words
	}
	for _, d := range list {
		for i, e := range ends {
			if d < e.end || i == len(ends)-1 {
				out[i].N++
				most = max(most, out[i].N)
				break
			}
		}
	}
	for i := range out {
		out[i].Width = 100 * float64(out[i].N) / float64(max(most, 1))
	}
	return out
}

// lasted returns a time as people read it, in two or three digits.
func lasted(d time.Duration) string {
	if d == 0 {
		return "0\u00a0s"
	}
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}} {
		if d >= u.size {
			return strconv.FormatFloat(float64(d)/float64(u.size), 'g', 3, 64) + "\u00a0" + u.name
		}
	}
	return strconv.FormatInt(d.Microseconds(), 10) + "\u00a0µs"
}
