package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/remit-project/remit/internal/display"
)

// Error says why a text was refused.
type Error struct {
	// Pointer is the JSON pointer of the innermost value being read, cut after
	// 256 bytes.
	Pointer string
	// Message says what is wrong and what to write instead.
	Message string
	// Offset is the byte at which the problem was seen.
	Offset int
}

const (
	maxErrorPointer = 256
	maxErrorName    = 64
)

// Error implements the error interface.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("JSON at byte %d: %s", e.Offset, e.Message)
	}
	return fmt.Sprintf("JSON at byte %d, in %q: %s", e.Offset, e.Pointer, e.Message)
}

// newError makes the error for a place in a text that is valid JSON.
func newError(data []byte, at int, format string, args ...any) *Error {
	d := jsontext.NewDecoder(bytes.NewBuffer(data))
	for int(d.InputOffset()) <= at {
		if _, err := d.ReadToken(); err != nil {
			break
		}
	}
	return place(at, d.StackPointer(), fmt.Sprintf(format, args...))
}

func place(at int, pointer jsontext.Pointer, message string) *Error {
	cut := string(pointer[:min(len(pointer), maxErrorPointer)])
	return &Error{Offset: at, Pointer: strings.ToValidUTF8(cut, ""), Message: message}
}

func tooLarge(data []byte, limits Limits) error {
	if most := min(limits.Size, largest); len(data) > most {
		return place(most, "", fmt.Sprintf("%d bytes are more than the limit of %d: send less", len(data), most))
	}
	return nil
}

func notCharacter(data []byte, at int) error {
	r, _ := utf8.DecodeRune(data[at:])
	return newError(data, at, "U+%04X is not a character: leave it out", r)
}

// refusal says why jsontext doesn't accept a text.
func refusal(data []byte) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(data))
	_, err := d.ReadValue()
	if err == nil {
		at := len(data) - len(bytes.TrimLeft(d.UnreadBuffer(), " \t\r\n"))
		return place(at, "", "something follows the value: write exactly one JSON value")
	}
	var e *jsontext.SyntacticError
	if !errors.As(err, &e) {
		return place(len(data), "", "there is no value: write at least {}")
	}

	at := int(e.ByteOffset)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		name := display.Clip(e.JSONPointer.LastToken(), maxErrorName)
		return place(at, e.JSONPointer, fmt.Sprintf("the member name %q appears twice in one object: keep one of the two", name))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return place(at, e.JSONPointer, "the text ends too early: send it whole")
	}
	return place(at, e.JSONPointer, e.Err.Error()+advice(data, at, e.Err.Error()))
}

// advice says what to write instead, where that does not follow from the problem.
func advice(data []byte, at int, problem string) string {
	rest := data[min(at, len(data)):]
	r, size := utf8.DecodeRune(rest)
	_, half := surrogate(rest, 0)

	switch {
	case r == '\ufeff' && at == 0:
		return ": the text starts with a byte order mark, leave it out"
	case r == utf8.RuneError && size == 1:
		return ": encode the text as UTF-8"
	case half:
		return ": half of a surrogate pair stands alone, write both halves or the character itself"
	case bytes.HasPrefix(rest, []byte(`\u`)):
		return `: write four hexadecimal digits after \u`
	case r == '\\':
		return `: write \\ for a backslash`
	case r < ' ' && strings.Contains(problem, "in string"):
		return fmt.Sprintf(`: write the control character as \u%04x`, r)
	case strings.Contains(problem, "max depth"):
		return ": flatten the objects and arrays"
	case strings.Contains(problem, "start of string"):
		return ": write a member name in double quotes"
	case r == ']' || r == '}':
		return ": add a value, or leave out what announces one"
	case strings.Contains(problem, "start of value"):
		return ": write a string in double quotes, a number, true, false, null, an object or an array"
	}
	return ""
}
