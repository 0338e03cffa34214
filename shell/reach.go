package shell

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Inside tells whether a path, seen from a directory, stays inside the workspace,
// and may be written where it will be.
type Inside func(dir, path string, write bool) bool

// Reach is how far a line reaches.
type Reach struct {
	// Outside says, for a person and a model, what leads out of the workspace;
	// empty when nothing does.
	Outside string
	// Addresses are what a line that stays inside otherwise fetches.
	Addresses []string
}

// maxDirs bounds the directories that a line may be in after its cds.
const maxDirs = 8

// Reach tells how far a line reaches when it is run in a directory.
func (t *Programs) Reach(line *Line, dir string, inside Inside) Reach {
	x := &walk{t: t, line: line, dirs: []string{dir}, inside: inside}
	if len(line.Opaque) > 0 {
		o := line.Opaque[0]
		x.out("%s is more than a plain command", quote(line.Text[o.Start:o.End]))
	}
	for i := range line.Commands {
		if x.reach.Outside == "" {
			x.command(&line.Commands[i])
		}
	}
	return x.reach
}

type walk struct {
	t      *Programs
	line   *Line
	dirs   []string // where the line may be
	inside Inside
	reach  Reach
}

// out notes what leads outside; the first is enough.
func (x *walk) out(format string, args ...any) {
	if x.reach.Outside == "" {
		x.reach.Outside = fmt.Sprintf(format, args...)
	}
}

// harmless are variables that change only how programs speak.
var harmless = map[string]bool{"CI": true, "NO_COLOR": true, "FORCE_COLOR": true, "TERM": true, "LANG": true, "LC_ALL": true, "TZ": true,
	"DEBUG": true, "CGO_ENABLED": true, "GOOS": true, "GOARCH": true, "RUST_BACKTRACE": true, "PYTHONUNBUFFERED": true}

func (x *walk) command(c *Command) {
	for _, a := range c.Assignments {
		if !harmless[a.Name] || a.Value.Kind != Literal || strings.ContainsAny(a.Value.Text, "/\\") {
			x.out("the variable %s may change what is run", quote(a.Name))
		}
	}
	for _, d := range c.Redirects {
		switch {
		case d.Unknown:
			x.out("what %s holds is not known before it runs", quote(x.line.Text[d.Start:d.End]))
		case !d.Text && (d.File.Kind != Literal || d.File.Text != ""):
			x.path(d.File, d.Writes)
		}
	}
	if len(c.Words) > 0 {
		x.words(c.Words)
	}
}

// words looks at a program with its arguments.
func (x *walk) words(words []Word) {
	if words[0].Kind == Literal && words[0].Text == "cd" {
		x.cd(words)
		return
	}
	p, n := x.t.find(words)
	if p == nil {
		x.out("%s is not a known program", x.source(words[0]))
		return
	}
	name := x.line.Text[words[0].Start:words[n-1].End]
	if words[0].Text == "git" && len(x.dirs) > 1 {
		// A folder of the workspace can be a repository that somebody prepared,
		// whose settings name programs to run.
		x.out("which repository %s finds after cd is not known", quote(name))
		return
	}
	if why := because[p.Does]; why != "" {
		x.out("%s %s", quote(name), why)
		return
	}
	text := 0
	if p.Text != nil {
		text = *p.Text
	}
	rest := words[n:]
	ended := false // by "--"
	var named []Word
	for i := 0; i < len(rest); i++ {
		w := rest[i]
		flag := w.Kind != Unknown && strings.HasPrefix(w.Text, "-") && w.Text != "-" && !ended
		switch {
		case w.Kind == Unknown:
			x.out("what %s becomes is not known before it runs", x.source(w))
		case flag && w.Text == "--":
			ended = p.Does != builds // what follows is another program's there
		case flag:
			takes, value, ok := p.flag(w.Text)
			if !ok || w.Kind == Pattern && (takes != plain || value == nil) {
				x.out("the flag %s of %s is not a known one", x.source(w), quote(name))
				return
			}
			if takes != nothing && value == nil {
				if i++; i == len(rest) {
					x.out("%s lacks its value", x.source(w))
					return
				}
				value = &rest[i]
			}
			x.value(p, value, takes)
		case text != 0:
			if text--; w.Kind != Literal || p.only != nil && !p.only.MatchString(w.Text) {
				x.out("%s may do more in %s", x.source(w), quote(name))
			}
			if text == 0 && p.Does == wraps {
				x.wrapped(rest[i+1:])
				return
			}
		case p.Does == wraps:
			x.wrapped(rest[i:])
			return
		case p.Text != nil && *p.Text == 0:
			x.out("%s is given more than it is known for", quote(name))
		default:
			x.argument(p, w)
			named = append(named, w)
		}
	}
	if p.Does == writes {
		x.into(named)
	}
}

// into looks at what is written when the last of several words is a folder: a
// link in it, of the name of another, leads elsewhere.
func (x *walk) into(named []Word) {
	for _, w := range named[:max(0, len(named)-1)] {
		to := named[len(named)-1]
		to.Text = strings.TrimRight(to.Text, "/") + "/" + filepath.Base(w.Text)
		x.path(to, true)
	}
}

func (x *walk) wrapped(words []Word) {
	if len(words) == 0 {
		return
	}
	x.words(words)
}

// flag tells whether a flag is one that the table allows, what it takes, and the
// value that stands in the same word.
func (p *program) flag(text string) (takes byte, value *Word, ok bool) {
	name, after, assigned := strings.Cut(text, "=")
	if assigned {
		value = &Word{Text: after}
	}
	if p.Flags.any {
		return word, orEmpty(value), true
	}
	if takes, ok = p.Flags.takes[name]; ok {
		if assigned && takes == nothing {
			takes = plain // as --color=never: a word of the program's own
			ok = !strings.ContainsAny(after, "/\\:")
		}
		return takes, value, ok
	}
	if len(text) > 1 && isDigits(text[1:]) {
		_, ok = p.Flags.takes["-#"]
		return nothing, nil, ok
	}
	if p.Flags.long || strings.HasPrefix(text, "--") {
		return nothing, nil, false
	}
	// Letters together: "-la". The first that takes a value has the rest of it.
	for i := 1; i < len(text); i++ {
		takes, ok := p.Flags.takes["-"+text[i:i+1]]
		switch {
		case !ok:
			return nothing, nil, false
		case takes != nothing && i+1 < len(text):
			return takes, &Word{Text: text[i+1:]}, true
		case takes != nothing:
			return takes, nil, true
		}
	}
	return nothing, nil, true
}

// orEmpty is the value of a flag where every flag is allowed: one that stands in
// the next word is looked at as a word.
func orEmpty(w *Word) *Word {
	if w == nil {
		return &Word{}
	}
	return w
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// value looks at the value of a flag.
func (x *walk) value(p *program, w *Word, takes byte) {
	switch {
	case takes == nothing:
	case w.Kind != Literal:
		x.out("what %s becomes is not known before it runs", x.source(*w))
	case takes == output:
		x.path(*w, true)
	case takes == word && w.Text != "":
		x.path(*w, p.Does == writes)
	}
}

// argument looks at a word that names something.
func (x *walk) argument(p *program, w Word) {
	switch {
	case p.Does == fetches:
		x.address(w)
	case w.Kind == Pattern && (p.Does != reads || !p.Flags.any && strings.IndexByte("*?[", w.Text[0]) >= 0):
		// A file whose name begins with a dash would be a flag.
		x.out("which files %s becomes is not known before it runs", x.source(w))
	case p.Does == builds && (strings.ContainsAny(w.Text, "=@") || elsewhere(w.Text)):
		x.out("%s may name code from elsewhere", x.source(w))
	case strings.Contains(w.Text, "://"):
		x.out("%s is an address", x.source(w))
	default:
		x.path(w, p.Does == writes)
	}
}

// elsewhere tells whether a word looks like code of another host: the first part
// of its path is a domain.
func elsewhere(s string) bool {
	first, _, more := strings.Cut(s, "/")
	return more && strings.Contains(strings.Trim(first, "."), ".")
}

func (x *walk) path(w Word, write bool) {
	text := w.Text
	if w.Kind == Pattern {
		// Up to the first folder whose name is not known; what is below it
		// may not climb.
		if i := strings.IndexAny(text, "*?["); strings.Contains(text[i:], "..") {
			x.out("%s may lead out of the workspace", x.source(w))
			return
		} else {
			text = text[:strings.LastIndexByte(text[:i], '/')+1]
		}
		if text == "" {
			text = "."
		}
	}
	if text == "/dev/null" || text == "" || text == "-" || isDigits(text) {
		return
	}
	for _, dir := range x.dirs {
		if w.Kind == Unknown || !x.inside(dir, text, write) {
			verb := "leads"
			if write {
				verb = "writes where that is not expected, or leads"
			}
			x.out("%s %s out of the workspace", x.source(w), verb)
			return
		}
	}
}

// address notes what is fetched. What listens on this machine is the user's own.
func (x *walk) address(w Word) {
	text := w.Text
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	switch {
	case w.Kind != Literal || err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https":
		x.out("%s is not a plain address", x.source(w))
	case u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1":
	default:
		x.reach.Addresses = append(x.reach.Addresses, w.Text)
	}
}

// cd follows a change of directory. Whether it comes about is not known, so that
// what follows is looked at from each place.
func (x *walk) cd(words []Word) {
	if len(words) != 2 || words[1].Kind != Literal || strings.HasPrefix(words[1].Text, "-") || words[1].Text == "" || len(x.dirs) > maxDirs/2 {
		x.out("cd leads out of the workspace")
		return
	}
	x.path(words[1], false)
	for _, dir := range x.dirs {
		to := words[1].Text
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		if !slices.Contains(x.dirs, filepath.Clean(to)) {
			x.dirs = append(x.dirs, filepath.Clean(to))
		}
	}
}

func (x *walk) source(w Word) string {
	if w.End > w.Start {
		return quote(x.line.Text[w.Start:w.End])
	}
	return quote(w.Text)
}

// quote shows a piece of a line, cut to what a person reads.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}
