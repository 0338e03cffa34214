package serialized

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/strictjson"
)

// writer writes what a reader finds as JSON. Once a bound is passed it writes nothing
// more, and there is no document.
type writer struct {
	out   bytes.Buffer
	left  int
	wrong bool
}

func newWriter() *writer { return &writer{left: maxValues} }

// document returns what was written; nil where that was not whole.
func (w *writer) document() *strictjson.Document {
	if w.wrong {
		return nil
	}
	return parse(w.out.Bytes())
}

// value counts one value.
func (w *writer) value() {
	if w.left--; w.left < 0 {
		w.wrong = true
	}
}

func (w *writer) raw(s string) { w.out.WriteString(s) }

// text writes a string.
func (w *writer) text(s string) {
	w.value()
	if !utf8.ValidString(s) {
		w.wrong = true
		return
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		w.wrong = true
		return
	}
	w.out.Write(quoted)
}

// scalar writes a number where a plain text is one in JSON, else a string.
func (w *writer) scalar(s string) {
	if !isNumber(s) {
		w.text(s)
		return
	}
	w.value()
	w.raw(s)
}

// isNumber reports whether a text is a number as JSON writes them.
func isNumber(s string) bool {
	if s == "" || len(s) > maxNumber || strings.IndexByte("-0123456789", s[0]) < 0 {
		return false
	}
	return json.Valid([]byte(s))
}

// maxNumber is the longest number, in bytes; a longer one is a code.
const maxNumber = 32
