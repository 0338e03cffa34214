package planner

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/remit-project/remit/scope"
)

// examples are requests over invented tools with their answers.
//
//go:embed examples.json
var examples []byte

// example is a request with its answer.
type example struct {
	scope.Request
	Answer json.RawMessage `json:"answer"`
}

func readExamples() ([]example, error) {
	var out []example
	if err := json.Unmarshal(examples, &out); err != nil {
		return nil, fmt.Errorf("read the planner's examples: %w", err)
	}
	return out, nil
}

// teach returns the system text: the instructions, and examples as the model will see
// its own request.
func teach() (string, error) {
	all, err := readExamples()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(instructions)
	for i, e := range all {
		s, err := show(&e.Request)
		if err != nil {
			return "", err
		}
		var answer bytes.Buffer
		if err := json.Compact(&answer, e.Answer); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n# Example %d\n\n%s\n\nAnswer:\n%s\n", i+1, s.list+s.talk, answer.Bytes())
	}
	return b.String(), nil
}
