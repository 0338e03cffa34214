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

// entry is one key with its oldest position; the others hang off it, so that a
// search among keys never walks over the positions of a frequent one.
type entry struct {
	tag  uint32
	pos  uint32 // the oldest position, and above it the number of others
	next uint32 // the bucket's next key, as an index plus one; zero ends it
	more uint32 // the newest of the other positions, as an index plus one
}

// other is a position of a key after its first.
type other struct {
	pos  uint32
	next uint32 // the one before it in time, as an index plus one
}

// table is a linear hash table from 32-bit tags to positions. It grows by one
// bucket at a time, so that no insertion ever waits for all others to move.
type table struct {
	entries [][]entry
	others  [][]other
	heads   [][]uint32
	keys    uint32
	rest    uint32 // others
	buckets uint32
	mask    uint32 // 2^k-1 with 2^(k-1) <= buckets <= 2^k
	// steps counts entries looked at, for the tests of the bound.
	steps int
	warm  uint32 // keeps the reads of insertAll from being optimised away
}

func (t *table) at(i uint32) *entry { return &t.entries[i>>chunkBits][i&(chunkSize-1)] }

func (t *table) otherAt(i uint32) *other { return &t.others[i>>chunkBits][i&(chunkSize-1)] }

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

// find returns the entry of a key, or nil.
func (t *table) find(tag uint32) *entry {
	if t.buckets == 0 {
		return nil
	}
	for i := *t.head(t.bucket(tag)); i != 0; {
		t.steps++
		e := t.at(i - 1)
		if e.tag == tag {
			return e
		}
		i = e.next
	}
	return nil
}

// insert notes a position of a key. It does not when the key has maxGroup
// positions, or perText at or after the address where the current text starts.
func (t *table) insert(tag, pos, textStart uint32, perText int) {
	if t.buckets == 0 {
		t.heads, t.buckets, t.mask = push(t.heads, 0, 0), 1, 0
	}

	e := t.find(tag)
	if e == nil {
		h := t.head(t.bucket(tag))
		t.entries = push(t.entries, t.keys, entry{tag: tag, pos: pos, next: *h})
		t.keys++
		*h = t.keys
		if t.keys > t.buckets {
			t.split()
		}
		return
	}

	if e.pos>>addressBits == maxGroup-1 {
		return
	}

	here := 0
	if e.pos&addressMask >= textStart {
		here++
	}
	for i := e.more; here < perText && i != 0; here++ {
		t.steps++
		o := t.otherAt(i - 1)
		if o.pos < textStart {
			break
		}
		i = o.next
	}
	if here >= perText {
		return
	}

	t.others = push(t.others, t.rest, other{pos: pos, next: e.more})
	t.rest++
	e.more = t.rest
	e.pos += 1 << addressBits
}

// posting is a position of a key on its way into the table.
type posting struct{ tag, pos uint32 }

// batchSize is how many postings are inserted together: enough for their misses
// of the cache to overlap, few enough to stay in it.
const batchSize = 64

// insertAll inserts postings of one text. Each touches a few cold places of the
// table; reading all of those first, which no other read depends on, lets the
// processor wait for them together instead of one after the other.
func (t *table) insertAll(batch []posting, textStart uint32, perText int) {
	if t.buckets > 0 {
		var first [batchSize]uint32
		for i := range batch {
			first[i] = *t.head(t.bucket(batch[i].tag))
		}
		warm := uint32(0)
		for _, i := range first[:len(batch)] {
			if i != 0 {
				warm += t.at(i - 1).next
			}
		}

		// The buckets that these insertions may split are in a row.
		half := t.mask >> 1
		if t.buckets > t.mask {
			half = t.mask
		}
		for i := range uint32(len(batch)) {
			if old := (t.buckets + i) & half; old < t.buckets {
				if h := *t.head(old); h != 0 {
					warm += t.at(h - 1).next
				}
			}
		}
		t.warm = warm
	}

	for _, p := range batch {
		t.insert(p.tag, p.pos, textStart, perText)
	}
}

// split adds a bucket and moves the keys that belong there to it, from the one bucket
// that had them so far.
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

// group lists the addresses of a key, latest first, as many as fit into dst.
func (t *table) group(tag uint32, dst []uint32) []uint32 {
	e := t.find(tag)
	if e == nil {
		return dst
	}
	for i := e.more; i != 0; {
		if len(dst) == cap(dst) {
			return dst
		}
		t.steps++
		o := t.otherAt(i - 1)
		dst = append(dst, o.pos)
		i = o.next
	}
	if len(dst) == cap(dst) {
		return dst
	}
	return append(dst, e.pos&addressMask)
}

// size returns how many positions of a key are kept.
func (t *table) size(tag uint32) int {
	e := t.find(tag)
	if e == nil {
		return 0
	}
	return int(e.pos>>addressBits) + 1
}

// bytes returns the memory of the table.
func (t *table) bytes() (n int) {
	for _, c := range t.entries {
		n += 16 * cap(c)
	}
	for _, c := range t.others {
		n += 8 * cap(c)
	}
	for _, c := range t.heads {
		n += 4 * cap(c)
	}
	return n + 24*(cap(t.entries)+cap(t.others)+cap(t.heads))
}
