// Package strictjson reads the JSON of tool calls and tool results in the one
// way that leaves no room for two readers to disagree.
//
// RFC 8259 lets parsers choose what a repeated member name, a lone surrogate
// or a broken UTF-8 sequence means, and they choose differently: most take the
// last of two "to" members, some the first, some both. A monitor that checks
// one recipient while the tool sends to another checks nothing. So [Parse]
// takes the intersection of RFC 8259 and I-JSON (RFC 7493) and refuses the
// rest, and [Document.Canonical] gives the bytes to forward instead of the
// original, so that monitor and tool read the very same text.
//
// Parsing is a single pass after the check of the encoding. With n the size of
// the input it takes O(n) time whatever the input looks like: the nesting is
// capped, repeated names are found by at most sixteen comparisons each or by a
// randomly seeded hash table, and the pointers, which could otherwise add up
// to the product of names and leaves, have a budget ([Limits]).
package strictjson
