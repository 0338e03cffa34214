// Package mention finds out whether a text names a value: by the value itself, or by
// what a record says of it. Agents speak of things by name ("the red shirt in M, to the
// Visa ending in 7447") and call by id; the records that were looked up tie the two.
package mention
