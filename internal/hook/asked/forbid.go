package asked

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/shell"
)

// Forbids reports whether the user's words forbid a command that needs no request: by the command
// itself ("do not run make deploy"), or by what it is told to make ("don't deploy"). The newest prompt
// that speaks of it counts.
func (t *Table) Forbids(prompts []string, b shell.Built) bool {
	text := make([]string, len(b.Words))
	for i, w := range b.Words {
		if w.Kind != shell.Literal {
			return false
		}
		text[i] = strings.ToLower(w.Text)
	}
	var targets []string
	for _, w := range text[b.Named:] {
		if isWord().MatchString(w) {
			targets = append(targets, w)
		}
	}

	names := append(slices.Clone(targets), text[0])
	for i := len(prompts) - 1; i >= max(0, len(prompts)-maxPrompts); i-- {
		prompt := strings.ToLower(prompts[i])
		if !slices.ContainsFunc(names, func(w string) bool { return strings.Contains(prompt, w) }) {
			continue // most prompts don't speak of it, and aren't read
		}
		speaks := false
		for _, s := range pieces(prompts[i]) {
			said := wordsOf(s.text)
			named := contains(said, text) || slices.ContainsFunc(targets, func(target string) bool { return slices.Contains(said, target) })
			switch {
			case s.code || !named:
			case s.dead && forbids().MatchString(s.text) && (contains(said, text) || bans(said, targets)):
				return true
			default:
				speaks = speaks || !s.dead
			}
		}
		if speaks {
			return false
		}
	}
	return false
}

// isWord matches a target in a word, and no flag, path or assignment.
var isWord = pattern.OnUse(`^[\pL][\pL\d:_-]*$`)

// wordsOf returns the words of a clause, without quotation marks and what ends a sentence.
func wordsOf(clause string) []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(clause)) {
		if w = strings.Trim(w, "`\"'.,:;!?()"); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// contains reports whether a command stands in a row. A program alone isn't named by a command of it.
func contains(said, command []string) bool {
	for i := 0; i+len(command) <= len(said); i++ {
		rest := said[i+len(command):]
		ends := len(command) > 1 || len(rest) == 0 || slices.Contains(behind, rest[0])
		if ends && slices.Equal(said[i:i+len(command)], command) {
			return true
		}
	}
	return false
}

var (
	// orders are the words that forbid something to the agent, and toYou what may stand before them:
	// "you must not", and not "users can't".
	orders = strings.Fields("don't dont not never no without avoid stop")
	toYou  = strings.Fields("please and but so also then you must should may do just now")
	// between may stand between the word that forbids and the target, and behind after a program.
	between = strings.Fields("run execute start call trigger launch use do the a any to yet ever please just script target task make npm yarn pnpm and or")
	behind  = strings.Fields("yet now again here for until and or please in on at before after while ever")
)

// bans reports whether one of the targets is what a clause forbids: "don't run the deploy script", and not
// "don't change what we deploy".
func bans(said, targets []string) bool {
	at := slices.IndexFunc(said, func(w string) bool { return slices.Contains(orders, w) })
	if at < 0 || slices.ContainsFunc(said[:at], func(w string) bool { return !slices.Contains(toYou, w) }) {
		return false
	}
	for i, w := range said[at+1:] {
		if slices.Contains(targets, w) {
			return true
		}
		rest := said[at+1+i+1:]
		listed := len(rest) > 0 && (rest[0] == "or" || rest[0] == "and")
		if !listed && !slices.Contains(between, w) {
			return false
		}
	}
	return false
}
