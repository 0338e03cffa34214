package eval

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
)

// The measures of the plot, in its own units.
const (
	plotPanel  = 300 // side of a panel's square
	plotGap    = 70  // between panels, and around them
	plotTop    = 186
	plotStack  = 15 // between marks that lie on one another
	plotLegend = 20 // height of a line of the legend
)

// setTitles say what the axes are of, by data set.
var setTitles = map[string]string{
	"agentdojo":   "AgentDojo: recorded attacks, user tasks",
	"injecagent":  "InjecAgent: attacks, users' own calls",
	"diagnostics": "Diagnostics: mixed trust, aware attackers",
	"replanning":  "Replanning: 5, 10 and 20 steps",
}

// PlotSVG draws security against utility as one self-contained SVG image: a panel
// for each data set, a mark for each defense, with the 95 % intervals of both.
func (c *Comparison) PlotSVG(w io.Writer) error {
	_, err := io.WriteString(w, c.svg())
	return err
}

// PlotHTML writes the plot and its figures as one self-contained page.
func (c *Comparison) PlotHTML(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Security against utility</title>
<style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:90rem;padding:0 1rem;color:#1c2430;background:#fff}
table{border-collapse:collapse;margin:1rem 0 2rem}th,td{padding:.25rem .8rem;border-bottom:1px solid #d8dde4;text-align:right}
th:first-child,td:first-child{text-align:left}td small{color:#5b6675}svg{max-width:100%;height:auto}</style></head><body>
`)
	b.WriteString(c.svg())

	for _, set := range c.DataSets {
		fmt.Fprintf(&b, "<h2>%s</h2>\n<table><tr><th>defense</th><th>security</th><th>utility</th><th>false positives</th></tr>\n", html.EscapeString(setTitles[set]))
		for _, d := range c.Defenses {
			r := d.Rates[set]
			fmt.Fprintf(&b, "<tr><td title=%q>%s</td>", html.EscapeString(d.About+" ("+d.Follows+")"), html.EscapeString(d.Name))
			for _, rate := range []Rate{r.Security, r.Utility, r.FalsePositives} {
				fmt.Fprintf(&b, "<td>%.1f %% <small>%.1f–%.1f</small></td>", 100*rate.Value, 100*rate.Low, 100*rate.High)
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</table>\n")
	}

	b.WriteString("</body></html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *Comparison) svg() string {
	columns := (len(c.Defenses) + 3) / 4
	width := plotGap + len(c.DataSets)*(plotPanel+plotGap)
	width = max(width, 700)
	height := plotTop + plotPanel + 60 + 4*plotLegend + 20
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Security against utility for each defense" font-family="system-ui,sans-serif" font-size="12" fill="#1c2430">
<rect width="100%%" height="100%%" fill="#fff"/>
<text x="%d" y="30" font-size="18" font-weight="600">Security against utility</text>
<text x="%d" y="50" fill="#5b6675">One mark a defense, with 95 %% Wilson intervals. Up is fewer attacks that succeed, right is more that the user gets done.</text>
`, width, height, width, height, plotGap, plotGap)

	for i, set := range c.DataSets {
		c.panel(&b, set, plotGap+i*(plotPanel+plotGap))
	}
	for i, d := range c.Defenses {
		x := plotGap + (i/4)*(width-plotGap)/max(columns, 1)
		y := plotTop + plotPanel + 66 + (i%4)*plotLegend
		mark(&b, d, i, float64(x)+6, float64(y)-4)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">%s<title>%s</title></text>\n", x+20, y, html.EscapeString(d.Name), html.EscapeString(d.About+" ("+d.Follows+")"))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// panel draws one data set.
func (c *Comparison) panel(b *strings.Builder, set string, left int) {
	x := func(v float64) float64 { return float64(left) + v*plotPanel }
	y := func(v float64) float64 { return plotTop + (1-v)*plotPanel }
	fmt.Fprintf(b, "<g><text x=\"%d\" y=\"%d\" font-weight=\"600\">%s</text>\n", left, plotTop-108, html.EscapeString(setTitles[set]))
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
		fmt.Fprintf(b, `<path d="M%.0f %.0fH%.0fM%.0f %.0fV%.0f" stroke="#e3e7ec" fill="none"/>`, x(0), y(v), x(1), x(v), y(0), y(1))
		fmt.Fprintf(b, `<text x="%.0f" y="%.0f" text-anchor="end" fill="#5b6675">%.0f</text><text x="%.0f" y="%.0f" text-anchor="middle" fill="#5b6675">%.0f</text>`+"\n",
			x(0)-6, y(v)+4, 100*v, x(v), y(0)+16, 100*v)
	}

	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" text-anchor="middle">utility, %%</text><text transform="translate(%d %.0f) rotate(-90)" text-anchor="middle">security, %%</text>`+"\n",
		x(0.5), y(0)+34, left-38, y(0.5))
	for _, d := range c.Defenses {
		r := d.Rates[set]
		fmt.Fprintf(b, `<path d="M%.1f %.1fH%.1fM%.1f %.1fV%.1f" stroke="%s" stroke-opacity=".45" fill="none"/>`+"\n",
			x(r.Utility.Low), y(r.Security.Value), x(r.Utility.High), x(r.Utility.Value), y(r.Security.Low), y(r.Security.High), color(d))
	}

	// Marks that would lie on one another are moved upwards, and a line leads
	// back to the dot where the rate is. The last one, Remit, is placed first.
	var taken [][2]float64
	for i, d := range slices.Backward(c.Defenses) {
		r := d.Rates[set]
		px, py := x(r.Utility.Value), y(r.Security.Value)
		cy := py
		for slices.ContainsFunc(taken, func(p [2]float64) bool { return math.Hypot(p[0]-px, p[1]-cy) < plotStack-0.5 }) {
			cy -= plotStack
		}
		taken = append(taken, [2]float64{px, cy})
		fmt.Fprintf(b, "<g><title>%s: security %.1f %% (%.1f–%.1f), utility %.1f %% (%.1f–%.1f)</title>", html.EscapeString(d.Name),
			100*r.Security.Value, 100*r.Security.Low, 100*r.Security.High, 100*r.Utility.Value, 100*r.Utility.Low, 100*r.Utility.High)
		if cy < py {
			fmt.Fprintf(b, `<path d="M%.1f %.1fV%.1f" stroke="%s"/><circle cx="%.1f" cy="%.1f" r="2" fill="%s"/>`, px, py, cy, color(d), px, py, color(d))
		}
		mark(b, d, i, px, cy)
		b.WriteString("</g>\n")
	}
	b.WriteString("</g>\n")
}

// mark draws a numbered disc.
func mark(b *strings.Builder, d DefenseRates, i int, x, y float64) {
	fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="7.5" fill="%s" stroke="#fff"/><text x="%.1f" y="%.1f" font-size="9" text-anchor="middle" fill="#fff">%d</text>`,
		x, y, color(d), x, y+3.2, i+1)
}

// color distinguishes Remit, its ablations, and other systems.
func color(d DefenseRates) string {
	switch {
	case d.Name == "remit":
		return "#0a7d4f"
	case strings.HasPrefix(d.Name, "remit-"):
		return "#3a6fb0"
	case strings.HasPrefix(d.Follows, "ablation"):
		return "#a8671a"
	}
	return "#6b7280"
}
