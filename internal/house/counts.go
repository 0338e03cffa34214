package house

// Counts has the number of findings of each rule.
type Counts [rules]int

// CountFindings returns the number of findings of each package.
func CountFindings(findings []Finding) map[string]Counts {
	out := map[string]Counts{}
	for _, f := range findings {
		c := out[f.Package]
		c[f.Rule]++
		out[f.Package] = c
	}
	return out
}
