package proxy

// trait says how words were brought, by bits: as a whole text, as a sentence, or as a part of records.
type trait uint8

const (
	isSeen   trait = 1 << iota // a whole text, of whatever length
	isSingle                   // one that is found as a line: it is a value
	isWordy                    // one that is found anywhere
	isSaying                   // a sentence in a record
	isName                     // the name of a value in a record
	isValue                    // a value in one

	lastTrait = isValue
)

// traits are what is known of words by their keys. Their memory is bounded, however much a conversation reads: beyond maxExact keys they are
// bits that several keys may share. Words that nothing brought may then pass for such that something did, and never the other way round:
// what a result said must not become the user's.
type traits struct {
	exact  map[uint64]trait
	shared []uint64 // once there are too many; nil before
}

const (
	// maxExact bounds the keys that are told apart, of which each takes some 30 bytes.
	maxExact = 1 << 18
	// sharedBits are 2 MiB: of a million keys beyond, two in a hundred of all others pass for one of them.
	sharedBits = 1 << 24
)

// add notes traits of words.
func (t *traits) add(key uint64, is trait) {
	if t.shared == nil {
		if t.exact == nil {
			t.exact = map[uint64]trait{}
		}
		if _, known := t.exact[key]; known || len(t.exact) < maxExact {
			t.exact[key] |= is
			return
		}
		t.shared = make([]uint64, sharedBits/64)
		for k, of := range t.exact {
			t.share(k, of)
		}
		t.exact = nil
	}
	t.share(key, is)
}

func (t *traits) share(key uint64, is trait) {
	for one := trait(1); one <= lastTrait; one <<= 1 {
		if is&one != 0 {
			a, b := placesOf(key, one)
			t.shared[a/64] |= 1 << (a % 64)
			t.shared[b/64] |= 1 << (b % 64)
		}
	}
}

// of returns the traits of words.
func (t *traits) of(key uint64) trait {
	if t.shared == nil {
		return t.exact[key]
	}
	var out trait
	for one := trait(1); one <= lastTrait; one <<= 1 {
		a, b := placesOf(key, one)
		if t.shared[a/64]>>(a%64)&1 == 1 && t.shared[b/64]>>(b%64)&1 == 1 {
			out |= one
		}
	}
	return out
}

// isKnown reports whether a text was added for sure.
func (t *traits) isKnown(key uint64) bool { return t.exact[key]&isSeen != 0 }

// isEmpty reports whether nothing was added.
func (t *traits) isEmpty() bool { return len(t.exact) == 0 && t.shared == nil }

// placesOf returns the bits of a trait of words.
func placesOf(key uint64, one trait) (a, b uint64) {
	key = (key + uint64(one)) * 0x9e3779b97f4a7c15 // spreads the bits of neighbours
	key ^= key >> 29
	key *= 0xbf58476d1ce4e5b9
	return key % sharedBits, key >> 32 % sharedBits
}
