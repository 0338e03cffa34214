package contract

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/strictyaml"
)

// Marshal formats the file as YAML for reviewers: one argument per line, in flow
// style, with reasons beside their entries. It keeps the order of tools, arguments,
// fields and cases. [Load] reads back an equal file. A File has no comments, so
// none are written; see [File.MarshalOver].
func (f *File) Marshal() ([]byte, error) {
	w := &writer{}
	w.line(0, "version: "+strconv.Itoa(f.Version))
	w.line(0, "server: "+w.text(f.Server, false))
	w.optional(0, "fingerprint", f.Fingerprint)
	w.optional(0, "precision", f.Precision.String())
	w.optional(0, "unprovoked", string(f.Unprovoked))
	w.optional(0, "sinks", string(f.Sinks))

	if len(f.Settled) > 0 {
		var m flow
		m.list(w, "settled", f.Settled)
		w.line(0, m.parts[0])
	}

	if len(f.Tools) == 0 {
		w.line(0, "tools: {}")
	} else {
		w.line(0, "tools:")
	}
	for i := range f.Tools {
		w.tool(&f.Tools[i])
	}

	if w.err != nil {
		return nil, w.err
	}
	return []byte(w.b.String()), nil
}

// alignTo is the maximum length of aligned keys: aligning with a longer pattern
// would push the roles of the other arguments off the screen.
const alignTo = 32

// longKey is the length from which YAML requires a "?" before a key.
const longKey = 900

// writer writes YAML. It doesn't use a library because layout matters: libraries
// choose flow or block style for whole subtrees and fold long lines.
type writer struct {
	b strings.Builder
	// err is the first error.
	err error
}

func (w *writer) line(indent int, text string) {
	w.b.WriteString(strings.Repeat("  ", indent))
	w.b.WriteString(text)
	w.b.WriteByte('\n')
}

// optional writes "key: text" unless the text is empty.
func (w *writer) optional(indent int, key, text string) {
	if text != "" {
		w.line(indent, key+": "+w.text(text, false))
	}
}

// entry writes a key, padded to a width, and its value.
func (w *writer) entry(indent int, key string, width int, rest string) {
	k := w.key(key)
	if len(k) > longKey {
		w.line(indent, "? "+k)
		w.line(indent, strings.TrimRight(": "+rest, " "))
		return
	}
	pad := ""
	if rest != "" {
		pad = strings.Repeat(" ", 1+max(0, width-len(k)))
	}
	w.line(indent, k+":"+pad+rest)
}

// width returns the width for padding keys.
func (w *writer) width(n int, key func(int) string) int {
	width := 0
	for i := range n {
		if l := len(w.key(key(i))); l <= alignTo {
			width = max(width, l)
		}
	}
	return width
}

func (w *writer) tool(t *Tool) {
	w.entry(1, t.Name, 0, "")
	w.optional(2, "effect", string(t.Effect))
	w.optional(2, "fingerprint", t.Fingerprint)
	w.optional(2, "precision", t.Precision.String())
	w.optional(2, "unprovoked", string(t.Unprovoked))
	w.optional(2, "sinks", string(t.Sinks))
	w.optional(2, "why", t.Why)
	w.optional(2, "review", t.Review)

	if len(t.Approved) > 0 {
		w.line(2, "approved:")
	}
	for _, a := range t.Approved {
		w.line(3, "- "+approvedText(w, a))
	}

	w.args(2, t.Args)
	w.output(2, &t.Output)
	if t.Unwrap != nil {
		w.line(2, "unwrap: "+w.unwrap(t.Unwrap))
	}

	if v := t.Variants; v != nil {
		w.line(2, "variants:")
		w.line(3, "argument: "+w.text(v.Argument, false))
		w.optional(3, "default", v.Default)
		w.line(3, "cases:")
		for i := range v.Cases {
			w.variant(&v.Cases[i])
		}
	}
}

func (w *writer) unwrap(u *Unwrap) string {
	if u == nil {
		return ""
	}
	var m flow
	m.text(w, "tool", u.Tool)
	m.text(w, "arguments", u.Arguments)
	m.text(w, "server", u.Server)
	return m.String()
}

func (w *writer) variant(c *Case) {
	if c.Effect == "" && c.Unprovoked == "" && c.Why == "" && c.Review == "" && len(c.Args) == 0 && c.Output == nil {
		w.entry(4, c.Value, 0, "{}")
		return
	}
	w.entry(4, c.Value, 0, "")
	w.optional(5, "effect", string(c.Effect))
	w.optional(5, "unprovoked", string(c.Unprovoked))
	w.optional(5, "why", c.Why)
	w.optional(5, "review", c.Review)
	w.args(5, c.Args)
	if c.Output != nil {
		w.output(5, c.Output)
	}
}

func (w *writer) args(indent int, args []Arg) {
	if len(args) == 0 {
		return
	}
	w.line(indent, "args:")
	width := w.width(len(args), func(i int) string { return args[i].Pattern })
	for i := range args {
		w.entry(indent+1, args[i].Pattern, width, w.arg(&args[i]))
	}
}

// arg writes an argument's contract on one line.
func (w *writer) arg(a *Arg) string {
	var m flow
	m.add("role", a.Role.String())
	// Write the floors that affect decisions; the others are the default.
	if a.Floor != DefaultFloor(a.Role) || a.Role.AuthorityBearing() {
		m.add("floor", a.Floor.String())
	}
	m.optional("form", string(a.Form))
	m.list(w, "forbidden", a.Forbidden)
	m.list(w, "require", a.Require)
	m.list(w, "allow", a.Allow)
	m.list(w, "discharge", a.Discharge)
	m.text(w, "group", a.Group)
	m.text(w, "why", a.Why)
	m.text(w, "review", a.Review)
	return m.String()
}

// shortList is how many members of a result are written on its own line.
const shortList = 3

func (w *writer) output(indent int, o *Output) {
	var m flow
	m.add("trust", o.Trust.String())
	if o.Derived {
		m.add("derived", "true")
	}
	m.optional("format", string(o.Format))
	if o.Settled {
		m.add("settled", "true")
	}
	if len(o.Returns) <= shortList {
		m.list(w, "returns", o.Returns)
	}

	var fields flow
	long := len(o.Fields) > 4 || len(o.Returns) > shortList || len(o.Shapes) > 0
	for i := range o.Fields {
		k := w.text(o.Fields[i].Pattern, true)
		long = long || len(k) > longKey
		fields.add(k, o.Fields[i].Trust.String())
	}

	if len(o.Certify) == 0 && !long {
		if len(o.Fields) > 0 {
			m.add("fields", fields.String())
		}
		m.text(w, "review", o.Review)
		w.line(indent, "output: "+m.String())
		return
	}

	w.line(indent, "output:")
	indent++
	w.line(indent, "trust: "+o.Trust.String())
	if o.Derived {
		w.line(indent, "derived: true")
	}
	w.optional(indent, "format", string(o.Format))
	if o.Settled {
		w.line(indent, "settled: true")
	}

	if len(o.Returns) > 0 {
		w.line(indent, "returns:")
	}
	for _, pattern := range o.Returns {
		w.line(indent+1, "- "+w.text(pattern, false))
	}

	if len(o.Shapes) > 0 {
		w.line(indent, "shapes:")
	}
	for _, shape := range o.Shapes {
		w.line(indent+1, "- "+w.text(shape, false))
	}

	switch {
	case long && len(o.Fields) > 0:
		w.line(indent, "fields:")
		width := w.width(len(o.Fields), func(i int) string { return o.Fields[i].Pattern })
		for i := range o.Fields {
			w.entry(indent+1, o.Fields[i].Pattern, width, o.Fields[i].Trust.String())
		}
	case len(o.Fields) > 0:
		w.line(indent, "fields: "+fields.String())
	}

	if len(o.Certify) > 0 {
		w.line(indent, "certify:")
	}
	for i := range o.Certify {
		w.line(indent+1, "- "+w.certify(&o.Certify[i]))
	}
	w.optional(indent, "review", o.Review)
}

// certify formats a certify entry as a flow mapping.
func (w *writer) certify(c *Certify) string {
	var m flow
	m.add("procedure", w.text(c.Procedure, true))
	if c.Key != "" || (c.By == "" && !c.Made) {
		m.add("key", w.text(c.Key, true))
	}

	m.add("key_floor", c.KeyFloor.String())
	if c.By != "" {
		m.add("by", w.text(c.By, true))
	}

	m.add("field", w.text(c.Field, true))
	if c.Unique {
		m.add("unique", "true")
	}
	if c.Exact {
		m.add("exact", "true")
	}
	if c.Made {
		m.add("made", "true")
	}

	m.list(w, "of", c.Of)

	roles := make([]string, len(c.Roles))
	for j, r := range c.Roles {
		roles[j] = r.String()
	}
	m.add("roles", "["+strings.Join(roles, ", ")+"]")
	m.add("max", c.Max.String())
	return m.String()
}

// certifyTexts returns the formatted certify entries of an output, for comparisons.
func certifyTexts(o *Output) []string {
	w := &writer{}
	out := make([]string, len(o.Certify))
	for i := range o.Certify {
		out[i] = w.certify(&o.Certify[i])
	}
	return out
}

// flow is a mapping in flow style, on one line.
type flow struct{ parts []string }

func (m *flow) add(key, text string) { m.parts = append(m.parts, key+": "+text) }

func (m *flow) optional(key, text string) {
	if text != "" {
		m.add(key, text)
	}
}

func (m *flow) text(w *writer, key, text string) {
	if text != "" {
		m.add(key, w.text(text, true))
	}
}

func (m *flow) list(w *writer, key string, list []string) {
	if len(list) == 0 {
		return
	}
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = w.text(s, true)
	}
	m.add(key, "["+strings.Join(texts, ", ")+"]")
}

func (m *flow) String() string { return "{" + strings.Join(m.parts, ", ") + "}" }

// key formats a key of a block mapping.
func (w *writer) key(s string) string { return w.text(s, true) }

// text formats a scalar on one line: without quotes if every YAML reader agrees on
// its type, otherwise in double quotes.
func (w *writer) text(s string, inFlow bool) string {
	if plain(s, inFlow) {
		return s
	}

	if !utf8.ValidString(s) && w.err == nil {
		w.err = fmt.Errorf("%q is not valid UTF-8 and can't be written to a contract", strictyaml.Clip(s))
	}

	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}

	b.WriteByte('"')
	return b.String()
}

// plain reports whether s can be written without quotes. It is stricter than YAML.
func plain(s string, inFlow bool) bool {
	if s == "" || len(s) > longKey {
		return false
	}

	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "y", "n", "null", "nan", "inf":
		return false
	}

	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		digit := '0' <= c && c <= '9'
		switch {
		case letter || c == '_' || c == '/':
		case i == 0:
			return false
		case digit || strings.IndexByte("-.*@~+", c) >= 0:
		case c == ':' && !inFlow && i+1 < len(s):
		default:
			return false
		}
	}
	return true
}
