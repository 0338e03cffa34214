package remit

import (
	"cmp"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/discharge"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
)

// Options configure a [Monitor]. The zero value is the strictest sensible
// monitor, which knows no tool and denies every call.
type Options struct {
	// Contracts are the contracts of the tools, one file for each server.
	Contracts []*contract.File
	// Tools are the tool definitions that are in force. With them, an argument
	// that the schema doesn't list is denied and a definition that changed
	// since its contract was made is fenced off. Without them, the contracts'
	// own patterns are all that is known.
	Tools []*schema.Catalogue
	// Precision is for contracts that don't say; L3 when unset.
	Precision label.Precision
	// Sinks and Unprovoked are the global rules' modes for contracts that don't
	// say; Ask when unset.
	Sinks, Unprovoked contract.Mode
	// Mentions says whether a value that the user mentioned, in no request for what the
	// call does, is asked about: Ask (when unset) or Off.
	Mentions contract.Mode
	// UnseenUser is for enforcement points that don't see all of the user's words. A
	// value that nothing explains may then come from any author, and is EXTERNAL from
	// the first call on.
	UnseenUser bool
	// Reviewed is set when a person has read the definitions in Tools and takes them
	// for the deployment's own text. Otherwise a definition is text of the server's
	// author: it vouches for nothing, from the first call on.
	Reviewed bool
	// ReviewedDefinitions are the fingerprints of the definitions that a person has read, where
	// Reviewed is not set for all.
	ReviewedDefinitions []string
	// Guards are the company's policies for calls. Reader makes their look-ups and Judge answers
	// their questions; a rule that needs one that isn't set fails. An enforcement point with one
	// for each conversation sets it by [Monitor.With].
	Guards *guard.Set
	Reader guard.Reader
	Judge  guard.Judge
	// Scopes says what the scopes of the user's turns are for. When empty, it is
	// [scope.ModeBound] with a planner and [scope.ModeOff] without.
	Scopes scope.Mode
	// Planner writes the scope of each of the user's turns; nil where the trusted side gives them
	// by [Session.Scope], or where there are none. Of servers that Tools leaves out it is shown the
	// names and arguments in their Contracts.
	Planner scope.Planner
	// PlanTime is how long a decision waits for the planner, counted from the question;
	// [scope.DefaultPlanTime] when zero.
	PlanTime time.Duration
	// Confirm asks a person. When nil, Ask stays Ask.
	Confirm Confirmer
	// Now is the clock for relative dates and expiries; [time.Now] when nil.
	Now func() time.Time
}

// Confirmer asks a person about a decision. Enforcement points implement it.
// Confirm must return false, or an error, unless the person clearly agreed.
type Confirmer interface {
	Confirm(ctx context.Context, d *Decision) (bool, error)
}

// Call is a tool call that a model proposes.
type Call struct {
	// ID identifies the call within the session; results refer to it. When it is
	// empty, the session gives the call a number: "c1", "c2" and so on.
	ID string `json:"id,omitempty"`
	// Server is needed only when two servers offer a tool of the same name.
	Server    string          `json:"server,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Message names the model's message that the call is in, by any name that no other
	// message of the session has, and Beside is what the model says to the user in it. For
	// guards, calls with the same Message are made together. Without a Message, those are
	// that came since the model last heard anything, and so is the text beside the call.
	Message string `json:"message,omitempty"`
	Beside  string `json:"beside,omitempty"`
	// Past is set by an enforcement point that learns of a session from a history which
	// others kept: the call was decided and made elsewhere, or not. Guards don't hold it
	// to their rules, which are about the time of a call, and see it as made.
	Past bool `json:"past,omitempty"`
	// Point names the kind of enforcement point that decides the call, where others share the session:
	// one that another kind decided before, and handed on, is that call, and counts once. Empty, it is a call
	// of its own. Only an enforcement point may set it, never an agent.
	Point string `json:"point,omitempty"`
}

// Result is what a call returned.
type Result struct {
	// Call is the id of the call that was allowed.
	Call string `json:"call"`
	// Content is the text that the model sees.
	Content string `json:"content,omitempty"`
	// Structured is the same as JSON, where the tool gives it (MCP's
	// structuredContent).
	Structured json.RawMessage `json:"structured,omitempty"`
	// Failed says whether the call failed, where the tool or the one that ran it says so in a member of its own
	// (MCP's isError); nil if nothing tells, so that what the result says counts. Guards read it: a yes is used up
	// by a call that succeeded.
	Failed *bool `json:"failed,omitempty"`
	// Stored is the label of what other sessions left where the call read; nil when
	// nothing is known of it. It can only lower the label of the result.
	Stored *Stored `json:"stored,omitempty"`
	// Suspended says that the call has not run: its tool waits, for a person as a rule, and
	// will be called again. Nothing was returned then. The call may be proposed once more
	// under its id, with the same arguments, and is decided then; until then it may not run.
	// Only the enforcement point can know, which runs the tool.
	Suspended bool `json:"suspended,omitempty"`
}

// Monitor decides calls by contracts. It is immutable and safe for concurrent use:
// all state is in its sessions.
type Monitor struct {
	*deployment
	confirm  Confirmer
	now      func() time.Time
	reader   guard.Reader
	judge    guard.Judge
	planner  scope.Planner
	planTime time.Duration
}

// deployment is what holds for every decision of a monitor. It is immutable.
type deployment struct {
	tools       map[string][]*binding // by tool name; several when servers share it
	unseen      bool
	lenient     bool                // a mention is enough
	hearsay     *provenance.Hearsay // definitions that no person reviewed; nil where there are none
	classes     *label.Classes
	obligations *label.ObligationNames
	procedures  []discharge.Procedure
	guards      *guard.Set
	scopes      scope.Mode
	catalogues  []*schema.Catalogue
	planTools   []scope.Tool // as a planner sees them; nil without one
	planDigest  string
}

// With returns the monitor with another reader and judge for its guards. Either
// monitor can restore the sessions of the other.
func (m *Monitor) With(r guard.Reader, j guard.Judge) *Monitor {
	other := *m
	other.reader, other.judge = r, j
	return &other
}

// Unseen returns the monitor with [Options.UnseenUser] set. Either monitor can
// restore the sessions of the other.
func (m *Monitor) Unseen() *Monitor {
	other, d := *m, *m.deployment
	d.unseen = true
	other.deployment = &d
	return &other
}

// Guards returns the company's policies that the monitor holds calls to; nil when
// there are none.
func (m *Monitor) Guards() *guard.Set { return m.guards }

// binding is a tool with its contract and its definition.
type binding struct {
	server     string
	contract   *contract.Compiled
	definition *schema.Tool // nil when no catalogue was given
	// defaults are the values of arguments that a call leaves out, by the JSON that the definition has
	// for them.
	defaults map[string]string
	// usual returns the usual values of arguments, by the definitions of the tool's server; nil when
	// no catalogue was given.
	usual  func() schema.Usual
	origin label.Origins
	// acts are what the tool's variants do, as requests are held against it.
	acts map[*contract.Variant]provenance.Act
	// changed says why the tool is fenced off; empty when it isn't.
	changed string
	// unlisted is set when the server's catalogue doesn't have the tool.
	unlisted bool
}

// effects are those of contracts, as the user's requests are held against them.
var effects = map[contract.Effect]provenance.Effect{
	contract.Read: provenance.Reads, contract.Write: provenance.Writes, contract.Destructive: provenance.Destroys,
	contract.Execute: provenance.Executes, contract.Egress: provenance.Sends,
}

// newAct returns what a variant of the tool does, by its name and by what its
// definition says of it.
func (b *binding) newAct(v *contract.Variant) provenance.Act {
	about := ""
	if b.definition != nil {
		about = b.definition.Description
	}
	return provenance.NewAct(b.contract.Tool.Name, v.Value, effects[v.Effect], about)
}

// actOf returns what a variant of the tool does.
func (b *binding) actOf(v *contract.Variant) provenance.Act {
	if a, ok := b.acts[v]; ok {
		return a
	}
	return b.newAct(v)
}

// prepareActs works out once what each variant of the tool does.
func (b *binding) prepareActs() {
	prepare := func(verb string, present bool) {
		if v, ok := b.contract.Variant(verb, present); ok && v != nil {
			b.acts[v] = b.newAct(v)
		}
	}
	prepare("", false)
	for _, verb := range b.contract.Variants() {
		prepare(verb, true)
	}
}

// reviewed reports whether a person has read a tool's definition.
func (o *Options) reviewed(t *schema.Tool) bool {
	return o.Reviewed || (t.Fingerprint != "" && slices.Contains(o.ReviewedDefinitions, t.Fingerprint))
}

// unreviewed returns the tools whose definitions no person has read.
func (o *Options) unreviewed() []*schema.Tool {
	var out []*schema.Tool
	for _, c := range o.Tools {
		for i := range c.Tools {
			if t := &c.Tools[i]; !o.reviewed(t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// definitionTexts returns the texts that the definitions of tools show a model.
func definitionTexts(tools []*schema.Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Description, t.Title)
		for _, p := range t.Places() {
			out = append(out, p.Node.Description, p.Node.Title)
		}
	}
	return out
}

// mistakes returns what is wrong with the options themselves. A misspelt word would otherwise
// count as another one, which may be the milder.
func (o *Options) mistakes() []error {
	var errs []error
	if !o.Precision.Valid() {
		errs = append(errs, fmt.Errorf("unknown precision %s: set Precision to L0, L1, L2 or L3", o.Precision))
	}
	for _, word := range []struct {
		option string
		text   string
		known  encoding.TextUnmarshaler
	}{
		{"Sinks", string(o.Sinks), new(contract.Mode)},
		{"Unprovoked", string(o.Unprovoked), new(contract.Mode)},
		{"Mentions", string(o.Mentions), new(contract.Mode)},
		{"Scopes", string(o.Scopes), new(scope.Mode)},
	} {
		if word.text == "" {
			continue
		}
		if err := word.known.UnmarshalText([]byte(word.text)); err != nil {
			errs = append(errs, fmt.Errorf("option %s: %w", word.option, err))
		}
	}
	if o.Mentions == contract.Deny {
		errs = append(errs, errors.New("a mention can be asked about, not denied: set Mentions to ask or off"))
	}

	servers := map[string]bool{}
	for _, c := range o.Tools {
		if servers[c.Server] {
			errs = append(errs, fmt.Errorf("server %q has two catalogues: put its tools into one", c.Server))
		}
		servers[c.Server] = true
	}
	return errs
}

// New returns a monitor. The error names every mistake in the options.
func New(o Options) (*Monitor, error) {
	m := &Monitor{
		deployment: &deployment{
			tools: map[string][]*binding{}, unseen: o.UnseenUser, lenient: o.Mentions == contract.Off,
			classes: classesOf(o.Contracts), obligations: &label.ObligationNames{},
			procedures: discharge.Procedures(), guards: o.Guards,
			scopes: o.Scopes, catalogues: o.Tools,
		},
		confirm: o.Confirm, now: o.Now, reader: o.Reader, judge: o.Judge,
		planner: o.Planner, planTime: cmp.Or(o.PlanTime, scope.DefaultPlanTime),
	}
	if o.Planner != nil && o.Scopes == "" {
		m.scopes = scope.ModeBound
	}
	if unread := o.unreviewed(); len(unread) > 0 {
		m.hearsay = provenance.NewHearsay(definitionTexts(unread))
	}
	if m.now == nil {
		m.now = time.Now
	}

	defaults := contract.Defaults{
		Precision:  cmp.Or(o.Precision, label.L3),
		Unprovoked: cmp.Or(o.Unprovoked, contract.Ask),
		Sinks:      cmp.Or(o.Sinks, contract.Ask),
		Classes:    m.classes, Obligations: m.obligations,
	}
	catalogues := map[string]*schema.Catalogue{}
	for _, c := range o.Tools {
		catalogues[c.Server] = c
	}

	errs := o.mistakes()
	seen := map[string]bool{}
	for _, f := range o.Contracts {
		if seen[f.Server] {
			errs = append(errs, fmt.Errorf("server %q has two contract files: keep one", f.Server))
			continue
		}

		seen[f.Server] = true
		compiled, err := contract.Compile(f, defaults)
		if err != nil {
			errs = append(errs, fmt.Errorf("contracts of server %q: %w", f.Server, err))
			continue
		}
		catalogue := catalogues[f.Server]
		var usual func() schema.Usual
		if catalogue != nil {
			usual = sync.OnceValue(catalogue.Usual)
		}
		for i := range f.Tools {
			t := &f.Tools[i]
			b := &binding{acts: map[*contract.Variant]provenance.Act{}, server: f.Server, contract: compiled[t.Name], usual: usual, origin: m.classes.Origin(label.ToolOrigin(f.Server, t.Name))}
			b.bind(catalogue, t)
			b.prepareActs()
			m.tools[t.Name] = append(m.tools[t.Name], b)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if m.takesScopes() {
		if m.catalogues, errs = outlined(o.Tools, o.Contracts); errs != nil {
			return nil, errors.Join(errs...)
		}
		m.planDigest = planDigest(m.catalogues)
	}
	if m.planner != nil {
		m.planTools = m.plannerTools(&o)
	}
	return m, nil
}

// classesOf returns the origin classes of the contracts' tools.
func classesOf(files []*contract.File) *label.Classes {
	var names []string
	for _, f := range files {
		for i := range f.Tools {
			names = append(names, label.ToolOrigin(f.Server, f.Tools[i].Name))
		}
	}
	return label.NewClasses(names...)
}

// bind looks the tool's definition up in its server's catalogue.
func (b *binding) bind(c *schema.Catalogue, t *contract.Tool) {
	if c == nil {
		return
	}
	definition, ok := c.Tool(t.Name)
	switch {
	case !ok:
		b.unlisted = true
		b.changed = "the server no longer offers this tool"
		return
	case t.Fingerprint != "" && t.Fingerprint != definition.Fingerprint:
		b.changed = "the tool's definition has changed since its contract was made"
	}
	b.definition, b.defaults = definition, defaultsOf(definition)
}

// Now returns the time by the monitor's clock.
func (m *Monitor) Now() time.Time { return m.now() }

// find returns the tool of a call. A name that several servers share names no tool
// without the server.
func (d *deployment) find(server, tool string) (*binding, bool) {
	list := d.tools[tool]
	if server == "" && len(list) == 1 {
		return list[0], true
	}
	for _, b := range list {
		if b.server == server {
			return b, true
		}
	}
	return nil, false
}
