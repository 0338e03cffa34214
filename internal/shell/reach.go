package shell

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
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
	// Matches reports whether every file that a pattern stands for is inside.
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
	// Writes tells that the line puts text into files of the workspace, Runs that
	// it runs what the workspace defines, and Asks that it asks a service for
	// what others may have written.
	Writes, Runs, Asks bool
}

// Far is a command that leads out of the workspace.
type Far struct {
	// Words are the program and its arguments; empty where what leads outside is
	// not the program, but where it is run, or what is read and written for it.
	Words []Word
	// Dirs are where it may be run.
	Dirs []string
	// Fed tells that it is given another command's output or a file to read.
	Fed bool
	// Runs tells that it may run what the workspace defines, and Brings that it
	// may put into it what others have written.
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
	x.reach.Runs = x.reach.Runs || x.runs
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

// arguments are those of a program that the table has.
type arguments struct {
	x    *walk
	p    *program
	name string

	text   int    // how many words of plain text are still to come; below 0: all
	script bool   // the text came as a flag's value
	ended  bool   // by "--"
	named  []Word // the words that name files
	links  bool   // it follows links below what its words name
}

func (a *arguments) all(rest []Word) {
	if a.p.Text != nil {
		a.text = *a.p.Text
	}

	for i := 0; i < len(rest); i++ {
		w := rest[i]
		if w.Kind >= Output {
			a.unknown(w)
			continue
		}
		if isFlag := len(w.Text) > 1 && w.Text[0] == '-' && !a.ended; !isFlag {
			if done := a.word(w, rest[i:]); done {
				return
			}
			continue
		}
		if w.Text == "--" {
			a.ended = true
			continue
		}
		next, ok := a.flag(rest, i)
		if !ok {
			return
		}
		i = next
	}
	a.end()
}

// unknown looks at a word that only the shell will know. Output is text where the
// program takes any.
func (a *arguments) unknown(w Word) {
	takesAny := a.p.Flags.any && a.text < 0 && a.p.only == nil && a.p.not == nil
	if w.Kind == Unknown || !takesAny {
		a.x.out("what %s becomes is not known before it runs", a.x.source(w))
	}
}

// word looks at a word that is not a flag, the first of the rest. It reports whether
// the rest is a command that the program runs.
func (a *arguments) word(w Word, rest []Word) (done bool) {
	p := a.p
	isText := a.text != 0 && !(a.script && a.text > 0)

	switch {
	case a.ended && p.Does == builds:
		a.handed(w)
	case isText:
		if a.plain(w); a.text == 0 && p.Does == wraps {
			a.wrapped(rest[1:])
			return true
		}
	case p.Does == wraps:
		a.wrapped(rest)
		return true
	case p.Text != nil && *p.Text == 0:
		a.x.out("%s is given more than it is known for", quote(a.name))
	default:
		a.argument(w)
		a.named = append(a.named, w)
	}
	return false
}

// end looks at what only all arguments together decide.
func (a *arguments) end() {
	x := a.x
	if a.p.Into {
		x.into(a.named)
	}
	if most := a.p.Most; most != nil && len(a.named) > *most {
		x.out("%s is given more files than it is known for", quote(a.name))
	}
	if !a.links {
		return
	}

	if len(a.named) == 0 {
		a.named = []Word{{Text: "."}}
	}
	for _, w := range a.named {
		for _, dir := range x.dirs {
			if x.at.Linked(dir, w.Text) {
				x.out("%s follows links that lead out of the workspace", quote(a.name))
			}
		}
	}
}

// flag looks at a flag, and returns the place of the last word that belongs to
// it.
func (a *arguments) flag(rest []Word, i int) (last int, ok bool) {
	x, p, w := a.x, a.p, rest[i]
	f, known := p.flag(w.Text)
	isPlainValue := f.takes == plain && f.value != nil
	if unknownFiles := w.Kind == Pattern && !isPlainValue; !known || unknownFiles {
		x.out("the flag %s of %s is not a known one", x.source(w), quote(a.name))
		return i, false
	}

	a.links = a.links || f.takes == follow
	if f.takes == command {
		return a.commands(rest, i)
	}
	if f.takes != nothing && f.takes != follow && f.takes != glued && f.value == nil {
		if i++; i == len(rest) {
			x.out("%s lacks its value", x.source(w))
			return i, false
		}
		f.value = &rest[i]
	}
	a.value(f)
	return i, true
}

// commands looks at the command among the arguments of another, up to
// ";" or "+", and is given names of files.
func (a *arguments) commands(rest []Word, i int) (last int, ok bool) {
	x := a.x
	for end := i + 1; end < len(rest); end++ {
		if w := rest[end]; w.Kind == Literal && (w.Text == ";" || w.Text == "+") {
			a.links = true
			x.nest(rest[i+1:end], true)
			return end, !x.far
		}
	}
	x.out("%s lacks its end", x.source(rest[i]))
	return i, false
}

// plain looks at a word that is text and names nothing.
func (a *arguments) plain(w Word) {
	x, p := a.x, a.p
	if a.text > 0 && (p.check == nil || w.Text != "") {
		a.text-- // an empty one says only that no copy is kept
	}
	isLiteral := w.Kind == Literal || (w.Kind == Pattern && p.Flags.any)
	if !isLiteral || !p.allows(w.Text) {
		x.out("%s may do more in %s", x.source(w), quote(a.name))
	}
}

// allows reports whether a plain text is one that the table allows.
func (p *program) allows(text string) bool {
	if p.only != nil && !p.only.MatchString(text) {
		return false
	}
	if p.not != nil && p.not.MatchString(text) {
		return false
	}
	return p.check == nil || p.check(text)
}

// given are the words that may be handed on to the workspace's own programs.
var given = regexp.MustCompile(`^[\w.,:/*+%-]+$`)

// handed looks at a word that a build hands on to a program of the workspace.
func (a *arguments) handed(w Word) {
	x, value := a.x, strings.TrimLeft(w.Text, "-")
	flag := value != w.Text
	if _, after, ok := strings.Cut(value, "="); ok && flag {
		value, flag = after, false
	}
	switch {
	case w.Kind != Literal, value != "" && !given.MatchString(value), strings.Contains(value, "://"), !flag && elsewhere(value):
		x.out("%s may do more in %s", x.source(w), quote(a.name))
	case !flag:
		x.path(Word{Span: w.Span, Text: value}, false)
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

// wrapped looks at the command that the remaining words are.
func (a *arguments) wrapped(words []Word) {
	x := a.x
	switch a.p.Wraps {
	case "list":
		if !x.lists() {
			x.out("what %s is given is not known before it runs", quote(a.name))
			return
		}
		for _, dir := range x.dirs {
			if x.at.Linked(dir, ".") {
				x.out("%s may be given links that lead out of the workspace", quote(a.name))
				return
			}
		}
		x.nest(words, true)
	case "line":
		if len(words) != 1 || words[0].Kind != Literal {
			x.out("%s runs code that it is given", quote(a.name))
			return
		}

		line, err := Read(words[0].Text)
		if x.nested++; err != nil || x.nested > maxNested {
			x.out("%s runs what can't be read", quote(a.name))
			return
		}

		outer, fed := x.command, x.fed
		if fed {
			x.out("%s is given something to read", quote(a.name))
			return
		}
		x.read(line)
		x.command, x.nested = outer, x.nested-1
	default:
		x.nest(words, x.listed)
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

// follows is a flag with its value.
type follows struct {
	takes byte
	value *Word
}

// flag reports whether the table allows a flag, what the flag takes, and its value
// where that is in the same word.
func (p *program) flag(text string) (f follows, ok bool) {
	name, after, assigned := strings.Cut(text, "=")
	if assigned {
		f.value = &Word{Text: after}
	}
	if p.Flags.any {
		f.takes, f.value = word, orEmpty(f.value)
		return f, true
	}
	if f.takes, ok = p.Flags.takes[name]; ok {
		if assigned && f.takes == nothing {
			f.takes = plain // as --color=never: a word of the program's own
			ok = !strings.ContainsAny(after, "/\\:")
		}
		return f, ok
	}

	if len(text) > 1 && isDigits(text[1:]) {
		_, ok = p.Flags.takes["-#"]
		return follows{}, ok
	}
	if p.Flags.long || strings.HasPrefix(text, "--") {
		return follows{}, false
	}

	// Letters together: "-la". The first that takes a value has the rest of it.
	for i := 1; i < len(text); i++ {
		takes, ok := p.Flags.takes["-"+text[i:i+1]]
		switch {
		case !ok:
			return follows{}, false
		case takes == follow:
			f.takes = follow
		case takes != nothing && i+1 < len(text):
			return follows{takes, &Word{Text: text[i+1:]}}, true
		case takes != nothing:
			return follows{takes: takes}, true
		}
	}
	return follows{takes: f.takes}, true
}

// orEmpty is the value of a flag where every flag is allowed. A value in the next
// word is looked at as a word.
func orEmpty(w *Word) *Word {
	if w == nil {
		return &Word{}
	}
	return w
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// value looks at the value of a flag.
func (a *arguments) value(f follows) {
	x := a.x
	absent := f.takes == glued && f.value == nil
	switch {
	case f.takes == nothing, f.takes == follow, absent:
	case f.value.Kind == Literal && f.takes == plain && a.p.not != nil && a.p.not.MatchString(f.value.Text):
		x.out("%s may do more in %s", x.source(*f.value), quote(a.name))
	case f.value.Kind != Literal:
		x.out("what %s becomes is not known before it runs", x.source(*f.value))
	case f.takes == script:
		a.script = true
		a.plain(*f.value)
	case f.takes == output:
		x.path(*f.value, true)
		x.reach.Writes = x.reach.Writes || a.p.Does != builds
	case f.takes == word && f.value.Text != "":
		x.path(*f.value, a.p.Does == writes || a.p.Does == marks)
	}
}

// argument looks at a word that names something.
func (a *arguments) argument(w Word) {
	x, p := a.x, a.p
	written := p.Does == writes || p.Does == marks
	takesFiles := p.Does == reads || p.Does == builds
	switch {
	case p.Does == fetches:
		x.address(w)
	case w.Kind == Pattern && (!takesFiles || (!p.Flags.any && strings.IndexByte("*?[", w.Text[0]) >= 0)):
		// A file whose name begins with a dash would be a flag.
		x.out("which files %s becomes is not known before it runs", x.source(w))
	case p.Does == builds && (strings.ContainsAny(w.Text, "=@") || elsewhere(w.Text)):
		x.out("%s may name code from elsewhere", x.source(w))
	case strings.Contains(w.Text, "://"):
		x.out("%s is an address", x.source(w))
	default:
		x.path(w, written)
	}
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
