package index

const (
	// Addresses take the low bits of an entry's position. The high bits of the
	// first entry of a group have the number of entries after it.
	addressBits = 26
	addressMask = 1<<addressBits - 1
	// maxGroup is how many positions of one key are kept. It is what the high
	// bits can count.
	maxGroup = 1 << (32 - addressBits)

	chunkBits = 12
	chunkSize = 1 << chunkBits
)

// entry is one position of one key. Entries of a key, a group, stand next to
// each other in their bucket's chain: the oldest first, then the newest, and
// from there back in time.
type entry struct {
	pos, next uint32 // next is an index plus one; zero ends the chain
	tag       uint32
}

// table is a linear hash table from 32-bit tags to positions. It grows by one
// bucket at a time, so that no insertion ever waits for all others to move.
type table struct {
	entries [][]entry
	heads   [][]uint32
	n       uint32 // entries
	buckets uint32
	mask    uint32 // 2^k-1 with 2^(k-1) <= buckets <= 2^k
	// steps counts entries looked at, for the tests of the bound.
	steps int
}

func (t *table) at(i uint32) *entry { return &t.entries[i>>chunkBits][i&(chunkSize-1)] }

func (t *table) head(b uint32) *uint32 { return &t.heads[b>>chunkBits][b&(chunkSize-1)] }

func (t *table) bucket(tag uint32) uint32 {
	b := tag & t.mask
	if b >= t.buckets {
		b &= t.mask >> 1
	}
	return b
}

// push appends to a list of chunks. The first chunk grows as a slice does; the
// others have their full size at once, and nothing moves.
func push[T any](chunks [][]T, n uint32, v T) [][]T {
	c := n >> chunkBits
	if int(c) == len(chunks) {
		var fresh []T
		if c > 0 {
			fresh = make([]T, 0, chunkSize)
		}
		chunks = append(chunks, fresh)
	}
	chunks[c] = append(chunks[c], v)
	return chunks
}

// find returns the index plus one of the first entry of a key, or zero.
func (t *table) find(tag uint32) uint32 {
	if t.buckets == 0 {
		return 0
	}
	for i := *t.head(t.bucket(tag)); i != 0; {
		t.steps++
		e := t.at(i - 1)
		if e.tag == tag {
			return i
		}
		i = e.next
	}
	return 0
}

// insert notes a position of a key. It does not when the key has maxGroup
// positions, or perText at or after the address where the current text starts.
func (t *table) insert(tag, pos, textStart uint32, perText int) {
	if t.buckets == 0 {
		t.heads, t.buckets, t.mask = push(t.heads, 0, 0), 1, 0
	}
	first := t.find(tag)
	if first == 0 {
		h := t.head(t.bucket(tag))
		t.entries = push(t.entries, t.n, entry{pos: pos, next: *h, tag: tag})
		t.n++
		*h = t.n
	} else {
		e := t.at(first - 1)
		if e.pos>>addressBits == maxGroup-1 {
			return
		}
		here := 0
		if e.pos&addressMask >= textStart {
			here++
		}
		for i := e.next; here < perText && i != 0; here++ {
			t.steps++
			o := t.at(i - 1)
			if o.tag != tag || o.pos < textStart {
				break
			}
			i = o.next
		}
		if here >= perText {
			return
		}
		next := e.next
		e.next = t.n + 1
		e.pos += 1 << addressBits
		t.entries = push(t.entries, t.n, entry{pos: pos, next: next, tag: tag})
		t.n++
	}
	if t.n > t.buckets {
		t.split()
	}
}

// split adds a bucket and moves to it what belongs there from the one bucket
// that had it so far. Order is kept, so groups stay together.
func (t *table) split() {
	fresh := t.buckets
	if fresh > t.mask {
		t.mask = t.mask<<1 | 1
	}
	old := fresh & (t.mask >> 1)
	t.heads = push(t.heads, fresh, 0)
	t.buckets++
	stay, move := t.head(old), t.head(fresh)
	for i := *stay; i != 0; {
		t.steps++
		e := t.at(i - 1)
		if e.tag&t.mask == fresh {
			*move, move = i, &e.next
		} else {
			*stay, stay = i, &e.next
		}
		i = e.next
	}
	*stay, *move = 0, 0
}

// group lists the addresses of a key, latest first.
func (t *table) group(tag uint32, dst []uint32) []uint32 {
	first := t.find(tag)
	if first == 0 {
		return dst
	}
	e := t.at(first - 1)
	for i := e.next; i != 0; {
		t.steps++
		o := t.at(i - 1)
		if o.tag != tag {
			break
		}
		dst = append(dst, o.pos)
		i = o.next
	}
	return append(dst, e.pos&addressMask)
}

// size returns how many positions of a key are kept.
func (t *table) size(tag uint32) int {
	first := t.find(tag)
	if first == 0 {
		return 0
	}
	return int(t.at(first-1).pos>>addressBits) + 1
}

// bytes returns the memory of the table.
func (t *table) bytes() (n int) {
	for _, c := range t.entries {
		n += 12 * cap(c)
	}
	for _, c := range t.heads {
		n += 4 * cap(c)
	}
	return n + 24*(cap(t.entries)+cap(t.heads))
}
