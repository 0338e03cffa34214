package synth

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
)

// hostile are definitions made to be slow.
func hostile(t testing.TB) map[string]*schema.Catalogue {
	var args []string
	for i := range 400 {
		args = append(args, fmt.Sprintf("field_%d: The ID of the thing number %d, one of 'a', 'b'", i, i))
	}
	out := map[string]*schema.Catalogue{"many arguments": one(t, "update_everything", "Update everything", args...)}
	for what, tt := range map[string]struct{ name, description, arg string }{
		"a long word":         {strings.Repeat("a", 500), strings.Repeat("b", 50000), "x: " + strings.Repeat("c", 50000)},
		"many words":          {"get", strings.Repeat("send the mail to ", 5000), "x: " + strings.Repeat("path to the ", 5000)},
		"many quotes":         {"get", strings.Repeat("'id' ", 10000), "x: " + strings.Repeat("`id` ", 10000)},
		"many marks":          {"get", strings.Repeat("(optional) ", 5000), "x: " + strings.Repeat("(optional) the ", 5000)},
		"verbs without end":   {strings.Repeat("get_", 120), strings.Repeat("create, ", 10000), "x"},
		"capitals":            {strings.Repeat("AbC", 160), strings.Repeat("AbC", 10000), "x"},
		"separators":          {"a" + strings.Repeat("_", 400), strings.Repeat("|: ", 10000), "x: " + strings.Repeat("_", 20000)},
		"nearly known halves": {"get", strings.Repeat("filefile", 5000), strings.Repeat("pathid", 80)},
	} {
		out[what] = one(t, tt.name, tt.description, tt.arg)
	}
	return out
}

// TestHostileDefinitions makes a contract of each: one that covers every
// argument, and with reasons that a reviewer can read.
func TestHostileDefinitions(t *testing.T) {
	for what, c := range hostile(t) {
		t.Run(what, func(t *testing.T) {
			tools := Contract(c).Tools
			if len(tools) != 1 || len(tools[0].Args) == 0 {
				t.Fatalf("%d tools", len(tools))
			}
			for _, a := range tools[0].Args {
				if a.Role == 0 || len(a.Why) > 2000 {
					t.Errorf("%.80s: %s because of %d bytes", a.Pattern, a.Role, len(a.Why))
				}
			}
		})
	}
}

// TestDescriptionsMakeNoRead asks that a name's first word counts, though the name ends in
// what is read and the description begins so, unless that word is a noun as well ("order_list") or a method of HTTP.
func TestDescriptionsMakeNoRead(t *testing.T) {
	x := builtin()
	for _, word := range slices.Sorted(maps.Keys(x.verbs)) {
		v := x.verbs[word]
		if v.weak || v.effect == contract.Read || x.has("nouns-too", word) || x.has("http-methods", word) {
			continue
		}
		for _, end := range []string{"list", "status", "history", "log", "snapshot", "summary"} {
			if word == "generate" && end == "summary" {
				continue // it is what a read answers
			}
			name := word + "_thing_" + end
			tool, _ := Contract(one(t, name, "Get the "+end+" of things")).Tool(name)
			if tool.Effect == contract.Read {
				t.Errorf("%s is a read: %s", name, tool.Why)
			}
		}
	}
}

func BenchmarkHostileDefinitions(b *testing.B) {
	all := hostile(b)
	for _, what := range slices.Sorted(maps.Keys(all)) {
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				Contract(all[what])
			}
		})
	}
}
