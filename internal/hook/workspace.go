package hook

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/internal/shell"
)

// workspace is where an agent works: reading and writing there needs no question.
type workspace struct {
	roots []string // as they really are, without links
	dir   string
	home  string

	written []string // what was found to be written, by name
	read    bool     // whether the words are known
	words   []string // of version control's settings
	runs    bool     // version control's settings name programs
}

// newWorkspace returns the workspace of an event. A root that holds the home
// directory, or everything, doesn't count: too much below it isn't work.
func newWorkspace(e *Event, home string) *workspace {
	w := &workspace{dir: e.Dir}
	if real, err := resolve(home); err == nil {
		w.home = real
	}
	roots := e.Roots
	if len(roots) == 0 {
		roots = []string{e.Dir}
	}
	for _, r := range roots {
		r, err := resolve(r)
		if err != nil || !filepath.IsAbs(r) || isBelow(r, w.home) || isBelow(r, string(filepath.Separator)) {
			continue
		}
		w.roots = append(w.roots, r)
	}
	return w
}

// isBelow reports whether a path is a directory or inside it.
func isBelow(dir, path string) bool {
	if path == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// maxLinks bounds the links in a path, as systems do.
const maxLinks = 40

// errLinks means that a path leads through too many links.
var errLinks = errors.New("too many links")

// resolve follows an absolute path link by link, as the system does. A missing
// file resolves to where it would be created.
func resolve(path string) (string, error) {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", fs.ErrInvalid
	}
	volume := filepath.VolumeName(path)
	at := volume + string(filepath.Separator)

	rest := split(path[len(volume):])
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			at = next
			continue
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", errLinks
		}
		to, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(to) {
			volume = filepath.VolumeName(to)
			at = volume + string(filepath.Separator)
			to = to[len(volume):]
		}
		rest = append(split(to), rest...)
	}

	return at, nil
}

func split(path string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(path, func(r rune) bool { return os.IsPathSeparator(uint8(r)) && r < 0x80 }), func(s string) bool { return s == "." })
}

// place is where a path leads, seen from a directory.
type place struct {
	// inside is true when it is in the workspace.
	inside bool
	// name is how a person writes it: relative to the workspace's root or the
	// home directory, or in full.
	name string
}

// place resolves a path. If programs may read the path in two ways, it is inside
// only if both are.
func (w *workspace) place(dir, path string) place {
	full := path
	otherHome := strings.HasPrefix(path, "~") && !strings.HasPrefix(path, "~/")
	if otherHome || strings.Contains(path, "://") {
		return place{name: path} // which some programs take for more than a name
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok && w.home != "" {
		full = filepath.Join(w.home, rest)
	}
	if !filepath.IsAbs(full) {
		full = dir + string(filepath.Separator) + full
	}

	p, ok := w.follow(full)
	if !ok {
		return place{name: path}
	}
	if clean := filepath.Clean(full); strings.Contains(full, "..") {
		// Many programs remove ".." before they follow links.
		if other, ok := w.follow(clean); !ok || other != p {
			return place{name: path}
		}
	}
	return p
}

func (w *workspace) follow(full string) (place, bool) {
	to, err := resolve(full)
	if err != nil {
		return place{}, false
	}
	for _, r := range w.roots {
		if rel, err := filepath.Rel(r, to); err == nil && isBelow(r, to) {
			return place{inside: true, name: filepath.ToSlash(rel)}, true
		}
	}
	if w.home != "" && isBelow(w.home, to) {
		if rel, err := filepath.Rel(w.home, to); err == nil {
			return place{name: "~/" + filepath.ToSlash(rel)}, true
		}
	}
	return place{name: to}, true
}

// writable returns the objection to writing a file of the workspace; empty if
// there is none.
func (w *workspace) writable(name string) string {
	if why := sensitive(name); why != "" {
		return why
	}
	if slices.Contains(w.settings(), fold(name)) || slices.ContainsFunc(w.settings(), func(s string) bool { return isBelow(s, fold(name)) }) {
		return "version control's settings name it"
	}
	for _, r := range w.roots {
		if repository(filepath.Dir(filepath.Join(r, filepath.FromSlash(name)))) {
			return "it is part of a repository, whose settings name programs to run"
		}
	}
	return ""
}

// shellPlace returns a directory as the place of a command line.
func (w *workspace) shellPlace(dir string) shell.Place {
	return shell.Place{Dir: dir, Inside: w.inside, Matches: w.matches, Linked: w.hasEscapingLinks, Own: w.own, Hooked: w.runsPrograms}
}

// inside answers the question of [shell.Place].
func (w *workspace) inside(dir, path string, write bool) bool {
	p := w.place(dir, path)
	if p.inside && write && w.writable(p.name) == "" {
		w.written = append(w.written, p.name)
		return true
	}
	return p.inside && !write
}

// maxMatches bounds the files that a pattern may match.
const maxMatches = 4096

// matches reports whether everything that a pattern matches is in the workspace,
// through links too. A missing file can't be read.
func (w *workspace) matches(dir, pattern string) bool {
	full := pattern
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, pattern)
	}
	// A shell's own classes ("[!a]", "[[:alpha:]]") are looked at as any name.
	if i := strings.IndexByte(full, '['); i >= 0 {
		full = full[:strings.LastIndexByte(full[:i], '/')+1] + "*"
	}
	found, err := filepath.Glob(full)
	if err != nil || len(found) > maxMatches {
		return false
	}
	return !slices.ContainsFunc(found, func(f string) bool { return !w.place(dir, f).inside })
}

// maxEntries bounds the files that are checked for links.
const maxEntries = 100_000

// hasEscapingLinks reports whether a folder contains links that lead out of the
// workspace, or too many files to check.
func (w *workspace) hasEscapingLinks(dir, path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	seen := 0
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if seen++; err != nil || seen > maxEntries {
			return errLinks
		}
		if d.Type()&fs.ModeSymlink != 0 && !w.place(dir, name).inside {
			return errLinks
		}
		return nil
	})
	return err != nil && !errors.Is(err, fs.ErrNotExist)
}

// repository reports whether git treats a folder itself as a repository.
func repository(dir string) bool {
	_, head := os.Lstat(filepath.Join(dir, "HEAD"))
	_, objects := os.Lstat(filepath.Join(dir, "objects"))
	_, common := os.Lstat(filepath.Join(dir, "commondir"))
	return head == nil && (objects == nil || common == nil)
}

// own reports whether git, run in a folder of the workspace, finds the
// workspace's own repository and not one in between, which an attacker may have
// prepared.
func (w *workspace) own(dir string) bool {
	at, err := resolve(dir)
	if err != nil {
		return false
	}
	for ; ; at = filepath.Dir(at) {
		if repository(at) {
			return false
		}
		if slices.Contains(w.roots, at) {
			return true
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil || at == filepath.Dir(at) {
			return false
		}
	}
}

// maxSettings bounds how much of a settings file is read, in bytes. Version
// control itself writes no longer ones.
const maxSettings = 1 << 18

// Settings of version control whose value is read as a settings file or run as a
// program; other values matter only if they name a file with its folder.
var (
	naming  = map[string]bool{"hookspath": true, "path": true, "attributesfile": true, "template": true, "templatedir": true}
	running = map[string]bool{"hookspath": true, "fsmonitor": true, "clean": true, "smudge": true, "process": true, "textconv": true, "driver": true, "command": true}
)

// settings returns the words in version control's settings that may name files of
// the workspace.
func (w *workspace) settings() []string {
	if w.read {
		return w.words
	}
	w.read = true
	files := []string{filepath.Join(w.home, ".gitconfig"), filepath.Join(w.home, ".config", "git", "config")}
	for _, r := range w.roots {
		files = append(files, filepath.Join(gitDir(r), "config"))
	}

	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(f, maxSettings))
		f.Close()
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			w.setting(line)
		}
	}

	return w.words
}

// setting reads a line of version control's settings.
func (w *workspace) setting(line string) {
	key, value, _ := strings.Cut(line, "=")
	key = strings.ToLower(strings.TrimSpace(key[strings.LastIndexByte(key, ']')+1:]))
	value = strings.TrimSpace(value)
	if running[key] && value != "false" && value != "true" && !strings.HasPrefix(value, "git-lfs") {
		w.runs = true
	}

	for _, word := range strings.FieldsFunc(value, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"';|&()`, r) }) {
		if !naming[key] && !strings.Contains(word, "/") {
			continue
		}
		word = path.Clean(filepath.ToSlash(word))
		for _, r := range w.roots {
			word = strings.TrimPrefix(word, filepath.ToSlash(r)+"/")
		}
		// A path in a settings file is relative to its folder, mostly .git.
		if word = fold(strings.TrimPrefix(word, "../")); word != "" && word[0] != '/' {
			w.words = append(w.words, word)
		}
	}
}

// gitDir returns the folder of a workspace's repository, which a file may name.
func gitDir(root string) string {
	dir := filepath.Join(root, ".git")
	text, err := os.ReadFile(dir)
	if err != nil {
		return dir
	}
	to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
	if !ok {
		return dir
	}
	if to = strings.TrimSpace(to); !filepath.IsAbs(to) {
		to = filepath.Join(root, to)
	}
	// A second working tree has the settings of the first.
	if common, err := os.ReadFile(filepath.Join(to, "commondir")); err == nil {
		return filepath.Join(to, strings.TrimSpace(string(common)))
	}
	return to
}

// root returns the workspace's first folder; empty if it has none.
func (w *workspace) root() string {
	if len(w.roots) == 0 {
		return ""
	}
	return w.roots[0]
}

// branch returns the workspace's current branch; empty if there is none.
func (w *workspace) branch() string {
	text, err := os.ReadFile(filepath.Join(gitDir(w.root()), "HEAD"))
	if err != nil || len(text) > maxHead {
		return ""
	}
	branch, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: refs/heads/")
	if !ok {
		return ""
	}
	return branch
}

// maxHead bounds the file that names the branch, in bytes.
const maxHead = 4096

// runsPrograms reports whether version control runs programs of its own on a
// commit or checkout, according to its settings and hooks.
func (w *workspace) runsPrograms() bool {
	if w.settings(); w.runs {
		return true
	}
	for _, r := range w.roots {
		entries, err := os.ReadDir(filepath.Join(gitDir(r), "hooks"))
		if err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return filepath.Ext(e.Name()) != ".sample" }) {
			return true
		}
	}
	return false
}
