package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// read finds the JSON of an answer and brings it into the strict form.
func (r reply) read() (json.RawMessage, error) {
	if r.value != nil {
		return strict(r.value)
	}
	return read(r.text)
}

// read finds the one JSON object in a text: the text itself, the content of its only
// fence with an object, or an object in its prose.
func read(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	// Some servers for open models leave the reasoning in front.
	if thought, rest, ok := strings.Cut(text, "</think>"); ok && strings.HasPrefix(thought, "<think>") {
		text = strings.TrimSpace(rest)
	}
	if strings.HasPrefix(text, "{") {
		if value, err := strict([]byte(text)); err == nil {
			return value, nil
		}
	}

	found := fenced(text)
	if len(found) != 1 {
		found = objects(text)
	}
	switch {
	case len(found) > 1:
		return nil, errors.New("there is more than one JSON object: answer with exactly one")
	case len(found) == 1:
		return strict([]byte(found[0]))
	case strings.HasPrefix(text, "{"):
		_, err := strict([]byte(text)) // says where it breaks
		return nil, err
	}
	return nil, errors.New("there is no JSON object: answer with one and nothing else")
}

// strict reads JSON strictly, and returns it without white space.
func strict(value []byte) (json.RawMessage, error) {
	doc, err := strictjson.Parse(value, strictjson.OutputLimits())
	if err != nil {
		return nil, err
	}
	for _, l := range doc.Leaves() {
		if l.Kind == strictjson.Number && !moderate(l.Text) {
			return nil, fmt.Errorf("%s: the number is out of bounds: write one below 1e%d, in up to %d characters", clip(l.Pointer, longestMessage), largestExponent, longestNumber)
		}
	}
	return doc.Canonical(), nil
}

// Numbers are compared exactly, which takes space by their exponent, and the library
// for schemas fails on those that math/big refuses. Floats end at 308.
const (
	largestExponent = 308
	longestNumber   = 400
)

func moderate(number string) bool {
	_, exponent, ok := strings.Cut(strings.ToLower(number), "e")
	if !ok {
		exponent = "0"
	}
	n, err := strconv.Atoi(exponent)
	return err == nil && max(n, -n) <= largestExponent && len(number) <= longestNumber
}

// fenced returns the objects that fill a fence of Markdown.
func fenced(text string) []string {
	var out []string
	inside := false
	for part := range strings.SplitSeq("\n"+text, "\n```") {
		// A fence begins with its language.
		_, body, _ := strings.Cut(part, "\n")
		if body = strings.TrimSpace(body); inside && strings.HasPrefix(body, "{") && json.Valid([]byte(body)) {
			out = append(out, body)
		}
		inside = !inside
	}
	return out
}

// objects returns the outermost JSON objects in a text.
func objects(text string) []string {
	// Braces are rare in prose. The bound keeps a text of nothing else from being
	// read from each of them to its end.
	const most = 64

	var out []string
	for range most {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		text = text[i:]
		d := json.NewDecoder(strings.NewReader(text))
		var object json.RawMessage
		if d.Decode(&object) == nil {
			out = append(out, string(object))
			text = text[d.InputOffset():]
		} else {
			text = text[1:]
		}
	}
	return out
}
