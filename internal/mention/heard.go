package mention

import "github.com/remit-project/remit/internal/memo"

// Heard keeps what the texts of a session say by themselves, whatever was looked up. It is safe for
// concurrent use.
type Heard struct {
	values memo.Map[saying, bool]
	rest   memo.Map[string, Text]
}

// says reports whether a text has a value itself, however people write it.
func (h *Heard) says(t Text, value string) bool {
	return h.values.Of(saying{t.raw, value}, func() bool {
		if isNumber(value) {
			return t.saysNumber(value)
		}
		return t.saysWhole(value) || t.spells(value)
	})
}

// inPlace is [Text.inPlace].
func (h *Heard) inPlace(t Text) Text {
	return h.rest.Of(t.raw, t.inPlace)
}
