package pack

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

// launcher is how a program that installs and starts packages is called.
type launcher struct {
	// words are its name and the commands after it.
	words    []string
	registry Registry
	// flags are those that don't change what is started, and valued those among them whose
	// value is the next argument.
	flags, valued []string
}

// container are the flags of programs that run images. A mount isn't among them: it can put
// another program into the image's place.
var container, containerValued = []string{"-i", "--interactive", "--rm", "--init"}, []string{"-e", "--env", "--env-file", "--name", "--network"}

// launchers are those whose first plain argument is a package. A flag that isn't listed
// may name another package, index or directory: then the command selects no pack.
var launchers = []launcher{
	{[]string{"npx"}, NPM, []string{"-y", "--yes", "-q", "--quiet", "--"}, nil},
	{[]string{"npm", "exec"}, NPM, []string{"-y", "--yes", "-q", "--quiet", "--"}, nil},
	{[]string{"pnpm", "dlx"}, NPM, []string{"--silent"}, nil},
	{[]string{"yarn", "dlx"}, NPM, []string{"-q", "--quiet"}, nil},
	{[]string{"bunx"}, NPM, []string{"--bun", "--silent"}, nil},
	{[]string{"bun", "x"}, NPM, []string{"--bun", "--silent"}, nil},
	{[]string{"uvx"}, PyPI, []string{"-q", "--quiet", "--isolated", "--no-progress"}, nil},
	{[]string{"uv", "tool", "run"}, PyPI, []string{"-q", "--quiet", "--isolated", "--no-progress"}, nil},
	{[]string{"pipx", "run"}, PyPI, []string{"-q", "--quiet", "--no-cache"}, nil},
	{[]string{"go", "run"}, Go, nil, nil},
	{[]string{"docker", "run"}, image, container, containerValued},
	{[]string{"podman", "run"}, image, container, containerValued},
}

// published matches a package of a registry, perhaps with a version or a tag. An alias, an
// address, a file and a range with blanks don't match.
var published = pattern.OnUse(`^((?:@[a-z0-9._-]+/)?[A-Za-z0-9._-]+)(?:(?:@|==)[A-Za-z0-9.+-]+)?$`)

// paths match what names a program by its place: a Go package with its version (without one
// it is the working directory's), and an image, perhaps with a tag and a digest.
var paths = map[Registry]func() *regexp.Regexp{
	Go:    pattern.OnUse(`^([a-z0-9.-]+\.[a-z]+(?:/[A-Za-z0-9._-]+)+)@[A-Za-z0-9.+-]+$`),
	image: pattern.OnUse(`^([a-z0-9.-]+(?:/[a-z0-9._-]+)+)(?::[A-Za-z0-9_.-]+)?(?:@sha256:[0-9a-f]{64})?$`),
}

// ForCommand returns the pack of the package that a command of the operator's configuration
// installs and starts, and nil if the command names no package that is in a pack. Which
// program the launcher finds by that name is for the launcher's own configuration to say.
func ForCommand(command []string) (*Pack, error) {
	registry, name := packageOf(command)
	if name == "" {
		return nil, nil
	}
	packs, err := All()
	if err != nil {
		return nil, err
	}
	for _, p := range packs {
		if p.starts(registry, name) {
			return p, nil
		}
	}
	return nil, nil
}

// starts reports whether a program that a launcher was given is the pack's.
func (p *Pack) starts(registry Registry, name string) bool {
	switch registry {
	case image:
		return slices.Contains(p.Images, name)
	case Go:
		return p.Registry == Go && p.Package+"/"+p.Start == name
	}
	return p.Registry == registry && p.Package == name
}

// packageOf returns the package that a command starts; empty if that is in doubt.
func packageOf(command []string) (Registry, string) {
	if len(command) > 2 && program(command[0]) == "cmd" && strings.EqualFold(command[1], "/c") {
		command = command[2:]
	}
	for _, l := range launchers {
		if len(command) <= len(l.words) || program(command[0]) != l.words[0] || !slices.Equal(command[1:len(l.words)], l.words[1:]) {
			continue
		}
		rest := command[len(l.words):]
		for i := 0; i < len(rest); i++ {
			switch {
			case slices.Contains(l.valued, rest[i]):
				i++
			case !slices.Contains(l.flags, rest[i]):
				return l.registry, l.name(rest[i])
			}
		}
	}
	return "", ""
}

// name returns the package that an argument names, as the registry spells it.
func (l launcher) name(arg string) string {
	written, ok := paths[l.registry]
	if !ok {
		written = published
	}
	m := written().FindStringSubmatch(arg)
	switch {
	case m == nil:
		return ""
	case l.registry == PyPI:
		return normalized(m[1])
	}
	return m[1]
}

var separators = pattern.OnUse(`[-_.]+`)

// normalized returns the one spelling of a Python package's name, as the index compares names.
func normalized(name string) string {
	return strings.ToLower(separators().ReplaceAllString(name, "-"))
}

// program returns the name of a program without its place.
func program(arg string) string {
	base := path.Base(strings.ReplaceAll(arg, `\`, "/"))
	for _, ext := range []string{".exe", ".cmd"} {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}
