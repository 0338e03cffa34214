package guard

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// documentOf parses the arguments of a call. Those that can't be read are none.
func documentOf(arguments json.RawMessage) *strictjson.Document {
	doc, err := strictjson.Parse(arguments, strictjson.DefaultLimits())
	if err != nil {
		doc, _ = strictjson.Parse([]byte("{}"), strictjson.DefaultLimits())
	}
	return doc
}

// given is an argument of a call: a text, and the name of the argument that has it.
type given struct{ member, text string }

// textsOf returns the texts in the arguments of a call, up to [maxSpoken].
func textsOf(call *strictjson.Document) []given { return leavesOfKind(call, strictjson.String) }

// scalarsOf returns the texts and numbers in the arguments of a call but for empty ones, up to [maxSpoken].
func scalarsOf(call *strictjson.Document) []given {
	return slices.DeleteFunc(leavesOfKind(call, strictjson.String, strictjson.Number), func(g given) bool { return g.text == "" })
}

func leavesOfKind(call *strictjson.Document, kinds ...strictjson.Kind) []given {
	var out []given
	for _, l := range call.Leaves() {
		if slices.Contains(kinds, l.Kind) && len(out) < maxSpoken {
			member, _, _ := strings.Cut(strings.TrimPrefix(l.Pointer, "/"), "/")
			out = append(out, given{member, l.Text})
		}
	}
	return out
}

// listsOf returns the texts of each list in the arguments of a call that has nothing else, up to [maxSpoken].
func listsOf(call *strictjson.Document) [][]string {
	var out [][]string
	for _, member := range call.Root().Members() {
		if member.Kind() != strictjson.Array || member.Len() == 0 || member.Len() > maxSpoken {
			continue
		}
		var texts []string
		for _, v := range member.Elements() {
			if v.Kind() == strictjson.String {
				texts = append(texts, v.Text())
			}
		}
		if len(texts) == member.Len() {
			out = append(out, texts)
		}
	}
	return out
}

// valuesOf returns the texts of arguments.
func valuesOf(all []given) []string {
	var out []string
	for _, g := range all {
		out = append(out, g.text)
	}
	return out
}
