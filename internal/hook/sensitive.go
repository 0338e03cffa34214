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

// rule is an entry of the list of files that can make code run later.
type rule struct {
	Names  []string `yaml:"names"`
	Why    string   `yaml:"why"`
	Builds bool     `yaml:"builds"`
}

// obeyed is the list with an index by name.
type obeyed struct {
	names    map[string]*rule // by the name of a file, or of a folder with "/" at its end
	patterns []pattern
}

// pattern is a name with wildcards or with several segments.
type pattern struct {
	parts  []string
	folder bool
	rule   *rule
}

// list reads the shipped list.
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

var errTwice = errors.New("it appears twice")

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

// find returns the entry for a path relative to the workspace's root; nil if
// there is none. An entry that only concerns builds has the lowest priority.
func (o *obeyed) find(name string) *rule {
	parts := strings.Split(filepath.ToSlash(name), "/")
	for i := range parts {
		parts[i] = fold(parts[i])
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

// fold returns a name as lenient file systems compare it: without case, invisible
// characters, and trailing dots and blanks.
func fold(name string) string {
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

// isAmbiguousName reports whether programs may read a file's name as a flag or as
// several names.
func isAmbiguousName(name string) bool {
	return strings.HasPrefix(name, "-") || strings.Contains(name, "/-") || strings.Contains(name, " /") || strings.Contains(name, "/ ") ||
		strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsAny(name, `"'\`)
}

// sensitive says what obeys a file of the workspace; empty if nothing does. It
// ignores builds.
func sensitive(name string) (why string) {
	if isAmbiguousName(name) {
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

// building reports whether a file of the workspace configures a build.
func building(name string) bool {
	list, err := sensitiveList()
	if err != nil {
		return true
	}
	r := list.find(name)
	return r != nil && r.Builds
}
