package synth

import (
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// Frameworks have a model give a structured answer by the call of a tool that
// does nothing: its arguments are the answer.

// finals are the names of tools for an agent's last word; frameworks put the name
// of a type behind them.
var finals = []string{"final_result", "final_answer", "final_output", "final_response"}

// Answer returns a contract for a tool whose call is a model's answer to its application, and
// reports whether the name is that of one: a name for a last word, or the name of a type where
// the application forces the call. Forced is the number of tools of which the application forces
// one; 0 where this tool is not among them. Such a call has no effect, and everything in it is
// text.
func Answer(def *schema.Tool, siblings *schema.Catalogue, forced int) (contract.Tool, bool) {
	if !LastWord(def.Name) && (forced == 0 || !namesType(def, siblings, forced == 1)) {
		return contract.Tool{}, false
	}
	const why = "the application takes the call for the model's answer"
	return contract.Tool{
		Name: def.Name, Fingerprint: def.Fingerprint, Effect: contract.Read, Sinks: contract.Off, Why: why,
		Args: []contract.Arg{{Pattern: "/**", Role: label.Content, Floor: label.External, Why: why}},
	}, true
}

// LastWord reports whether a tool has the name of one for an agent's last word.
func LastWord(tool string) bool {
	return slices.ContainsFunc(finals, func(name string) bool { return tool == name || strings.HasPrefix(tool, name+"_") })
}

// namesType reports whether a name is written as types are, and neither it nor the arguments say
// anything of what is done. Alone is set where no other tool could be called instead.
func namesType(def *schema.Tool, siblings *schema.Catalogue, alone bool) bool {
	if !unicode.IsUpper(rune((def.Name + " ")[0])) || strings.ToUpper(def.Name) == def.Name || strings.ContainsAny(def.Name, "_-./: ") {
		return false
	}
	words := cut(def.Name)
	judges := len(words) > 1 && builtin().has("judgements", last(words))
	t := builtin().analyse(def, siblings)
	unknown := t.verb == "" && t.effect == contract.Destructive
	if !judges && !unknown && t.effect != contract.Read {
		return false
	}
	args := Tool(def, siblings).Args
	return !slices.ContainsFunc(args, func(a contract.Arg) bool { return acts(&a, judges, unknown && alone) })
}

// acts reports whether an argument shows that its tool does something. Directed allows
// directions, which what a model found can have, and pages addresses of pages, which an answer
// can have where no other tool could be called.
func acts(a *contract.Arg, directed, pages bool) bool {
	if a.Role == label.Command || a.Role == label.Credential || a.Form == contract.Path {
		return true
	}
	if a.Form == contract.URL && !pages {
		return true
	}
	goes := func(word string) bool { return builtin().has("directions", word) }
	return !directed && slices.ContainsFunc(cut(a.Pattern[strings.LastIndexByte(a.Pattern, '/')+1:]), goes)
}
