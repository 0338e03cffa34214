package asked

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

// fulfilling compares one command with one request.
type fulfilling struct {
	*finding
	e      *entry
	tokens []string // after the verb
	flat   string   // all of it
	used   []string
	left   map[string]bool
	named  int
}

var (
	letters = pattern.OnUse(`^[\w.:/@-]*$`)
	// things are words that name something: a path, a package, a version.
	thing = pattern.OnUse(`[./_@~-]|\d|^[a-z]+[A-Z]`)
)

// command looks at the words of the command after its beginning.
func (y *fulfilling) command(words []string) bool {
	r := y.e.request
	if r == y.t.scripts && len(y.e.run) == 0 {
		words = y.words
	}

	for i := 0; i < len(words); i++ {
		w := words[i]
		if len(w) < 2 || w[0] != '-' {
			if !y.operand(w) {
				return false
			}
			continue
		}

		name, value, assigned := strings.Cut(w, "=")
		takes, free := r.flags[w]
		if !free {
			takes, free = r.flags[name]
		}
		switch {
		case r.Said[w] != "" && strings.Contains(y.flat, r.Said[w]):
			y.used = append(y.used, r.Said[w], r.Said[w]+"ly")
		case slices.Contains(y.tokens, w):
			y.used = append(y.used, w)
		case free && takes == 0:
		case free:
			if !assigned {
				if i++; i == len(words) {
					return false
				}
				value = words[i]
			}
			if !y.value(takes, value) {
				return false
			}
		default:
			return false
		}
	}

	return y.named > 0 || !r.Needs
}

// value looks at the value of a flag.
func (y *fulfilling) value(takes byte, value string) bool {
	y.used = append(y.used, value)
	switch takes {
	case ':':
		return letters().MatchString(value) && !strings.Contains(value, "..") && !strings.Contains(value, "://")
	case '=':
		for _, d := range y.dirs {
			if _, inside := y.at.Name(d, value); !inside {
				return false
			}
		}
	}
	return true
}

// operand looks at a word of the command that names something: the user has to
// have named it.
func (y *fulfilling) operand(w string) bool {
	r := y.e.request
	for _, d := range r.Defaults {
		branch := d == "$branch" && y.at.Branch != "" && w == y.at.Branch
		if w == d || branch {
			y.used = append(y.used, w)
			if slices.Contains(y.tokens, w) {
				y.named++
			}
			return true
		}
	}

	if r.Takes == "" {
		return false
	}
	if r.Takes == "path" && y.below(w) {
		return true
	}

	for _, t := range y.tokens {
		if y.names(t, w) {
			y.used = append(y.used, t)
			y.named++
			return true
		}
	}
	return false
}

// scripted are words for a file that is run.
var scripted = set([]string{"script", "scripts", "program", "file", "example", "demo", "benchmark", "notebook", "tool"})

// names reports whether a word of the user's names what a word of the command does.
func (y *fulfilling) names(said, w string) bool {
	r := y.e.request
	if !r.like.MatchString(w) || !y.mayName(said) {
		return false
	}

	switch r.Takes {
	case "path":
		return y.samePath(said, w) || y.namesFile(said, w)
	case "package":
		return y.namesPackage(said, w)
	case "address":
		return said == w && (strings.Contains(w, "://") || strings.HasPrefix(w, "git@"))
	}
	return said == w
}

// mayName reports whether a word may name what the request is about.
func (y *fulfilling) mayName(said string) bool {
	r := y.e.request
	low := strings.ToLower(said)
	bareScript := r == y.t.scripts && y.named == 0 && !strings.ContainsAny(said, "./")
	if bareScript && !slices.ContainsFunc(y.tokens, func(t string) bool { return scripted[strings.ToLower(t)] }) {
		return false // "the server" is not a file
	}

	tooLittle := r.Takes != "path" && (len(said) < 2 || y.t.kinds[low])
	return !y.t.fillers[low] && !tooLittle
}

// namesFile reports whether a word names a file by its name alone. A file of another
// folder is asked about.
func (y *fulfilling) namesFile(said, w string) bool {
	name, inside := y.at.Name(y.dirs[0], w)
	base := path.Base(name)
	named := strings.Contains(said, ".") && base == said
	if y.e.request == y.t.scripts {
		stem := len(said) > 3 && strings.EqualFold(strings.TrimSuffix(base, path.Ext(base)), said)
		further := y.named > 0 && said == w
		named = named || stem || further
	}
	return inside && named && y.home()
}

// namesPackage reports whether a word names a package, with the version that was said.
func (y *fulfilling) namesPackage(said, w string) bool {
	name, version := w, ""
	if i := strings.LastIndexAny(w, "@"); i > 0 {
		name, version = w[:i], w[i+1:]
	} else if i := strings.Index(w, "=="); i > 0 {
		name, version = w[:i], w[i+2:]
	}
	known := version == "" || version == "latest" || slices.Contains(y.tokens, version)
	return strings.EqualFold(said, w) || (known && strings.EqualFold(said, name))
}

// below reports whether a path is made of two that the user named: "old.py in src".
func (y *fulfilling) below(w string) bool {
	for i, t := range y.tokens {
		if i < 1 || i+1 >= len(y.tokens) || !slices.Contains([]string{"in", "from", "under", "inside", "of"}, strings.ToLower(t)) {
			continue
		}
		for j := i + 1; j < len(y.tokens); j++ {
			for _, l := range y.tokens[:i] {
				if thing().MatchString(l) && y.samePath(path.Join(y.tokens[j], l), w) {
					y.used = append(y.used, l, y.tokens[j])
					y.named++
					return true
				}
			}
		}
	}
	return false
}

// said reports whether every word of the request is about the command: a verb, a noun for what it
// does, what it names, or of no weight. Of several things that are named, the command may do one.
func (y *fulfilling) said() bool {
	r := y.e.request
	must := len(r.Must) == 0
	used := set(y.used)

	for i, t := range y.tokens {
		low := strings.ToLower(t)
		must = must || slices.Contains(r.Must, low)
		switch {
		case used[t] || used[low] || r.nouns[low]:
		case y.t.fillers[low]:
			// "remove x from y": what is in a file is not the file.
			if r.Takes == "path" && (low == "from" || low == "in" || low == "to" || low == "of" || low == "with") && !y.placed(i) {
				return false
			}
		case y.branch(low):
		case y.dirNamed(t):
		case y.named > 0 && thing().MatchString(t) && !strings.Contains(t, "="):
		default:
			return false
		}
	}

	return must || slices.ContainsFunc(r.Must, func(m string) bool { return slices.Contains(y.used, m) })
}

// placed reports whether a preposition only says where a named file is, or that all of a folder
// is meant.
func (y *fulfilling) placed(i int) bool {
	r := y.e.request
	if r == y.t.scripts {
		return true
	}
	for _, t := range y.tokens[:i] {
		low := strings.ToLower(t)
		if !y.t.fillers[low] && !r.nouns[low] && !slices.Contains(y.used, t) {
			return false
		}
	}
	return true
}

// branch reports whether a word is the current branch, by its name or as people call the first
// one.
func (y *fulfilling) branch(word string) bool {
	return y.e.request.Takes == "name" && slices.Contains(y.e.request.Defaults, "$branch") && word == strings.ToLower(y.at.Branch) && word != ""
}

// dirNamed reports whether a word names the folder in which the command is run.
func (y *fulfilling) dirNamed(word string) bool {
	return slices.ContainsFunc(y.dirs, func(d string) bool {
		name, inside := y.at.Name(d, ".")
		return inside && name != "." && (strings.Trim(word, "./") == name || path.Base(name) == word)
	})
}

// where reports whether the command is run where the user meant: in the root, or in a folder that
// was named. What names paths of its own may be run anywhere.
func (y *fulfilling) where() bool {
	if y.e.request.Takes == "path" && y.named > 0 && y.e.request != y.t.scripts {
		return true
	}
	for _, d := range y.dirs {
		name, inside := y.at.Name(d, ".")
		if !inside {
			return false
		}
		if name == "." {
			continue
		}
		if !slices.ContainsFunc(y.tokens, func(t string) bool { return strings.Trim(t, "./") == name || path.Base(name) == t }) {
			return false
		}
	}
	return true
}
