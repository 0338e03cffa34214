package pack

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

//go:embed packs
var shipped embed.FS

// None is the name by which a configuration refuses packs.
const None = "none"

// Registry is where a package is published.
type Registry string

// The registries.
const (
	NPM  Registry = "npm"
	PyPI Registry = "pypi"
	// Go is the module proxy; the package is a module, and Start the program's place in it.
	Go Registry = "go"
	// image is where container images are. No package comes from there.
	image Registry = "image"
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *Registry) UnmarshalText(text []byte) error {
	switch Registry(text) {
	case NPM, PyPI, Go:
		*r = Registry(text)
		return nil
	}
	return fmt.Errorf("unknown registry %q: write npm, pypi or go", text)
}

// Pack is the reviewed contracts of one server's tools.
type Pack struct {
	// Name is what configurations call the pack by.
	Name string
	// About says what the server is, in one sentence.
	About string
	// Registry and Package say what is installed, and Start the command that starts it
	// without arguments, for verification. Images are the container images that the same
	// publisher makes of the package.
	Registry Registry
	Package  string
	Start    string
	Images   []string
	// Pinned is the version that verification installs where a later one shows no
	// definitions of its own; With are the requirements that it installs beside the package.
	Pinned string
	With   []string
	// Listing is a program in Python that prints the definitions of a tool kit, as an agent
	// passes them on to its model. A tool kit has no Start.
	Listing string
	// Env are the variables that the server needs to list its tools, as NAME=value
	// with values that open nothing.
	Env []string
	// Arguments are the arguments that the server needs to list its tools, and Files what
	// it needs in its working directory, which is its home, by path.
	Arguments []string
	Files     map[string]string
	// Versions are the versions whose definitions and source were reviewed.
	Versions []string
	// Licence is the licence of the server, Source where its source is.
	Licence, Source string
	// Notes are what the review found that the contracts can't say.
	Notes []string

	file *contract.File
	// definitions are the fingerprints of reviewed definitions, by tool.
	definitions map[string][]string
}

// File returns the pack's contracts. The caller must not change them.
func (p *Pack) File() *contract.File { return p.file }

// All returns the packs, by name.
func All() ([]*Pack, error) { return all() }

var all = sync.OnceValues(func() ([]*Pack, error) {
	entries, err := shipped.ReadDir("packs")
	if err != nil {
		return nil, err
	}

	var out []*Pack
	for _, e := range entries {
		data, err := shipped.ReadFile(path.Join("packs", e.Name()))
		if err != nil {
			return nil, err
		}
		p, err := Load(e.Name(), data)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
})

// Named returns the pack of a name that an operator wrote, and nil for [None] and the empty
// name.
func Named(name string) (*Pack, error) {
	packs, err := All()
	if err != nil || name == None || name == "" {
		return nil, err
	}
	names := make([]string, len(packs))
	for i, p := range packs {
		if names[i] = p.Name; p.Name == name {
			return p, nil
		}
	}
	return nil, hint.Wrap(fmt.Errorf("there is no pack %q", name), strictyaml.DidYouMean(name, names))
}

// Load reads a pack: a header, a line with three dashes, and a contract file.
func Load(name string, data []byte) (*Pack, error) {
	const line = "\n---\n"
	header, contracts, ok := bytes.Cut(data, []byte(line))
	if !ok {
		return nil, fmt.Errorf("%s: write a line --- between the header and the contracts", name)
	}
	p := &Pack{definitions: map[string][]string{}}
	if err := p.header(name, header); err != nil {
		return nil, err
	}

	// Empty lines in place of the header keep the positions of mistakes.
	skipped := bytes.Count(header, []byte("\n")) + strings.Count(line, "\n")
	f, err := contract.Load(name, append(bytes.Repeat([]byte("\n"), skipped), contracts...))
	if err != nil {
		return nil, err
	}
	p.file = f
	for i := range f.Tools {
		if t := &f.Tools[i]; t.Fingerprint != "" {
			p.definitions[t.Name] = append(p.definitions[t.Name], t.Fingerprint)
		}
	}
	return p, p.check()
}

// maxHeader bounds a header in bytes: ten times the longest.
const maxHeader = 64 << 10

func (p *Pack) header(name string, data []byte) error {
	return strictyaml.Read(name, data, strictyaml.Format{MaxSize: maxHeader, TooLarge: "leave fingerprints of old versions out", Empty: "write pack, registry, package and versions"},
		func(r *strictyaml.Reader, root *strictyaml.Node) {
			had := r.Mapping(root, "the header of a pack", strictyaml.Keys{
				"pack":      r.Text("pack", &p.Name),
				"about":     r.Text("about", &p.About),
				"registry":  r.Word("registry", []string{string(NPM), string(PyPI), string(Go)}, &p.Registry),
				"package":   r.Text("package", &p.Package),
				"start":     r.Text("start", &p.Start),
				"listing":   r.Text("listing", &p.Listing),
				"images":    r.Texts("images", &p.Images),
				"pinned":    r.Text("pinned", &p.Pinned),
				"with":      r.Texts("with", &p.With),
				"env":       r.Texts("env", &p.Env),
				"arguments": r.Texts("arguments", &p.Arguments),
				"files":     p.files(r),
				"versions":  r.Texts("versions", &p.Versions),
				"licence":   r.Text("licence", &p.Licence),
				"source":    r.Text("source", &p.Source),
				"notes":     r.Texts("notes", &p.Notes),
				"definitions": func(n *strictyaml.Node) {
					r.Entries(n, "definitions", func(tool string, _, v *strictyaml.Node) {
						var prints []string
						r.Texts("fingerprints", &prints)(v)
						p.definitions[tool] = prints
					})
				},
			})
			start := "start"
			if had["listing"] != nil {
				start = "listing"
			}
			for _, key := range []string{"pack", "about", "registry", "package", start, "versions", "licence", "source"} {
				if had[key] == nil {
					r.Fail(root, "write it into the header", "%s is missing", key)
				}
			}
		})
}

// files reads the files that a server needs. Their paths stay in the working directory.
func (p *Pack) files(r *strictyaml.Reader) func(*strictyaml.Node) {
	return func(n *strictyaml.Node) {
		p.Files = map[string]string{}
		r.Entries(n, "files", func(name string, k, v *strictyaml.Node) {
			if !filepath.IsLocal(name) {
				r.Fail(k, "write a path in the working directory", "%q leads out of it", name)
			}
			var text string
			r.Text("the file", &text)(v)
			p.Files[name] = text
		})
	}
}

// check holds a pack to what every pack must keep: an attacker who takes over a package that is
// in a pack gains no more by it than with a synthesized contract.
func (p *Pack) check() error {
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf(p.Name+": "+format, args...))
	}
	f := p.file
	if len(f.Settled) > 0 || f.Precision != 0 || f.Unprovoked != "" || f.Sinks != "" || f.Fingerprint != "" {
		fail("settings for the whole file would reach synthesized contracts: write them at the tools")
	}

	for i := range f.Tools {
		t := &f.Tools[i]
		if len(p.definitions[t.Name]) == 0 {
			fail("%s has no fingerprint", t.Name)
		}
		if t.Review != "" || len(t.Approved) > 0 {
			fail("%s has marks of a deployment", t.Name)
		}
		outputs := []*contract.Output{&t.Output}
		if t.Variants != nil {
			for j := range t.Variants.Cases {
				outputs = append(outputs, t.Variants.Cases[j].Output)
			}
		}

		for _, o := range outputs {
			if o != nil && tooTrusted(o) {
				fail("%s: an output has more trust than a tool's output can have", t.Name)
			}
		}
	}
	for tool := range p.definitions {
		if _, ok := f.Tool(tool); !ok {
			fail("there are fingerprints of %s, and no contract", tool)
		}
	}
	return errors.Join(errs...)
}

// tooTrusted reports whether an output is said to be better than a server can make it,
// or names members for the whole file.
func tooTrusted(o *contract.Output) bool {
	high := o.Trust > label.ToolOutput || o.Settled
	return high || slices.ContainsFunc(o.Fields, func(f contract.Field) bool { return f.Trust > label.ToolOutput })
}

// reviewed reports whether the pack reviewed a definition.
func (p *Pack) reviewed(def *schema.Tool) bool {
	return def.Fingerprint != "" && slices.Contains(p.definitions[def.Name], def.Fingerprint)
}

func (p *Pack) tool(name string) *contract.Tool {
	t, _ := p.file.Tool(name)
	return t
}

// Comparison is what of a server a pack covers.
type Comparison struct {
	// Reviewed are the tools with definitions that the pack reviewed.
	Reviewed []string
	// Changed are the tools with other definitions than the pack reviewed.
	Changed []Changed
	// New are the server's tools that the pack doesn't have, Gone the pack's that the
	// server doesn't have.
	New, Gone []string
}

// Changed is a tool whose definition is not one that the pack reviewed.
type Changed struct {
	Tool string
	// Contract are the differences between the pack's contract and the one that
	// synthesis makes of the new definition.
	Contract []contract.Change
}

// Compare says which of a server's tools the pack covers.
func (p *Pack) Compare(c *schema.Catalogue) Comparison {
	var out Comparison
	seen := map[string]bool{}
	for i := range c.Tools {
		def := &c.Tools[i]
		seen[def.Name] = true
		known := p.tool(def.Name)
		switch {
		case known == nil:
			out.New = append(out.New, def.Name)
		case p.reviewed(def):
			out.Reviewed = append(out.Reviewed, def.Name)
		default:
			before := &contract.File{Version: contract.Version, Server: c.Server, Tools: []contract.Tool{*known}}
			after := &contract.File{Version: contract.Version, Server: c.Server, Tools: []contract.Tool{synth.Tool(def, c)}}
			out.Changed = append(out.Changed, Changed{def.Name, contract.Diff(before, after)})
		}
	}

	for i := range p.file.Tools {
		if name := p.file.Tools[i].Name; !seen[name] {
			out.Gone = append(out.Gone, name)
		}
	}
	return out
}
