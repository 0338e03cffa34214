package shell

import (
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

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
var given = pattern.OnUse(`^[\w.,:/*+%-]+$`)

// handed looks at a word that a build hands on to a program of the workspace.
func (a *arguments) handed(w Word) {
	x, value := a.x, strings.TrimLeft(w.Text, "-")
	flag := value != w.Text
	if _, after, ok := strings.Cut(value, "="); ok && flag {
		value, flag = after, false
	}
	switch {
	case w.Kind != Literal, value != "" && !given().MatchString(value), strings.Contains(value, "://"), !flag && elsewhere(value):
		x.out("%s may do more in %s", x.source(w), quote(a.name))
	case !flag:
		x.path(Word{Span: w.Span, Text: value}, false)
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

// orEmpty returns the value of a flag where every flag is allowed. A value in the next word is
// looked at as a word.
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
