package asked

import (
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/shell"
)

//go:embed requests.yaml
var text []byte

// request is an entry of the table.
type request struct {
	Run      []string          `yaml:"run"`
	Verbs    []string          `yaml:"verbs"`
	Nouns    []string          `yaml:"nouns"`
	Must     []string          `yaml:"must"`
	Takes    string            `yaml:"takes"`
	Needs    bool              `yaml:"needs"`
	Defaults []string          `yaml:"defaults"`
	Flags    []string          `yaml:"flags"`
	Said     map[string]string `yaml:"said"`
	Fills    bool              `yaml:"fills"`
	Like     string            `yaml:"like"`

	like *regexp.Regexp

	nouns map[string]bool
	flags map[string]byte // what follows a flag
}

// Table is what people say for commands. It is immutable.
type Table struct {
	requests  []*request
	scripts   *request
	spellings [][2][]string // what is written, and what it is read as
	fillers   map[string]bool
	kinds     map[string]bool
}

// Known reads the table that Remit ships.
var Known = sync.OnceValues(func() (*Table, error) {
	var in struct {
		Spellings [][]string `yaml:"spellings"`
		Requests  []*request `yaml:"requests"`
		Scripts   *request   `yaml:"scripts"`
		Fillers   []string   `yaml:"fillers"`
		Kinds     []string   `yaml:"kinds"`
	}
	if err := yaml.Load(text, &in, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("the table of requests: %w", err)
	}
	t := &Table{requests: in.Requests, scripts: in.Scripts, fillers: set(in.Fillers), kinds: set(in.Kinds)}
	for _, s := range in.Spellings {
		for _, other := range s[1:] {
			t.spellings = append(t.spellings, [2][]string{strings.Fields(other), strings.Fields(s[0])})
		}
	}
	for _, r := range append(in.Requests, in.Scripts) {
		r.nouns = set(append(r.Nouns, r.Must...))
		var err error
		if r.like, err = regexp.Compile(r.Like); err != nil {
			return nil, fmt.Errorf("the table of requests: %w", err)
		}
		r.flags = map[string]byte{}
		for _, f := range r.Flags {
			last := f[len(f)-1]
			if strings.IndexByte(":~=", last) < 0 {
				r.flags[f] = 0
				continue
			}
			r.flags[f[:len(f)-1]] = last
		}
		switch r.Takes {
		case "", "path", "package", "name", "address":
		default:
			return nil, fmt.Errorf("the table of requests: nothing is known to take %q", r.Takes)
		}
	}
	return t, nil
})

func set(words []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		out[w] = true
	}
	return out
}

// Place is where a command is run.
type Place struct {
	// Root is the workspace's root, and Branch the branch that it is on; empty
	// where there is none.
	Root, Branch string
	// Name is how a person writes where a path leads, seen from a directory, and
	// whether that is inside the workspace.
	Name func(dir, path string) (name string, inside bool)
}

// Answer is what the user's words say of a command.
type Answer struct {
	// Prompt is the place of the prompt that asks for it; -1 when none does.
	Prompt int
	// Doubt says that the user spoke of it, and didn't ask for it.
	Doubt bool
}

// maxPrompts bounds how many of the last prompts are looked at.
const maxPrompts = 64

// Find looks for the prompt that asks for a command, the newest first. What a
// later one forbids is not asked for.
func (t *Table) Find(prompts []string, far shell.Far, at Place) Answer {
	none := Answer{Prompt: -1}
	if len(far.Words) == 0 || far.Fed || slices.ContainsFunc(far.Words, func(w shell.Word) bool { return w.Kind != shell.Literal }) {
		return none
	}

	x := &finding{t: t, at: at, dirs: far.Dirs}
	raw := make([]string, len(far.Words))
	for i, w := range far.Words {
		raw[i] = w.Text
	}
	x.raw, x.words = strings.Join(raw, " "), t.spelled(raw)

	recent := true // nothing but agreement was said since
	for i := len(prompts) - 1; i >= max(0, len(prompts)-maxPrompts); i-- {
		all := pieces(prompts[i])
		switch {
		case x.asks(all, recent):
			return Answer{Prompt: i}
		case x.speaks(all):
			return Answer{Prompt: -1, Doubt: true}
		}
		recent = recent && goesOn(prompts[i])
	}
	return none
}

// spelled is a command in the one form that its spellings have.
func (t *Table) spelled(words []string) []string {
	for range 3 { // as often as one spelling leads to another
		for _, s := range t.spellings {
			if len(words) < len(s[0]) || !slices.Equal(words[:len(s[0])], s[0]) {
				continue
			}
			if s[0][0] == s[1][0] && len(s[0]) == 1 && len(s[1]) > 1 && len(words) > 1 {
				continue // a program alone is spelled so: "yarn"
			}
			words = slices.Concat(s[1], words[len(s[0]):])
		}
	}
	return words
}

// finding is a search for one command.
type finding struct {
	t     *Table
	at    Place
	raw   string
	words []string
	dirs  []string
}

// asks tells whether a prompt asks for the command. Requests in plain words count
// where they are the last thing that was said.
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

// object is a clause without its verb.
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

// speaks tells whether a prompt speaks of the command, and doesn't ask for it.
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

// written tells whether a piece of a prompt writes the command.
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

// asksFor tells whether a clause names, in words, something to be done with what
// it has between backticks: "use", "with".
func asksFor(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return slices.Contains([]string{"run", "execute", "use", "do", "try", "start", "deploy", "install", "build", "launch", "push", "apply", "update"}, first)
}

// same tells whether a line of the user's has the command among its own, each in
// any spelling, with flags that change nothing added or left out.
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

// plain are the words of a command without the flags that change nothing.
func (r *request) plain(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		takes, free := r.flags[w]
		return free && takes == 0
	})
}

// home tells whether the command is run in the workspace's root, and nowhere else.
func (x *finding) home() bool {
	return !slices.ContainsFunc(x.dirs, func(d string) bool {
		name, inside := x.at.Name(d, ".")
		return !inside || name != "."
	})
}

// samePath tells whether what the user wrote, seen from the root, is what the
// command names, wherever it may be run.
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

// entries are those of the table that the command begins like.
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

// wished tells whether a clause asks for the command in plain words.
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

// tokens are the words of a clause, without their quotes.
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

// fulfils tells whether the command is what the words ask for: they begin with a
// verb for it, every word of the command is said or goes without saying, and
// every word that was said is about the command.
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

// verb tells how many words the verb at the beginning has; 0 when it is none.
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

// stem tells whether a word is the name of the script that is run: "deploy" for
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

// names tells whether a word of the user's names what a word of the command does.
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

// below tells whether a path is made of two that the user named: "old.py in src".
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

// said tells whether every word of the request is about the command: a verb, a
// noun for what it does, what it names, or of no weight. Of several things that
// are named, the command may do one.
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

// placed tells whether a preposition only says where a named file is, or that all
// of a folder is meant.
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

// branch tells whether a word is the current branch, by its name or as people
// call the first one.
func (y *fulfilling) branch(word string) bool {
	return y.e.request.Takes == "name" && slices.Contains(y.e.request.Defaults, "$branch") && word == strings.ToLower(y.at.Branch) && word != ""
}

// dirNamed tells whether a word names the folder in which the command is run.
func (y *fulfilling) dirNamed(word string) bool {
	return slices.ContainsFunc(y.dirs, func(d string) bool {
		name, inside := y.at.Name(d, ".")
		return inside && name != "." && (strings.Trim(word, "./") == name || path.Base(name) == word)
	})
}

// where tells whether the command is run where the user meant: in the root, or in
// a folder that was named. What names paths of its own may be run anywhere.
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
