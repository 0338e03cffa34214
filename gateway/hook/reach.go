package hook

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/gateway/jsonc"
	"github.com/remit-project/remit/shell"
	"github.com/remit-project/remit/strictjson"
)

// The arguments that Remit adds to a call of an agent's own tool: how far it
// reaches, by which contracts tell its variants apart, and what it fetches. No
// agent has arguments of such names.
const (
	reserved  = "remit:"
	reachName = reserved + "reach"
	fetchName = reserved + "addresses"
)

// The reaches, mildest first.
const (
	inWorkspace = "workspace" // it reads and writes in the workspace
	atAddress   = "address"   // it also fetches what addresses have
	atSensitive = "sensitive" // it writes what others run or obey later
	atOutside   = "outside"   // more than that, or unknown
)

var reaches = []string{inWorkspace, atAddress, atSensitive, atOutside}

// seen is a call as it is decided.
type seen struct {
	arguments json.RawMessage
	// why says what makes the call reach further than the workspace.
	why string
}

// reach finds out how far a call reaches, and writes it into its arguments.
// Paths become what a person would write for where they really lead.
func reach(c *contract.Compiled, raw json.RawMessage, w *workspace, programs *shell.Programs) (seen, error) {
	doc, err := strictjson.Parse(raw, strictjson.DefaultLimits())
	if err != nil || doc.Root() != strictjson.Object {
		return seen{arguments: raw}, nil // which is refused when it is decided
	}
	x := &reaching{w: w, programs: programs, far: inWorkspace, dir: w.dir}
	v, _ := c.Variant(inWorkspace, true)
	if v == nil {
		return seen{}, fmt.Errorf("the contract of %s has no case %q", c.Tool.Name, inWorkspace)
	}
	var paths, lines []strictjson.Leaf
	for _, leaf := range doc.Leaves() {
		if strings.HasPrefix(leaf.Pointer, "/"+reserved) {
			return seen{}, fmt.Errorf("the argument %q is Remit's own: leave it out", leaf.Pointer[1:])
		}
		a, ok := v.Match(leaf.Pointer)
		if !ok || leaf.Kind != strictjson.String {
			continue
		}
		switch a.Form {
		case contract.Path:
			paths = append(paths, leaf)
		case contract.Shell:
			lines = append(lines, leaf)
		}
	}
	if len(paths)+len(lines) == 0 && v.Effect != contract.Read {
		return seen{}, fmt.Errorf("it doesn't say where %s writes: name the file", c.Tool.Name)
	}
	for _, leaf := range paths {
		if x.path(leaf, v.Effect != contract.Read && len(lines) == 0); len(lines) > 0 {
			x.enter(leaf.Text)
		}
	}
	for _, leaf := range lines {
		x.line(leaf.Text)
	}
	return seen{x.rewrite(raw, doc), x.why}, nil
}

type reaching struct {
	w         *workspace
	programs  *shell.Programs
	far, why  string
	dir       string // where commands are run
	addresses []string
	edits     []jsonc.Edit
}

func (x *reaching) further(to, why string) {
	if slices.Index(reaches, to) > slices.Index(reaches, x.far) {
		x.far, x.why = to, why
	}
}

// enter goes to the directory that a command is run in.
func (x *reaching) enter(dir string) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(x.dir, dir)
	}
	x.dir = dir
}

func (x *reaching) line(text string) {
	line, err := shell.Read(text)
	if err != nil {
		x.further(atOutside, err.Error())
		return
	}
	r := x.programs.Reach(line, x.w.at(x.dir))
	if r.Outside != "" {
		x.further(atOutside, r.Outside)
	}
	if x.addresses = append(x.addresses, r.Addresses...); len(r.Addresses) > 0 {
		x.further(atAddress, fmt.Sprintf("it fetches %q", r.Addresses[0]))
	}
}

// path looks at a path, or at a pattern up to where it is open.
func (x *reaching) path(leaf strictjson.Leaf, write bool) {
	text := leaf.Text
	if i := strings.IndexAny(text, "*?[{"); i >= 0 && !write {
		if strings.Contains(text[i:], "..") {
			x.further(atOutside, fmt.Sprintf("%q may lead out of the workspace", text))
			return
		}
		text = text[:strings.LastIndexByte(text[:i], '/')+1]
		if x.w.place(x.w.dir, text).inside && x.w.matches(x.w.dir, leaf.Text) {
			return
		}
		text = leaf.Text
	}
	p := x.w.place(x.w.dir, text)
	x.edits = append(x.edits, jsonc.Replace(leaf.Start, leaf.End, jsonc.Quote(p.name)))
	if !p.inside {
		x.further(atOutside, fmt.Sprintf("%q is outside of the workspace", p.name))
		return
	}
	if !write {
		return
	}
	if why := x.w.writable(p.name); why != "" {
		x.further(atSensitive, fmt.Sprintf("what stands in %q is run or obeyed later: %s", p.name, why))
	}
}

// rewrite puts what was found into the arguments.
func (x *reaching) rewrite(raw json.RawMessage, doc *strictjson.Document) json.RawMessage {
	added := jsonc.Quote(reachName) + ":" + jsonc.Quote(x.far)
	if x.far == atAddress {
		// Where the call reaches further, the command as a whole decides.
		added += "," + jsonc.Quote(fetchName) + ":[" + jsonc.Quote(x.addresses...) + "]"
	}
	if leaves := doc.Leaves(); len(leaves) > 1 || leaves[0].Pointer != "" {
		added += ","
	}
	at := strings.IndexByte(string(raw), '{') + 1
	return jsonc.Apply(raw, append(x.edits, jsonc.Replace(at, at, added)))
}
