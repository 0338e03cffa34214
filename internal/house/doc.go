// Package house holds the checks of the project's own source that no linter has.
// They are tests, so that make test runs them.
package house
