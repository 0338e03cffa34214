package index

import (
	"slices"

	"github.com/remit-project/remit/internal/provenance/normal"
)

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
