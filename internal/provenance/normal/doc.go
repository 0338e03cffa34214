// Package normal has the forms in which texts are compared.
//
// There are two sides, and they must not be mixed up. The narrow side decides
// whether a value may be raised to the user's trust: it accepts only text that
// is what it looks like ([Inspect], [Clean]) and otherwise compares exact
// bytes. The wide side finds out where a value may have come from, and errs
// towards finding: [Fold] takes away case, compatibility forms, invisible
// characters and spacing, and [Decode] undoes the usual encodings. Texts that are
// equal on the wide side prove nothing; they explain, and they lower.
// [Skeleton] serves neither: two different texts with one skeleton look alike,
// which is a reason to ask a person.
//
// All functions take time linear in their input, also of a hostile
// author: no look-ahead is longer than a constant, no normalised piece is
// longer than twice its source, and decoded text in total is at most twice the
// text it came from.
package normal
