package pdf

import (
	"bytes"
	"errors"
)

const (
	// maxObjects is how many objects a file may have. A book has some ten
	// thousands.
	maxObjects = 1_000_000
	// maxSections is how many sections of cross-references a file may have: each
	// time that it is saved adds one.
	maxSections = 1_000
	// maxUnpacked is how many bytes all streams that are read may have unpacked:
	// the text of a page has some kilobytes.
	maxUnpacked = 256 << 20
	// maxWork is how many steps reading may take, where one is an operator, a glyph
	// or a comparison of places.
	maxWork = 400_000_000
	// maxMapped is how many codes all fonts together may give a meaning or a width.
	maxMapped = 4_000_000
)

var (
	errEncrypted = errors.New("the PDF is encrypted: save it without a password")
	errTooMuch   = errors.New("the PDF takes more work than any document would: print it to a new PDF")
)

// A File is a PDF.
type File struct {
	data    []byte
	entries map[int]entry
	trailer dict
	// objects are those that were read, and reading those that are being read.
	objects map[int]object
	reading map[int]bool
	packed  map[int]*packed
	fonts   map[ref]*font
	pages   []page
	// off are the layers that aren't shown.
	off map[ref]bool
	// What was spent of the bounds.
	unpacked, work, mapped int
}

// entry says where an object is: at an offset of the file, or in another object.
type entry struct {
	offset, generation int
	packed             bool
	index              int
}

// packed is a stream that holds objects.
type packed struct {
	data    []byte
	offsets []int
}

// Open reads the structure of a PDF.
func Open(data []byte) (*File, error) {
	start := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-"))
	if start < 0 {
		return nil, errors.New("it isn't a PDF")
	}
	f := &File{data: data[start:], entries: map[int]entry{}, objects: map[int]object{}, reading: map[int]bool{},
		packed: map[int]*packed{}, fonts: map[ref]*font{}, off: map[ref]bool{}}
	if err := f.sections(); err != nil {
		return nil, err
	}
	if f.trailer["Encrypt"] != nil {
		return nil, errEncrypted
	}
	root := f.dict(f.trailer["Root"])
	f.layers(f.dict(root["OCProperties"]))
	if err := f.tree(root["Pages"], page{}, map[ref]bool{}, 0); err != nil {
		return nil, err
	}
	return f, nil
}

// spend counts steps of work.
func (f *File) spend(steps int) error {
	if f.work += steps; f.work > maxWork {
		return errTooMuch
	}
	return nil
}

// sections reads the cross-references, the newest first.
func (f *File) sections() error {
	tail := f.data[max(0, len(f.data)-2048):]
	at := bytes.LastIndex(tail, []byte("startxref"))
	if at < 0 {
		return errDamaged
	}
	l := lexer{data: tail, pos: at + len("startxref")}
	o, err := l.next()
	if err != nil {
		return errDamaged
	}
	queue := []object{o}
	seen := map[int]bool{}
	for len(queue) > 0 {
		offset, ok := queue[0].(float64)
		queue = queue[1:]
		if !ok || offset < 0 || int(offset) >= len(f.data) || seen[int(offset)] || len(seen) == maxSections {
			return errDamaged
		}
		seen[int(offset)] = true
		trailer, err := f.section(int(offset))
		if err != nil {
			return err
		}
		if f.trailer == nil {
			f.trailer = trailer
		}
		for _, key := range [...]name{"XRefStm", "Prev"} {
			if next := trailer[key]; next != nil {
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// section reads one section of cross-references, and returns its trailer.
func (f *File) section(offset int) (dict, error) {
	l := lexer{data: f.data, pos: offset, refs: true}
	first, err := l.next()
	if err != nil {
		return nil, errDamaged
	}
	if first == operator("xref") {
		return f.table(&l)
	}
	l.pos = offset
	o, _, err := f.definition(&l)
	s, ok := o.(*stream)
	if err != nil || !ok {
		return nil, errDamaged
	}
	return s.dict, f.crossReferences(s)
}

// table reads cross-references that are written out.
func (f *File) table(l *lexer) (dict, error) {
	for {
		o, err := l.next()
		if err != nil {
			return nil, errDamaged
		}
		if o == operator("trailer") {
			o, err := l.next()
			trailer, ok := o.(dict)
			if err != nil || !ok {
				return nil, errDamaged
			}
			return trailer, nil
		}
		n, err := l.next()
		first, ok1 := o.(float64)
		count, ok2 := n.(float64)
		if err != nil || !ok1 || !ok2 || !isIndex(first) || !isIndex(count) {
			return nil, errDamaged
		}
		for i := range int(count) {
			offset, _ := l.next()
			generation, _ := l.next()
			kind, err := l.next()
			at, ok1 := offset.(float64)
			g, ok2 := generation.(float64)
			if err != nil || !ok1 || !ok2 {
				return nil, errDamaged
			}
			if kind == operator("n") {
				f.enter(int(first)+i, entry{offset: int(at), generation: int(g)})
			} else {
				f.enter(int(first)+i, entry{offset: -1})
			}
		}
	}
}

// enter notes where an object is, if no newer section did.
func (f *File) enter(number int, e entry) {
	if _, ok := f.entries[number]; !ok && len(f.entries) < maxObjects {
		f.entries[number] = e
	}
}

// crossReferences reads those that are packed in a stream.
func (f *File) crossReferences(s *stream) error {
	data, err := f.unpack(s)
	if err != nil {
		return err
	}
	var w [3]int
	widths, _ := f.resolve(s.dict["W"]).(array)
	if len(widths) != 3 {
		return errDamaged
	}
	for i := range w {
		n, ok := widths[i].(float64)
		if !ok || n < 0 || n > 8 {
			return errDamaged
		}
		w[i] = int(n)
	}
	index, _ := f.resolve(s.dict["Index"]).(array)
	if index == nil {
		index = array{0.0, s.dict["Size"]}
	}
	size := w[0] + w[1] + w[2]
	for i := 0; i+1 < len(index) && size > 0; i += 2 {
		first, ok1 := index[i].(float64)
		count, ok2 := index[i+1].(float64)
		if !ok1 || !ok2 || !isIndex(first) || !isIndex(count) {
			return errDamaged
		}
		for n := int(first); n < int(first+count) && len(data) >= size; n++ {
			kind, a, b := 1, number(data[w[0]:w[0]+w[1]]), number(data[w[0]+w[1]:size])
			if w[0] > 0 {
				kind = number(data[:w[0]])
			}
			data = data[size:]
			switch kind {
			case 1:
				f.enter(n, entry{offset: a, generation: b})
			case 2:
				f.enter(n, entry{offset: a, packed: true, index: b})
			default:
				f.enter(n, entry{offset: -1})
			}
		}
	}
	return nil
}

func number(b []byte) int {
	n := 0
	for _, c := range b {
		n = n<<8 | int(c)
	}
	return n
}

// definition reads "1 0 obj" and the object, with the bytes of a stream.
func (f *File) definition(l *lexer) (object, ref, error) {
	number, err1 := l.next()
	generation, err2 := l.next()
	keyword, err3 := l.next()
	n, ok1 := number.(float64)
	g, ok2 := generation.(float64)
	if errors.Join(err1, err2, err3) != nil || !ok1 || !ok2 || keyword != operator("obj") {
		return nil, ref{}, errDamaged
	}
	id := ref{int(n), int(g)}
	start := l.pos
	o, err := l.next()
	// Objects take several times their bytes in memory.
	if err != nil || f.spend(4*(l.pos-start)) != nil {
		return nil, id, errDamaged
	}
	d, ok := o.(dict)
	l.space()
	if !ok || !bytes.HasPrefix(l.data[l.pos:], []byte("stream")) {
		return o, id, nil
	}
	start = l.pos + len("stream")
	if bytes.HasPrefix(l.data[start:], []byte("\r\n")) {
		start++
	}
	start = min(start+1, len(l.data))
	length, ok := f.resolve(d["Length"]).(float64)
	if !ok || length < 0 || int(length) > len(l.data)-start {
		return nil, id, errDamaged
	}
	return &stream{d, l.data[start : start+int(length)]}, id, nil
}

// maxReferences is how many references may lead from one to the next.
const maxReferences = 16

// resolve follows a reference; what it leads to is nil when it is damaged or leads
// in a circle.
func (f *File) resolve(o object) object {
	for range maxReferences {
		r, ok := o.(ref)
		if !ok {
			return o
		}
		o = f.object(r)
	}
	return nil
}

func (f *File) object(r ref) object {
	if o, ok := f.objects[r.number]; ok {
		return o
	}
	e, ok := f.entries[r.number]
	if !ok || f.reading[r.number] || f.spend(1) != nil {
		return nil
	}
	f.reading[r.number] = true
	defer delete(f.reading, r.number)
	var o object
	switch {
	case e.packed:
		o = f.packedObject(e)
	case e.offset > 0 && e.offset < len(f.data):
		found, id, err := f.definition(&lexer{data: f.data, pos: e.offset, refs: true})
		if err == nil && id.number == r.number {
			o = found
		}
	}
	f.objects[r.number] = o
	return o
}

// packedObject reads an object in a stream of objects.
func (f *File) packedObject(e entry) object {
	p, ok := f.packed[e.offset]
	if !ok {
		p = &packed{}
		f.packed[e.offset] = p
		s, ok := f.resolve(ref{number: e.offset}).(*stream)
		if !ok {
			return nil
		}
		first, _ := f.resolve(s.dict["First"]).(float64)
		count, _ := f.resolve(s.dict["N"]).(float64)
		data, err := f.unpack(s)
		if err != nil {
			return nil
		}
		p.data = data
		l := lexer{data: data}
		for range int(min(max(count, 0), maxObjects)) {
			_, err1 := l.next()
			offset, err2 := l.next()
			at, ok := offset.(float64)
			if err1 != nil || err2 != nil || !ok {
				break
			}
			p.offsets = append(p.offsets, int(first+at))
		}
	}
	if e.index >= len(p.offsets) || p.offsets[e.index] < 0 || p.offsets[e.index] > len(p.data) {
		return nil
	}
	l := lexer{data: p.data, pos: p.offsets[e.index], refs: true}
	o, err := l.next()
	if err != nil || f.spend(4*(l.pos-p.offsets[e.index])) != nil {
		return nil
	}
	return o
}

// dict returns a dictionary, also that of a stream, empty when it is none.
func (f *File) dict(o object) dict {
	switch o := f.resolve(o).(type) {
	case dict:
		return o
	case *stream:
		return o.dict
	}
	return nil
}

// numbers returns an array of numbers, nil when it isn't one of n.
func (f *File) numbers(o object, n int) []float64 {
	a, _ := f.resolve(o).(array)
	if len(a) != n {
		return nil
	}
	out := make([]float64, n)
	for i := range a {
		v, ok := f.resolve(a[i]).(float64)
		if !ok {
			return nil
		}
		out[i] = v
	}
	return out
}
