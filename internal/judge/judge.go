package judge

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/llm"
)

//go:embed instructions.md
var instructions string

// schema is that of the model's answer. The evidence comes before the answer, so that
// a model finds it before it decides.
const schema = `{"type": "object", "additionalProperties": false, "required": ["entry", "evidence", "answer"], "properties": {
	"entry": {"type": "integer"}, "evidence": {"type": "string"}, "answer": {"type": "string", "enum": ["yes", "no", "unclear"]}}}`

// maxAnswers bounds the answers that are kept. Beyond it all are dropped, and asked for
// again.
const maxAnswers = 1024

var (
	errRefused = errors.New("the judge refused to answer")
	errUnclear = errors.New("the judge can't tell from the conversation")
	errPartial = errors.New("the conversation is too long for the judge to know that it isn't so")
	errEmpty   = errors.New("nothing was said yet that the judge could read")
)

// Judge asks a model. It is safe for concurrent use.
type Judge struct {
	endpoint llm.Endpoint
	client   *llm.Client

	mu      sync.Mutex
	answers map[[sha256.Size]byte]answer
}

// answer is the result of a question.
type answer struct {
	yes      bool
	evidence string
}

// New returns a judge that asks a model. Since a rule waits for it, it asks once more
// after a failure, and lets the model correct an answer once.
func New(e llm.Endpoint) (*Judge, error) {
	if e.BaseURL == "" && e.Key == "" {
		return nil, fmt.Errorf("the judge: there is no key for %s: set %s_API_KEY, or %[2]s_BASE_URL where the model is elsewhere", e, strings.ToUpper(string(e.Provider)))
	}
	client, err := llm.New(llm.Options{Default: e, Timeout: guard.FactsTimeout, Retries: 1, Repairs: 1, Parallel: guard.MaxFacts})
	if err != nil {
		return nil, fmt.Errorf("the judge: %w", err)
	}
	return &Judge{endpoint: e, client: client, answers: map[[sha256.Size]byte]answer{}}, nil
}

// String returns the model and its address.
func (j *Judge) String() string { return j.endpoint.String() }

// Judge implements [guard.Judge]. The evidence is the speaker and the quoted words. The
// same question about the same conversation is asked once. Any answer but a clear yes or
// no is an error.
func (j *Judge) Judge(ctx context.Context, q guard.Question, s *guard.History) (yes bool, evidence string, err error) {
	c := read(s, q.Speaker)
	switch {
	case len(c.entries) == 0:
		return false, "", errEmpty
	case !c.spoke(q.Speaker):
		// A no about a speaker whose words are missing would mean nothing.
		return false, "", fmt.Errorf("nothing is known here that the %s said", q.Speaker)
	}
	prompt, err := c.prompt(q)
	if err != nil {
		return false, "", err
	}

	key := sha256.Sum256([]byte(prompt))
	j.mu.Lock()
	known, ok := j.answers[key]
	j.mu.Unlock()
	if ok {
		return known.yes, known.evidence, nil
	}

	a, err := j.ask(ctx, q, c, prompt)
	if err != nil {
		return false, "", err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.answers) >= maxAnswers {
		clear(j.answers)
	}
	j.answers[key] = a
	return a.yes, a.evidence, nil
}

func (j *Judge) ask(ctx context.Context, q guard.Question, c conversation, prompt string) (answer, error) {
	got, err := j.client.Complete(ctx, llm.Prompt{
		Stage: "judge", System: instructions,
		Messages: []llm.Message{{Role: llm.User, Text: prompt}},
		Schema:   llm.Schema{Name: "judgment", JSON: json.RawMessage(schema)},
		Check: func(raw json.RawMessage) error {
			_, err := c.hold(q, raw)
			return err
		},
	})

	var refused *llm.RefusedError
	if errors.As(err, &refused) {
		return answer{}, errRefused // its words may come from an attacker
	}
	if err != nil {
		return answer{}, err
	}

	v, err := c.hold(q, got.Value)
	if err != nil {
		return answer{}, err
	}
	a := answer{yes: v.Answer == "yes"}
	if v.Evidence != "" {
		a.evidence = fmt.Sprintf("%s: %s", c.entries[v.Entry-1].By, v.Evidence)
	}
	switch {
	case v.Answer == "unclear":
		return answer{}, errUnclear
	case !a.yes && !c.whole:
		return answer{}, errPartial
	}
	return a, nil
}

// verdict is an answer of the model.
type verdict struct {
	Entry    int    `json:"entry"`
	Evidence string `json:"evidence"`
	Answer   string `json:"answer"`
}

// hold reads an answer and checks it against the conversation. Errors are for the
// model, which may correct the answer.
func (c conversation) hold(q guard.Question, raw json.RawMessage) (verdict, error) {
	var v verdict
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, err
	}
	if v.Evidence == "" && v.Answer != "yes" {
		return v, nil
	}
	switch {
	case v.Evidence == "":
		return v, errors.New("/evidence: a yes needs the words that show it: quote them, or answer no or unclear")
	case v.Entry < 1 || v.Entry > len(c.entries):
		return v, fmt.Errorf("/entry: there is no entry %d: name the one that the evidence is from", v.Entry)
	}

	e := c.entries[v.Entry-1]
	switch {
	case !says(e.Text, v.Evidence):
		return v, fmt.Errorf("/evidence: entry %d doesn't have these words: copy them letter by letter from the entry that has them, or answer no or unclear", v.Entry)
	case v.Answer == "yes" && q.Speaker != "" && e.By != q.Speaker:
		return v, fmt.Errorf("/entry: entry %d is by the %s: only words of the %s are evidence for a yes", v.Entry, e.By, q.Speaker)
	}
	return v, nil
}
