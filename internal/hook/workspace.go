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

// workspace is where an agent works: what it reads and writes there needs no
// question.
type workspace struct {
	roots []string // as they really are, without links
	dir   string
	home  string

	written []string // what was found to be written, by name
	read    bool     // whether the words are known
	words   []string // of version control's settings
	runs    bool     // version control's settings name programs
}

// newWorkspace makes the workspace of an event. A root that holds the home
// directory, or everything, is none: too much that isn't work lies below it.
func newWorkspace(e *Event, home string) *workspace {
	w := &workspace{dir: e.Dir}
	if real, err := real(home); err == nil {
		w.home = real
	}
	roots := e.Roots
	if len(roots) == 0 {
		roots = []string{e.Dir}
	}
	for _, r := range roots {
		r, err := real(r)
		if err != nil || !filepath.IsAbs(r) || below(r, w.home) || below(r, string(filepath.Separator)) {
			continue
		}
		w.roots = append(w.roots, r)
	}
	return w
}

// below tells whether a path is a directory, or in it.
func below(dir, path string) bool {
	if path == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// maxLinks bounds the links that a path may lead through, as systems do.
const maxLinks = 40

// errLinks is returned for a path that leads through too many links.
var errLinks = errors.New("too many links")

// real is where an absolute path leads, link by link, as the system follows it.
// What isn't there yet is where it would be made.
func real(path string) (string, error) {
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
	// inside tells that it is in the workspace.
	inside bool
	// name is how a person writes it: from the workspace's root, from the home
	// directory, or in full.
	name string
}

// place finds out where a path leads. Where programs would read it in two ways,
// it is only inside when both are.
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
		// Many programs take ".." away before they follow links.
		if other, ok := w.follow(clean); !ok || other != p {
			return place{name: path}
		}
	}
	return p
}

func (w *workspace) follow(full string) (place, bool) {
	to, err := real(full)
	if err != nil {
		return place{}, false
	}
	for _, r := range w.roots {
		if rel, err := filepath.Rel(r, to); err == nil && below(r, to) {
			return place{inside: true, name: filepath.ToSlash(rel)}, true
		}
	}
	if w.home != "" && below(w.home, to) {
		if rel, err := filepath.Rel(w.home, to); err == nil {
			return place{name: "~/" + filepath.ToSlash(rel)}, true
		}
	}
	return place{name: to}, true
}

// writable says what speaks against writing a file of the workspace; empty when
// nothing does.
func (w *workspace) writable(name string) string {
	if why := sensitive(name); why != "" {
		return why
	}
	if slices.Contains(w.settings(), folded(name)) || slices.ContainsFunc(w.settings(), func(s string) bool { return below(s, folded(name)) }) {
		return "version control's settings name it"
	}
	for _, r := range w.roots {
		if repository(filepath.Dir(filepath.Join(r, filepath.FromSlash(name)))) {
			return "it is part of a repository, whose settings name programs to run"
		}
	}
	return ""
}

// at is a directory as command lines are looked at in it.
func (w *workspace) at(dir string) shell.Place {
	return shell.Place{Dir: dir, Inside: w.inside, Matches: w.matches, Linked: w.linked, Own: w.own, Hooked: w.hooked}
}

// inside implements the question of [shell.Place].
func (w *workspace) inside(dir, path string, write bool) bool {
	p := w.place(dir, path)
	if p.inside && write && w.writable(p.name) == "" {
		w.written = append(w.written, p.name)
		return true
	}
	return p.inside && !write
}

// maxMatches bounds the files that a pattern may stand for.
const maxMatches = 4096

// matches tells whether all that a pattern stands for is in the workspace, by way
// of links too. What isn't there yet can't be read.
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

// maxEntries bounds the files that are looked at for links.
const maxEntries = 100_000

// linked tells whether a folder has links below it that lead out of the
// workspace, or too many files to know.
func (w *workspace) linked(dir, path string) bool {
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

// repository tells whether git takes a folder itself for a repository.
func repository(dir string) bool {
	_, head := os.Lstat(filepath.Join(dir, "HEAD"))
	_, objects := os.Lstat(filepath.Join(dir, "objects"))
	_, common := os.Lstat(filepath.Join(dir, "commondir"))
	return head == nil && (objects == nil || common == nil)
}

// own tells whether git, run in a folder of the workspace, finds the workspace's
// own repository and not one that lies between, which anybody may have prepared.
func (w *workspace) own(dir string) bool {
	at, err := real(dir)
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

// maxSettings bounds what is read of a file of settings, in bytes. What is
// longer is not version control's own work.
const maxSettings = 1 << 18

// Settings of version control by which a file is read as settings, or a program
// run; other values only matter where they name a file by its folder.
var (
	naming  = map[string]bool{"hookspath": true, "path": true, "attributesfile": true, "template": true, "templatedir": true}
	running = map[string]bool{"hookspath": true, "fsmonitor": true, "clean": true, "smudge": true, "process": true, "textconv": true, "driver": true, "command": true}
)

// settings are the words of the values in version control's settings that may
// name files of the workspace.
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
		// A path in a file of settings is seen from its folder, mostly .git.
		if word = folded(strings.TrimPrefix(word, "../")); word != "" && word[0] != '/' {
			w.words = append(w.words, word)
		}
	}
}

// gitDir is the folder of a workspace's repository, which a file may name.
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
	// Of a second working tree, the settings are those of the first.
	if common, err := os.ReadFile(filepath.Join(to, "commondir")); err == nil {
		return filepath.Join(to, strings.TrimSpace(string(common)))
	}
	return to
}

// root is the workspace's first folder; empty when it has none.
func (w *workspace) root() string {
	if len(w.roots) == 0 {
		return ""
	}
	return w.roots[0]
}

// branch is the branch that the workspace is on; empty when it is on none.
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

// maxHead bounds the file that names the branch, in bytes: a path, and no more.
const maxHead = 4096

// hooked tells whether version control runs programs of its own when it commits
// or checks out, as far as its settings and hooks say.
func (w *workspace) hooked() bool {
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
