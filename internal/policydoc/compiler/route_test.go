package compiler

import (
	"strings"
	"testing"
)

// TestRoutesThatAreTwoThings sends back what is for every call and for some tools: which of the
// two was meant can't be told, and no tool is left out in silence.
func TestRoutesThatAreTwoThings(t *testing.T) {
	tools := map[string]*tool{"hire_item": {}, "transfer": {}}
	for name, c := range map[string]struct {
		tools  []string
		reason string
		wrong  string // part of what is sent back; "" for nothing
	}{
		"tools":                   {[]string{"hire_item", "transfer"}, "", ""},
		"every call":              {[]string{"*"}, "", ""},
		"none":                    {nil, "a greeting", ""},
		"none, and no word":       {nil, "", "say why it is about no tool"},
		"every call, and a tool":  {[]string{"*", "transfer"}, "", `"*" stands alone`},
		"a tool that there isn't": {[]string{"lend_item"}, "", `no tool "lend_item"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkRoute(&routeAnswer{Sentences: []routedSentence{{Number: 1, Tools: c.tools, Reason: c.reason}}}, []int{1}, tools)
			if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("got %v, want %q", err, c.wrong)
			}
		})
	}
}
