package compiler

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/internal/strictjson"
)

// stageSamples makes up what look-ups return of which nothing was recorded.
const stageSamples = "samples"

type samplesRequest struct {
	Document string
	Blocks   []block
	Lookups  []string
	// Known are samples that there are, to fit the others to.
	Known []string
}

type samplesAnswer struct {
	Samples []sampleAnswer `json:"samples"`
}

type sampleAnswer struct {
	Tool   string `json:"tool" jsonschema:"the name of the tool"`
	Args   string `json:"args" jsonschema:"JSON text: the arguments that it answers to; empty for a tool that looks nothing up"`
	Result string `json:"result" jsonschema:"JSON text: the whole result; empty for a tool that looks nothing up"`
}

// samples agrees on a sample of each look-up: the one that is in the directory already,
// unless it is a guess, else what was returned, else what a model makes up. Those of tools that look nothing up,
// as the model says, are empty.
func (c *Compiler) samples(ctx context.Context, deployment guard.Deployment, corpus *corpus, d *policydoc.Directory) error {
	open := map[string]guard.Readable{}
	for _, r := range deployment.Readable() {
		key := policydoc.Key(r.Server, r.Name)
		had, ok := d.Samples[key]
		if settled := ok && had.Source != policydoc.Guessed; settled || r.Definition == nil {
			continue
		}
		if s, ok := c.o.Samples[key]; ok {
			data, err := s.Marshal() // as it will be read again
			if err == nil {
				s, err = policydoc.LoadSample(key, data)
			}
			if err != nil {
				return err
			}
			d.Samples[key] = s
			continue
		}
		if !ok {
			open[key] = r
		}
	}

	for _, keys := range split(slices.Sorted(maps.Keys(open)), maxLookups) {
		request := samplesRequest{Document: corpus.name, Blocks: corpus.only(corpus.head())}
		for _, key := range keys {
			request.Lookups = append(request.Lookups, prompt.Definition(open[key].Definition))
		}
		for _, key := range slices.Sorted(maps.Keys(d.Samples)) {
			s := d.Samples[key]
			request.Known = append(request.Known, fmt.Sprintf("%s %s returns %s", key, s.Args, prompt.Clip(string(s.Result), shownSample)))
		}
		made := map[string]policydoc.Sample{}
		if _, err := ask(ctx, c, stageSamples, "look-ups", request, func(a *samplesAnswer) error {
			made = map[string]policydoc.Sample{}
			return readMadeUp(a, keys, open, made)
		}); err != nil {
			return err
		}
		maps.Copy(d.Samples, made)
	}
	return nil
}

// shownSample is how much is shown of a sample there is, in bytes.
const shownSample = 1500

// readMadeUp reads an answer, and says what is wrong with it.
func readMadeUp(a *samplesAnswer, keys []string, open map[string]guard.Readable, into map[string]policydoc.Sample) error {
	var wrong []string
	for _, one := range a.Samples {
		i := slices.IndexFunc(keys, func(key string) bool { return key == one.Tool || open[key].Name == one.Tool })
		if i < 0 {
			wrong = append(wrong, fmt.Sprintf("there is no tool %q among those that are asked about", one.Tool))
			continue
		}
		r := open[keys[i]]
		if one.Result == "" {
			continue
		}

		s := policydoc.Sample{Server: r.Server, Tool: r.Name, Source: policydoc.Guessed}
		args, err := strictjson.Parse([]byte(one.Args), strictjson.DefaultLimits())
		if err != nil || args.Root().Kind() != strictjson.Object {
			wrong = append(wrong, fmt.Sprintf("%s: the arguments are not a JSON object", one.Tool))
			continue
		}
		result, err := strictjson.Parse([]byte(one.Result), strictjson.OutputLimits())
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: the result is no JSON text: %s", one.Tool, err))
			continue
		}
		s.Args, s.Result = json.RawMessage(args.Canonical()), json.RawMessage(result.Canonical())
		for _, mistake := range r.Definition.Input.Check(s.Args, true) {
			wrong = append(wrong, fmt.Sprintf("%s, arguments: %s", one.Tool, mistake))
		}
		if r.Definition.Output != nil {
			s.Source = policydoc.Declared
			for _, mistake := range r.Definition.Output.Check(s.Result, false) {
				wrong = append(wrong, fmt.Sprintf("%s, result: %s", one.Tool, mistake))
			}
		}
		into[keys[i]] = s
	}
	return mistakes(wrong)
}

// head returns the first sentences of the document that fit into a question.
func (c *corpus) head() []string {
	var out []string
	size := 0
	for _, s := range c.sentences {
		if size += len(s.Text); size > maxContext {
			break
		}
		out = append(out, s.ID)
	}
	return out
}
