package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/label"
)

// Change is one difference between two contract files.
type Change struct {
	// Tool is the tool's name; empty for a setting of the file.
	Tool string
	// Path is the changed part of the tool, for example "args /to/* floor".
	Path string
	// Old and New are the values in the file's syntax; empty if there is none.
	Old, New string
	// Security is set if the change affects enforcement: everything except reasons
	// and review marks.
	Security bool
	// Laxer is set if the change may allow calls that were not allowed before, and
	// in case of doubt. Removing a tool or an argument is not laxer, because a call
	// without a contract is denied.
	Laxer bool
}

// String formats the change as one line and marks laxer changes with "!".
func (c Change) String() string {
	mark := " "
	if c.Laxer {
		mark = "!"
	}
	where := strings.TrimSpace(c.Tool + " " + c.Path)
	switch {
	case c.Old == "":
		return fmt.Sprintf("%s %s: added %s", mark, where, c.New)
	case c.New == "":
		return fmt.Sprintf("%s %s: removed %s", mark, where, c.Old)
	}
	return fmt.Sprintf("%s %s: %s → %s", mark, where, c.Old, c.New)
}

// Diff returns the changes from a to b: file settings first, then tools in the
// order of b, then tools that only a has. The order of entries within a file
// doesn't matter.
func Diff(a, b *File) []Change {
	d := &differ{}
	d.text("server", a.Server, b.Server, a.Server != b.Server)
	d.text("fingerprint", a.Fingerprint, b.Fingerprint, b.Fingerprint == "")
	d.precision(a.Precision, b.Precision, label.PrecisionUnset, label.PrecisionUnset)
	d.mode("unprovoked", a.Unprovoked, b.Unprovoked, "", "")
	d.mode("sinks", a.Sinks, b.Sinks, "", "")
	d.list("settled", a.Settled, b.Settled, len(missing(b.Settled, a.Settled)) > 0)

	for i := range b.Tools {
		now := &b.Tools[i]
		d.tool = now.Name
		if was, ok := a.Tool(now.Name); ok {
			d.compare(a, b, was, now)
		} else {
			d.add("", "", "effect "+string(now.Effect), true)
		}
	}

	for i := range a.Tools {
		was := &a.Tools[i]
		d.tool = was.Name
		if _, ok := b.Tool(was.Name); !ok {
			d.add("", "effect "+string(was.Effect), "", false)
		}
	}

	return d.changes
}

type differ struct {
	changes []Change
	tool    string
	prefix  string
}

// add notes a change of what a contract enforces.
func (d *differ) add(path, old, now string, laxer bool) {
	d.change(Change{Path: path, Old: old, New: now, Security: true, Laxer: laxer})
}

// text notes such a change where there is one.
func (d *differ) text(path, old, now string, laxer bool) {
	if old != now {
		d.add(path, old, now, laxer)
	}
}

// note notes a change of what people write for each other.
func (d *differ) note(path, old, now string) {
	if old != now {
		d.change(Change{Path: path, Old: old, New: now})
	}
}

func (d *differ) change(c Change) {
	c.Tool, c.Path = d.tool, strings.TrimSpace(d.prefix+c.Path)
	d.changes = append(d.changes, c)
}

// precision compares precision settings. A finer precision allows more. An unset
// one inherits the wider scope, whose default is the finest.
func (d *differ) precision(old, now, wideOld, wideNow label.Precision) {
	if old == now {
		return
	}
	effective := func(p, wide label.Precision) label.Precision {
		if p == label.PrecisionUnset {
			p = wide
		}
		if p == label.PrecisionUnset {
			p = label.L3
		}
		return p
	}
	d.add("precision", old.String(), now.String(), effective(now, wideNow) > effective(old, wideOld))
}

// mode compares modes of a global rule. An unset mode depends on the wider scope,
// so that setting or unsetting a mode may be laxer.
func (d *differ) mode(path string, old, now, wideOld, wideNow Mode) {
	if old == now {
		return
	}
	rank := func(m, wide Mode, unset int) int {
		if m == "" {
			m = wide
		}
		if i := slices.Index(modes, m); i >= 0 {
			return i
		}
		return unset
	}
	d.add(path, string(old), string(now), rank(now, wideNow, 0) < rank(old, wideOld, 2))
}

func (d *differ) compare(fa, fb *File, a, b *Tool) {
	d.effect(a.Effect, b.Effect)
	d.text("fingerprint", a.Fingerprint, b.Fingerprint, b.Fingerprint == "")
	d.precision(a.Precision, b.Precision, fa.Precision, fb.Precision)
	d.mode("unprovoked", a.Unprovoked, b.Unprovoked, fa.Unprovoked, fb.Unprovoked)
	d.mode("sinks", a.Sinks, b.Sinks, fa.Sinks, fb.Sinks)
	d.approved(a.Approved, b.Approved)
	d.args(a.Args, b.Args)
	d.output(&a.Output, &b.Output)
	d.variants(a, b)
	d.text("unwrap", unwrapText(a.Unwrap), unwrapText(b.Unwrap), true)
	d.note("why", a.Why, b.Why)
	d.note("review", a.Review, b.Review)
}

// approved compares the approved calls.
func (d *differ) approved(a, b []Approved) {
	texts := func(calls []Approved) (out []string) {
		for _, c := range calls {
			out = append(out, approvedText(&writer{}, c))
		}
		return out
	}
	old, now := texts(a), texts(b)
	d.list("approved", old, now, len(missing(now, old)) > 0)
}

// effect compares effects. More severe effects are checked more strictly. Outward ones have
// allowances of their own: what the deployment's text says of where a call goes counts for egress
// alone, and an answer for the session for the others.
func (d *differ) effect(a, b Effect) {
	all := Effects()
	milder := slices.Index(all, b) < slices.Index(all, a)
	d.text("effect", string(a), string(b), milder || (a.Outward() && b.Outward()))
}

func argAt(args []Arg, pattern string) *Arg {
	for i := range args {
		if args[i].Pattern == pattern {
			return &args[i]
		}
	}
	return nil
}

// covering returns the most specific other argument whose pattern covers the given
// one.
func covering(args []Arg, pattern string) *Arg {
	var best *Arg
	var bestPattern Pattern
	for i := range args {
		p, err := ParsePattern(args[i].Pattern)
		if err != nil || args[i].Pattern == pattern || !covers(p, pattern) {
			continue
		}
		if best == nil || p.Compare(bestPattern) > 0 {
			best, bestPattern = &args[i], p
		}
	}
	return best
}

// covers reports whether p matches every pointer that a pattern matches. It tries
// "**" with zero, one and two segments, which is enough to distinguish it from "*".
func covers(p Pattern, pattern string) bool {
	for _, deep := range [...]string{"", "/\x00", "/\x00/\x00"} {
		sample := pattern
		if strings.Contains(pattern, "/**") {
			sample = strings.ReplaceAll(pattern, "/**", deep)
		}
		if !p.Match(pointerOf(sample)) {
			return false
		}
	}
	return true
}

func (d *differ) args(a, b []Arg) {
	outer := d.prefix
	defer func() { d.prefix = outer }()

	for i := range b {
		now := &b[i]
		d.prefix = outer + "args " + now.Pattern + " "
		was := argAt(a, now.Pattern)
		if was == nil {
			// An argument without a contract was denied. If another pattern covered
			// it, that entry applied.
			wider := covering(a, now.Pattern)
			d.add("", "", argText(now), wider == nil || laxer(wider, now))
			continue
		}
		d.arg(was, now)
	}

	for i := range a {
		was := &a[i]
		if argAt(b, was.Pattern) != nil {
			continue
		}
		d.prefix = outer + "args " + was.Pattern + " "
		wider := covering(b, was.Pattern)
		d.add("", argText(was), "", wider != nil && laxer(was, wider))
	}
}

func argText(a *Arg) string {
	s := a.Role.String() + " " + a.Floor.String()
	if a.Form != Text {
		s += " " + string(a.Form)
	}
	return s
}

// laxer reports whether b may accept a value that a refuses.
func laxer(a, b *Arg) bool {
	otherRole := a.Role.AuthorityBearing() && a.Role != b.Role
	otherForm := a.Form != b.Form
	otherGroup := a.Group != "" && a.Group != b.Group
	lessForbidden := len(missing(a.Forbidden, b.Forbidden)) > 0
	lessRequired := len(missing(a.Require, b.Require)) > 0
	moreAllowed := len(missing(b.Allow, a.Allow)) > 0
	moreProcedures := len(missing(procedures(b), procedures(a))) > 0
	return b.Floor < a.Floor || otherRole || otherForm || otherGroup || lessForbidden || lessRequired || moreAllowed || moreProcedures
}

// procedures returns the discharge procedures of an argument.
func procedures(a *Arg) []string {
	if len(a.Discharge) == 0 {
		return defaultDischarge
	}
	return a.Discharge
}

// missing returns the members of a that b doesn't have.
func missing(a, b []string) []string {
	var out []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

func (d *differ) arg(a, b *Arg) {
	d.text("role", a.Role.String(), b.Role.String(), a.Role.AuthorityBearing() && a.Role != b.Role)
	d.text("floor", a.Floor.String(), b.Floor.String(), b.Floor < a.Floor)
	// Each form has parts of its own that carry no authority, and values of its own that a list
	// of allowed ones means: as a path, /srv/** is a tree.
	d.text("form", string(a.Form), string(b.Form), true)
	d.list("forbidden", a.Forbidden, b.Forbidden, len(missing(a.Forbidden, b.Forbidden)) > 0)
	d.list("require", a.Require, b.Require, len(missing(a.Require, b.Require)) > 0)
	d.list("allow", a.Allow, b.Allow, len(missing(b.Allow, a.Allow)) > 0)
	d.list("discharge", a.Discharge, b.Discharge, len(missing(procedures(b), procedures(a))) > 0)
	d.text("group", a.Group, b.Group, a.Group != "")
	d.note("why", a.Why, b.Why)
	d.note("review", a.Review, b.Review)
}

// list compares two lists, ignoring their order.
func (d *differ) list(path string, a, b []string, laxer bool) {
	if len(missing(a, b)) == 0 && len(missing(b, a)) == 0 {
		return
	}
	show := func(list []string) string {
		if len(list) == 0 {
			return ""
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	d.add(path, show(a), show(b), laxer)
}

func (d *differ) output(a, b *Output) {
	outer := d.prefix
	defer func() { d.prefix = outer }()
	d.prefix = outer + "output "

	d.text("trust", a.Trust.String(), b.Trust.String(), b.Trust > a.Trust)
	if a.Derived != b.Derived {
		isTrusted := b.Trust > label.External || len(b.Fields) > 0 || b.Settled // else nothing is left to be capped
		d.add("derived", fmt.Sprint(a.Derived), fmt.Sprint(b.Derived), a.Derived && isTrusted)
	}
	if a.Format != b.Format {
		d.add("format", string(a.Format), string(b.Format), b.Format != FormatText)
	}
	if !slices.Equal(a.Returns, b.Returns) {
		more := slices.ContainsFunc(b.Returns, func(p string) bool { return !slices.Contains(a.Returns, p) })
		d.add("returns", listText(a.Returns), listText(b.Returns), more)
	}
	if !slices.Equal(a.Shapes, b.Shapes) {
		more := slices.ContainsFunc(b.Shapes, func(s string) bool { return !slices.Contains(a.Shapes, s) })
		d.add("shapes", listText(a.Shapes), listText(b.Shapes), more)
	}
	if a.Settled != b.Settled {
		d.add("settled", fmt.Sprint(a.Settled), fmt.Sprint(b.Settled), b.Settled)
	}

	for i := range b.Fields {
		was, listed := fieldTrust(a, b.Fields[i].Pattern)
		now := b.Fields[i].Trust
		switch {
		case !listed:
			d.add("fields "+b.Fields[i].Pattern, "", now.String(), now > was)
		case was != now:
			d.add("fields "+b.Fields[i].Pattern, was.String(), now.String(), now > was)
		}
	}
	for i := range a.Fields {
		if now, listed := fieldTrust(b, a.Fields[i].Pattern); !listed {
			d.add("fields "+a.Fields[i].Pattern, a.Fields[i].Trust.String(), "", now > a.Fields[i].Trust)
		}
	}

	before, after := certifyTexts(a), certifyTexts(b)
	for _, c := range missing(after, before) {
		d.add("certify", "", c, true)
	}
	for _, c := range missing(before, after) {
		d.add("certify", c, "", false)
	}

	d.note("review", a.Review, b.Review)
}

// fieldTrust returns the trust of a listed pattern, or of the entry that covers the
// pattern, and reports whether the output lists it.
func fieldTrust(o *Output, pattern string) (trust label.Trust, listed bool) {
	trust = o.Trust
	var best Pattern
	for i := range o.Fields {
		if o.Fields[i].Pattern == pattern {
			return o.Fields[i].Trust, true
		}
		p, err := ParsePattern(o.Fields[i].Pattern)
		if err == nil && covers(p, pattern) && (best.String() == "" || p.Compare(best) > 0) {
			trust, best = o.Fields[i].Trust, p
		}
	}
	return trust, false
}

func (d *differ) variants(a, b *Tool) {
	va, vb := a.Variants, b.Variants
	switch {
	case va == nil && vb == nil:
		return
	case va == nil:
		d.add("variants", "", "by "+vb.Argument, true)
		return
	case vb == nil:
		// The contract of the whole tool now applies to all verbs.
		d.add("variants", "by "+va.Argument, "", true)
		return
	}

	outer := d.prefix
	defer func() { d.prefix = outer }()
	d.prefix = outer + "variants "
	d.text("argument", va.Argument, vb.Argument, true)
	d.text("default", va.Default, vb.Default, true)

	for i := range vb.Cases {
		now := &vb.Cases[i]
		d.prefix = outer + "variants " + now.Value + " "
		j := slices.IndexFunc(va.Cases, func(c Case) bool { return c.Value == now.Value })
		if j < 0 {
			d.add("", "", "effect "+string(caseEffect(b, now)), true)
			continue
		}

		was := &va.Cases[j]
		d.effect(caseEffect(a, was), caseEffect(b, now))
		d.mode("unprovoked", was.Unprovoked, now.Unprovoked, a.Unprovoked, b.Unprovoked)
		d.args(was.Args, now.Args)
		d.output(caseOutput(a, was), caseOutput(b, now))
		d.note("why", was.Why, now.Why)
		d.note("review", was.Review, now.Review)
	}

	for i := range va.Cases {
		was := &va.Cases[i]
		if !slices.ContainsFunc(vb.Cases, func(c Case) bool { return c.Value == was.Value }) {
			d.prefix = outer + "variants " + was.Value + " "
			d.add("", "effect "+string(caseEffect(a, was)), "", false)
		}
	}
}

func caseEffect(t *Tool, c *Case) Effect {
	if c.Effect == "" {
		return t.Effect
	}
	return c.Effect
}

func caseOutput(t *Tool, c *Case) *Output {
	if c.Output == nil {
		return &t.Output
	}
	return c.Output
}
