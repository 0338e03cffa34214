package normal

import (
	"sort"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Break is a point of a normal form from which on offsets differ from those
// before it.
type Break struct {
	// Norm is the offset in the normal form.
	Norm uint32
	// orig is the offset in the original, with the highest bit set when the
	// bytes up to the next break stand for their original as a whole only.
	orig uint32
}

const whole = 1 << 31

// Breaks maps ranges of a normal form back to the original. Between two breaks
// both run in step. Nil means: offsets are the same.
type Breaks []Break

// last returns the index of the last break at or before n, or -1.
func (b Breaks) last(n int) int {
	return sort.Search(len(b), func(i int) bool { return int(b[i].Norm) > n }) - 1
}

// Original returns the smallest range of the original that holds everything
// from which the bytes start to end of the normal form were made. Ranges of
// whole runes give ranges of whole runes.
func (b Breaks) Original(start, end int) (from, to int) {
	from, to = start, end
	if k := b.last(start); k >= 0 {
		if from = int(b[k].orig &^ whole); b[k].orig&whole == 0 {
			from += start - int(b[k].Norm)
		}
	}
	if end <= start {
		return from, from
	}
	if k := b.last(end - 1); k >= 0 {
		switch {
		case b[k].orig&whole == 0:
			to = int(b[k].orig) + end - int(b[k].Norm)
		case k+1 < len(b):
			to = int(b[k+1].orig &^ whole)
		}
	}
	return from, to
}

// Fold returns the wide normal form of s appended to dst, and the map back to
// s, whose offsets count from the end of dst. The form is NFKC without case,
// invisible characters and controls, with ASCII quotes and dashes, and with one
// space for all white space in a row. It has at most twice the bytes of s: a
// character that would expand further stays as it is.
func Fold(dst []byte, s string) ([]byte, Breaks) { return AppendFold(dst, nil, s) }

// AppendFold is [Fold] into a slice of breaks that may be written over.
func AppendFold(dst []byte, breaks Breaks, s string) ([]byte, Breaks) {
	f := folder{s: s, out: dst, base: len(dst), breaks: breaks[:0]}
	f.run()
	return f.out, f.breaks
}

type folder struct {
	s      string
	out    []byte
	breaks Breaks
	memo   *[memoSize]memo
	pages  *foldPages
	// base is where the normal form starts in out.
	base int
	// shift is the original offset less the normal one in the current piece.
	shift int
	// stale is set after a piece that is mapped as a whole.
	stale bool
	// space is set when the last thing written is white space.
	space bool
}

// sync makes bytes written from now on map in step to the original from at on.
func (f *folder) sync(at int) {
	n := len(f.out) - f.base
	if !f.stale && at-n == f.shift {
		return
	}
	f.shift, f.stale = at-n, false
	b := Break{uint32(n), uint32(at)}
	// One break is enough for things dropped in a row, except that a piece
	// mapped as a whole needs the break that ends it.
	k := len(f.breaks) - 1
	if k >= 0 && f.breaks[k].Norm == b.Norm && f.breaks[k].orig&whole == 0 &&
		(k == 0 || f.breaks[k-1].orig&whole == 0) {
		f.breaks[k] = b
		return
	}
	f.breaks = append(f.breaks, b)
}

// block makes bytes written from now on map to the original from at on as a
// whole.
func (f *folder) block(at int) {
	f.breaks = append(f.breaks, Break{uint32(len(f.out) - f.base), uint32(at) | whole})
	f.stale = true
}

// asciiFold has the lower case of letters, 0 for what is dropped, and ' ' for
// white space.
var asciiFold = func() (t [utf8.RuneSelf]byte) {
	for c := byte('!'); c < 0x7F; c++ {
		t[c] = c
		if 'A' <= c && c <= 'Z' {
			t[c] = c + 'a' - 'A'
		}
	}
	for _, c := range []byte(" \t\n\v\f\r") {
		t[c] = ' '
	}
	return t
}()

func (f *folder) run() {
	s := f.s
	if free := cap(f.out) - len(f.out); free < len(s) {
		grown := make([]byte, len(f.out), len(f.out)+len(s)+len(s)/16)
		copy(grown, f.out)
		f.out = grown
	}

	normalUntil := 0 // everything before is known to be NFKC
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			j := i + 1
			for j < len(s) && s[j] < utf8.RuneSelf {
				j++
			}
			if j == len(s) || j <= normalUntil {
				f.ascii(i, j)
				i = j
				continue
			}
			// The last ASCII character may combine with what follows.
			f.ascii(i, j-1)
			i = j - 1
		}

		if i >= normalUntil {
			// One look covers the whole normal stretch. A look at every
			// character would be quadratic.
			normalUntil = i + norm.NFKC.QuickSpanString(s[i:])
		}

		if i >= normalUntil {
			n := norm.NFKC.NextBoundaryInString(s[i:], true)
			f.piece(i, max(n, 1))
			i += max(n, 1)
			continue
		}

		for i < normalUntil && s[i] >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				f.sync(i)
				f.out, f.space = append(f.out, s[i]), false
			} else {
				f.rune(i, r, n)
			}
			i += n
		}
	}
	if f.stale {
		f.sync(len(s))
	}
}

// ascii folds s[i:j], which is ASCII.
func (f *folder) ascii(i, j int) {
	if i == j {
		return
	}

	f.sync(i)
	out, space := f.out, f.space
	for ; i < j; i++ {
		c := asciiFold[f.s[i]]
		if c > ' ' {
			out, space = append(out, c), false
			continue
		}
		if c == ' ' && !space {
			out, space = append(out, c), true
			continue
		}

		// Dropped: what comes next no longer runs in step.
		if i+1 < j {
			f.out = out
			f.sync(i + 1)
		}
	}
	f.out, f.space = out, space
}

// rune folds one character, n bytes at i, that is NFKC already.
func (f *folder) rune(i int, r rune, n int) {
	to, text := f.lookup(r)
	switch to {
	case foldDrop:
		if f.stale {
			f.sync(i)
		}
		return
	case foldSpace:
		if f.space {
			if f.stale {
				f.sync(i)
			}
			return
		}
		f.at(i, n == 1)
		f.out, f.space = append(f.out, ' '), true
		return
	case foldText:
		f.block(i)
		f.out, f.space = append(f.out, text...), false
		return
	}

	f.at(i, utf8.RuneLen(to) == n)
	f.out, f.space = utf8.AppendRune(f.out, to), false
}

func (f *folder) at(i int, inStep bool) {
	if inStep {
		f.sync(i)
	} else {
		f.block(i)
	}
}

// memo remembers the normal form of a short piece, so that text full of
// compatibility characters costs a look-up each, not a normalisation.
type memo struct {
	key  [12]byte
	out  [24]byte
	keyN uint8
	outN uint8
}

const memoSize = 64

// piece folds n bytes at i, from one normalisation boundary to the next.
func (f *folder) piece(i, n int) {
	src := f.s[i : i+n]
	var m *memo
	if n <= len(memo{}.key) {
		if f.memo == nil {
			f.memo = new([memoSize]memo)
		}
		h := uint32(0)
		for k := 0; k < n; k++ {
			h = h*31 + uint32(src[k])
		}
		m = &f.memo[h*0x9E3779B1>>26]
		if int(m.keyN) == n && string(m.key[:n]) == src {
			f.folded(i, n, m.out[:m.outN])
			return
		}
	}

	var space, inner [96]byte
	out := f.foldNormal(inner[:0], norm.NFKC.AppendString(space[:0], src))
	if len(out) > 2*n {
		out = f.foldNormal(inner[:0], append(space[:0], src...))
	}
	if m != nil && len(out) <= len(m.out) {
		m.keyN, m.outN = uint8(n), uint8(len(out))
		copy(m.key[:], src)
		copy(m.out[:], out)
	}

	f.folded(i, n, out)
}

// foldNormal appends the folded form of what is NFKC. It has no more bytes.
func (f *folder) foldNormal(out, nf []byte) []byte {
	spaced := false
	for k := 0; k < len(nf); {
		r, size := utf8.DecodeRune(nf[k:])
		to, text := f.lookup(r)

		switch {
		case r == utf8.RuneError && size == 1:
			out, spaced = append(out, nf[k]), false
		case to == foldDrop:
		case to == foldSpace:
			if !spaced {
				out, spaced = append(out, ' '), true
			}
		case to == foldText:
			out, spaced = append(out, text...), false
		default:
			out, spaced = utf8.AppendRune(out, to), false
		}
		k += size
	}
	return out
}

// folded writes the finished form of n bytes at i.
func (f *folder) folded(i, n int, out []byte) {
	if f.space && len(out) > 0 && out[0] == ' ' {
		out = out[1:]
	}
	if len(out) == 0 {
		if f.stale {
			f.sync(i)
		}
		return
	}
	f.block(i)
	f.out = append(f.out, out...)
	f.space = out[len(out)-1] == ' '
}

// The results of folding that are not one character.
const (
	foldDrop rune = -1 - iota
	foldSpace
	foldText
)

func (f *folder) lookup(r rune) (to rune, text string) {
	if r < utf8.RuneSelf {
		switch c := asciiFold[r]; c {
		case 0:
			return foldDrop, ""
		case ' ':
			return foldSpace, ""
		default:
			return rune(c), ""
		}
	}

	if r > 0xFFFF {
		if ignorable(r) {
			return foldDrop, ""
		}
		if 0x10400 <= r && r <= 0x1E943 {
			return orbitLeast(r), ""
		}
		return r, ""
	}

	if f.pages == nil {
		f.pages = pagesOnce()
	}
	p := f.pages[r>>8]
	if p == nil {
		return r, ""
	}

	switch c := p[r&0xFF]; c {
	case pageSame:
		return r, ""
	case pageDrop:
		return foldDrop, ""
	case pageSpace:
		return foldSpace, ""
	case pageText:
		return foldText, expansions(r)
	default:
		return rune(c), ""
	}
}

// foldPages maps the basic plane; pages without any fold are nil. The special
// values are control characters, to which nothing folds.
type foldPages [256]*[256]uint16

const (
	pageSame uint16 = iota
	pageDrop
	pageSpace
	pageText
)

// expansions returns the case folds of one character to several, none longer than what it
// replaces.
func expansions(r rune) string {
	switch r {
	case 'ß', 'ẞ':
		return "ss"
	case 'և':
		return "եւ"
	default:
		return ""
	}
}

// orbitLeast returns the representative of the characters that differ from r by case only: the
// ASCII small letter if there is one, else the least. The least never has more bytes than r.
func orbitLeast(r rune) rune {
	least := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		least = min(least, o)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}

var pagesOnce = sync.OnceValue(func() *foldPages {
	var p foldPages
	set := func(r rune, to uint16) {
		page := &p[r>>8]
		if *page == nil {
			*page = new([256]uint16)
		}
		(*page)[r&0xFF] = to
	}
	for _, cr := range unicode.CaseRanges {
		for r := rune(cr.Lo); r <= rune(cr.Hi) && r <= 0xFFFF; r++ {
			if to := orbitLeast(r); to != r && r >= utf8.RuneSelf {
				set(r, uint16(to))
			}
		}
	}
	for r := rune(0x80); r <= 0xFFFF; r++ {
		switch {
		case ignorable(r), r < 0xA0 && r != 0x85:
			set(r, pageDrop)
		case unicode.IsSpace(r), blank(r):
			set(r, pageSpace)
		}
	}
	for _, r := range "ßẞև" {
		set(r, pageText)
	}
	// Letters that case folding leaves apart, and people and models do not.
	set('İ', 'i')
	set('ı', 'i')
	for _, r := range "‘’‚‛′ʹʼ" {
		set(r, '\'')
	}
	for _, r := range "“”„‟″" {
		set(r, '"')
	}
	for _, r := range "‐‑‒–—―−" {
		set(r, '-')
	}
	set('⁄', '/')
	set('∕', '/')
	return &p
})
