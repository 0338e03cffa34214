package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// Stage is the name of the step among models, recordings and usage.
const Stage = "reader"

// maxKept bounds the readings that are kept. Beyond it all are dropped, and asked for
// again.
const maxKept = 4096

// Options are the settings of a reader.
type Options struct {
	// Endpoint is the model.
	Endpoint llm.Endpoint
	// Timeout bounds one question; the client's default if 0.
	Timeout time.Duration
	// Parallel bounds the questions that are out at once; the client's default if 0.
	Parallel int
	// Recordings are reused and made; nil for none.
	Recordings *llm.Recordings
	// Budget bounds what the reader may use in all.
	Budget llm.Budget
	// Opinions returns the second opinions; [synth.Opinions] if nil.
	Opinions func(*schema.Catalogue) map[string]synth.Opinion
	// Reviewed says that a person has read the definitions and found them honest: what the model says counts also where it is milder.
	Reviewed bool
	// Progress receives the client's events.
	Progress func(llm.Event)
}

// Reader asks a model about tools. It is safe for concurrent use.
type Reader struct {
	endpoint llm.Endpoint
	client   *llm.Client
	opinions func(*schema.Catalogue) map[string]synth.Opinion
	settle   func(contract.Tool, *Reading, *synth.Opinion) (contract.Tool, []Disagreement)

	mu   sync.Mutex
	kept map[string]*Reading
}

// New returns a reader.
func New(o Options) (*Reader, error) {
	replaying := o.Recordings != nil && o.Recordings.Replaying()
	if e := o.Endpoint; e.BaseURL == "" && e.Key == "" && !replaying {
		return nil, fmt.Errorf("the reader: there is no key for %s: set %s_API_KEY, or %[2]s_BASE_URL where the model is elsewhere", e, strings.ToUpper(string(e.Provider)))
	}
	client, err := llm.New(llm.Options{
		Default: o.Endpoint, Timeout: o.Timeout, Parallel: o.Parallel, Recordings: o.Recordings, Budget: o.Budget, Progress: o.Progress,
	})
	if err != nil {
		return nil, fmt.Errorf("the reader: %w", err)
	}
	if o.Opinions == nil {
		o.Opinions = synth.Opinions
	}
	settle := Weigh
	if o.Reviewed {
		settle = Accept
	}
	return &Reader{endpoint: o.Endpoint, client: client, opinions: o.Opinions, settle: settle, kept: map[string]*Reading{}}, nil
}

// String returns the model and its address.
func (r *Reader) String() string { return r.endpoint.String() }

// Tool asks about a tool of a catalogue, for which rules have made a contract. The same
// definition is asked about once. The caller must not change what it returns.
func (r *Reader) Tool(ctx context.Context, t *schema.Tool, c *schema.Catalogue, made *contract.Tool) (*Reading, error) {
	key := c.Server + "\x00" + t.Fingerprint
	r.mu.Lock()
	known := r.kept[key]
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}

	places := Places(made)
	text, err := question(t, c, places)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	a, err := r.client.Complete(ctx, llm.Prompt{
		Stage: Stage, Subject: c.Server + "." + t.Name, System: instructions,
		Messages: []llm.Message{{Role: llm.User, Text: text}},
		Schema:   llm.Schema{Name: "reading", JSON: json.RawMessage(answerSchema)},
		Check: func(raw json.RawMessage) error {
			_, err := read(raw, places)
			return err
		},
	})

	if err != nil {
		return nil, err
	}
	reading, err := read(a.Value, places)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.kept) >= maxKept {
		clear(r.kept)
	}
	r.kept[key] = reading
	return reading, nil
}

// Result is what came of reading a catalogue.
type Result struct {
	// File is the contract file, weighed. A tool that could not be read has what the
	// rules say, and a mark that no model has read it.
	File *contract.File
	// Readings are what the model said, by tool.
	Readings map[string]*Reading
	// Disagreements are the review queue, the most consequential first.
	Disagreements []Disagreement
}

// The marks of tools about which a model was to be asked and could not.
const (
	Unread   = "no model has read its definition"
	TooLarge = "its definition is too large for a model to read"
)

// Weigh asks about every tool of a contract file that was made of the catalogue's definitions,
// and weighs its answers against their contracts, except for the definitions of the given fingerprints, which
// people reviewed. The error joins what went wrong, tool by tool; the result is complete all the
// same.
func (r *Reader) Weigh(ctx context.Context, c *schema.Catalogue, made *contract.File, reviewed []string) (*Result, error) {
	out := &Result{File: made.Clone(), Readings: map[string]*Reading{}}
	readings, errs := make([]*Reading, len(c.Tools)), make([]error, len(c.Tools))
	var all sync.WaitGroup
	for i := range c.Tools {
		tool, ok := made.Tool(c.Tools[i].Name)
		if ok && !slices.Contains(reviewed, c.Tools[i].Fingerprint) {
			all.Go(func() { readings[i], errs[i] = r.Tool(ctx, &c.Tools[i], c, tool) })
		}
	}
	all.Wait()

	seconds := sync.OnceValue(func() map[string]synth.Opinion { return r.opinions(c) })
	for i := range c.Tools {
		tool, ok := out.File.Tool(c.Tools[i].Name)
		switch {
		case !ok, readings[i] == nil && errs[i] == nil:
		case errors.Is(errs[i], errTooLarge):
			tool.Review = strings.TrimPrefix(tool.Review+"; "+TooLarge, "; ")
			errs[i] = nil // asking again would not help
		case errs[i] != nil:
			tool.Review = strings.TrimPrefix(tool.Review+"; "+Unread, "; ")
		default:
			var more []Disagreement
			second := seconds()[tool.Name]
			*tool, more = r.settle(*tool, readings[i], &second)
			out.Readings[tool.Name] = readings[i]
			out.Disagreements = append(out.Disagreements, more...)
		}
	}
	Sort(out.Disagreements)
	return out, errors.Join(errs...)
}
