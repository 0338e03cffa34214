package provenance

import "strings"

type tmpIndex struct{ texts map[uint32]string }
type tmpMatch struct {
	Seg                              uint32
	Start, End, ValueStart, ValueEnd int
}

func (x *tmpIndex) Append(seg uint32, text string) { x.texts[seg] = text }
func (x *tmpIndex) Segments(v string) (out []uint32, overflow bool) {
	for s, t := range x.texts {
		if strings.Contains(strings.ToLower(t), strings.ToLower(v)) {
			out = append(out, s)
		}
	}
	return out, false
}
func (x *tmpIndex) Cover(v string, fuel *int) (out []tmpMatch, truncated bool) {
	if len(v) < 3 {
		return
	}
	for s, t := range x.texts {
		if i := strings.Index(strings.ToLower(t), strings.ToLower(v)); i >= 0 {
			out = append(out, tmpMatch{s, i, i + len(v), 0, len(v)})
		}
	}
	return
}
