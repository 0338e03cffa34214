package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/policydoc"
)

// ToolFiles returns the files of tool definitions in a directory, tools*.json;
// there may be none.
func ToolFiles(dir string) ([]string, error) { return optional(dir, "tools") }

// optional finds JSON files that may be missing.
func optional(dir, prefix string) ([]string, error) {
	names, err := find(dir, prefix, ".json")
	if errors.Is(err, errNotFound) {
		return nil, nil
	}
	return names, err
}

// findCompiled reads the compiled files of the given directory, or of dir.
func findCompiled(dir, given string) (*policydoc.Directory, error) {
	candidates := []string{given}
	if given == "" {
		candidates = []string{dir, filepath.Join(dir, "policy")}
	}
	for _, candidate := range candidates {
		if inputs.IsDir(filepath.Join(candidate, "mapping")) || inputs.IsDir(filepath.Join(candidate, "guards")) {
			return policydoc.ReadDirectory(candidate)
		}
	}
	return nil, fmt.Errorf("there are no compiled files (mapping/, guards/) in %s: give the directory that remit policy compile wrote with --compiled DIR",
		strings.Join(candidates, " or "))
}

// mappingsOf returns the mappings of a directory, by tool.
func mappingsOf(d *policydoc.Directory) ([]*policydoc.Mapping, error) {
	var out []*policydoc.Mapping
	for _, key := range d.Keys() {
		if d.Mappings[key] == nil {
			continue
		}
		m, err := d.Mappings[key].Mapping()
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// guardsOf returns the guards of a directory, by tool.
func guardsOf(d *policydoc.Directory) ([]*guard.File, error) {
	var out []*guard.File
	for _, key := range d.Keys() {
		if d.Guards[key] == nil {
			continue
		}
		f, err := d.Guards[key].File()
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// writeMappings writes mapping files and leaves other files alone.
func writeMappings(root string, mappings []*policydoc.Mapping) error {
	d, err := policydoc.ReadDirectory(root)
	if err != nil {
		return err
	}
	for _, m := range mappings {
		doc := d.Mapping(m.Server, m.Tool)
		for i := range m.Policies {
			doc.Put(&m.Policies[i])
		}
	}
	return d.Write()
}

// findTruth reads the ground truth; nil if there is none.
func findTruth(dir, given string) (*policyTruth, error) {
	names := []string{given}
	if given == "" {
		var err error
		if names, err = optional(dir, "ground_truth"); len(names) == 0 {
			return nil, err
		}
	}
	return readTruth(names)
}

// findDocument reads the policy document: the given one, the only one in the
// directory, or the one there with the compiled document's name; nil if there is
// none. From is the file.
func findDocument(dir, given, compiled string) (doc *document.Document, from string, err error) {
	if given == "" {
		names, err := documentsIn(dir)
		switch {
		case err != nil || len(names) == 0:
			return nil, "", err
		case len(names) == 1:
			given = names[0]
		case slices.Contains(names, compiled):
			given = compiled
		default:
			return nil, "", fmt.Errorf("%s holds several documents (%s): say which was compiled with --document FILE", dir, strings.Join(names, ", "))
		}
		given = filepath.Join(dir, given)
	}

	data, err := os.ReadFile(given)
	if err != nil {
		return nil, "", fmt.Errorf("read the policy document: %w", err)
	}
	doc, err = document.Read(given, data)
	return doc, given, err
}

// documentsIn returns the names of a directory's documents, except for readme
// files.
func documentsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the data directory: %w", err)
	}
	var names []string
	for _, e := range entries {
		lower := strings.ToLower(e.Name())
		switch filepath.Ext(lower) {
		case ".md", ".markdown", ".html", ".htm", ".docx", ".pdf", ".txt":
			if !e.IsDir() && !strings.HasPrefix(lower, "readme") {
				names = append(names, e.Name())
			}
		}
	}
	return names, nil
}

// hasRecords reports whether a directory has the records of τ-bench's airline.
func hasRecords(dir string) bool {
	for _, name := range []string{"flights.json", "reservations.json", "users.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}
