package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"fmt"
	"io"
)

// maxFilters is how many times a stream may be packed.
const maxFilters = 4

// unpack returns the bytes of a stream.
func (f *File) unpack(s *stream) ([]byte, error) {
	filters, ok := f.resolve(s.dict["Filter"]).(array)
	parameters, _ := f.resolve(s.dict["DecodeParms"]).(array)
	if !ok {
		if filter := f.resolve(s.dict["Filter"]); filter != nil {
			filters, parameters = array{filter}, array{s.dict["DecodeParms"]}
		}
	}

	if len(filters) > maxFilters {
		return nil, errDamaged
	}

	data := s.raw
	for i, filter := range filters {
		var p dict
		if i < len(parameters) {
			p = f.dict(parameters[i])
		}
		var err error
		if data, err = f.filter(f.resolve(filter), p, data); err != nil {
			return nil, err
		}
	}

	return data, nil
}

func (f *File) filter(filter object, p dict, data []byte) (out []byte, err error) {
	var r io.Reader
	switch filter {
	case name("FlateDecode"):
		if r, err = zlib.NewReader(bytes.NewReader(data)); err != nil {
			return nil, errDamaged
		}
	case name("ASCII85Decode"):
		end, _, _ := bytes.Cut(data, []byte("~>"))
		r = ascii85.NewDecoder(bytes.NewReader(end))
	case name("ASCIIHexDecode"):
		end, _, _ := bytes.Cut(data, []byte(">"))
		r = bytes.NewReader(unhex(end))
	default:
		return nil, fmt.Errorf("its text is packed in a way that isn't read (%v): print it to a new PDF", filter)
	}

	if out, err = io.ReadAll(io.LimitReader(r, int64(maxUnpacked-f.unpacked+1))); err != nil {
		return nil, errDamaged
	}
	if f.unpacked += len(out); f.unpacked > maxUnpacked {
		return nil, errTooMuch
	}

	return f.predict(p, out)
}

// predict undoes the differences between rows that PNG has, which streams of
// cross-references use.
func (f *File) predict(p dict, data []byte) ([]byte, error) {
	predictor, _ := f.resolve(p["Predictor"]).(float64)
	if predictor < 2 {
		return data, nil
	}

	get := func(key name, otherwise float64) int {
		n, ok := f.resolve(p[key]).(float64)
		if !ok {
			n = otherwise
		}
		return int(min(max(n, 0), 1<<16))
	}

	width := max(1, get("Colors", 1)*get("BitsPerComponent", 8)/8)
	row := (get("Colors", 1)*get("BitsPerComponent", 8)*get("Columns", 1) + 7) / 8
	if predictor < 10 || row == 0 || row > 1<<20 {
		return nil, errDamaged
	}

	before := make([]byte, row)
	var out []byte
	for len(data) > 1 {
		kind := data[0]
		line := append([]byte(nil), data[1:min(1+row, len(data))]...)
		data = data[min(1+row, len(data)):]

		for i := range line {
			var left, corner byte
			if i >= width {
				left, corner = line[i-width], before[i-width]
			}
			switch kind {
			case 1:
				line[i] += left
			case 2:
				line[i] += before[i]
			case 3:
				line[i] += byte((int(left) + int(before[i])) / 2)
			case 4:
				line[i] += paeth(left, before[i], corner)
			}
		}

		out = append(out, line...)
		copy(before, line)
	}
	return out, nil
}

// paeth is PNG's choice of what a byte is likely to be.
func paeth(left, up, corner byte) byte {
	p := int(left) + int(up) - int(corner)
	distance := func(b byte) int { return max(p-int(b), int(b)-p) }
	switch {
	case distance(left) <= distance(up) && distance(left) <= distance(corner):
		return left
	case distance(up) <= distance(corner):
		return up
	}
	return corner
}
