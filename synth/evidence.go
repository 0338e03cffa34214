package synth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
)

// evidence is one reason to think that an argument is about a concept.
type evidence struct {
	concept concept
	weight  int
	why     string
}

// The sources of evidence. The strongest piece decides; a second reading that
// is nearly as strong and stricter makes the argument ambiguous.
var (
	// own sources look at the argument alone.
	own = []func(*place) []evidence{byType, byFormat, byEnum, byName, byDescription, byHead}
	// around are sources that look at the tool and the container too.
	around = []func(*tool, *place) []evidence{byPreposition, byTool}
)

// all collects the evidence for a place, strongest first.
func (t *tool) all(p *place) []evidence {
	if !p.read {
		p.read = true
		for _, find := range own {
			p.evidence = append(p.evidence, find(p)...)
		}
	}
	out := slices.Clone(p.evidence)
	for _, find := range around {
		out = append(out, find(t, p)...)
	}
	out = append(out, t.byParent(p)...)
	out = slices.DeleteFunc(out, func(e evidence) bool { return !fits(e.concept, p) })
	for i := range out {
		if ts := types(p.node); out[i].concept == cLimit && out[i].weight < strong && len(ts) == 1 && ts[0] == "string" {
			out[i].weight -= 20 // limits are numbers
		}
	}
	slices.SortStableFunc(out, func(a, b evidence) int { return b.weight - a.weight })
	return out
}

func (t *tool) winner(p *place) evidence {
	if all := t.all(p); len(all) > 0 {
		return all[0]
	}
	return evidence{}
}

// fits rules out what a JSON type cannot hold: no number is a path.
func fits(c concept, p *place) bool {
	if len(enumeration(p.node)) > 1 {
		switch c {
		case cCode, cSql, cPath, cLocator, cHost, cSecret, cText, cPerson, cAccount, cManifest, cImage, cQuery:
			return false // one of a few values that the schema itself gives
		}
	}
	switch {
	case isBoolean(p.node):
		return c == cOption || c == cAudience || c == cLimit || c == cLook
	case isRecord(p.node):
		switch c {
		case cPath:
			return slices.Contains(p.words, "attachment") || slices.Contains(p.words, "volume") || slices.Contains(p.words, "mount") || slices.Contains(p.words, "bind")
		case cPlace:
			return destination(p)
		case cDeed, cLocator, cHost, cSecret, cQuery, cObject:
			return false
		}
	case isNumber(p.node):
		switch c {
		case cPlace, cAccount, cPerson:
			return len(p.words) > 0 && handles[p.words[len(p.words)-1]]
		case cObject, cMoney, cQuantity, cLimit, cLook, cWhen, cPort, cPart, cKind, cOption, cGeo, cPattern, cData:
			return true
		}
		return false
	}
	return true
}

func byType(p *place) []evidence {
	switch {
	case isBoolean(p.node):
		return []evidence{{cOption, strong, "a switch"}}
	case isNumber(p.node):
		return []evidence{{cQuantity, faint, "a number"}}
	}
	return nil
}

var formatConcepts = map[string]evidence{
	"uri": {cLocator, strong, "format uri"}, "url": {cLocator, strong, "format url"}, "uri-reference": {cLocator, strong, "format uri-reference"},
	"email": {cPerson, strong, "format email"}, "idn-email": {cPerson, strong, "format email"},
	"hostname": {cHost, strong, "format hostname"}, "ipv4": {cHost, strong, "format ipv4"}, "ipv6": {cHost, strong, "format ipv6"},
	"date": {cWhen, strong, "format date"}, "date-time": {cWhen, strong, "format date-time"}, "time": {cWhen, strong, "format time"}, "duration": {cWhen, fair, "format duration"},
	"password": {cSecret, certain, "format password"}, "byte": {cData, fair, "format byte"}, "binary": {cData, fair, "format binary"},
	"uuid": {cObject, fair, "format uuid"}, "regex": {cPattern, fair, "format regex"}, "json-pointer": {cPart, fair, "format json-pointer"},
	"phone": {cPerson, strong, "format phone"}, "file-path": {cPath, strong, "format file-path"}, "path": {cPath, strong, "format path"},
	"directory-path": {cPath, strong, "format directory-path"},
}

func byFormat(p *place) []evidence {
	if e, ok := formatConcepts[p.node.Format]; ok {
		return []evidence{e}
	}
	if p.node.Items != nil {
		if e, ok := formatConcepts[p.node.Items.Format]; ok {
			return []evidence{e}
		}
	}
	return nil
}

// lists of enumeration members that tell a concept.
var (
	audienceMembers = set(`public private internal read write admin viewer reader editor commenter
		owner r w rw rwx unlisted secret none maintain triage pull push writer member anyone domain
		everyone readonly confidential restricted team`)
	lookMembers = set(`asc desc ascending descending json yaml text html markdown xml csv plain png
		jpeg jpg pdf svg raw pretty compact table short full name date created updated size relevance
		popularity stars forks minimal verbose brief detailed left right center low high medium auto
		utf8 utf comma semicolon tab metric imperial celsius fahrenheit`)
	kindMembers = set(`open closed all active inactive pending completed done draft archived enabled disabled
		merged resolved new read unread`)
)

func byEnum(p *place) []evidence {
	values := enumeration(p.node)
	if len(values) == 0 || isBoolean(p.node) {
		return nil
	}
	verbal, aud, looks, kinds := 0, 0, 0, 0
	for _, v := range values {
		words := split(v)
		if len(words) == 0 {
			continue
		}
		if c, ok := verbOfValue(v); ok && c.pos == 0 && !lookMembers[words[0]] && !kindMembers[words[0]] {
			verbal++
		}
		if audienceMembers[words[0]] {
			aud++
		}
		if lookMembers[words[0]] {
			looks++
		}
		if kindMembers[words[0]] {
			kinds++
		}
	}
	n := len(values)
	var out []evidence
	if verbal*4 >= n*3 && n > 1 {
		out = append(out, evidence{cDeed, 78, "its values are verbs"})
	}
	if aud*4 >= n*3 && n > 1 {
		out = append(out, evidence{cAudience, 74, "its values say who may do what"})
	}
	if looks*4 >= n*3 {
		out = append(out, evidence{cLook, 62, "its values are formats or orders"})
	}
	if kinds*4 >= n*3 {
		out = append(out, evidence{cKind, 60, "its values are states"})
	}
	return append(out, evidence{cKind, 55, "one of a few fixed values"})
}

// conceptByName reads an argument's name alone.
func conceptByName(p *place) evidence {
	if p.named == nil {
		p.named = &evidence{}
		if es := nameEvidence(p.words, p.name); len(es) > 0 {
			p.named = &es[0]
		}
	}
	return *p.named
}

func byName(p *place) []evidence {
	es := nameEvidence(p.words, p.name)
	if len(p.words) > 1 && (p.words[0] == "include" || p.words[0] == "exclude") && p.node.Items != nil && len(es) > 0 && es[0].concept == cLook {
		es[0].concept = cPattern // a list of what is let through, not of what is shown
	}
	return es
}

// nameEvidence reads an argument's name: pairs of words that mean something
// of their own, qualifiers, and the last noun ("head"), the one that English
// puts the meaning in.
func nameEvidence(words []string, name string) []evidence {
	if len(words) == 0 {
		return nil
	}
	named := fmt.Sprintf("named %q", name)
	var out []evidence
	for n := min(3, len(words)); n >= 2; n-- {
		for i := len(words) - n; i >= 0; i-- {
			key := strings.Join(words[i:i+n], " ")
			if c, ok := compounds[key]; ok {
				w := c.weight + 4 - 6*(len(words)-n-i)
				out = append(out, evidence{c.concept, w, named})
			}
		}
	}
	first, last := words[0], words[len(words)-1]
	if len(words) > 1 {
		if handles[last] && (first == "order" || first == "return" || first == "sort") {
			first = "" // the id of an order, and no way to sort
		}
		switch first {
		case "max", "maximum", "min", "minimum":
			out = append(out, evidence{cLimit, 82, named})
		case "include", "show", "hide", "with", "exclude", "skip":
			out = append(out, evidence{cLook, 64, named})
		case "filter":
			out = append(out, evidence{cPattern, 76, named})
		case "sort", "order":
			out = append(out, evidence{cLook, 78, named})
		case "return", "display":
			out = append(out, evidence{cLook, 70, named})
		case "old", "previous", "original":
			if n, ok := nouns[last]; ok && (n.concept == cText || n.concept == cData) {
				out = append(out, evidence{cOld, 86, named})
			}
		}
		switch last {
		case "filter":
			out = append(out, evidence{cPattern, 84, named})
		case "contain", "match", "prefix", "suffix":
			out = append(out, evidence{cPattern, 82, named})
		}
	}
	// The head: the last word that means something, without id-like words.
	handle := false
	for i := len(words) - 1; i >= 0; i-- {
		w := words[i]
		if handles[w] && (i > 0 || len(words) == 1) {
			handle = true
			if len(words) > 1 {
				continue
			}
		}
		if n, ok := nouns[w]; ok {
			weight := n.weight - 8*(distance(words, i))
			c := n.concept
			if handle && i < len(words)-1 {
				c, weight = handleOf(w, n, last)
			}
			out = append(out, evidence{c, max(weight, faint), named})
			break
		}
		if handle && !qualifiers[w] && !fillers[w] {
			c, weight := handleOf(w, noun{}, last)
			out = append(out, evidence{c, weight, named})
			break
		}
	}
	if handle && len(out) == 0 {
		out = append(out, evidence{cObject, weak, named})
	}
	if len(out) == 0 {
		return nil
	}
	// One name is one piece of evidence: its parts are not readings of their own.
	best := out[0]
	for _, e := range out[1:] {
		if e.weight > best.weight {
			best = e
		}
	}
	return []evidence{best}
}

// handleOf is what the id or name of a noun is about.
func handleOf(w string, n noun, last string) (concept, int) {
	switch n.concept {
	case cPath:
		if last == "name" {
			return cPath, max(n.weight, fair)
		}
		return cObject, 74
	case cPerson, cAccount, cPlace, cSecret, cHost:
		return n.concept, max(n.weight, fair)
	case cPart:
		return cPart, fair
	case cKind:
		return n.concept, fair
	case cLook:
		if looks[w] {
			return cLook, fair
		}
		return cObject, 74 // "order_id" is no sort order, "position_id" no place on a screen
	case cObject:
		return cObject, 74
	case cUnknown:
		if last == "name" {
			return cObject, 50
		}
		return cObject, fair
	case cTagging:
		if last == "name" {
			return cTagging, fair
		}
		return cObject, fair
	}
	if last == "number" || last == "code" {
		return n.concept, n.weight
	}
	return cObject, fair
}

// looks are words for looks that have ids and names of their own.
var looks = set(`color colour font theme style format language locale encoding timezone unit layout resolution`)

// distance is how many telling words stand after word i.
func distance(words []string, i int) int {
	d := 0
	for _, w := range words[i+1:] {
		if !handles[w] && !fillers[w] {
			d++
		}
	}
	return d
}

// byPreposition reads names that are a preposition alone, by the tool's verb.
func byPreposition(t *tool, p *place) []evidence {
	if t.picksInside(p) {
		return nil
	}
	why := fmt.Sprintf("named %q in a tool that %s", p.name, t.manner)
	switch p.name {
	case "to":
		switch t.manner {
		case sending:
			return []evidence{{cPerson, strong, why}}
		case relocating:
			return []evidence{{cPlace, strong, why}}
		case looking:
			return []evidence{{cPattern, fair, why}}
		}
		return []evidence{{cPerson, fair, why}}
	case "from":
		switch t.manner {
		case sending:
			return []evidence{{cAccount, fair, why}}
		case relocating:
			return []evidence{{cObject, fair, why}}
		}
		return []evidence{{cPattern, fair, why}}
	case "source", "head":
		if t.verb == "merge" {
			return []evidence{{cObject, fair, why}}
		}
	}
	switch p.name {
	case "source", "destination", "target", "dest", "dst", "src":
		if t.manner == relocating {
			if _, ok := t.about(set("file directory path")); ok {
				return []evidence{{cPath, 86, why}}
			}
			if p.words[0] == "source" {
				return []evidence{{cObject, fair, why}}
			}
		}
	case "for", "by", "in", "on", "with", "before", "after", "since", "until":
		return []evidence{{cPattern, weak, why}}
	}
	return nil
}

func byDescription(p *place) []evidence {
	d := strings.TrimSpace(fold(p.node.Description + " " + p.node.Title))
	if d == "" && p.element && len(p.parents) > 0 {
		d = fold(p.parents[len(p.parents)-1].node.Description)
	}
	if d == "" {
		return nil
	}
	// The first sentence or two say what it is; what follows are examples and
	// warnings.
	if len(d) > 260 {
		d = d[:260]
	}
	var out []evidence
	for _, c := range cues {
		for _, ph := range c.phrases {
			i := strings.Index(d, ph)
			if i < 0 || !contains(d, ph) {
				continue
			}
			w := c.weight
			if i > 90 {
				w -= 22 // an aside
			} else if i > 45 {
				w -= 8
			}
			out = append(out, evidence{c.concept, w, fmt.Sprintf("described as %q", ph)})
			break
		}
	}
	return out
}

// byHead reads the first noun phrase of the description.
func byHead(p *place) []evidence {
	if w, ok := counted(p.node.Description); ok && isNumber(p.node) {
		return []evidence{{cQuantity, 70, fmt.Sprintf("described as a number of %s", w)}}
	}
	h := headOf(p.node.Description)
	if len(h.head) == 0 || len(h.head) > 4 {
		return nil
	}
	es := nameEvidence(h.head, strings.Join(h.head, " "))
	if len(h.of) > 0 && handles[last(h.head)] && distance(h.head, -1) == 0 {
		es = nameEvidence(append(slices.Clone(h.of), h.head[len(h.head)-1]), "")
	}
	if len(es) == 0 {
		return nil
	}
	e := es[0]
	if l := last(p.words); e.concept == cPath && (l == "id" || l == "uuid" || l == "key") {
		return nil // an id is no path, whatever it identifies
	}
	e.weight = min(e.weight-6, 68)
	if e.concept == cObject && conceptByName(p).concept != cObject && len(h.of) > 0 && len(h.head) == 1 && h.head[0] == "id" {
		e.weight = 84 // "the ID of the price" is no price
	}
	e.why = fmt.Sprintf("described as %q", strings.TrimSpace(strings.Join(h.head, " ")+" of "+strings.Join(h.of, " ")))
	if len(h.of) == 0 {
		e.why = fmt.Sprintf("described as %q", strings.Join(h.head, " "))
	}
	return []evidence{e}
}

// byParent lets what a container is about reach its members.
func (t *tool) byParent(p *place) []evidence {
	if len(p.parents) == 0 {
		return nil
	}
	parent := p.parents[len(p.parents)-1]
	if p.element {
		return nil // an element has its list's name and is read by it
	}
	e := t.winner(parent)
	why := fmt.Sprintf("inside %q, %s", parent.name, e.concept)
	switch e.concept {
	case cText, cData, cTagging:
		if t.picksInside(p) {
			return []evidence{{cObject, 66, why + ", says which"}}
		}
		if t.effect != contract.Read {
			return []evidence{{cData, 66, why}}
		}
	case cLook, cLimit:
		return []evidence{{cLook, 84, why}}
	case cPattern, cQuery:
		return []evidence{{cPattern, 84, why}}
	case cOption, cAudience:
		return []evidence{{cOption, weak, why}}
	case cPlace:
		return []evidence{{cPlace, 62, why}}
	case cPerson:
		switch last(p.words) {
		case "id", "code", "name", "login", "username":
			return []evidence{{cPerson, 82, why}}
		}
		return []evidence{{cData, 50, why}}
	case cManifest, cCode:
		return []evidence{{e.concept, 66, why}}
	}
	return nil
}

// picksInside tells whether a member of a list of records says which existing
// object the record is about, as against being part of what is written.
func (t *tool) picksInside(p *place) bool {
	up := parentOf(p)
	if up == nil || !up.element && up.node.Items == nil || t.effect == contract.Read {
		return false
	}
	l, noun := last(p.words), ""
	alters := t.manner == changing || t.manner == removing || verbs[t.verb].manner == changing
	h := headOf(p.node.Description)
	switch {
	case len(p.words) > 1:
		noun = p.words[len(p.words)-2]
	case l == "id" || l == "identifier":
		return alters
	case edges[p.name]:
		return slices.ContainsFunc(up.words, func(w string) bool { return graphs[w] })
	case len(h.head) == 1 && h.head[0] == "id" && len(h.of) > 0:
		l, noun = "id", last(h.of)
	default:
		return false
	}
	if slices.Contains(t.object, noun) || slices.Contains(up.words, noun) {
		return alters && handles[l]
	}
	switch c := nouns[noun].concept; l {
	case "id", "identifier":
		return c != cPerson && c != cAccount && c != cPlace
	case "name":
		return c == cObject || noun == "entity" || noun == "node" || noun == "record" || noun == "document"
	}
	return false
}

// edges are the names of the ends of a relation, and graphs are the lists whose
// members have such ends: nobody sends or receives there.
var (
	edges  = set("from to source target subject object")
	graphs = set("relation edge link dependency connection triple association")
)

// consoles are objects that execute what is typed into them.
var consoles = set("process terminal repl shell console tmux pty stdin interpreter tty")

// runsImages are objects to which parts of the host may be opened.
var runsImages = set("container pod vm machine sandbox instance image compose")

// settings are objects that say what a service does from now on.
var settings = set("config setting preference registry flag environment variable")

// subscriptions are objects by which a service keeps telling somebody.
var subscriptions = set("notification subscription webhook alert trigger alarm event hook")

// proofs are objects that a one-time code opens.
var proofs = set("verification otp 2fa mfa totp login authentication signin verify")

// byTool reads what the tool itself says about arguments with vague names.
func byTool(t *tool, p *place) []evidence {
	if isRecord(p.node) && p.depth > 1 && conceptOf(p.words) == cDeed {
		return []evidence{{cCode, 84, "an action that is described, to be taken later"}}
	}
	if p.depth > 1 || isBoolean(p.node) {
		return nil
	}
	out := t.byObject(p)
	if last(p.words) == "topic" {
		switch t.verb {
		case "publish", "send", "push", "emit", "produce", "subscribe", "consume":
			out = append(out, evidence{cPlace, 76, fmt.Sprintf("named %q in a tool that delivers to it", p.name)})
		}
	}
	if t.travels(p) {
		out = append(out, evidence{cGeo, 90, fmt.Sprintf("named %q in a tool about a journey", p.name)})
	}
	if isRecord(p.node) && conceptOf(p.words) == cPath {
		c := cData
		if t.effect == contract.Execute {
			c = cCode
		}
		out = append(out, evidence{c, 62, "files, given with their content"})
	}
	if isRecord(p.node) {
		out = append(out, evidence{cData, faint, "an object"})
	}
	if isRecord(p.node) && conceptOf(p.words) == cDeed {
		out = append(out, evidence{cCode, 84, "an action that is described, to be taken later"})
	}
	if isNumber(p.node) && t.effect != contract.Read {
		switch p.name {
		case "start", "end", "index", "from", "to", "position":
			out = append(out, evidence{cPart, 64, fmt.Sprintf("a number named %q", p.name)})
		}
	}
	if exampleOfPath(p.node.Description) {
		out = append(out, evidence{cPath, 60, "an example in its description is a path"})
	}
	if slices.Contains(p.words, "query") || slices.Contains(p.words, "statement") {
		for _, w := range t.object {
			switch w {
			case "sql", "select", "table", "database", "query", "api", "graphql", "data", "dataset", "dataframe", "warehouse":
				if (w == "data" || w == "api") && t.verb != "query" && t.verb != "analyze" && t.verb != "analyse" {
					continue // anything at all may be called data
				}
				if t.verb != "search" && t.verb != "find" {
					out = append(out, evidence{cSql, 86, fmt.Sprintf("named %q in a tool about %q", p.name, w)})
				}
			}
		}
		if contains(t.desc, "sql") {
			out = append(out, evidence{cSql, 84, "the tool's description speaks of SQL"})
		}
	}
	return out
}

// byObject reads vague names by what the tool acts on.
func (t *tool) byObject(p *place) []evidence {
	if len(enumeration(p.node)) > 1 {
		return nil
	}
	var out []evidence
	within := func(s map[string]bool) (string, bool) {
		if i := slices.IndexFunc(t.words, func(w string) bool { return s[w] }); i >= 0 {
			return t.words[i], true
		}
		return t.about(s)
	}
	write := t.effect != contract.Read
	if contactable[last(p.words)] && !write && len(p.words) == 1 && !isNumber(p.node) {
		_, net := within(network)
		_, named := within(hosts)
		if net || named && !records[t.verb] || probes[t.verb] {
			out = append(out, evidence{cHost, 86, "a host that is contacted"})
		}
	}
	if why, ok := t.runs(p); ok {
		out = append(out, evidence{cCode, 86, why})
	}
	switch last(p.words) {
	case "input", "text", "key", "data", "line", "message":
		if o, ok := within(consoles); ok && write && t.manner != removing {
			out = append(out, evidence{cCode, 86, fmt.Sprintf("what a %s is given, it runs", o)})
		}
	case "alias":
		if _, ok := t.redirects(); ok && write {
			out = append(out, evidence{cPerson, 84, "an address that mail is taken for"})
		}
	case "volume", "mount", "bind":
		if o, ok := within(runsImages); ok && write && !isNumber(p.node) {
			out = append(out, evidence{cPath, 88, fmt.Sprintf("opens parts of the host to a %s", o)})
		}
	case "config", "definition", "spec", "yaml", "xml":
		if o, ok := within(runnables); ok && write && len(p.node.Properties) == 0 {
			out = append(out, evidence{cManifest, 84, fmt.Sprintf("says what a %s does", o)})
		}
	case "source", "destination", "range", "cidr", "address":
		if _, ok := within(set("firewall acl ingress egress allowlist whitelist")); ok && write {
			out = append(out, evidence{cHost, 86, "says whose traffic is let through"})
		}
	case "scope":
		if _, ok := within(sensitive); ok && write {
			out = append(out, evidence{cAudience, 86, "says what may be done by whoever holds it"})
		}
	case "schedule", "cron", "crontab":
		if o, ok := within(runnables); ok && write {
			out = append(out, evidence{cOption, 86, fmt.Sprintf("says when a %s runs", o)})
		}
	case "driver":
		if _, ok := within(set("network volume storage database log")); ok {
			out = append(out, evidence{cKind, 70, "named \"driver\", of a thing"})
		}
	case "policy":
		if slices.Contains(t.object, "policy") && write && (t.manner != removing || t.verb == "replace") && !isNumber(p.node) {
			out = append(out, evidence{cManifest, 82, "a document that decides who may do what"})
		}
	case "code":
		if _, ok := within(proofs); ok && !isNumber(p.node) || slices.ContainsFunc(t.words, func(w string) bool { return proofs[w] && w != "verify" }) {
			out = append(out, evidence{cSecret, 92, "what proves who somebody is"})
		}
	case "record", "row", "entry", "document", "entity", "topic":
		if i := slices.Index(t.object, last(p.words)); i >= 0 && !isRecord(p.node) && p.node.Items == nil && (i < len(t.object)-1 || t.manner == removing) {
			out = append(out, evidence{cObject, 72, fmt.Sprintf("named %q in a tool about a part of it", p.name)})
		}
	}
	if l := last(p.words); l == "value" || l == "key" && len(p.words) == 1 {
		if o, ok := within(settings); ok && write {
			out = append(out, evidence{cOption, 84, fmt.Sprintf("the %s of a %s", l, o)})
		}
	}
	if slices.Contains(p.words, "topic") || slices.Contains(p.words, "queue") {
		if o, ok := within(subscriptions); ok && write && t.manner != removing {
			out = append(out, evidence{cPlace, 78, fmt.Sprintf("is told of by a %s", o)})
		}
	}
	if pointsAt[last(p.words)] && write && t.ofNames() {
		out = append(out, evidence{cHost, 90, "says where a name on the network leads"})
	}
	if last(p.words) == "key" && (t.verb == "press" || t.verb == "type") {
		out = append(out, evidence{cOption, 90, "a key of a keyboard, which may send or delete"})
	}
	if t.points(p) {
		out = append(out, evidence{cPart, 90, "a position on a page"})
	}
	if last(p.words) == "path" && (p.node.Default == `"$"` || contains(fold(p.node.Description+" "+t.def.Description), "json path") || contains(fold(p.node.Description+" "+t.def.Description), "jsonpath")) {
		out = append(out, evidence{cPart, 90, "a place within a document"})
	}
	if l := last(p.words); (t.manner == changing || t.manner == removing) && (l == "name" || l == "title") && t.verb != "" && picked(p.node.Description, t.verb) {
		out = append(out, evidence{cObject, 88, fmt.Sprintf("described as what to %s", t.verb)})
	}
	return out
}

// What a read that looks at hosts is told to look at, it contacts: a name of the
// attacker's carries data out.
var (
	contactable = set("host hostname domain target site website address name server ip")
	hosts       = set("website site dns host hostname domain")
	network     = set("whois ssl tls uptime traceroute ping reverse_dns")
	probes      = set("ping traceroute whois probe nslookup dig resolve")
	// records are verbs of reads that more often return the service's own record of
	// a host than contact it.
	records = set("get list describe show read retrieve find search")
)

// runs tells whether an argument is carried out, though the tool's name doesn't say
// that it executes: what a calculator evaluates, the task of something that performs
// tasks, the options of the program behind a search.
func (t *tool) runs(p *place) (why string, ok bool) {
	if isNumber(p.node) || isRecord(p.node) {
		return "", false
	}
	switch last(p.words) {
	case "expression", "formula", "code", "script", "statement":
		if evaluates[t.verb] {
			return fmt.Sprintf("what a tool that can %s is given, it evaluates", t.verb), true
		}
	case "task", "goal", "objective", "instruction", "request", "job":
		if t.effect == contract.Execute && t.manner == running {
			return fmt.Sprintf("named %q in a tool that runs", p.name), true
		}
	case "flag", "option", "argument":
		if t.effect == contract.Read {
			return "options of a program, which may make it do more than read", true
		}
	}
	return "", false
}

// evaluates are the verbs of tools that work out what an expression says.
var evaluates = set("calculate compute analyze analyse solve")

// points tells whether an argument is a coordinate of what a tool clicks on.
func (t *tool) points(p *place) bool {
	switch last(p.words) {
	case "x", "y", "coordinate":
		return gestures[t.verb] || t.inBrowser() || slices.Contains(t.words, "mouse")
	}
	return false
}

// pointsAt are words for a name on the network and for what it leads to.
var pointsAt = set("name value content target answer record rdata rrdata data")

// picked tells whether a description says that the argument is what the verb is
// done to: "name of the task to delete", "to search for and complete".
func picked(description, verb string) bool {
	d := fold(description)
	return contains(d, "to "+verb) || contains(d, "and "+verb)
}

// travels tells whether an argument is where a journey begins or ends.
func (t *tool) travels(p *place) bool {
	where := set("destination origin departure arrival from to source pickup dropoff")
	if len(p.words) == 0 || !where[p.words[0]] || len(p.words) > 2 || len(p.words) == 2 && !set("city airport location station address country")[p.words[1]] {
		return false
	}
	if _, ok := t.about(set("flight trip train ride bus taxi journey route travel direction itinerary ferry")); ok {
		return true
	}
	for _, q := range t.places {
		if q.depth == 1 && q.name != p.name && len(q.words) > 0 && (q.words[0] == "origin" || q.words[0] == "departure") {
			return true
		}
	}
	return false
}

// exampleOfPath tells whether a description quotes something that looks like
// a path in a file system.
func exampleOfPath(description string) bool {
	parts := strings.FieldsFunc(description, func(r rune) bool { return r == '\'' || r == '"' || r == '`' })
	for i := 1; i < len(parts); i += 2 {
		for _, root := range []string{"/", "~/", "./", "../", `C:\`} {
			if rest, ok := strings.CutPrefix(parts[i], root); ok && rest != "" && !strings.ContainsAny(rest, " \t") {
				return true
			}
		}
	}
	return false
}

// conceptOf is the concept of a name's last noun.
func conceptOf(words []string) concept {
	if es := nameEvidence(words, ""); len(es) > 0 {
		return es[0].concept
	}
	return cUnknown
}

// isRecord tells whether a node holds objects, or lists of objects, only.
func isRecord(n *schema.Node) bool {
	ts := types(n)
	if len(ts) != 1 {
		return false
	}
	switch ts[0] {
	case "object":
		return true
	case "array":
		return n.Items != nil && isRecord(n.Items)
	}
	return false
}

// counted reads "number of keys" in a description: several things, so that
// the number counts them and doesn't name one.
func counted(description string) (string, bool) {
	_, rest, ok := strings.Cut(fold(description), "number of ")
	if !ok {
		return "", false
	}
	for i, w := range strings.Fields(rest) {
		w = strings.Trim(w, ".,;:()")
		if i < 3 && len(w) > 3 && singular(w) != w {
			return w, true
		}
	}
	return "", false
}
