package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// appendCanonical appends v as canonical JSON: members sorted by name, no white
// space, minimal escapes in strings, and numbers as in the source (1.0 and 1 stay
// different texts).
func appendCanonical(b []byte, v *value) []byte {
	switch v.kind {
	case kindString:
		return appendString(b, v.text)
	case kindArray:
		b = append(b, '[')
		for i, e := range v.elems {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendCanonical(b, e)
		}
		return append(b, ']')
	case kindObject:
		sorted := slices.Clone(v.members)
		slices.SortFunc(sorted, func(x, y member) int { return strings.Compare(x.name, y.name) })
		b = append(b, '{')
		for i, m := range sorted {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, m.name)
			b = append(b, ':')
			b = appendCanonical(b, m.value)
		}
		return append(b, '}')
	default:
		return append(b, v.text...)
	}
}

// appendString appends s as a JSON string.
func appendString(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')

	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}

	return append(b, '"')
}

// jsonText formats v as one line of JSON.
func jsonText(v *value) string { return string(appendCanonical(nil, v)) }

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// stringValue returns a JSON string.
func stringValue(s string) *value { return &value{kind: kindString, text: s} }

// definition collects the members that a tool's fingerprint covers.
type definition struct{ members []member }

func (d *definition) add(name string, v *value) {
	if v != nil && v.kind != kindNull {
		d.members = append(d.members, member{name, v})
	}
}

func (d *definition) fingerprint() string {
	return digest(appendCanonical(nil, &value{kind: kindObject, members: d.members}))
}

// Fingerprint returns "sha256:" and a digest of the names and fingerprints of all
// tools. It doesn't depend on the order of the tools.
func (c *Catalogue) Fingerprint() string {
	all := &value{kind: kindObject}
	for i := range c.Tools {
		all.members = append(all.members, member{c.Tools[i].Name, stringValue(c.Tools[i].Fingerprint)})
	}
	return digest(appendCanonical(nil, all))
}
