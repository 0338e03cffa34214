package shell

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Place is where a line is run, and what is known about it.
type Place struct {
	// Dir is the directory.
	Dir string
	// Inside reports whether a path, seen from a directory, stays inside the
	// workspace, and may be written where it will be.
	Inside func(dir, path string, write bool) bool
	// Matches reports whether every file that a pattern matches is inside.
	Matches func(dir, pattern string) bool
	// Linked reports whether a folder has links below it that lead outside.
	Linked func(dir, path string) bool
	// Own reports whether version control, run in a directory, finds the
	// workspace's own repository, and not one that lies in it.
	Own func(dir string) bool
	// Hooked reports whether version control runs programs when it commits.
	Hooked func() bool
}

// Reach is how far a line reaches.
type Reach struct {
	// Outside says, for a person and a model, what leads out of the workspace;
	// empty when nothing does.
	Outside string
	// Addresses are what a line that stays inside otherwise fetches.
	Addresses []string
	// Far are the commands that lead out of the workspace, each once.
	Far []Far
	// Built are the commands that run what the workspace defines and stay in it.
	Built []Built
	// Writes is set where the line puts text into files of the workspace, and Asks where it asks a
	// service for what others may have written.
	Writes, Asks bool
}

// Built is a command that runs what the workspace defines. The first Named of its Words are the
// program and its subcommand.
type Built struct {
	Words []Word
	Named int
}

// Far is a command that leads out of the workspace.
type Far struct {
	// Words are the program and its arguments; empty where what leads outside is
	// not the program, but where it is run, or what is read and written for it.
	Words []Word
	// Dirs are where it may be run.
	Dirs []string
	// Fed is set where it is given another command's output or a file to read.
	Fed bool
	// Runs is set where it may run what the workspace defines, and Brings where it may put into
	// it what others have written.
	Runs, Brings bool
	Why          string
}

// maxDirs bounds the directories that a line may be in after its cds.
const maxDirs = 8

// maxNested bounds how often a command may be the argument of another.
const maxNested = 4

// Reach returns how far a line reaches at a place.
func (t *Programs) Reach(line *Line, at Place) Reach {
	x := &walk{t: t, at: at, dirs: []string{at.Dir}}
	if !at.Inside(at.Dir, at.Dir, false) {
		x.out("it is run in %s, which is out of the workspace", quote(at.Dir))
	}
	x.read(line)
	return x.reach
}

type walk struct {
	t      *Programs
	at     Place
	line   *Line
	dirs   []string // where the line may be
	reach  Reach
	nested int

	command *Command // that is looked at
	fed     bool     // it is given something to read
	words   []Word   // of it, from where it leads outside; nil while that isn't the program's doing
	runs    bool     // what it does may run the workspace's code
	brings  bool     // it may put others' text into the workspace
	listed  bool     // more names of files follow its words
	far     bool     // it leads outside
}

// out notes what leads outside. The first reason of a command is enough.
func (x *walk) out(format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	if x.reach.Outside == "" {
		x.reach.Outside = why
	}
	if x.far {
		return
	}
	x.far = true
	words := x.words
	if x.listed {
		words = nil // it is more than what they say
	}
	x.reach.Far = append(x.reach.Far, Far{Words: words, Dirs: slices.Clone(x.dirs), Fed: x.fed, Runs: x.runs, Brings: x.brings, Why: why})
}

// read looks at all commands of a line.
func (x *walk) read(line *Line) {
	outer := x.line
	x.line = line
	if len(line.Unread) > 0 {
		o := line.Unread[0]
		x.words = nil
		x.out("%s is more than a plain command", quote(line.Text[o.Start:o.End]))
	}
	for i := range line.All {
		c := &line.All[i]
		x.command, x.far, x.words, x.runs, x.brings, x.fed, x.listed = c, false, nil, true, false, c.Fed, false
		x.simple(c)
	}
	x.line = outer
}

// harmless are variables that change only how programs speak.
var harmless = map[string]bool{"CI": true, "NO_COLOR": true, "FORCE_COLOR": true, "CLICOLOR": true, "TERM": true, "LANG": true, "LC_ALL": true, "TZ": true, "COLUMNS": true,
	"DEBUG": true, "VERBOSE": true, "LOG_LEVEL": true, "CGO_ENABLED": true, "GOOS": true, "GOARCH": true, "RUST_BACKTRACE": true, "RUST_LOG": true, "PYTHONUNBUFFERED": true,
	"PYTHONDONTWRITEBYTECODE": true, "NODE_ENV": true, "PORT": true, "MIX_ENV": true, "RAILS_ENV": true, "APP_ENV": true, "GIT_TERMINAL_PROMPT": true, "DOCKER_BUILDKIT": true, "UPDATE_SNAPSHOTS": true}

func (x *walk) simple(c *Command) {
	for _, a := range c.Assignments {
		if !harmless[a.Name] || a.Value.Kind != Literal || strings.ContainsAny(a.Value.Text, "/\\") {
			x.out("the variable %s may change what is run", quote(a.Name))
		}
	}
	for _, d := range c.Redirects {
		switch {
		case d.Unknown:
			x.out("what %s holds is not known before it runs", quote(x.line.Text[d.Start:d.End]))
		case d.Text:
			x.fed = true
		case d.File.Kind != Literal || d.File.Text != "":
			x.path(d.File, d.Writes)
			// The caller doesn't choose the words that the workspace's own programs print.
			if d.Writes && d.File.Text != "/dev/null" && !x.t.builds(c.Words) {
				x.reach.Writes = true
			}
			isInput := !d.Writes && d.File.Text != "/dev/null"
			x.fed = x.fed || isInput
		}
	}

	if len(c.Words) > 0 {
		x.program(c.Words)
	}
}

// program looks at a program with its arguments.
func (x *walk) program(words []Word) {
	if words[0].Kind == Literal && words[0].Text == "cd" {
		x.cd(words)
		return
	}
	if !x.far {
		x.words = words
	}
	p, n := x.t.find(words)
	if p == nil {
		x.out("%s is not a known program", x.source(words[0]))
		return
	}

	name := x.name(words[:n])
	x.brings = p.Brings || p.Does == fetches
	if words[0].Text == "git" && !x.own(name) {
		return
	}
	if why := because[p.Does]; why != "" {
		x.runs = p.Does == "install" || p.Does == "run"
		x.out("%s %s", quote(name), why)
		return
	}

	x.runs = p.does(x.at)
	if x.runs {
		x.reach.Built = append(x.reach.Built, Built{words, n})
	}
	x.reach.Writes = x.reach.Writes || p.Does == writes
	x.reach.Asks = x.reach.Asks || p.Asks
	if x.listed && p.Does != reads {
		x.out("%s is given names of files that are not known before it runs", quote(name))
		return
	}
	a := arguments{x: x, p: p, name: name}
	a.all(words[n:])
}

// own makes sure that version control finds the workspace's own repository. A
// folder of the workspace can be one that an attacker prepared, whose settings name
// programs to run.
func (x *walk) own(name string) bool {
	for _, dir := range x.dirs {
		if x.at.Inside(dir, dir, false) && !x.at.Own(dir) {
			x.words = nil
			x.out("%s finds a repository that is not the workspace's own", quote(name))
			return false
		}
	}
	return true
}

func (x *walk) name(words []Word) string {
	text := make([]string, len(words))
	for i, w := range words {
		text[i] = w.Text
	}
	return strings.Join(text, " ")
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

// nest looks at a command that another one runs.
func (x *walk) nest(words []Word, listed bool) {
	if x.nested++; len(words) == 0 || x.nested > maxNested {
		x.nested--
		return
	}
	was := x.listed
	x.listed = listed
	x.program(words)
	x.listed, x.nested = was, x.nested-1
}

// lists reports whether the pipeline brings names of files in the workspace: a
// program that lists them begins it, and the programs that follow only pick.
func (x *walk) lists() bool {
	first := true
	for i := range x.line.All {
		c := &x.line.All[i]
		if c == x.command {
			return !first
		}
		if c.Pipeline == 0 || c.Pipeline != x.command.Pipeline {
			continue
		}

		p, n := x.t.find(c.Words)
		if p == nil {
			return false
		}
		if first && !p.lists(c.Words[n:]) {
			return false
		}
		if !first && !p.Picks {
			return false
		}
		first = false
	}
	return false
}

// elsewhere reports whether a word looks like code of another host: the first part
// of its path is a domain.
func elsewhere(s string) bool {
	first, _, more := strings.Cut(s, "/")
	return more && strings.Contains(strings.Trim(first, "."), ".")
}

func (x *walk) path(w Word, write bool) {
	text := w.Text
	switch {
	case w.Kind >= Output, w.Kind == Pattern && write:
		x.out("which file %s is, is not known before it runs", x.source(w))
		return
	case text == "/dev/null" || text == "" || text == "-" || isDigits(text):
		return
	case w.Kind == Pattern:
		// Up to the first folder whose name is not known; what is below it may
		// not climb.
		i := strings.IndexAny(text, "*?[")
		if i < 0 || strings.Contains(text[i:], "..") {
			x.out("%s may lead out of the workspace", x.source(w))
			return
		}
		if text = text[:strings.LastIndexByte(text[:i], '/')+1]; text == "" {
			text = "."
		}
	}

	for _, dir := range x.dirs {
		inside := x.at.Inside(dir, text, write)
		if inside && w.Kind == Pattern {
			inside = x.at.Matches(dir, w.Text)
		}
		if !inside {
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
	case w.Kind != Literal, err != nil, u.Host == "", u.User != nil, u.Scheme != "http" && u.Scheme != "https":
		x.out("%s is not a plain address", x.source(w))
	case u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1":
	default:
		x.reach.Addresses = append(x.reach.Addresses, w.Text)
	}
}

// cd follows a change of directory. It may fail, so that the commands after it are
// looked at from each place.
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
	if w.End > w.Start && w.End <= len(x.line.Text) {
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
