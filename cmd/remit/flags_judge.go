package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/judge"
	"github.com/remit-project/remit/internal/llm"
)

// judgeFlag names the model of which rules may ask things.
type judgeFlag struct {
	Judge string `placeholder:"MODEL" help:"The model that answers what rules ask a judge, as anthropic:NAME or openai:NAME; the key is in ANTHROPIC_API_KEY or OPENAI_API_KEY, and another address than the provider's in ANTHROPIC_BASE_URL or OPENAI_BASE_URL. Without it such rules fail."`
}

// judge makes the judge for the rules of a directory; nil without the flag. Keys are
// read from the environment, where no list of processes shows them.
func (f judgeFlag) judge(policies string) (guard.Judge, error) {
	if f.Judge == "" {
		return nil, nil
	}
	if policies == "" {
		return nil, command.UsageError(hint.Wrap(errors.New("--judge is asked by rules, and there are none"), "name their directory with --policies DIR"))
	}
	return judgeNamed(f.Judge)
}

// judgeNamed makes the judge of a model.
func judgeNamed(model string) (guard.Judge, error) {
	e, err := llm.Named(model)
	if err != nil {
		return nil, command.UsageError(fmt.Errorf("--judge: %w", err))
	}
	j, err := judge.New(e.FromEnvironment(os.LookupEnv))
	if err != nil {
		return nil, command.UsageError(err)
	}
	return j, nil
}
