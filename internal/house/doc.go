// Package house measures the project's own source, and holds it to rules that no
// linter has. The checks are tests, so that make test runs them; command count
// prints the measures.
package house
