package index

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/remit-project/remit/internal/provenance/normal"
)

const (
	// gram is the number of bytes that are looked up, window the number of
	// grams of which one is kept. Together they find every run of Guaranteed.
	gram   = 8
	window = 8

	// Guaranteed is the length in bytes of normal form from which on a run that
	// a text and a value have in common is found.
	Guaranteed = gram + window - 1

	// maxToken is the longest token that is kept, in bytes: longer values are
	// found by their grams.
	maxToken = Guaranteed - 1

	gramsPerText  = 8
	tokensPerText = 4

	// candidates is how many positions of a gram a cover looks at. Of a gram
	// with more it looks at few: it is a common one, and a run worth finding has
	// others that are rarer.
	candidates       = 16
	commonCandidates = 4

	// MaxBytes is the hard cap on the normal form that one index holds.
	MaxBytes = 1<<addressBits - 1

	// The approximate size of a text and a view beside their normal forms. It is
	// charged to the cap, or thousands of tiny views could take many times it.
	textCharge  = 96
	viewCharge  = 160
	breakCharge = 8

	// DefaultFuel is what a query may use when its caller does not say.
	DefaultFuel = 4 << 20

	pageBits = 12
)

// Options are what an index may be told. The zero value is the default.
type Options struct {
	// MaxBytes is how many bytes of normal form are kept, with what it takes to
	// map them back, at most and by default [MaxBytes].
	MaxBytes int
}

// Index finds where the parts of a value appear in the texts that were appended.
// It is not safe for concurrent use, queries included.
type Index struct {
	texts []text
	// pages has the text that each page of the address space starts in.
	pages   []uint32
	table   table
	seeds   [6]uint64
	used    int // addresses
	charged int // bytes beside the texts, in proportion to what was appended
	max     int
	dropped int

	scratch
}

// scratch is the space in which one call works. It means nothing to the next.
type scratch struct {
	norm   []byte
	breaks normal.Breaks
	value  []byte
	vbreak normal.Breaks
	batch  [batchSize]posting
}

// text is one normal form: of a segment, or of a view of one.
type text struct {
	norm   []byte
	breaks normal.Breaks
	view   *view // nil for a segment itself
	start  uint32
	seg    uint32
}

// view says which decoded view of its segment a text is.
type view struct {
	all normal.Views
	i   int
}

// New returns an empty index with seeds of its own.
func New(o Options) *Index {
	x := &Index{max: o.MaxBytes}
	if x.max <= 0 || x.max > MaxBytes {
		x.max = MaxBytes
	}
	for i := range x.seeds {
		// The runtime seeds the top-level functions, and an attacker doesn't see what
		// they return here.
		x.seeds[i] = rand.Uint64()
	}
	x.seeds[1] |= 1
	x.seeds[3] |= 1
	return x
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// order returns the value that winnowing compares: the least gram of a window is kept.
func (x *Index) order(b []byte) uint64 {
	return mix(binary.LittleEndian.Uint64(b)^x.seeds[0], x.seeds[1])
}

// gramTag returns the key of the gram with a given order.
func (x *Index) gramTag(order uint64) uint32 {
	return uint32(mix(order^x.seeds[2], x.seeds[3]))
}

// tokenTag returns the key of a token of at most maxToken bytes.
func (x *Index) tokenTag(t []byte) uint32 {
	var b [16]byte
	copy(b[:], t)
	b[15] = byte(len(t))
	return uint32(mix(binary.LittleEndian.Uint64(b[:])^x.seeds[4], binary.LittleEndian.Uint64(b[8:])^x.seeds[5]))
}

// Append indexes a segment: its normal form, and those of its decoded views.
// The same number may be appended several times; offsets are within the text
// of the one call. When the cap is reached the segment is left out and counted.
func (x *Index) Append(seg uint32, original string) {
	if len(original) > x.room() {
		x.dropped++
		return
	}
	ok := x.add(seg, original, nil)
	views := normal.Decode(original)
	for i := range views {
		ok = x.add(seg, views[i].Text, &view{views, i}) && ok
	}
	for i := range views {
		views[i].Text = "" // its normal form is kept
	}
	if !ok {
		x.dropped++
	}
}

func (x *Index) room() int { return x.max - x.used - x.charged }

// add indexes one text, unless there is no room.
func (x *Index) add(seg uint32, s string, v *view) bool {
	x.norm, x.breaks = normal.AppendFold(x.norm[:0], x.breaks, s)
	if len(x.norm) == 0 {
		return true
	}

	charge := textCharge + breakCharge*len(x.breaks)
	if v != nil {
		charge += viewCharge
	}
	if len(x.norm)+charge > x.room() {
		return false
	}

	x.charged += charge
	t := text{norm: bytes.Clone(x.norm), view: v, start: uint32(x.used), seg: seg}
	if len(x.breaks) > 0 {
		t.breaks = slices.Clip(slices.Clone(x.breaks))
	}
	if cap(x.norm) > 1<<20 {
		x.norm, x.breaks = nil, nil
	}

	x.used += len(t.norm)
	for len(x.pages)<<pageBits < x.used {
		x.pages = append(x.pages, uint32(len(x.texts)))
	}
	x.texts = append(x.texts, t)
	x.postGrams(&t)

	batch := x.batch[:0]
	tokens(t.norm, func(from, to int) bool {
		if len(batch) == batchSize {
			x.table.insertAll(batch, t.start, tokensPerText)
			batch = batch[:0]
		}
		batch = append(batch, posting{x.tokenTag(t.norm[from:to]), t.start + uint32(from)})
		return true
	})
	x.table.insertAll(batch, t.start, tokensPerText)
	return true
}

// postGrams keeps the least gram of each window. Among equal ones it keeps the
// one that the window before kept, so that a letter repeated for megabytes
// costs one entry in eight bytes, as other text does.
func (x *Index) postGrams(t *text) {
	n := len(t.norm) - gram + 1
	batch := x.batch[:0]
	post := func(i int, order uint64) {
		if len(batch) == batchSize {
			x.table.insertAll(batch, t.start, gramsPerText)
			batch = batch[:0]
		}
		batch = append(batch, posting{x.gramTag(order), t.start + uint32(i)})
	}
	defer func() { x.table.insertAll(batch, t.start, gramsPerText) }()

	if n < window {
		for i := range n {
			post(i, x.order(t.norm[i:]))
		}
		return
	}

	var ring [window]uint64
	for i := range window - 1 {
		ring[i] = x.order(t.norm[i:])
	}
	least := -1
	var leastOrder uint64
	for i := window - 1; i < n; i++ {
		o := x.order(t.norm[i:])
		ring[i%window] = o
		switch {
		case least <= i-window:
			least, leastOrder = i, o
			for j := i - 1; j > i-window; j-- {
				if r := ring[j%window]; r < leastOrder {
					least, leastOrder = j, r
				}
			}
		case o < leastOrder:
			least, leastOrder = i, o
		default:
			continue
		}
		post(least, leastOrder)
	}
}

// textAt returns the text at an address.
func (x *Index) textAt(address uint32) *text {
	page := address >> pageBits
	lo, hi := int(x.pages[page]), len(x.texts)-1
	if int(page)+1 < len(x.pages) {
		hi = int(x.pages[page+1])
	}
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if x.texts[mid].start <= address {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return &x.texts[lo]
}

// Match is a part of a value that appears in a segment, up to the differences
// that the wide normal form takes away.
type Match struct {
	// Seg is the segment.
	Seg uint32
	// Start and End are the bytes in the segment's original text. For an
	// encoded match they are the encoding, and for base64 and hexadecimal all
	// of the encoded run.
	Start, End int
	// ValueStart and ValueEnd are the bytes of the value. They too are rounded
	// outward to whole characters, so neighbours may overlap by one.
	ValueStart, ValueEnd int
	// Length is the length in bytes of normal form.
	Length int
	// Encoded is set when the match was found by decoding the segment or the
	// value.
	Encoded bool
}

// match makes the result for norm[from:to] of a text.
func (x *Index) match(t *text, from, to, vFrom, vTo int, vb normal.Breaks) Match {
	m := Match{Seg: t.seg, Length: to - from, Encoded: t.view != nil}
	m.Start, m.End = t.breaks.Original(from, to)
	if t.view != nil {
		m.Start, m.End = t.view.all.Original(t.view.i, m.Start, m.End)
	}
	m.ValueStart, m.ValueEnd = vb.Original(vFrom, vTo)
	return m
}

// Cover cuts a value into the parts that appear in segments, greedily and from
// the left, and after that does the same with what is encoded in the value.
// Every stretch of [Guaranteed] bytes of normal form that the matches leave out
// appears in no segment, unless truncated is set or the stretch is so frequent
// that its positions are not all kept. Parts shorter than eight bytes are not
// found; a value shorter than [Guaranteed] is looked for as a whole first, as
// [Index.Find] does.
//
// Fuel bounds the work. It goes down by one for each byte and each gram of the
// value, each candidate and each byte compared, and when it is used up the rest
// of the value is left uncovered and truncated is set. Nil means [DefaultFuel].
// Truncated is set as well when a segment had to be left out of the index.
func (x *Index) Cover(value string, fuel *int) (matches []Match, truncated bool) {
	tank := DefaultFuel
	if fuel == nil {
		fuel = &tank
	}
	if *fuel -= len(value); *fuel < 0 {
		return nil, true
	}

	matches, truncated = x.cover(nil, value, fuel)

	views := normal.Decode(value)
	for i := range views {
		from := len(matches)
		var out bool
		matches, out = x.cover(matches, views[i].Text, fuel)
		truncated = truncated || out

		kept := matches[:from]
		for _, m := range matches[from:] {
			if m.Length < Guaranteed {
				continue
			}
			m.ValueStart, m.ValueEnd = views.Original(i, m.ValueStart, m.ValueEnd)
			m.Encoded = true
			kept = append(kept, m)
		}
		matches = kept
	}
	return matches, truncated || x.dropped > 0
}

func (x *Index) cover(matches []Match, value string, fuel *int) (_ []Match, truncated bool) {
	x.value, x.vbreak = normal.AppendFold(x.value[:0], x.vbreak, value)
	v := x.value
	n := len(v) - gram + 1
	if len(v) < Guaranteed {
		found, overflow := x.whole(v, x.vbreak, maxGroup, fuel)
		if len(found) > 0 || n <= 0 {
			return append(matches, found[:min(1, len(found))]...), overflow
		}
		truncated = overflow
	}

	// ring has the orders of the grams from window-1 before i to as many after.
	var ring [2 * window]uint64
	const ringMask = 2*window - 1
	ready, done := 0, 0
	for i := range n {
		for ready < n && ready < i+window {
			ring[ready&ringMask] = x.order(v[ready:])
			ready++
		}

		if i < done {
			continue
		}
		if *fuel--; *fuel < 0 {
			return matches, true
		}

		// A gram matters if it is the least of some whole window: texts keep
		// one such gram of each. All grams of a short value matter.
		o := ring[i&ringMask]
		span := 1
		for j := i - 1; j >= 0 && j > i-window && ring[j&ringMask] >= o; j-- {
			span++
		}
		for j := i + 1; j < ready && span < window && ring[j&ringMask] >= o; j++ {
			span++
		}
		if span < min(window, n) && n >= window {
			continue
		}

		t, at, l, r := x.longest(x.gramTag(o), v, i, done, fuel)
		if t == nil {
			continue
		}
		from, to := wholeRunes(v, i-l, i+r)
		matches = append(matches, x.match(t, at-(i-from), at+(to-i), from, to, x.vbreak))
		done = to
	}
	return matches, truncated
}

// longest looks at the candidates for the gram at v[i:] and returns the one
// that reaches furthest to both sides, but not to the left of done.
func (x *Index) longest(tag uint32, v []byte, i, done int, fuel *int) (best *text, at, left, right int) {
	e := x.table.find(tag)
	if e == nil {
		return nil, 0, 0, 0
	}

	limit := candidates
	if e.pos>>addressBits >= candidates {
		limit = commonCandidates
	}

	// The oldest position, then the newest and back in time.
	address, next := e.pos&addressMask, e.more
	for range limit {
		t := x.textAt(address)
		p := int(address - t.start)
		r := commonPrefix(v[i:], t.norm[p:])
		if r >= gram {
			l := commonSuffix(v[done:i], t.norm[:p])
			if l+r > left+right {
				best, at, left, right = t, p, l, r
			}
			*fuel -= l
		}
		*fuel -= r + 1
		if next == 0 || *fuel < 0 {
			break
		}
		o := x.table.otherAt(next - 1)
		address, next = o.pos, o.next
	}
	return best, at, left, right
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if d := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); d != 0 {
			return i + bits.TrailingZeros64(d)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	i := 0
	for ; i+8 <= n; i += 8 {
		if d := binary.LittleEndian.Uint64(a[n-i-8:]) ^ binary.LittleEndian.Uint64(b[n-i-8:]); d != 0 {
			return i + bits.LeadingZeros64(d)/8
		}
	}
	for i < n && a[n-1-i] == b[n-1-i] {
		i++
	}
	return i
}

const (
	// A whole value is looked up by its rarest key, of this many.
	maxKeys = 8
	// positionsPerMatch is how many positions of the key are looked at for each
	// match that is wanted.
	positionsPerMatch = 2
)
