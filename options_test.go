package remit_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// TestOptionsWithMistakes refuses options that say nothing known. A typo must not turn a check off.
func TestOptionsWithMistakes(t *testing.T) {
	mail := &schema.Catalogue{Server: "mail"}
	for name, c := range map[string]struct {
		options remit.Options
		want    string // each part of the error, one a line; empty for none
	}{
		"nothing":                {remit.Options{}, ""},
		"every word":             {remit.Options{Precision: label.L0, Sinks: contract.Deny, Unprovoked: contract.Off, Mentions: contract.Off, Scopes: "bound"}, ""},
		"catalogues":             {remit.Options{Tools: []*schema.Catalogue{mail, {Server: "desk"}}}, ""},
		"two of one server":      {remit.Options{Tools: []*schema.Catalogue{mail, mail}}, `server "mail" has two catalogues`},
		"scopes":                 {remit.Options{Scopes: "bond"}, `option Scopes: unknown mode "bond"`},
		"sinks":                  {remit.Options{Sinks: "dney"}, `option Sinks: unknown mode "dney"`},
		"unprovoked":             {remit.Options{Unprovoked: "no"}, `option Unprovoked: unknown mode "no"`},
		"mentions":               {remit.Options{Mentions: "no"}, `option Mentions: unknown mode "no"`},
		"precision":              {remit.Options{Precision: 9}, "unknown precision Precision(9)"},
		"precision of contracts": {remit.Options{Contracts: []*contract.File{{Version: contract.Version, Server: "mail", Precision: 9, Tools: []contract.Tool{{Name: "x", Effect: contract.Read}}}}}, "unknown precision Precision(9)"},
		"all at once":            {remit.Options{Scopes: "bond", Sinks: "dney", Precision: 9}, "option Scopes\noption Sinks\nunknown precision"},
	} {
		_, err := remit.New(c.options)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		for _, part := range strings.Split(c.want, "\n") {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want %q", name, err, part)
			}
		}
	}
}
