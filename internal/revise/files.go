// Package revise changes contracts that are in use: the file that an edit makes, and what
// the calls of the past would have come to under it.
package revise

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/definitions"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

var (
	// ErrNone is returned for a server, a tool or an argument that has no contract.
	ErrNone = errors.New("there is no such contract")
	// ErrMoved is returned where the file is no longer what the person was shown.
	ErrMoved = errors.New("the contract file has been changed meanwhile: look at it again")
	// ErrBroken is returned for a contract file that can't be read, with the mistake.
	ErrBroken = errors.New("the contract file can't be read")
	// ErrReadOnly is returned where files may not be written from here.
	ErrReadOnly = errors.New("contract files may not be written from here: take the patch")
)

// Files are a deployment's contracts. They are safe for concurrent use.
type Files struct {
	write bool

	mu   sync.Mutex
	list []*contract.File
	// names are the files of servers; a contract that was made has none.
	names map[string]string
}

// Made are contracts that are in no files, such as those made from definitions.
func Made(list []*contract.File) *Files { return &Files{list: list, names: map[string]string{}} }

// Open reads the contract files at a path, which may be written if write is set.
func Open(path string, write bool) (*Files, error) {
	names, err := inputs.ContractFiles(path)
	if err != nil {
		return nil, err
	}
	list, err := inputs.Contracts(path)
	if err != nil {
		return nil, err
	}
	out := &Files{write: write, list: list, names: map[string]string{}}
	for i, f := range list {
		out.names[f.Server] = names[i]
	}
	return out, nil
}

// Held returns the contracts of a program that runs, which come with [Files.Put] as they come
// into force. The names are the files of servers; one may not be there yet.
func Held(names map[string]string, write bool) *Files { return &Files{write: write, names: names} }

// Put takes a contract that has come into force.
func (f *Files) Put(c *contract.File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = with(f.list, c)
}

// List returns the contracts, as they were read or written last.
func (f *Files) List() []*contract.File {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list)
}

// Writable reports whether edits can be written to their files.
func (f *Files) Writable() bool { return f != nil && f.write }

// find returns the contract of a server and its text, as its file is now.
func (f *Files) find(server string) (file *contract.File, name string, text []byte, err error) {
	at := slices.IndexFunc(f.list, func(l *contract.File) bool { return l.Server == server })
	if at < 0 {
		return nil, "", nil, ErrNone
	}
	name = f.names[server]
	if name == "" {
		text, err = f.list[at].Marshal()
		return f.list[at], "", text, err
	}

	text, err = inputs.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = f.list[at].Marshal()
		return f.list[at], "", text, err
	}
	if err == nil {
		file, err = contract.Load(name, text)
	}
	if err != nil {
		return nil, "", nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if file.Server != server {
		err = ErrMoved
	}
	return file, name, text, err
}

// File returns the name of a server's contract file; empty where none is known.
func (f *Files) File(server string) string {
	if f == nil {
		return ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.names[server]
}

// Definitions returns what is kept of the definitions of a server's tools, by their names.
func (f *Files) Definitions(server string) (map[string]definitions.Tool, error) {
	name := f.File(server)
	if name == "" {
		return nil, nil // a contract that was made is in no file
	}
	return definitions.Read(name)
}

// catalogues returns the definitions of tools as far as they are kept, the reviewed ones: rules
// that look things up are compiled by them.
func (f *Files) catalogues() []*schema.Catalogue {
	var out []*schema.Catalogue
	for _, file := range f.List() {
		kept, _ := f.Definitions(file.Server) // without them a rule says what it lacks
		var texts []json.RawMessage
		for _, name := range slices.Sorted(maps.Keys(kept)) {
			if d := kept[name].Reviewed; d != nil && len(d.Text) > 0 {
				texts = append(texts, d.Text)
			}
		}
		if len(texts) > 0 {
			c, _ := schema.ParseEach(file.Server, texts, schema.Parse)
			out = append(out, c)
		}
	}
	return out
}

// Edit is what a person changes in the contract of one tool.
type Edit struct {
	Server string `json:"-"`
	Tool   string `json:"-"`
	// Args are the arguments with another role or floor.
	Args []Arg `json:"args"`
	// Reviewed takes the marks for a review off the tool.
	Reviewed bool `json:"reviewed,omitempty"`
	// Base is the digest of the file that the person was shown; empty for the present one.
	Base string `json:"base,omitempty"`
}

// Arg is the role and the floor that an argument gets.
type Arg struct {
	// Variant is the value of the tool's variant that the argument belongs to; empty for
	// the tool's own arguments.
	Variant string      `json:"variant,omitempty"`
	Pattern string      `json:"pattern"`
	Role    label.Role  `json:"role"`
	Floor   label.Trust `json:"floor"`
}

// Proposal is the file that an edit makes.
type Proposal struct {
	// Contract is the contract as it will be, and Was as it is.
	Contract *contract.File `json:"-"`
	Was      *contract.File `json:"-"`
	// File is the name of its file; empty where it is in none.
	File string `json:"file,omitempty"`
	// Base is the digest of the text that is changed, and Digest that of the new one.
	Base   string `json:"base"`
	Digest string `json:"digest"`
	// was is the text that is changed.
	was []byte
	// Text is the whole file as it will be, and Patch the difference.
	Text  []byte `json:"-"`
	Patch string `json:"patch"`
	// Changes are the differences in the words of contracts.
	Changes []contract.Change `json:"-"`
	// Unsettled says why a review could not be noted beside the contract, where that failed: the
	// file itself was written, and the next listing of the tools makes good for it.
	Unsettled error `json:"-"`
}

// Laxer reports whether calls may pass that did not before.
func (p *Proposal) Laxer() bool {
	return slices.ContainsFunc(p.Changes, func(c contract.Change) bool { return c.Laxer })
}

// Propose makes the file that an edit leads to. It writes nothing.
func (f *Files) Propose(e Edit) (*Proposal, error) {
	if f == nil {
		return nil, ErrNone
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.propose(e)
}

func (f *Files) propose(e Edit) (*Proposal, error) {
	was, name, old, err := f.find(e.Server)
	if err != nil {
		return nil, err
	}
	p := &Proposal{Was: was, File: name, was: old, Base: digest(old)}
	if e.Base != "" && e.Base != p.Base {
		return nil, ErrMoved
	}
	edited := was.Clone()
	if err := e.apply(edited); err != nil {
		return nil, err
	}

	// What was not changed stays as it was written down, byte for byte.
	shown := filepath.Base(e.Server + ".yaml")
	p.Changes, p.Text, p.Contract = contract.Diff(was, edited), old, was
	if len(p.Changes) > 0 {
		if p.Text, err = edited.MarshalOver(shown, old); err != nil {
			return nil, err
		}
		// A file that can't be read again must not get to where it is in force.
		if p.Contract, err = contract.Load(shown, p.Text); err != nil {
			return nil, err
		}
	}
	p.Digest = digest(p.Text)
	p.Patch = string(diff.Diff("a/"+shown, old, "b/"+shown, p.Text))
	return p, nil
}

// apply changes the contract of the tool.
func (e *Edit) apply(f *contract.File) error {
	t, ok := f.Tool(e.Tool)
	if !ok {
		return ErrNone
	}
	for _, a := range e.Args {
		args := t.Args
		if a.Variant != "" {
			if args = variant(t, a.Variant); args == nil {
				return fmt.Errorf("%w: the tool has no variant %q", ErrNone, a.Variant)
			}
		}
		at := slices.IndexFunc(args, func(have contract.Arg) bool { return have.Pattern == a.Pattern })
		if at < 0 {
			return fmt.Errorf("%w: the tool has no argument %q", ErrNone, a.Pattern)
		}
		args[at].Role, args[at].Floor = a.Role, a.Floor
	}

	if e.Reviewed {
		for _, mark := range Marks(t) {
			*mark = ""
		}
	}
	return nil
}

// variant returns the arguments of a variant; nil where it has none.
func variant(t *contract.Tool, value string) []contract.Arg {
	if t.Variants == nil {
		return nil
	}
	at := slices.IndexFunc(t.Variants.Cases, func(c contract.Case) bool { return c.Value == value })
	if at < 0 {
		return nil
	}
	return t.Variants.Cases[at].Args
}

// Marks returns the places of a tool that are marked for a review, each with its mark: the tool
// itself, its arguments and its result, and those of its variants.
func Marks(t *contract.Tool) iter.Seq2[string, *string] {
	return func(yield func(string, *string) bool) {
		// A mark that is taken off must not end the others.
		more := true
		add := func(place string, mark *string) {
			if more && *mark != "" {
				more = yield(strings.TrimSpace(place), mark)
			}
		}
		list := func(variant string, args []contract.Arg, output *contract.Output) {
			for i := range args {
				add(variant+" "+args[i].Pattern, &args[i].Review)
			}
			if output != nil {
				add(variant+" the result", &output.Review)
			}
		}

		add("", &t.Review)
		list("", t.Args, &t.Output)
		if t.Variants == nil {
			return
		}
		for i := range t.Variants.Cases {
			c := &t.Variants.Cases[i]
			add(c.Value, &c.Review)
			list(c.Value, c.Args, c.Output)
		}
	}
}

// digest names a text by what is in it.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Write writes an edit to its file. The note is called with what will be written, before it is:
// nothing is written without a note.
func (f *Files) Write(e Edit, note func(*Proposal) error) (*Proposal, error) {
	if !f.Writable() {
		return nil, ErrReadOnly
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p, err := f.propose(e)
	if err != nil || p.Digest == p.Base {
		return p, err
	}
	if p.File == "" {
		return nil, ErrReadOnly
	}

	if err := note(p); err != nil {
		return nil, err
	}
	err = atomicfile.Replace(p.File, p.was, p.Text)
	switch {
	case errors.Is(err, atomicfile.ErrChanged):
		return nil, ErrMoved
	case err != nil:
		return nil, err
	}
	at := slices.IndexFunc(f.list, func(l *contract.File) bool { return l.Server == e.Server })
	f.list[at] = p.Contract
	if e.Reviewed {
		p.Unsettled = definitions.Settle(p.File)
	}
	return p, nil
}
