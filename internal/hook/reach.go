package hook

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/hook/asked"
	"github.com/remit-project/remit/internal/shell"
	"github.com/remit-project/remit/internal/strictjson"
)

// The arguments that Remit adds to a call of an agent's own tool: its reach, by
// which contracts choose variants, the addresses that it fetches, and the
// objections to it. No agent uses such names.
const (
	reserved  = "remit:"
	reachName = reserved + "reach"
	fetchName = reserved + "addresses"
	doubtName = reserved + "doubt"
)

// The reaches, mildest first.
const (
	inWorkspace = "workspace" // it reads and writes in the workspace
	atAddress   = "address"   // it also fetches what addresses have
	atWish      = "asked"     // it does more, and the user asked for all of that
	atSensitive = "sensitive" // it writes what others run or obey later
	atOutside   = "outside"   // more than that, or unknown
)

var reaches = []string{inWorkspace, atAddress, atWish, atSensitive, atOutside}

// reachedCall is a call as it is decided.
type reachedCall struct {
	arguments json.RawMessage
	// why is the reason that the call reaches beyond the workspace.
	why string
}

// reach determines a call's reach and adds it to the arguments. It replaces paths
// by what a person would write for their real location.
func reach(c *contract.Compiled, raw json.RawMessage, w *workspace, programs *shell.Programs, h *history) (reachedCall, error) {
	doc, err := strictjson.Parse(raw, strictjson.DefaultLimits())
	if err != nil || doc.Root().Kind() != strictjson.Object {
		return reachedCall{arguments: raw}, nil // which is refused when it is decided
	}
	x := &reaching{w: w, programs: programs, history: h, far: inWorkspace, dir: w.dir}
	v, _ := c.Variant(inWorkspace, true)
	if v == nil {
		return reachedCall{}, fmt.Errorf("the contract of %s has no case %q", c.Tool.Name, inWorkspace)
	}

	for _, leaf := range doc.Leaves() {
		if strings.HasPrefix(leaf.Pointer, "/"+reserved) {
			return reachedCall{}, fmt.Errorf("the argument %q is Remit's own: leave it out", leaf.Pointer[1:])
		}
	}
	paths, lines := forms(v, doc)
	if len(paths)+len(lines) == 0 && v.Effect != contract.Read {
		return reachedCall{}, fmt.Errorf("it doesn't say what %s writes or runs: name the file, or the command", c.Tool.Name)
	}

	for _, leaf := range paths {
		if x.path(leaf, v.Effect != contract.Read && len(lines) == 0); len(lines) > 0 {
			x.enter(leaf.Text)
		}
	}
	for _, leaf := range lines {
		x.line(leaf.Text)
	}

	if wish, _ := c.Variant(atWish, true); wish == nil && x.far == atWish {
		x.far = atOutside // a contract of one's own that is older
	}
	return reachedCall{x.rewrite(raw, doc), x.why}, nil
}

// forms returns the arguments that are paths, and those that are command lines.
func forms(v *contract.Variant, doc *strictjson.Document) (paths, lines []strictjson.Leaf) {
	for _, leaf := range doc.Leaves() {
		a, ok := v.Match(leaf.Pointer)
		switch {
		case !ok || leaf.Kind != strictjson.String:
		case a.Form == contract.Path:
			paths = append(paths, leaf)
		case a.Form == contract.Shell:
			lines = append(lines, leaf)
		}
	}
	return paths, lines
}

type reaching struct {
	w         *workspace
	programs  *shell.Programs
	history   *history
	far, why  string
	doubt     string // what speaks against it; empty when nothing does
	dir       string // where commands are run
	addresses []string
	edits     []strictjson.Edit
}

func (x *reaching) raise(to, why string) {
	if slices.Index(reaches, to) > slices.Index(reaches, x.far) {
		x.far, x.why = to, why
	}
}

// enter sets the directory that a command runs in.
func (x *reaching) enter(dir string) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(x.dir, dir)
	}
	x.dir = dir
}

func (x *reaching) line(text string) {
	line, err := shell.Read(text)
	if err != nil {
		x.raise(atOutside, err.Error())
		return
	}
	x.w.written = nil
	r := x.programs.Reach(line, x.w.shellPlace(x.dir))
	if r.Outside != "" {
		x.checkOutside(&r)
	}

	if len(r.Built) > 0 && x.doubt == "" {
		if x.doubt = x.forbidden(&r); x.doubt == "" {
			x.doubt = x.history.doubts(&r, x.w.written, never)
		}
		if x.doubt != "" {
			x.why = x.doubt
		}
	}

	for _, address := range r.Addresses {
		// The host and the path may be the user's, and the query a secret.
		if strings.Contains(address, "?") && !x.history.mentions(address) {
			x.raise(atOutside, fmt.Sprintf("%q asks something that the user did not write", address))
		}
	}

	if x.addresses = append(x.addresses, r.Addresses...); len(r.Addresses) > 0 {
		x.raise(atAddress, fmt.Sprintf("it fetches %q", r.Addresses[0]))
	}
}

// forbidden says that the user forbids a command of a line that stays in the workspace; empty where
// none is.
func (x *reaching) forbidden(r *shell.Reach) string {
	table, err := asked.Known()
	if err != nil {
		return err.Error()
	}
	prompts, _ := x.history.promptTexts()
	if slices.ContainsFunc(r.Built, func(b shell.Built) bool { return table.Forbids(prompts, b) }) {
		return "the user said not to run it"
	}
	return ""
}

// checkOutside checks a line that leads out of the workspace: whether the user
// asked for every command that does.
func (x *reaching) checkOutside(r *shell.Reach) {
	table, err := asked.Known()
	if err != nil {
		x.raise(atOutside, err.Error())
		return
	}
	prompts, seqs := x.history.promptTexts()

	place := asked.Place{Root: x.w.root(), Branch: x.w.branch(), Name: func(dir, path string) (string, bool) {
		p := x.w.place(dir, path)
		return p.name, p.inside
	}}
	for _, far := range r.Far {
		a := table.Find(prompts, far, place)
		if a.Doubt {
			x.doubt = "the user speaks of it, and does not ask for it"
		}
		if a.Prompt < 0 || len(r.Addresses) > 0 {
			x.raise(atOutside, r.Outside)
			return
		}
		if far.Runs && !far.Brings && x.doubt == "" {
			x.doubt = x.history.doubts(r, x.w.written, seqs[a.Prompt])
		}
	}
	x.raise(atWish, "the user asked for it")
}

// path checks a path, or the fixed prefix of a pattern.
func (x *reaching) path(leaf strictjson.Leaf, write bool) {
	text := leaf.Text
	if i := strings.IndexAny(text, "*?[{"); i >= 0 && !write {
		if strings.Contains(text[i:], "..") {
			x.raise(atOutside, fmt.Sprintf("%q may lead out of the workspace", text))
			return
		}
		text = text[:strings.LastIndexByte(text[:i], '/')+1]
		if x.w.place(x.w.dir, text).inside && x.w.matches(x.w.dir, leaf.Text) {
			return
		}
		text = leaf.Text
	}

	p := x.w.place(x.w.dir, text)
	x.edits = append(x.edits, strictjson.Replacement(leaf.Start, leaf.End, strictjson.Quotes(p.name)))
	if !p.inside {
		x.raise(atOutside, fmt.Sprintf("%q is outside of the workspace", p.name))
		return
	}
	if !write {
		return
	}

	if why := x.w.writable(p.name); why != "" {
		x.raise(atSensitive, fmt.Sprintf("what stands in %q is run or obeyed later: %s", p.name, why))
	}
}

// rewrite writes the findings into the arguments.
func (x *reaching) rewrite(raw json.RawMessage, doc *strictjson.Document) json.RawMessage {
	added := strictjson.Quotes(reachName) + ":" + strictjson.Quotes(x.far)
	if x.far == atAddress {
		// Where the call reaches further, the command as a whole decides.
		added += "," + strictjson.Quotes(fetchName) + ":[" + strictjson.Quotes(x.addresses...) + "]"
	}
	if x.doubt != "" {
		added += "," + strictjson.Quotes(doubtName) + ":" + strictjson.Quotes(x.doubt)
	}
	if leaves := doc.Leaves(); len(leaves) > 1 || leaves[0].Pointer != "" {
		added += ","
	}
	at := strings.IndexByte(string(raw), '{') + 1
	return strictjson.Apply(raw, append(x.edits, strictjson.Replacement(at, at, added)))
}
