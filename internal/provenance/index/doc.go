// Package index finds where the parts of a value appear in the texts of a
// session: which segment, which bytes. It is the wide side of the resolver. It
// finds evidence, for explaining and for lowering trust, and never a
// reason to raise it; so an attack on it may cost explanations and must never
// cost time.
//
// # Design
//
// Each segment is kept in its wide normal form ([normal.Fold]), and so are its
// decoded views ([normal.Decode]). Of each eight grams of eight bytes in a row
// the one with the least keyed hash is noted in a table (winnowing; Schleimer,
// Wilkerson and Aiken, 2003), which is about two positions in nine. A value is
// cut into grams the same way, the noted positions are looked up, and each is
// extended to both sides by comparing bytes. Any run of fifteen bytes of normal
// form that a text and the value have in common has a whole window of eight
// grams, of which both sides chose the same gram, and so it is found, as long as
// that gram is not too frequent: at most eight positions of a gram are kept per
// text, sixty-four in all, and sixteen are looked at.
//
// Shorter values are looked up by tokens, which are in the same table, four
// positions per text and sixty-four in all: words and numbers of two to fourteen
// bytes, and neighbouring pairs of characters in scripts without spaces.
//
// # The bound
//
// Let n be the bytes of normal form that are indexed, derived views included
// (at most twice the original for each of the two factors, folding and
// decoding; in ASCII text without encodings n is the original's size), and m
// the bytes of normal form of a value.
//
// Appending. Folding and decoding are linear (see package normal). Per byte
// there is one hash and, when the least gram leaves the window, a look at eight
// kept hashes. An insertion walks one chain, at most seven further entries of
// the same key in this text, and splits one bucket. The table has as many
// buckets as entries and its hash is keyed by 384 random bits drawn for this
// index, so for texts chosen without knowing them a chain has O(1) entries of
// other keys on average, each key's at most sixty-four. The table grows by one
// bucket per insertion (linear hashing) in chunks that never move: no append
// waits for all earlier ones to be copied. Time is O(n), whatever the text, and
// so is memory: 16 bytes per noted position, at most one gram per byte (2/9
// expected for text not chosen against the key, 1/8 for a repeated letter) and
// one token per two bytes.
//
// Covering. A look-up at position i of the value compares with at most B = 16
// candidates. With l bytes equal to the left of i and r to the right, it costs
// l+r+2 comparisons, and l+r is at most the length of the part then taken, which
// lies right of the parts before. If none is taken no candidate had its eight
// bytes, and it cost at most 8 for each. The parts are disjoint, so all
// comparisons together are at most B(m + 10m') with m' <= m positions looked
// up: O(Bm). Without the cap of sixteen it would be m times the number of
// occurrences, which an attacker chooses. Fuel bounds the same sum once more.
//
// Finding a whole value compares it with at most sixty-four positions, eight
// ways each when the value repeats itself within fifteen bytes, under
// [DefaultFuel].
//
// An attacker can fill the positions kept of a gram or a token before the text
// that matters arrives. Find then says overflow, which callers must read as "it
// may be in any segment"; Cover may leave such a part uncovered, which
// callers must read as "nothing is known", never as "the model's own".
//
// The index keeps at most [MaxBytes] of normal form, with what it takes to map it
// back. A segment beyond that is left out and counted, and every answer is
// incomplete from then on and says so.
package index
