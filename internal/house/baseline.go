package house

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Counts has the number of findings of each rule.
type Counts [rules]int

// Baseline allows packages a number of findings. It only shrinks.
type Baseline map[string]Counts

// CountFindings returns the findings of each package.
func CountFindings(findings []Finding) Baseline {
	out := Baseline{}
	for _, f := range findings {
		c := out[f.Package]
		c[f.Rule]++
		out[f.Package] = c
	}
	return out
}

// ReadBaseline reads a baseline: a line a package, with its counts. Of several lines
// about a package the lowest counts hold, so that a merge may keep the lines of both
// sides.
func ReadBaseline(text string) (Baseline, error) {
	out := Baseline{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}

		var pkg string
		var c Counts
		if _, err := fmt.Sscanf(line, "%s mixed=%d dense=%d complex=%d", &pkg, &c[Mixed], &c[Dense], &c[Complex]); err != nil {
			return nil, fmt.Errorf("baseline: %q: %w", line, err)
		}
		if before, ok := out[pkg]; ok {
			for r := range rules {
				c[r] = min(c[r], before[r])
			}
		}
		out[pkg] = c
	}
	return out, nil
}

// String prints the baseline as ReadBaseline reads it, sorted.
func (b Baseline) String() string {
	var out strings.Builder
	out.WriteString("# What packages are still allowed. After a change: go run ./internal/house/count --tighten\n")
	for _, pkg := range slices.Sorted(maps.Keys(b)) {
		c := b[pkg]
		fmt.Fprintf(&out, "%s mixed=%d dense=%d complex=%d\n", pkg, c[Mixed], c[Dense], c[Complex])
	}
	return out.String()
}

// Total returns the counts of all packages together.
func (b Baseline) Total() Counts {
	var out Counts
	for _, c := range b {
		for r := range rules {
			out[r] += c[r]
		}
	}
	return out
}

// Tighten returns the baseline that allows what there is. Code may move from package
// to package: no total may grow. A package that is clean keeps its line, so that
// merges of tightened baselines agree.
func (b Baseline) Tighten(now Baseline) (Baseline, error) {
	allowed, total := b.Total(), now.Total()
	for r := range rules {
		if total[r] > allowed[r] {
			return nil, fmt.Errorf("there are %d findings of rule %s, and the baseline allows %d", total[r], r, allowed[r])
		}
	}

	out := maps.Clone(now)
	for pkg := range b {
		if _, ok := out[pkg]; !ok {
			out[pkg] = Counts{}
		}
	}
	return out, nil
}
