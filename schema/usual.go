package schema

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

// usually matches a value that a definition gives as the usual one: "defaults to 'origin'", "use
// 'primary' for the main calendar". It has to be quoted, one word, and said to be the default, the
// main one or the caller's own.
var usually = pattern.OnUse("(?i)" +
	`\bdefaults? (?:to|is|value is)\s*[:=]?\s*` + quoted + "|" +
	`\bdefault\s*[:=]\s*` + quoted + "|" +
	`\buse ` + quoted + ` (?:for|to (?:mean|refer to|access)) (?:the|your|their|his or her)\s+(?:\w+['’]s\s+)?(?:main|default|primary|own|current|authenticated|signed-in|logged-in)\b`)

const quoted = "['\"`‘“]([\\w@.~-]{1,64})['\"`’”]"

// maxUsual bounds how many values one description is asked for.
const maxUsual = 8

// Usual are values that definitions give as the usual ones, by the names of arguments: primary, for
// the main calendar.
type Usual map[string]string

// Usual returns the usual values of the arguments of the catalogue's tools. A name of which two are
// told has none.
func (c *Catalogue) Usual() Usual {
	out := Usual{}
	for i := range c.Tools {
		for _, place := range c.Tools[i].Places() {
			name := argumentName(place.Pattern)
			for _, found := range usually().FindAllStringSubmatch(place.Node.Description, maxUsual) {
				value := strings.Join(found[1:], "")
				if known, ok := out[name]; ok && known != value {
					value = ""
				}
				out[name] = value
			}
		}
	}
	return out
}

// Is reports whether a text is the usual value of the argument at a pointer.
func (u Usual) Is(pointer, text string) bool {
	return len(u) > 0 && text != "" && u[argumentName(pointer)] == text
}

// argumentName returns the name of the argument at a pointer or pattern, however it is written: that
// of the list for an element. Names in code differ between the tools of a server.
func argumentName(pointer string) string {
	segments := strings.Split(pointer, "/")
	for len(segments) > 1 && strings.Trim(segments[len(segments)-1], "*0123456789") == "" {
		segments = segments[:len(segments)-1]
	}
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(segments[len(segments)-1]))
}

// switched matches the words with which a description may say what a switch is where a call doesn't say.
var switched = pattern.OnUse(`(?i)\bdefaults?(?: value)?(?: to| is)?\s*[:=]?\s*['"` + "`" + `]?(` + states + `)\b|\b(` + states + `) (?:by default|unless)\b`)

// plainly matches a clause that says nothing but that: "it is on by default", "Notify: defaults to true". What stands
// before its colon is the first group.
var plainly = pattern.OnUse(`(?i)^(.*:\s)?\s*(?:(?:it|this|which) )?(?:is )?(?:` +
	`(?:the )?defaults?(?: value)?(?: to| is)?\s*[:=]?\s*['"` + "`" + `]?(?:` + states + `)['"` + "`" + `]?|` +
	`['"` + "`" + `]?(?:` + states + `)['"` + "`" + `]? by default|` +
	`(?:true|on|yes|enabled) unless (?:set to )?(?:false|off|no|disabled)|` +
	`(?:false|off|no|disabled) unless (?:set to )?(?:true|on|yes|enabled))$`)

const states = `true|on|yes|enabled|false|off|no|disabled`

// bounded and closed match what ends a sentence, and what is in brackets.
var (
	bounded = pattern.OnUse(`[.!?](?:\s|$)|[;\n]`)
	closed  = pattern.OnUse(`[()\[\]]`)
)

// stated matches a clause about a switch that is set, which says nothing of its default: "if true, the order is kept".
var stated = pattern.OnUse(`(?i)\b(?:if|when) (?:set to )?(?:not )?['"` + "`" + `]?(?:` + states + `|set|unset|given|specified|provided|omitted)['"` + "`" + `]?(?:,|$)`)

// hedged matches words that deny a default, or say for which calls it holds.
var hedged = pattern.OnUse(`(?i)\b(?:not|never|cannot|only|must|unless|except|but|else|otherwise|if|when|where)\b|n['’]t\b|(?:^|,)\s*for\b`)

// switchedOn are the words for a switch that is on.
var switchedOn = map[string]bool{"true": true, "on": true, "yes": true, "enabled": true}

// Switched returns what a switch is where a call doesn't say, by its description ("On by default"); false for what is no switch, and where
// the description says nothing, both, or that in other words than a clause of its own has ("not on by default").
func (n *Node) Switched() (on, known bool) {
	if n == nil || !slices.Equal(n.Types, []string{"boolean"}) {
		return false, false
	}
	for i, at := range switched().FindAllStringSubmatchIndex(n.Description, maxUsual+1) {
		word := n.Description[max(at[2], at[4]):max(at[3], at[5])]
		is := switchedOn[strings.ToLower(word)]
		if i == maxUsual || (i > 0 && is != on) || !isPlain(n.Description, at[0], at[1]) {
			return false, false
		}
		on, known = is, true
	}
	return on, known
}

// isPlain reports whether what stands between two places of a text is a clause of its own, and nothing in its sentence, or
// with it in brackets, denies it or says for which calls it holds.
func isPlain(text string, start, end int) bool {
	before, behind := text[:start], text[end:]
	if at := bounded().FindAllStringIndex(before, -1); len(at) > 0 {
		before = before[at[len(at)-1][1]:]
	}
	if at := bounded().FindStringIndex(behind); at != nil {
		behind = behind[:at[0]]
	}
	if at := strings.LastIndexAny(before, "()[]"); at >= 0 {
		isWithin := strings.ContainsRune("([", rune(before[at]))
		before = before[at+1:]
		if within := closed().FindStringIndex(behind); isWithin && within != nil {
			behind = behind[:within[0]]
		}
	}

	from, to := strings.LastIndex(before, ",")+1, strings.IndexAny(behind, ",([")
	if to < 0 {
		to = len(behind)
	}
	clause := before[from:] + text[start:end] + behind[:to]
	found := plainly().FindStringSubmatch(strings.TrimSpace(clause))
	return found != nil && !isHedged(before[:from]+found[1]) && !isHedged(behind[to:])
}

// isHedged reports whether a text denies the default that stands beside it, or says for which calls it holds.
func isHedged(text string) bool {
	return hedged().MatchString(stated().ReplaceAllString(strings.TrimSpace(text), ""))
}
