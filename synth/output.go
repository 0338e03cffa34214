package synth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// settled are members of records that a service generates itself: nobody
// outside chooses their values.
var settled = []string{
	"id", "id_", "_id", "uuid", "created", "created_at", "createdAt", "updated", "updated_at", "updatedAt",
	"timestamp", "ts", "date", "size", "count", "total", "status", "state", "amount", "balance", "currency",
	"start_time", "end_time", "read", "number", "version", "is_private", "is_archived",
}

// settledBy is the list for a file: the general names, and the identifiers that
// are called after the objects of its tools.
func settledBy(objects []string) []string {
	out := slices.Clone(settled)
	slices.Sort(objects)
	for _, o := range slices.Compact(objects) {
		out = append(out, o+"_id", o+"Id")
	}
	return out
}

// ownRecords are what only the service, or the user's own settings, say. They say
// so as the whole object of a read: "get_balance", and not "get_document_version",
// which returns the document.
var ownRecords = set(`time day clock balance iban schema rate weather forecast airport timezone
	limit quota usage date`)

// ownSettings are ownRecords while no argument picks whose they are.
var ownSettings = set(`version setting config type field`)

// besideOwn are words that leave an own record what it is.
var besideOwn = set(`account exchange interest currency server system local utc current`)

// directories are records of people that outsiders can't write to.
var directories = set(`contact people directory person employee colleague staff`)

// members are people as a part of something, and groups is what they are a part
// of: a list of such names is kept by the service.
var (
	members = set(`member user participant attendee guest subscriber follower collaborator employee player student`)
	groups  = set(`channel group team room workspace organization organisation org project list event meeting class club department crew`)
)

// contents are objects whose retrieval returns arbitrary text.
var contents = set(`file directory page website url html content webpage log snapshot screenshot
	query code command table document markdown transcript image readme diff text media`)

// output is the label of what a tool returns.
func (t *tool) output(args []contract.Arg) contract.Output {
	if t.effect != contract.Read && !(t.effect == contract.Egress && t.manner == looking) {
		return t.acknowledgement()
	}
	switch {
	case t.arbitrary(args):
		return contract.Output{Trust: label.External}
	case t.selfMade():
		return contract.Output{Trust: label.ToolOutput}
	case t.calculation():
		return contract.Output{Trust: label.ToolOutput, Derived: true}
	}
	o := contract.Output{Trust: label.External}
	o.Fields, o.Settled = t.fields()
	o.Certify = t.certify(args)
	return o
}

// acknowledgement is what a tool returns that changes something. It may hold the
// record that was changed, and with it what others wrote there, so that only the
// ids of what was made are the service's own.
func (t *tool) acknowledgement() contract.Output {
	o := contract.Output{Trust: label.External}
	if t.answersWithText() {
		return o
	}

	o.Fields = t.ids()
	return o
}

// answersWithText tells whether what a tool did, or what it acted on, decides
// what comes back, so that no part of it is the service's own.
func (t *tool) answersWithText() bool {
	if v := verbs[t.verb]; v.effect == contract.Execute && t.verb != "deploy" && t.verb != "install" && t.verb != "start" {
		return true // what ran says what comes back
	}
	switch t.verb {
	case "download", "export", "crawl", "scrape", "curl", "navigate", "visit", "goto", "open", "":
		return true
	}
	if t.effect == contract.Execute && !t.viaSQL && t.argument(cCode) != nil || t.onPage() || t.inBrowser() {
		return true
	}
	for _, phrase := range []string{"diff", "returns the content", "returns the page", "returns the file", "snapshot", "and return", "and returns"} {
		if contains(t.desc, phrase) {
			return true
		}
	}
	return false
}

// inBrowser tells whether a tool's name says that it works a browser.
func (t *tool) inBrowser() bool { return slices.Contains(split(t.def.Name), "browser") }

// onPage tells whether a tool acts on a part of a page, which others wrote: what
// comes back may quote it.
func (t *tool) onPage() bool {
	for _, p := range t.places {
		d := fold(p.node.Description)
		if slices.Contains(p.words, "selector") && (contains(d, "css") || contains(d, "element")) {
			return true
		}
		if e := t.winner(p); e.concept == cPart && (last(p.words) == "reference" || slices.Contains(p.words, "element") || last(p.words) == "xpath") {
			return true
		}
	}
	return false
}

// selfMade tells whether a read returns what only the service or the user's
// own settings say: a clock, a balance, a schema.
func (t *tool) selfMade() bool {
	switch t.verb {
	case "sleep", "wait", "ping":
		return !t.takesText() // "wait until the page says …" answers with the page
	case "count":
		return true
	case "search", "":
		return false
	}
	own := false
	for _, w := range t.object {
		switch {
		case ownRecords[w], ownSettings[w] && !t.picks():
			own = true
		case besideOwn[w], fillers[w]:
		default:
			return false
		}
	}
	return own
}

// calculation tells whether a read only works out its result from its arguments,
// so that the result is as good as they are.
func (t *tool) calculation() bool {
	switch t.verb {
	case "calculate", "compute", "convert", "think":
		return !t.picks()
	}
	return false
}

// takesText tells whether an argument is something else than a number or a switch.
func (t *tool) takesText() bool {
	return slices.ContainsFunc(t.places, func(p *place) bool { return !isNumber(p.node) && !isBoolean(p.node) })
}

// picks tells whether an argument of a read says whose record comes back.
func (t *tool) picks() bool {
	for _, p := range t.places {
		switch t.winner(p).concept {
		case cObject, cPlace, cPerson, cAccount, cPath, cLocator:
			return true
		}
	}
	return false
}

// arbitrary tells whether a read returns text that anybody may have written
// in full, so that no field of it can be settled.
func (t *tool) arbitrary(args []contract.Arg) bool {
	if t.effect == contract.Egress {
		return true
	}
	for i := range args {
		if a := &args[i]; a.Role == label.Command || a.Role == label.Target && (a.Form == contract.Path || a.Form == contract.URL) {
			return true
		}
	}
	_, ok := t.about(contents)
	return ok && t.identifier(nil) == nil && !(t.verb == "search" || t.verb == "list" || t.verb == "find")
}

// fields are the parts of a record that nobody outside chooses: those that the
// server declares, or else the members that the file lists as settled.
func (t *tool) fields() (fields []contract.Field, settled bool) {
	if t.def.Output != nil {
		if out := declared(t.def.Output, "", 0); len(out) > 0 {
			return out, false
		}
	}
	return nil, true
}

// ids are the identifiers of what a tool made or changed.
func (t *tool) ids() []contract.Field {
	if t.def.Output != nil {
		var out []contract.Field
		for _, f := range declared(t.def.Output, "", 0) {
			if words := split(f.Pattern[strings.LastIndexByte(f.Pattern, '/')+1:]); len(words) > 0 && words[len(words)-1] == "id" {
				out = append(out, f)
			}
		}
		return out
	}
	names := []string{"id", "id_"}
	if n := t.noun(); n != "" {
		names = append(names, n+"_id", n+"Id")
	}
	var out []contract.Field
	for _, n := range names {
		out = append(out, contract.Field{Pattern: "/**/" + n, Trust: label.ToolOutput})
	}
	return out
}

// noun is the object of the tool in the singular.
func (t *tool) noun() string {
	for _, w := range t.object {
		if n, ok := nouns[w]; ok && (n.concept == cObject || n.concept == cPlace || n.concept == cText || n.concept == cPath || n.concept == cPerson) {
			return w
		}
	}
	return ""
}

// declared reads the server's own description of the result: what can't hold
// text of an outsider's choice is the service's.
func declared(n *schema.Node, at string, depth int) []contract.Field {
	if depth > maxDeclaredDepth {
		return nil
	}
	var out []contract.Field
	for _, p := range n.Properties {
		out = append(out, declared(p.Node, at+"/"+escape(p.Name), depth+1)...)
	}
	if n.Items != nil {
		out = append(out, declared(n.Items, at+"/*", depth+1)...)
	}
	if len(n.Properties) > 0 || n.Items != nil || at == "" {
		return out
	}
	if closedLeaf(n, at[strings.LastIndexByte(at, '/')+1:]) {
		out = append(out, contract.Field{Pattern: at, Trust: label.ToolOutput})
	}
	return out
}

// closedLeaf tells whether a member of a result can't hold text of somebody's
// choice.
func closedLeaf(n *schema.Node, name string) bool {
	return len(n.Enum) > 0 || n.Format == "date-time" || n.Format == "date" || n.Format == "uuid" ||
		isBoolean(n) || isNumber(n) || last(split(name)) == "id"
}

// maxDeclaredDepth bounds how deep a declared result is read: records nest two or
// three levels, and what lies deeper is somebody's data.
const maxDeclaredDepth = 6

// certify declares by which look-ups a result may vouch for values.
func (t *tool) certify(args []contract.Arg) []contract.Certify {
	switch t.verb {
	case "search", "get", "find", "lookup", "list", "retrieve", "query", "fetch", "resolve", "show", "describe":
	default:
		return nil
	}
	var out []contract.Certify
	for i := range args {
		p := t.placeAt(args[i].Pattern)
		if p == nil || p.depth != 1 || len(p.words) == 0 || isBoolean(p.node) || isNumber(p.node) {
			continue
		}
		if t.membership(p) {
			out = append(out, contract.Certify{
				Procedure: "directory", Key: p.pattern, KeyFloor: label.User, Field: "/*", Unique: true,
				Roles: []label.Role{label.Target, label.Selector}, Max: label.User,
			})
			continue
		}
		if !t.naming(p) {
			continue
		}
		if _, ok := t.about(directories); ok {
			for _, f := range t.vouching("email", "phone", "address", "id") {
				out = append(out, contract.Certify{
					Procedure: "directory", Key: p.pattern, KeyFloor: label.User, Field: f, Unique: true,
					Roles: []label.Role{label.Target, label.Selector}, Max: label.User,
				})
			}
			continue
		}
		ids := []string{"id", "id_"}
		if n := t.noun(); n != "" {
			ids = append(ids, n+"_id")
		}
		for _, f := range t.vouching(ids...) {
			out = append(out, contract.Certify{
				Procedure: "lookup", Key: p.pattern, KeyFloor: label.User, Field: f, Unique: true,
				Roles: []label.Role{label.Selector, label.Target}, Max: label.User,
			})
		}
	}
	return out
}

// membership tells whether the tool lists who belongs to the group that an
// argument names.
func (t *tool) membership(p *place) bool {
	return len(t.object) > 0 && members[t.object[0]] && slices.ContainsFunc(p.words, func(w string) bool { return groups[w] })
}

// vouching are the patterns of the result's fields of the given names: those
// that the server declares, or anywhere when it declares nothing.
func (t *tool) vouching(names ...string) []string {
	var out []string
	if t.def.Output == nil {
		for _, n := range names {
			out = append(out, "/**/"+n)
		}
		return out
	}
	for _, l := range t.def.Output.Leaves() {
		if slices.Contains(names, l.Name) {
			out = append(out, l.Pattern)
		}
	}
	return out
}

// naming tells whether an argument of a read says, as a person would, which
// object is meant.
func (t *tool) naming(p *place) bool {
	switch p.words[len(p.words)-1] {
	case "query", "name", "title", "filename", "subject", "term", "keyword", "search", "username", "text":
		return true
	}
	return false
}

// Instructions finds text in a tool's definition that speaks to the model
// instead of describing the tool.
func Instructions(t *schema.Tool) []string {
	var out []string
	check := func(where, s string) {
		for _, f := range lint(s) {
			out = append(out, fmt.Sprintf("%s: %s", where, f))
		}
	}
	check("the name", t.Name)
	check("the title", t.Title)
	check("the description", t.Description)
	for _, p := range places(t) {
		check("the description of "+p.pattern, p.node.Description)
		check("the name "+p.pattern, p.name)
	}
	return out
}
