// Package jsonc reads JSON as people write it into configuration files, with
// comments and trailing commas. What is edited by the places of its values stays as it
// is elsewhere.
package jsonc

import (
	"errors"
	"fmt"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/strictjson"
)

// limits bound a file. Claude Code keeps its history in the same file as its servers.
func limits() strictjson.Limits {
	return strictjson.Limits{Size: 64 << 20, Depth: 200, Leaves: 4 << 20}
}

// Parse reads a file, and returns its outermost value. The error is a
// [*contract.Error] under the given name.
func Parse(file string, data []byte) (strictjson.Value, error) {
	doc, err := strictjson.ParseRelaxed(data, limits())
	if refused := (*strictjson.Error)(nil); errors.As(err, &refused) {
		message := refused.Message
		if refused.Pointer != "" {
			message = fmt.Sprintf("in %q: %s", refused.Pointer, message)
		}
		return strictjson.Value{}, &contract.Error{Position: Position(file, data, refused.Offset), Message: message}
	}
	if err != nil {
		return strictjson.Value{}, err
	}
	return doc.Root(), nil
}

// Position returns the line and column of an offset, in characters.
func Position(file string, data []byte, at int) contract.Position {
	p := contract.Position{File: file, Line: 1, Column: 1}
	for _, r := range string(data[:min(at, len(data))]) {
		if p.Column++; r == '\n' {
			p.Line, p.Column = p.Line+1, 1
		}
	}
	return p
}
