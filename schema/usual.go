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

// switched matches what a description says that a switch is where a call doesn't say.
var switched = pattern.OnUse(`(?i)\bdefaults?(?: value)?(?: to| is)?\s*[:=]?\s*['"` + "`" + `]?(true|on|yes|enabled|false|off|no|disabled)\b|` +
	`\b(true|on|yes|enabled|false|off|no|disabled) (?:by default|unless)\b`)

// switchedOn are the words for a switch that is on.
var switchedOn = map[string]bool{"true": true, "on": true, "yes": true, "enabled": true}

// Switched returns what a switch is where a call doesn't say, by its description ("On by default"); false for what is no switch, and where
// the description says nothing, or both.
func (n *Node) Switched() (on, known bool) {
	if n == nil || !slices.Equal(n.Types, []string{"boolean"}) {
		return false, false
	}
	for i, found := range switched().FindAllStringSubmatch(n.Description, maxUsual) {
		is := switchedOn[strings.ToLower(strings.Join(found[1:], ""))]
		if i > 0 && is != on {
			return false, false
		}
		on, known = is, true
	}
	return on, known
}
