package pdf

import (
	"unicode/utf16"
)

// maxCodes is how many codes a font may give a meaning: two bytes' worth, and again.
const maxCodes = 1 << 17

// cmap says what codes of a font mean.
type cmap struct {
	text map[string]string
	// sizes says which lengths codes have, in bytes.
	sizes [5]bool
}

// readCmap reads a map of codes to Unicode.
func (f *File) readCmap(data []byte) (*cmap, error) {
	m := &cmap{text: map[string]string{}}
	l := lexer{data: data}
	var stack []object

	for {
		o, err := l.next()
		if err == errEnd {
			return m, f.remember(len(m.text))
		}

		if err != nil {
			return nil, err
		}
		if err := f.spend(1); err != nil {
			return nil, err
		}

		op, ok := o.(operator)
		if !ok {
			stack = append(stack, o)
			continue
		}

		switch op {
		case "endcodespacerange":
			for _, o := range stack {
				if s, ok := o.(text); ok && len(s) > 0 && len(s) <= 4 {
					m.sizes[len(s)] = true
				}
			}
		case "endbfchar":
			for i := 0; i+1 < len(stack); i += 2 {
				m.put(stack[i], stack[i+1], 0)
			}
		case "endbfrange":
			for i := 0; i+2 < len(stack); i += 3 {
				m.putRange(stack[i], stack[i+1], stack[i+2])
			}
		}
		stack = stack[:0]
	}
}

// remember counts what fonts keep.
func (f *File) remember(codes int) error {
	if f.mapped += codes; f.mapped > maxMapped {
		return errTooMuch
	}
	return nil
}

// put gives the code that is add after another its text.
func (m *cmap) put(code, to object, add int) {
	from, ok1 := code.(text)
	target, ok2 := to.(text)
	if !ok1 || !ok2 || len(from) == 0 || len(from) > 4 || len(m.text) >= maxCodes {
		return
	}
	m.text[plus(from, add)] = utf16Text([]byte(target))
}

func (m *cmap) putRange(first, last, to object) {
	low, ok1 := first.(text)
	high, ok2 := last.(text)
	if !ok1 || !ok2 || len(low) != len(high) || len(low) > 4 {
		return
	}
	n := number([]byte(high)) - number([]byte(low))
	switch to := to.(type) {
	case array:
		for i := 0; i <= n && i < len(to); i++ {
			m.put(first, to[i], i)
		}
	case text:
		for i := 0; i <= n && len(m.text) < maxCodes && i < 1<<16; i++ {
			m.put(first, text(plus(to, i)), i)
		}
	}
}

// plus adds to a code, whose last two bytes count.
func plus(code text, add int) string {
	out := []byte(code)
	for i := len(out) - 1; i >= 0 && i >= len(out)-2 && add > 0; i-- {
		add += int(out[i])
		out[i] = byte(add)
		add >>= 8
	}
	return string(out)
}

func utf16Text(b []byte) string {
	units := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		units = append(units, uint16(b[i])<<8|uint16(b[i+1]))
	}
	return string(utf16.Decode(units))
}
