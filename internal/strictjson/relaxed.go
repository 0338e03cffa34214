package strictjson

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// ParseRelaxed reads JSON as people write it into configuration files: with
// comments, trailing commas and a byte order mark, as VS Code has it. Lone
// surrogates and noncharacters are read as encoding/json reads them, since the
// files hold texts that programs cut. Everything else is as for [Parse]; spans
// refer to the text as it is.
func ParseRelaxed(data []byte, limits Limits) (*Document, error) {
	limits = limits.orDefault()
	if err := tooLarge(data, limits); err != nil {
		return nil, err
	}

	if !utf8.Valid(data) {
		return nil, place(0, "", "the text is not UTF-8: encode it as UTF-8")
	}

	standard, err := standardize(data)
	if err != nil {
		return nil, err
	}
	if !jsontext.Value(standard).IsValid() {
		return nil, refusal(standard)
	}

	doc, err := walk(standard, limits, true)
	if err != nil {
		return nil, err
	}
	doc.data, doc.compact = bytes.Clone(data), false
	return doc, nil
}

// standardize writes blanks over what JSON doesn't have, so that all places stay
// the same.
func standardize(data []byte) ([]byte, error) {
	out := bytes.Clone(data)
	if bytes.HasPrefix(out, []byte("\ufeff")) {
		blank(out[:3])
	}

	comma, before := -1, byte(0) // the comma that may be trailing, and what it follows
	last := byte(0)

	for at := 0; at < len(out); {
		c, end := out[at], at+1
		switch c {
		case ' ', '\t', '\n', '\r':
			at = end
			continue
		case '"':
			end = stringEnd(out, at)
		case '/':
			if end = commentEnd(out, at); end < 0 {
				return nil, place(at, "", "a comment has no end: end it with */")
			}
			blank(out[at:end])
			at = max(end, at+1)
			continue
		case ',':
			comma, before = at, last
		case '}', ']':
			if last == ',' && before != ',' && before != '[' && before != '{' {
				out[comma] = ' '
			}
		}

		at, last = end, c
	}

	return Repair(out), nil
}

// stringEnd returns the end of the string that begins at a place, or that of the
// text when the string has none.
func stringEnd(data []byte, at int) int {
	for end := at + 1; end < len(data); end++ {
		switch data[end] {
		case '\\':
			end++
		case '"':
			return end + 1
		}
	}
	return len(data)
}

// commentEnd returns the end of the comment that begins at a place: the place
// itself when there is none, -1 when it doesn't end.
func commentEnd(data []byte, at int) int {
	rest := data[at:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			return at + n
		}
		return len(data)
	case bytes.HasPrefix(rest, []byte("/*")):
		n := bytes.Index(rest[2:], []byte("*/"))
		if n < 0 {
			return -1
		}
		return at + 2 + n + 2
	}
	return at
}

func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}
