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
	// unpacked, work and mapped are how much of each bound is used up.
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
