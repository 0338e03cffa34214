package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/llm"
)

// modelFlags say which models are asked, and how much.
type modelFlags struct {
	Model      string            `env:"REMIT_MODEL" placeholder:"MODEL" help:"The model, as its provider names it. \"openai:NAME\" or \"anthropic:NAME\" says which API it has; without, names with \"claude\" are Anthropic's, and all others OpenAI's or compatible."`
	StageModel map[string]string `placeholder:"STAGE=MODEL" help:"Another model for a stage. Repeatable."`
	BaseURL    string            `name:"base-url" placeholder:"URL" help:"Where the model's API begins, such as http://127.0.0.1:8000/v1 for a server of your own. Without it OPENAI_BASE_URL or ANTHROPIC_BASE_URL counts, and then the provider's own."`
	PlainHTTP  bool              `name:"plain-http" help:"Send the key also over http to another machine, where anybody on the way can read it."`
	Price      map[string]string `placeholder:"MODEL=INPUT/OUTPUT" help:"What a model costs, in USD for a million tokens, such as MODEL=3/15. Repeatable."`

	MaxTokens         int           `placeholder:"N" help:"The longest answer, in tokens. Without it the endpoint's own bound holds."`
	Parallel          int           `default:"4" placeholder:"N" help:"How many questions are out at once (4)."`
	RequestsPerMinute int           `placeholder:"N" help:"How often the endpoint is asked at most."`
	Timeout           time.Duration `default:"10m" placeholder:"TIME" help:"How long one answer may take (10m)."`
	MaxCalls          int           `placeholder:"N" help:"Stop after so many questions."`
	MaxCost           float64       `placeholder:"USD" help:"Stop when so much was spent. Needs --price."`
}

// endpoint returns where a model is asked.
func (f *modelFlags) endpoint(model string) (llm.Endpoint, error) {
	e, err := llm.Named(model)
	if err != nil {
		return e, command.UsageError(err)
	}
	e.BaseURL, e.MaxTokens, e.Plain = f.BaseURL, f.MaxTokens, f.PlainHTTP
	e = e.FromEnvironment(os.LookupEnv)
	if price, ok := f.Price[e.Model]; ok {
		input, output, both := strings.Cut(price, "/")
		var err1, err2 error
		e.Price.Input, err1 = strconv.ParseFloat(input, 64)
		e.Price.Output, err2 = strconv.ParseFloat(output, 64)
		if err := errors.Join(err1, err2); err != nil || !both || e.Price.Input < 0 || e.Price.Output < 0 {
			return e, command.UsageError(fmt.Errorf("--price %s=%s: write USD for a million tokens of input and of output, such as %s=3/15", e.Model, price, e.Model))
		}
	}
	return e, nil
}

// errNoModel is returned where no model is named. A plan needs none.
var errNoModel = errors.New("no model is given")

// options returns the options of a client. The stages are those that may have models of their
// own.
func (f *modelFlags) options(stages []string) (llm.Options, error) {
	o := llm.Options{
		Stages: map[string]llm.Endpoint{}, Budget: llm.Budget{Calls: f.MaxCalls, USD: f.MaxCost},
		Parallel: f.Parallel, RequestsPerMinute: f.RequestsPerMinute, Timeout: f.Timeout,
	}
	if f.Model == "" {
		return o, command.UsageError(hint.Wrap(errNoModel, "name one with --model or REMIT_MODEL, and set OPENAI_API_KEY or ANTHROPIC_API_KEY: docs/reference/models.md"))
	}
	var err error
	if o.Default, err = f.endpoint(f.Model); err != nil {
		return o, err
	}
	used := []string{o.Default.Model}

	for stage, model := range f.StageModel {
		if !slices.Contains(stages, stage) {
			return o, command.UsageError(fmt.Errorf("--stage-model %s: there is no such stage; the stages are %s", stage, strings.Join(stages, ", ")))
		}
		if o.Stages[stage], err = f.endpoint(model); err != nil {
			return o, err
		}
		used = append(used, o.Stages[stage].Model)
	}
	for model := range f.Price {
		if !slices.Contains(used, model) {
			return o, command.UsageError(fmt.Errorf("--price %s: this model isn't used; used are %s", model, strings.Join(used, ", ")))
		}
	}

	return o, nil
}

// name names the model of a stage.
func (f *modelFlags) name(stage string) string {
	if model, ok := f.StageModel[stage]; ok {
		return model
	}
	return f.Model
}
