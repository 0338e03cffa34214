package hook

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// workspace is where an agent works: what it reads and writes there needs no
// question.
type workspace struct {
	roots []string // as they really are, without links
	dir   string
	home  string
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
	if strings.Contains(path, "://") || strings.HasPrefix(path, "~") && !strings.HasPrefix(path, "~/") {
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

// Inside implements shell.Inside.
func (w *workspace) Inside(dir, path string, write bool) bool {
	p := w.place(dir, path)
	return p.inside && !(write && sensitive(p.name))
}

// Directories and files of a workspace in which whoever writes gets code to run,
// or the agent to listen, later and elsewhere: what version control, editors,
// shells, package managers and agents read by themselves.
var (
	sensitiveDirs = []string{".git", ".hg", ".svn", ".husky", ".githooks", ".github", ".gitlab", ".circleci", ".vscode", ".idea", ".devcontainer", ".zed",
		".claude", ".codex", ".cursor", ".gemini", ".copilot", ".windsurf", ".codeium", ".agents", ".remit"}
	sensitiveFiles = []string{".envrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".netrc", ".gitattributes", ".gitmodules", ".gitconfig", ".mcp.json",
		".pre-commit-config.yaml", ".gitlab-ci.yml", "jenkinsfile", "lefthook.yml", "claude.md", "claude.local.md", "agents.md", "gemini.md",
		".cursorrules", ".windsurfrules", ".clinerules", "remit.yaml", "sitecustomize.py", "usercustomize.py",
		".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".inputrc", ".curlrc", ".wgetrc"}
)

// sensitive tells whether a file of the workspace is such a one. Case, and what
// has no form, is looked past, as some file systems do.
func sensitive(name string) bool {
	visible := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, filepath.ToSlash(name))
	parts := strings.Split(visible, "/")
	in := func(list []string, part string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, strings.TrimRight(part, ". ")) })
	}
	last := parts[len(parts)-1]
	return slices.ContainsFunc(parts, func(p string) bool { return in(sensitiveDirs, p) }) || in(sensitiveFiles, last) ||
		strings.EqualFold(filepath.Ext(last), ".pth")
}
