// Package compare says some rules of the airline in the languages of other
// engines, so that what they can say and what they cost stand side by side. It is
// a module of its own, to keep those engines out of Remit's.
package compare
