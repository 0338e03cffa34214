package planner

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"strings"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// NamingStage is the name of the step among recordings and usage in which the planner says which members of a result the
// names of its scope mean.
const NamingStage = "names"

var (
	//go:embed naming.md
	namingInstructions string
	//go:embed naming.schema.json
	namingSchema string
)

var _ scope.Namer = (*Planner)(nil)

// Name implements [scope.Namer]: it shows the model the guessed names, the names of the members, and the conversation. The
// same request is asked once.
func (p *Planner) Name(ctx context.Context, r *scope.NameRequest) (*scope.Naming, error) {
	key := r.Digest()
	p.mu.Lock()
	known := p.named[key]
	p.mu.Unlock()
	if known != nil {
		return known, nil
	}

	talk, err := showNames(r)
	if err != nil {
		return nil, err
	}
	var names []scope.Meant
	got, err := p.client.Complete(ctx, llm.Prompt{
		Stage: NamingStage, System: namingInstructions,
		Messages: []llm.Message{{Role: llm.User, Text: talk}},
		Schema:   llm.Schema{Name: "names", JSON: json.RawMessage(namingSchema)},
		Check: func(raw json.RawMessage) (err error) {
			names, err = readNames(raw, r)
			return err
		},
	})
	var refused *llm.RefusedError
	var invalid *llm.InvalidError
	switch {
	case errors.As(err, &refused):
		return nil, errors.New("the planner's model refused to answer")
	case errors.As(err, &invalid):
		return nil, errors.New("the planner's model didn't answer in the form that it was asked for") // its words may be those of a member
	case err != nil:
		return nil, err
	}
	out := &scope.Naming{Names: names, Model: got.Model, InputTokens: got.Usage.Input, OutputTokens: got.Usage.Output}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.named) >= maxKept {
		clear(p.named)
	}
	p.named[key] = out
	return out, nil
}

// readNames reads an answer.
func readNames(raw json.RawMessage, r *scope.NameRequest) ([]scope.Meant, error) {
	var a struct {
		Names []struct{ Name, Member string } `json:"names"`
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	var out []scope.Meant
	for _, n := range a.Names {
		if n.Member != "" {
			out = append(out, scope.Meant{Guess: n.Name, Member: n.Member})
		}
	}
	return out, r.Check(out)
}

// showNames writes a request for names: each thing on a line of its own, so that no name can look like the end of itself.
func showNames(r *scope.NameRequest) (string, error) {
	var b strings.Builder
	line := func(v any) error {
		data, err := strictjson.Encode(v)
		b.Write(data)
		b.WriteByte('\n')
		return err
	}

	if err := line(struct {
		Tool string `json:"tool"`
	}{nameOf(&scope.Tool{Server: r.Server, Name: r.Tool})}); err != nil {
		return "", err
	}
	b.WriteString("The guessed names:\n")
	for _, g := range r.Guesses {
		if err := line(g); err != nil {
			return "", err
		}
	}
	b.WriteString("The members:\n")
	for _, name := range r.Members {
		if err := line(struct {
			Member string `json:"member"`
		}{name}); err != nil {
			return "", err
		}
	}
	s := &shown{}
	if err := s.talkOf(&b, r.Said, r.Omitted); err != nil {
		return "", err
	}
	b.WriteString("Say what each guessed name means.")
	return b.String(), nil
}
