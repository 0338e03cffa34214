package asked

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/shell"
)

// finding is a search for one command.
type finding struct {
	t     *Table
	at    Place
	raw   string
	words []string
	dirs  []string
}

// asks reports whether a prompt asks for the command. Requests in plain words count where they
// are the last thing that was said.
func (x *finding) asks(all []said, recent bool) bool {
	for i := range all {
		s := &all[i]
		if s.dead {
			continue
		}
		if x.written(s) {
			return true
		}
		laterCode := s.code && i > 0
		if !recent || s.loose || laterCode {
			continue
		}

		if x.wished(s.text, s.verb) {
			return true
		}
		refersBack := i > 0 && !all[i-1].dead && refers().MatchString(s.text)
		if refersBack && x.wished(s.text+" "+object(all[i-1].text), "") {
			return true
		}
		// "delete a.py and b.py": what is joined may be one request.
		for j := i + 1; j < min(len(all), i+4) && !all[j].dead && !all[j].code; j++ {
			if joined := clauses(all[i : j+1]); x.wished(joined, s.verb) {
				return true
			}
		}
	}
	return false
}

// refers are words for what the clause before has named.
var refers = pattern.OnUse(`(?i)\b(?:it|them|that|those|these)$`)

// object returns a clause without its verb.
func object(clause string) string {
	_, rest, _ := strings.Cut(bare(clause), " ")
	return rest
}

func clauses(all []said) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString(s.text + " and ")
	}
	return b.String()
}

// speaks reports whether a prompt speaks of the command, and doesn't ask for it.
func (x *finding) speaks(all []said) bool {
	for i := range all {
		s := &all[i]
		if s.code && !s.dead {
			continue
		}

		text := " " + strings.ToLower(strings.Join(strings.FieldsFunc(s.text, func(r rune) bool { return strings.ContainsRune(" \t`\"'", r) }), " ")) + " "
		if strings.Contains(text, " "+strings.ToLower(x.raw)) || strings.Contains(text, " "+strings.ToLower(strings.Join(x.words, " "))) {
			return true
		}

		if !s.dead || !forbids().MatchString(s.text) {
			continue
		}
		for _, r := range x.entries() {
			if slices.ContainsFunc(r.request.Verbs, func(v string) bool { return strings.Contains(text, " "+v+" ") }) {
				return true
			}
		}
	}
	return false
}

// written reports whether a piece of a prompt writes the command.
func (x *finding) written(s *said) bool {
	var candidates []string
	add := func(text string) {
		text = strings.TrimSpace(text)
		candidates = append(candidates, text, strings.TrimRight(text, ".,:;!?"))
	}

	if s.code {
		add(s.text)
	} else {
		text := bare(s.text)
		named := runs().MatchString(text + " ")
		asked := strings.TrimSpace(runs().ReplaceAllString(text+" ", ""))
		for _, t := range []string{text, asked} {
			add(t)
			add(purpose().ReplaceAllString(t, ""))
			add(strings.TrimSuffix(trailing().ReplaceAllString(t, ""), "again"))
		}
		all := quoted().FindAllString(s.text, -1)
		starts := strings.HasPrefix(text, "`") || named || strings.HasPrefix(s.verb, "run")
		for _, q := range all {
			if starts || (len(all) == 1 && asksFor(text)) {
				add(strings.Trim(q, "`"))
			}
		}
	}

	return slices.ContainsFunc(candidates, func(c string) bool { return c != "" && len(c) <= maxPrompt && x.same(c) })
}

var trailing = pattern.OnUse(`(?i)\s+(?:again|now|first|please|in the background|once more|there|here|for me|instead|too|as well|on it|in the terminal|in a shell|in the (?:repo|project|workspace)(?: root)?|and tell me.*|to .*|until .*|after .*|before .*|if .*|when .*|once .*)$`)

// asksFor reports whether a clause names, in words, something to be done with what it has between
// backticks: "use", "with".
func asksFor(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return slices.Contains([]string{"run", "execute", "use", "do", "try", "start", "deploy", "install", "build", "launch", "push", "apply", "update"}, first)
}

// same reports whether a line of the user's has the command among its own, each in any spelling,
// with flags that change nothing added or left out.
func (x *finding) same(line string) bool {
	read, err := shell.Read(line)
	if err != nil || len(read.Unread) > 0 {
		return false
	}

	all := read.Commands
	if !strings.ContainsAny(line, "`(") {
		all = read.All // what runs in the background, or under a condition
	}
	for _, c := range all {
		if len(c.Words) == 0 || len(c.Assignments) > 0 {
			continue
		}
		words := make([]string, 0, len(c.Words))
		for _, w := range c.Words {
			if w.Kind != shell.Literal {
				words = nil
				break
			}
			words = append(words, w.Text)
		}

		words = unwrapped(words)
		if len(words) > 0 && x.equal(x.t.spelled(words)) {
			return true
		}
	}
	return false
}

// unwrapped takes away what only bounds or times a command.
func unwrapped(words []string) []string {
	for len(words) > 1 {
		switch {
		case words[0] == "time" || words[0] == "nohup" || words[0] == "command":
			words = words[1:]
		case words[0] == "timeout" && len(words) > 2:
			words = words[2:]
		default:
			return words
		}
	}
	return words
}

func (x *finding) equal(user []string) bool {
	if slices.Equal(user, x.words) {
		return x.home()
	}

	// A script by its path is what the program for it runs.
	if e := x.t.scripts.entry(x.words); e != nil && strings.Contains(user[0], "/") && len(x.words) > len(e.run) {
		rest := x.words[len(e.run):]
		return x.samePath(user[0], rest[0]) && slices.Equal(user[1:], rest[1:]) && x.home()
	}

	for _, e := range x.entries() {
		theirs := e.request.entry(user)
		if theirs == nil || !slices.Equal(theirs.run, e.run) {
			continue
		}

		paths := e.request.Takes == "path"
		same := func(a, b string) bool { return a == b || (paths && x.samePath(a, b)) }
		if (paths || x.home()) && slices.EqualFunc(e.request.plain(user[len(e.run):]), e.request.plain(x.words[len(e.run):]), same) {
			return true
		}
	}
	return false
}

// plain returns the words of a command without the flags that change nothing.
func (r *request) plain(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		takes, free := r.flags[w]
		return free && takes == 0
	})
}

// home reports whether the command is run in the workspace's root, and nowhere else.
func (x *finding) home() bool {
	return !slices.ContainsFunc(x.dirs, func(d string) bool {
		name, inside := x.at.Name(d, ".")
		return !inside || name != "."
	})
}

// samePath reports whether what the user wrote, seen from the root, is what the command names,
// wherever it may be run.
func (x *finding) samePath(user, run string) bool {
	if strings.HasPrefix(user, "-") || strings.HasPrefix(run, "-") {
		return false
	}
	want, inside := x.at.Name(x.at.Root, user)
	if !inside || want == "." {
		return false
	}
	return !slices.ContainsFunc(x.dirs, func(d string) bool {
		have, inside := x.at.Name(d, run)
		return !inside || have != want
	})
}

// entry is a request that the command may be of, and the beginning by which it is.
type entry struct {
	request *request
	run     []string
}

func (r *request) entry(words []string) *entry {
	var best *entry
	for _, run := range r.Run {
		f := strings.Fields(run)
		if len(f) <= len(words) && slices.Equal(f, words[:len(f)]) && (best == nil || len(f) > len(best.run)) {
			best = &entry{r, f}
		}
	}
	return best
}

// entries returns the entries of the table that the command begins like.
func (x *finding) entries() []*entry {
	var out []*entry
	for _, r := range x.t.requests {
		if e := r.entry(x.words); e != nil {
			out = append(out, e)
		}
	}
	if e := x.t.scripts.entry(x.words); e != nil {
		out = append(out, e)
	} else if strings.Contains(x.words[0], "/") {
		out = append(out, &entry{request: x.t.scripts}) // a script by its path
	}
	return out
}

// wished reports whether a clause asks for the command in plain words.
func (x *finding) wished(clause, verb string) bool {
	clause = bare(clause)
	for _, c := range []string{clause, purpose().ReplaceAllString(clause, "")} {
		tokens := tokens(c)
		if len(tokens) == 0 || len(tokens) > maxTokens {
			continue
		}
		for _, e := range x.entries() {
			if x.fulfils(e, tokens) {
				return true
			}
			// "install a and b": the verb is the one before.
			if verb = strings.TrimPrefix(verb, "run "); verb != "" && x.fulfils(e, append([]string{verb}, tokens...)) {
				return true
			}
		}
	}
	return false
}

// maxTokens bounds the words of a request: longer ones say more than a command
// does.
const maxTokens = 24

// tokens returns the words of a clause, without their quotes.
func tokens(clause string) []string {
	var out []string
	for _, w := range strings.Fields(clause) {
		if w = strings.Trim(w, "`\"'(),:!?"); w != "." && w != ".." {
			w = strings.TrimRight(w, ".")
		}
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// fulfils reports whether the command is what the words ask for: they begin with a verb for it,
// every word of the command is said or goes without saying, and every word that was said is about
// the command.
func (x *finding) fulfils(e *entry, tokens []string) bool {
	n := verb(e.request, tokens)
	script := e.request == x.t.scripts
	if n == 0 && !(script && x.stem(tokens[0])) {
		return false
	}
	y := &fulfilling{finding: x, e: e, left: map[string]bool{}, flat: strings.ToLower(strings.Join(tokens, " "))}
	if n == 0 {
		y.used = []string{tokens[0]}
	}
	y.tokens = tokens[n:]
	words := x.words[len(e.run):]
	return y.command(words) && y.said() && y.where()
}

// verb returns how many words the verb at the beginning has; 0 when there is none.
func verb(r *request, tokens []string) int {
	best := 0
	for _, v := range r.Verbs {
		f := strings.Fields(v)
		if len(f) > best && len(f) <= len(tokens) && slices.EqualFunc(f, tokens[:len(f)], strings.EqualFold) {
			best = len(f)
		}
	}
	return best
}

// stem reports whether a word is the name of the script that is run: "deploy" for
// ./scripts/deploy.sh.
func (x *finding) stem(word string) bool {
	for _, w := range x.words[:min(2, len(x.words))] {
		base := path.Base(w)
		if strings.Contains(w, "/") && len(word) > 3 && strings.EqualFold(strings.TrimSuffix(base, path.Ext(base)), word) {
			return true
		}
	}
	return false
}
