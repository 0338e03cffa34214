package reader

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

//go:embed instructions.md
var instructions string

//go:embed schema.json
var answerSchema string

const (
	// maxDefinition bounds what a model is shown of one tool, in bytes, and maxPlaces
	// its arguments. A tool beyond them is not read at all: what is left out could be
	// what matters.
	maxDefinition = 64 << 10
	maxPlaces     = 256
	// maxSiblings bounds how many names of other tools are shown beside.
	maxSiblings = 60
)

// Reading is what a model says about a tool.
type Reading struct {
	// Does is what a call does, in the model's words.
	Does   string          `json:"does"`
	Effect contract.Effect `json:"effect"`
	// Output is the trust of the result as a whole.
	Output label.Trust `json:"output"`
	Args   []Arg       `json:"args"`
}

// Arg is what a model says about one argument.
type Arg struct {
	// At is the argument's pattern in the contract.
	At    string      `json:"at"`
	Role  label.Role  `json:"role"`
	Floor label.Trust `json:"floor"`
	Why   string      `json:"why"`
}

// Places returns the patterns of a contract that a model is asked about: the leaves. A list and
// its elements are one place, and so are an object and its unlisted members.
func Places(made *contract.Tool) []string {
	var out []string
	for i := range made.Args {
		p := made.Args[i].Pattern
		above := strings.HasSuffix(p, "/**") || slices.ContainsFunc(made.Args, func(a contract.Arg) bool {
			return strings.HasPrefix(a.Pattern, p+"/") && a.Pattern != p+"/**"
		})
		if !above {
			out = append(out, p)
		}
	}
	return out
}

// shown is a definition as a model reads it.
type shown struct {
	Server      string          `json:"server,omitempty"`
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Annotations map[string]bool `json:"annotations,omitempty"`
	Others      []string        `json:"other_tools,omitempty"`
	Arguments   []place         `json:"arguments,omitempty"`
}

type place struct {
	At          string   `json:"at"`
	Type        string   `json:"type,omitempty"`
	Required    bool     `json:"required,omitempty"`
	Values      []string `json:"values,omitempty"`
	Default     string   `json:"default,omitempty"`
	Description string   `json:"description,omitempty"`
}

// errTooLarge is the error of a definition that no model is asked about.
var errTooLarge = errors.New("which is too much to ask about")

// question writes the question about a tool. The definition is one line of JSON, so
// that no text in it can look like its end.
func question(t *schema.Tool, c *schema.Catalogue, places []string) (string, error) {
	if len(places) > maxPlaces {
		return "", fmt.Errorf("the tool has more than %d arguments: %w", maxPlaces, errTooLarge)
	}
	s := shown{Server: c.Server, Name: t.Name, Title: t.Title, Description: t.Description, Annotations: hints(t)}
	for i := range c.Tools {
		if n := c.Tools[i].Name; n != t.Name && len(s.Others) < maxSiblings {
			s.Others = append(s.Others, n)
		}
	}
	for _, l := range t.Places() {
		s.Arguments = append(s.Arguments, place{
			At: l.Pattern, Type: strings.Join(l.Node.Types, "|"), Required: l.Required,
			Values: l.Node.Enum, Default: l.Node.Default, Description: l.Node.Description,
		})
	}

	definition, err := strictjson.Encode(s)
	if err != nil {
		return "", err
	}
	if len(definition) > maxDefinition {
		return "", fmt.Errorf("the definition is longer than %d bytes: %w", maxDefinition, errTooLarge)
	}
	asked, err := strictjson.Encode(places)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("The definition:\n%s\nThe places to judge:\n%s", definition, asked), nil
}

// hints returns the server's own annotations.
func hints(t *schema.Tool) map[string]bool {
	out := map[string]bool{}
	for name, v := range map[string]*bool{"readOnlyHint": t.Annotations.ReadOnly, "destructiveHint": t.Annotations.Destructive} {
		if v != nil {
			out[name] = *v
		}
	}
	return out
}

// read reads an answer about places, each of which has to be judged once.
func read(raw json.RawMessage, places []string) (*Reading, error) {
	r := &Reading{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, err
	}
	for i, a := range r.Args {
		if !slices.Contains(places, a.At) {
			return nil, fmt.Errorf("/args/%d/at: there is no place %.80q in the list: copy its pointer", i, a.At)
		}
		if slices.ContainsFunc(r.Args[:i], func(b Arg) bool { return b.At == a.At }) {
			return nil, fmt.Errorf("/args/%d/at: %.80q is judged twice", i, a.At)
		}
	}
	for _, p := range places {
		if !slices.ContainsFunc(r.Args, func(a Arg) bool { return a.At == p }) {
			return nil, fmt.Errorf("/args: the place %.80q is missing", p)
		}
	}
	return r, nil
}
