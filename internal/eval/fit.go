package eval

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/estimate"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// Examples are what estimates are fitted on: labelled arguments, by their roles and by
// the lowest floors that are accepted for them.
type Examples struct {
	Roles, Floors []estimate.Example
}

// without leaves out what shares a group.
func (e *Examples) without(group string) *Examples {
	of := func(all []estimate.Example) []estimate.Example {
		return slices.DeleteFunc(slices.Clone(all), func(x estimate.Example) bool { return x.Group == group })
	}
	return &Examples{Roles: of(e.Roles), Floors: of(e.Floors)}
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

// featured is a server with the features of its arguments, by tool and pattern.
type featured struct {
	fingerprint string
	features    map[string]map[string][]string
}

func features(dir, server string) (*featured, error) {
	c, err := catalogueOf(dir, server)
	if err != nil {
		return nil, err
	}
	out := &featured{fingerprint: c.Fingerprint(), features: map[string]map[string][]string{}}
	byRules := synth.Estimated(synth.Estimates{}, c)
	for i := range c.Tools {
		if made, ok := byRules.Tool(c.Tools[i].Name); ok {
			out.features[made.Name] = estimate.Arguments(&c.Tools[i], string(made.Effect))
		}
	}
	return out, nil
}

// Crossed makes contracts with estimates that are fitted on all examples but those of the
// server that they are made for. The rules stay what they are: they were written by people
// who may have seen the server.
func Crossed(examples *Examples) Contracts {
	return func(c *schema.Catalogue) (*contract.File, error) {
		others := examples.without(c.Fingerprint())
		return synth.Estimated(synth.Estimates{Roles: estimate.Fit(others.Roles), Floors: estimate.Fit(others.Floors)}, c), nil
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
