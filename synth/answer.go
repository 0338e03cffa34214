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

// judgements are what names of types end in that say what a model found, also
// where a verb stands before: a decision about sending sends nothing.
var judgements = set(`decision choice classification assessment evaluation verdict judgement judgment
	intent extraction rating score category schema`)

// Answer returns a contract for a tool by whose call an application takes a
// model's answer, and whether the name is that of one: the name for a last word,
// or the name of a type where the application forces the call. Nothing happens by
// such a call, and everything in it is text.
func Answer(def *schema.Tool, siblings *schema.Catalogue, forced bool) (contract.Tool, bool) {
	if !LastWord(def.Name) && (!forced || !namesType(def, siblings)) {
		return contract.Tool{}, false
	}
	const why = "the application takes the call for the model's answer"
	return contract.Tool{
		Name: def.Name, Fingerprint: def.Fingerprint, Effect: contract.Read, Why: why,
		Args: []contract.Arg{{Pattern: "/**", Role: label.Content, Floor: label.External, Why: why}},
	}, true
}

// LastWord reports whether a tool has the name of one for an agent's last word.
func LastWord(tool string) bool {
	return slices.ContainsFunc(finals, func(name string) bool { return tool == name || strings.HasPrefix(tool, name+"_") })
}

// namesType reports whether a name is written as types are, and says nothing of
// what is done.
func namesType(def *schema.Tool, siblings *schema.Catalogue) bool {
	if !unicode.IsUpper(rune((def.Name + " ")[0])) || strings.ToUpper(def.Name) == def.Name || strings.ContainsAny(def.Name, "_-./: ") {
		return false
	}
	words := cut(def.Name)
	if len(words) > 1 && judgements[words[len(words)-1]] {
		return true
	}
	t := analyse(def, siblings)
	return t.verb == "" || t.effect == contract.Read
}
