package pdf

import "bytes"

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
