package hook

import (
	_ "embed"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"go.yaml.in/yaml/v4"
)

//go:embed sensitive.yaml
var sensitiveText []byte

// rule is an entry of the list of files by which code is run later.
type rule struct {
	Names  []string `yaml:"names"`
	Why    string   `yaml:"why"`
	Builds bool     `yaml:"builds"`
}

// obeyed is the list, made ready to look names up in.
type obeyed struct {
	names    map[string]*rule // by the name of a file, or of a folder with "/" at its end
	patterns []pattern
}

// pattern is a name with wildcards, or of several parts.
type pattern struct {
	parts  []string
	folder bool
	rule   *rule
}

// list reads the list that Remit ships.
var sensitiveList = sync.OnceValues(func() (*obeyed, error) {
	var rules []*rule
	if err := yaml.Load(sensitiveText, &rules, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("the list of sensitive files: %w", err)
	}
	out := &obeyed{names: map[string]*rule{}}
	for _, r := range rules {
		if r.Why == "" {
			return nil, fmt.Errorf("the list of sensitive files: %s has no reason", r.Names)
		}
		for _, name := range r.Names {
			if err := out.add(r, name); err != nil {
				return nil, fmt.Errorf("the list of sensitive files: %s: %w", name, err)
			}
		}
	}
	return out, nil
})

var errTwice = errors.New("it stands twice")

func (o *obeyed) add(r *rule, name string) error {
	text, folder := strings.CutSuffix(name, "/")
	if !strings.ContainsAny(text, "*?/") {
		if o.names[name] != nil {
			return errTwice
		}
		o.names[name] = r
		return nil
	}
	p := pattern{strings.Split(text, "/"), folder, r}
	for _, part := range p.parts {
		if _, err := path.Match(part, ""); err != nil {
			return err
		}
	}
	o.patterns = append(o.patterns, p)
	return nil
}

// find returns the entry for a path from the workspace's root; nil when there is
// none. An entry by which only builds are decided counts last.
func (o *obeyed) find(name string) *rule {
	parts := strings.Split(filepath.ToSlash(name), "/")
	for i := range parts {
		parts[i] = folded(parts[i])
	}
	var found *rule

	keep := func(r *rule) {
		if r != nil && (found == nil || found.Builds) {
			found = r
		}
	}
	for i, p := range parts {
		keep(o.names[p+"/"])
		if i == len(parts)-1 {
			keep(o.names[p])
		}
	}

	for i := range o.patterns {
		if p := &o.patterns[i]; p.matches(parts) {
			keep(p.rule)
		}
	}
	return found
}

func (p *pattern) matches(parts []string) bool {
	for at := 0; at+len(p.parts) <= len(parts); at++ {
		if !p.folder && at+len(p.parts) != len(parts) {
			continue
		}
		all := true
		for i, part := range p.parts {
			if ok, err := path.Match(part, parts[at+i]); err != nil || !ok {
				all = false
				break
			}
		}
		if all {
			return true
		}
	}
	return false
}

// folded is a name as file systems compare it that look past case, past what has
// no form, and past dots and blanks at the end.
func folded(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return unicode.ToLower(least)
	}, name)
	return strings.TrimRight(name, ". ")
}

// oddly tells whether programs may take the name of a file for a flag, or for the
// names of several files.
func oddly(name string) bool {
	return strings.HasPrefix(name, "-") || strings.Contains(name, "/-") || strings.Contains(name, " /") || strings.Contains(name, "/ ") ||
		strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsAny(name, `"'\`)
}

// sensitive says what obeys a file of the workspace; empty when nothing does.
// Of what builds obey, it says nothing.
func sensitive(name string) (why string) {
	if oddly(name) {
		return "programs take such a name for something else"
	}
	list, err := sensitiveList()
	if err != nil {
		return err.Error() // what isn't known to be harmless is not
	}
	if r := list.find(name); r != nil && !r.Builds {
		return r.Why
	}
	return ""
}

// building tells whether a file of the workspace says what a build runs.
func building(name string) bool {
	list, err := sensitiveList()
	if err != nil {
		return true
	}
	r := list.find(name)
	return r != nil && r.Builds
}
