package strictjson

import (
	"bytes"
	"strconv"
)

// Repair replaces the escapes of lone surrogates in a JSON text by the one of
// the replacement character, as every tolerant reader does. Servers that cut
// text at a number of UTF-16 units send them in good faith.
func Repair(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}

	var out []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}

		unit, ok := surrogate(raw, i)
		switch next, paired := surrogate(raw, i+6); {
		case !ok:
			i++ // the escaped character itself
		case unit < 0xdc00 && paired && next >= 0xdc00:
			i += 11
		default:
			if out == nil {
				out = bytes.Clone(raw)
			}
			copy(out[i:], `\ufffd`)
			i += 5
		}
	}

	if out == nil {
		return raw
	}
	return out
}

// surrogate reads the escape of a surrogate at i.
func surrogate(raw []byte, i int) (unit uint64, ok bool) {
	if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16)
	return unit, err == nil && unit >= 0xd800 && unit <= 0xdfff
}
