package index

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"unicode/utf8"

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

// order is what winnowing compares: the least gram of a window is kept.
func (x *Index) order(b []byte) uint64 {
	return mix(binary.LittleEndian.Uint64(b)^x.seeds[0], x.seeds[1])
}

// gramTag is the key of the gram with a given order.
func (x *Index) gramTag(order uint64) uint32 {
	return uint32(mix(order^x.seeds[2], x.seeds[3]))
}

// tokenTag is the key of a token of at most maxToken bytes.
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

// kind says how a character makes tokens.
type kind uint8

const (
	// separator characters belong to no token.
	separator kind = iota
	// word characters make tokens with their neighbours.
	word
	// spaceless characters belong to a script that is written without spaces:
	// a token may begin and end at any of them.
	spaceless
)

var asciiKind = func() (t [utf8.RuneSelf]kind) {
	for c := range t {
		b := byte(c)
		letter := 'a' <= b|0x20 && b|0x20 <= 'z'
		if letter || b-'0' <= 9 {
			t[c] = word
		}
	}
	return t
}()

// kindOf sorts characters by blocks, which is coarse and quick. It must say the
// same for the texts and for the values, and that is all it must do.
func kindOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		return asciiKind[r]
	case r < 0xC0, r == 0xD7, r == 0xF7, r == utf8.RuneError:
		return separator
	case r < 0x0E00:
		return word
	case r < 0x10A0, 0x1100 <= r && r < 0x1200, 0x1780 <= r && r < 0x1800:
		return spaceless // Thai, Lao, Tibetan, Myanmar; Jamo; Khmer
	case r < 0x2000:
		return word
	case r < 0x2C00:
		return separator
	case r < 0x2E00:
		return word
	case r < 0x3005, 0x3008 <= r && r < 0x3020:
		return separator
	case r < 0xE000:
		return spaceless // Kana, Han, Hangul, Yi
	case r < 0xF900:
		return separator
	case r < 0xFB00:
		return spaceless
	case 0x1F000 <= r && r < 0x1FB00:
		return separator
	case r < 0x20000:
		return word
	default:
		return spaceless
	}
}

// tokens calls f with each token of two to maxToken bytes: runs of ASCII
// letters and digits, runs of other letters, and of those written without
// spaces each two neighbours. It ends when f returns false.
func tokens(b []byte, f func(from, to int) bool) {
	for i := 0; i < len(b); {
		from := i
		if b[i] < utf8.RuneSelf {
			for i < len(b) && b[i] < utf8.RuneSelf && asciiKind[b[i]] == word {
				i++
			}
			if n := i - from; n >= 2 && n <= maxToken && !f(from, i) {
				return
			}
			if i == from {
				i++
			}
			continue
		}

		r, n := utf8.DecodeRune(b[i:])
		i += n
		switch kindOf(r) {
		case word:
			for i < len(b) && b[i] >= utf8.RuneSelf {
				r, n := utf8.DecodeRune(b[i:])
				if kindOf(r) != word {
					break
				}
				i += n
			}
			if i-from <= maxToken && !f(from, i) {
				return
			}
		case spaceless:
			if i < len(b) {
				r, n := utf8.DecodeRune(b[i:])
				if kindOf(r) == spaceless && !f(from, i+n) {
					return
				}
			}
		}
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

// wholeRunes shrinks a range to whole characters. It gives up after three
// bytes: no character is longer.
func wholeRunes(b []byte, from, to int) (int, int) {
	f, t := from, to
	for f < from+utf8.UTFMax-1 && f < to && !utf8.RuneStart(b[f]) {
		f++
	}
	for t > to-utf8.UTFMax+1 && t < len(b) && !utf8.RuneStart(b[t]) {
		t--
	}
	if f >= t {
		return from, to
	}
	return f, t
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

// Find returns where a value appears in segments as a whole and as whole
// tokens: no letter or digit goes on where it starts and ends. It is meant for
// names, numbers and identifiers, and is the only way to find those of less
// than [Guaranteed] bytes of normal form. At most sixty-four matches are
// returned. Overflow is set when there may be others, in other segments too:
// when the value or what it is made of is too frequent, when a segment was left
// out of the index, and when the value has no token of two bytes to look up.
//
// Fuel bounds the work, and goes down by it, as in [Index.Cover]; overflow is set
// when it is used up.
func (x *Index) Find(value string, fuel *int) (matches []Match, overflow bool) {
	return x.Some(value, maxGroup, fuel)
}

// Some is [Index.Find] for a few matches only, as many as are shown: overflow is set
// where there may be more.
func (x *Index) Some(value string, most int, fuel *int) (matches []Match, overflow bool) {
	tank := DefaultFuel
	if fuel == nil {
		fuel = &tank
	}
	if *fuel -= len(value); *fuel < 0 {
		return nil, true
	}

	x.value, x.vbreak = normal.AppendFold(x.value[:0], x.vbreak, value)
	matches, overflow = x.whole(x.value, x.vbreak, min(most, maxGroup), fuel)

	views := normal.Decode(value)
	for i := range views {
		if v := &views[i]; v.Parent < 0 && v.Start == 0 && v.End == len(value) {
			x.value, x.vbreak = normal.AppendFold(x.value[:0], x.vbreak, v.Text)
			found, out := x.whole(x.value, x.vbreak, min(most, maxGroup), fuel)
			overflow = overflow || out
			for _, m := range found {
				m.ValueStart, m.ValueEnd = views.Original(i, m.ValueStart, m.ValueEnd)
				m.Encoded = true
				matches = append(matches, m)
			}
		}
	}
	return matches, overflow || x.dropped > 0
}

// Segments returns the segments in which [Index.Find] finds a value, each once
// and in ascending order.
func (x *Index) Segments(value string, fuel *int) (segs []uint32, overflow bool) {
	matches, overflow := x.Find(value, fuel)
	for _, m := range matches {
		segs = append(segs, m.Seg)
	}
	slices.Sort(segs)
	return slices.Compact(segs), overflow
}

// key is one way to look up a value: the bytes at one of the offsets at least are kept
// of every text that has the value.
type key struct {
	offsets [window]uint16
	n       int // of the offsets
	tag     uint32
	size    int
	perText int
}

const (
	// A whole value is looked up by its rarest key, of this many.
	maxKeys = 8
	// positionsPerMatch is how many positions of the key are looked at for each
	// match that is wanted.
	positionsPerMatch = 2
)

// whole finds all of v, which is a normal form, in at most so many places.
func (x *Index) whole(v []byte, vb normal.Breaks, most int, fuel *int) (matches []Match, overflow bool) {
	if len(v) == 0 {
		return nil, false
	}
	k, ok := x.rarest(v)
	if !ok {
		return nil, true
	}

	var space [maxGroup]uint32
	// For a few places only, some positions are enough.
	enough := min(maxGroup, positionsPerMatch*most)
	group := x.table.group(k.tag, space[:0:enough])
	overflow = len(group) == enough
	for len(group) > 0 {
		// All positions in one text are in a row.
		t := x.textAt(group[0])
		n, found := 0, false
		last := -1
		for ; n < len(group) && group[n] >= t.start; n++ {
			for _, offset := range k.offsets[:k.n] {
				p := int(group[n]-t.start) - int(offset)
				if p < 0 || p+len(v) > len(t.norm) || p == last {
					continue
				}
				if *fuel < 0 {
					return matches, true
				}

				r := commonPrefix(v, t.norm[p:])
				if *fuel -= r + 1; r < len(v) || !bounded(t.norm, p, p+len(v)) {
					continue
				}
				found, last = true, p
				if len(matches) >= most {
					overflow = true
					continue
				}
				matches = append(matches, x.match(t, p, p+len(v), 0, len(v), vb))
			}
		}

		// Positions of this text were left out, one of which may have been it.
		missed := !found && n >= k.perText
		overflow = overflow || missed
		group = group[n:]
		if len(matches) >= most && len(group) > 0 {
			return matches, true
		}
	}
	return matches, overflow
}

// rarest picks the key of a value with the fewest positions.
func (x *Index) rarest(v []byte) (best key, ok bool) {
	if len(v) < Guaranteed {
		n := 0
		tokens(v, func(from, to int) bool {
			tag := x.tokenTag(v[from:to])
			if size := x.table.size(tag); !ok || size < best.size {
				best, ok = key{offsets: [window]uint16{uint16(from)}, n: 1, tag: tag, size: size, perText: tokensPerText}, true
			}
			n++
			return n < maxKeys
		})
		return best, ok
	}

	for n, at := 0, 0; n < maxKeys && at+Guaranteed <= len(v); n++ {
		k := key{perText: gramsPerText}
		var least uint64
		for i := at; i < at+window; i++ {
			o := x.order(v[i:])
			if k.n == 0 || o < least {
				least, k.n = o, 0
			}
			if o == least {
				k.offsets[k.n] = uint16(i)
				k.n++
			}
		}
		k.tag = x.gramTag(least)
		k.size = x.table.size(k.tag)
		if !ok || k.size*k.n < best.size*best.n {
			best, ok = k, true
		}
		if k.size == 0 {
			break
		}
		at += window
	}
	return best, ok
}

// bounded reports whether norm[from:to] begins and ends where tokens do.
func bounded(norm []byte, from, to int) bool {
	return boundary(norm, from) && boundary(norm, to)
}

// boundary reports whether a token may begin or end at i: unless word characters
// are on both sides, of whatever script.
func boundary(norm []byte, i int) bool {
	if i == 0 || i == len(norm) {
		return true
	}
	a, _ := utf8.DecodeLastRune(norm[:i])
	b, _ := utf8.DecodeRune(norm[i:])
	return kindOf(a) != word || kindOf(b) != word
}

// Dropped returns how many segments were left out, wholly or in part, because
// the cap was reached. Nothing that the index says is complete then.
func (x *Index) Dropped() int { return x.dropped }

// Size returns the bytes of memory that the normal forms take, and those that
// the index takes beside them.
func (x *Index) Size() (text, index int) {
	var seen *normal.View
	for i := range x.texts {
		t := &x.texts[i]
		text += cap(t.norm)
		index += 8 * cap(t.breaks)
		if t.view != nil {
			index += 32
			if first := &t.view.all[0]; first != seen {
				seen = first
				index += t.view.all.Size()
			}
		}
	}
	return text, index + x.table.bytes() + 80*cap(x.texts) + 4*cap(x.pages)
}
