// Package fileschema holds JSON Schemas of the files that people write for Remit, for
// editors to complete and check them. The loaders are stricter: what a schema refuses, they
// refuse, and they check much that a schema can't say.
//
// The schemas are draft 7, which is what the YAML plug-ins of editors read.
package fileschema

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.schema.json
var files embed.FS

// Kind is a kind of file.
type Kind struct {
	// Name names the kind in commands and file names.
	Name string
	// What says which files are of the kind.
	What string
	// Globs are the names that such files usually have, as editors match them.
	Globs []string
}

var kinds = []Kind{
	{"configuration", "remit.yaml, the configuration of the gateway", []string{"remit.yaml"}},
	{"contract", "contract files, one a server", []string{"contracts/*.yaml"}},
	{"guard", "guard files, the rules of a policy document", []string{"guards/*.yaml"}},
	{"mapping", "mapping files, the policies of a document", []string{"mapping/*.yaml"}},
	{"scope", "task scopes", []string{"*.scope.json"}},
}

// Kinds returns the kinds of files that have a schema, by name.
func Kinds() []Kind { return slices.Clone(kinds) }

// File returns the name of a kind's schema as a file.
func (k Kind) File() string { return k.Name + ".schema.json" }

// Of returns the schema of a kind of file.
func Of(name string) ([]byte, error) {
	var names []string
	for _, k := range kinds {
		if k.Name == name {
			return files.ReadFile(k.File())
		}
		names = append(names, k.Name)
	}
	return nil, fmt.Errorf("there is no schema of %q: name one of %s", name, strings.Join(names, ", "))
}
