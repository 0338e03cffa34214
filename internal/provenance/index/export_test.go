package index

import "github.com/remit-project/remit/internal/provenance/normal"

// Dropped returns how many segments were left out, wholly or in part, because
// the cap was reached. Nothing that the index says is complete then.
func (x *Index) Dropped() int { return x.dropped }

// Size returns the bytes of memory that the normal forms take, and those that
// the index takes beside them.
func (x *Index) Size() (text, index int) {
	var seen *normal.View
	for i := range x.texts {
		t := &x.texts[i]
		text += cap(t.norm)
		index += 8 * cap(t.breaks)
		if t.view != nil {
			index += 32
			if first := &t.view.all[0]; first != seen {
				seen = first
				index += t.view.all.Size()
			}
		}
	}
	return text, index + x.table.bytes() + 80*cap(x.texts) + 4*cap(x.pages)
}
