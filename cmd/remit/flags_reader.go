package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/reader"
	"github.com/remit-project/remit/schema"
)

// firstReaderFlags say which model reads the definitions of tools on first sight.
type firstReaderFlags struct {
	Reader     string        `placeholder:"MODEL" env:"REMIT_READER" help:"The model that reads the definitions of tools that have no contract yet, and whose word is weighed against what the rules make of them, as anthropic:NAME or openai:NAME; the key is in ANTHROPIC_API_KEY or OPENAI_API_KEY."`
	ReaderURL  string        `name:"reader-url" placeholder:"URL" help:"Where the reader's API begins. Without it OPENAI_BASE_URL or ANTHROPIC_BASE_URL counts, and then the provider's own."`
	ReaderTime time.Duration `name:"reader-timeout" placeholder:"TIME" default:"60s" help:"How long the first list of a server's tools waits for the reader (60s). What is not read by then has the rules' contract, with a mark."`

	Readings readerRecordings `embed:"" prefix:"reader-"`
}

// readerRecordings are where a reader's answers are kept.
type readerRecordings struct {
	Record string `placeholder:"DIR" help:"Record what the model says of tools, and use again what was recorded."`
	Replay string `placeholder:"DIR" help:"Take the model's answers from recordings, and never ask it."`
}

// maker weighs contracts on first sight; nil without a model.
func (f *firstReaderFlags) maker(log *slog.Logger) (func(*schema.Catalogue, *contract.File, []string) *contract.File, error) {
	r, err := (&readerFlags{Model: f.Reader, BaseURL: f.ReaderURL, readerRecordings: f.Readings}).reader()
	if r == nil || err != nil {
		return nil, err
	}
	return reader.NewMaker(r, f.ReaderTime, log).Weigh, nil
}

// readerFlags say which model reads the definitions of tools.
type readerFlags struct {
	Model     string        `placeholder:"MODEL" help:"Have a model read the definitions, as anthropic:NAME or openai:NAME, and weigh what it says against the contracts; the key is in ANTHROPIC_API_KEY or OPENAI_API_KEY."`
	BaseURL   string        `name:"base-url" placeholder:"URL" help:"Where the model's API begins, such as http://127.0.0.1:8000/v1. Without it OPENAI_BASE_URL or ANTHROPIC_BASE_URL counts, and then the provider's own."`
	Parallel  int           `default:"4" placeholder:"N" help:"How many questions are out at once (4)."`
	ModelTime time.Duration `name:"model-timeout" default:"10m" placeholder:"TIME" help:"How long one answer may take (10m)."`
	MaxCalls  int           `placeholder:"N" help:"Stop after so many questions."`

	readerRecordings
	reviewed bool // a person has read the definitions
}

// reader makes the reader; nil without a model. Keys are read from the environment, where
// no list of processes shows them.
func (f *readerFlags) reader() (*reader.Reader, error) {
	recordings, err := (&plannerRecordings{Record: f.Record, Replay: f.Replay}).recordings()
	if err != nil {
		return nil, err
	}
	if f.Model == "" {
		if f.BaseURL != "" || recordings != nil {
			return nil, command.UsageError(hint.Wrap(errors.New("no model is named"), "name the one that reads the definitions with --model MODEL"))
		}
		return nil, nil
	}

	e, err := llm.Named(f.Model)
	if err != nil {
		return nil, command.UsageError(fmt.Errorf("--model: %w", err))
	}
	e.BaseURL = f.BaseURL
	r, err := reader.New(reader.Options{
		Endpoint: e.FromEnvironment(os.LookupEnv), Timeout: f.ModelTime, Parallel: f.Parallel,
		Recordings: recordings, Budget: llm.Budget{Calls: f.MaxCalls}, Reviewed: f.reviewed,
	})
	if err != nil {
		return nil, command.UsageError(err)
	}
	return r, nil
}
