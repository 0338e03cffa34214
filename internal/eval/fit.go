package eval

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/estimate"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// Examples are what estimates are fitted on: labelled arguments, by their roles and by
// the lowest floors that are accepted for them, and tools by their effects and their outputs.
type Examples struct {
	Roles, Floors, Effects, Outputs []estimate.Example
}

// ReadExamples reads the labelled arguments of directories with labels*.jsonl and
// SERVER.json.
func ReadExamples(dirs ...string) (*Examples, error) {
	out := &Examples{}
	for _, dir := range dirs {
		labels, err := labelsOf(dir)
		if err != nil {
			return nil, err
		}

		servers := map[string]*featured{}
		for _, l := range labels {
			s := servers[l.Server]
			if s == nil {
				if s, err = features(dir, l.Server); err != nil {
					return nil, err
				}
				servers[l.Server] = s
			}
			if f, ok := s.tools[l.Tool]; ok && l.Kind == "tool" {
				out.Effects = append(out.Effects, estimate.Example{Group: s.fingerprint, Features: f, Class: string(l.Effect)})
				// No result is better than the service's own word.
				out.Outputs = append(out.Outputs, estimate.Example{Group: s.fingerprint, Features: f, Class: min(l.OutputTrust, label.ToolOutput).String()})
			}
			f, ok := s.features[l.Tool][l.Arg]
			if !ok || l.Kind != "arg" {
				continue
			}
			out.Roles = append(out.Roles, estimate.Example{Group: s.fingerprint, Features: f, Class: l.Role.String()})
			if l.MinTrust != nil {
				// A credential's floor is its rules', so that what is above USER needs no class.
				lowest := min(slices.Min(append([]label.Trust{*l.MinTrust}, l.MinTrustAlternatives...)), label.User)
				out.Floors = append(out.Floors, estimate.Example{Group: s.fingerprint, Features: f, Class: lowest.String()})
			}
		}
	}
	return out, nil
}

// featured is a server with the features of its tools, and of their arguments by tool and pattern.
type featured struct {
	fingerprint string
	tools       map[string][]string
	features    map[string]map[string][]string
}

func features(dir, server string) (*featured, error) {
	c, err := catalogueOf(dir, server)
	if err != nil {
		return nil, err
	}
	out := &featured{fingerprint: c.Fingerprint(), tools: map[string][]string{}, features: map[string]map[string][]string{}}
	for name, f := range synth.FeaturesOf(c) {
		out.tools[name], out.features[name] = f.Tool, f.Arguments
	}
	return out, nil
}

// folds are the parts that servers are dealt into to be crossed.
const folds = 10

// Crossed judges servers with estimates that are fitted on a part of all examples, without
// the server itself and a tenth of the others. The rules stay what they are:
// they were written by people who may have seen the server.
type Crossed struct{ fitted [folds]func() synth.Estimates }

// Cross returns estimates that leave servers out. Each is fitted when it is first needed.
func Cross(examples *Examples) *Crossed {
	c := &Crossed{}
	for i := range c.fitted {
		c.fitted[i] = sync.OnceValue(func() synth.Estimates { return examples.without(i).fit() })
	}
	return c
}

func (x *Crossed) without(c *schema.Catalogue) synth.Estimates {
	return x.fitted[foldOf(c.Fingerprint())]()
}

// Contracts makes the contracts of a server's tools.
func (x *Crossed) Contracts(c *schema.Catalogue) (*contract.File, error) {
	return synth.Estimated(x.without(c), c), nil
}

// Opinions returns the opinions about a server's tools.
func (x *Crossed) Opinions(c *schema.Catalogue) map[string]synth.Opinion {
	return synth.EstimatedOpinions(x.without(c), c)
}

// foldOf returns the part that a server falls into.
func foldOf(fingerprint string) int {
	h := fnv.New32a()
	h.Write([]byte(fingerprint))
	return int(h.Sum32() % folds)
}

// without leaves out what falls into a part.
func (e *Examples) without(fold int) *Examples {
	of := func(all []estimate.Example) []estimate.Example {
		return slices.DeleteFunc(slices.Clone(all), func(x estimate.Example) bool { return foldOf(x.Group) == fold })
	}
	return &Examples{Roles: of(e.Roles), Floors: of(e.Floors), Effects: of(e.Effects), Outputs: of(e.Outputs)}
}

func (e *Examples) fit() synth.Estimates {
	return synth.Estimates{
		Roles: estimate.Fit(e.Roles), Floors: estimate.Fit(e.Floors), Effects: estimate.Fit(e.Effects), Outputs: estimate.Fit(e.Outputs),
	}
}

// labelsOf reads a directory's labels, each once.
func labelsOf(dir string) ([]roleLabel, error) {
	dir = dataSetDir(dir, rolesDir)
	files, err := filepath.Glob(filepath.Join(dir, "labels*.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no labels*.jsonl: give a directory with labels*.jsonl and a SERVER.json for each server that they name", dir)
	}

	var labels []roleLabel
	seen := map[string]bool{}
	for _, f := range files {
		more, err := readLabels(f)
		if err != nil {
			return nil, err
		}
		for _, l := range more {
			// labels.jsonl may repeat what labels.dev.jsonl holds.
			key := strings.Join([]string{l.Kind, l.Server, l.Tool, l.Arg}, "\x00")
			if !seen[key] {
				seen[key] = true
				labels = append(labels, l)
			}
		}
	}
	return labels, nil
}
