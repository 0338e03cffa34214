package synth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
)

// tool is what is known about one tool while its contract is made.
type tool struct {
	def    *schema.Tool
	words  []string
	plural map[string]bool // words of the name that stand in the plural
	inner  map[string]bool // words that are the second half of a compound
	viaSQL bool            // what runs is SQL
	desc   string          // folded description
	verb   string
	manner manner
	effect contract.Effect
	// object are the words that the verb acts on, without qualifiers.
	object []string
	// acted are the words that the description says the verb acts on.
	acted  []string
	places []*place
	why    []string
	review []string
}

// runnables are objects that run once they are started.
var runnables = set(`pipeline workflow job task taskrun run build deployment container pod function
	script playbook macro agent process query sandbox crawl actor automation scene`)

// devices are objects in the world.
var devices = set(`device door lock light lamp thermostat vehicle robot camera alarm appliance
	intersection garage sprinkler oven valve drone heater heating blind curtain gate car traffic
	vacuum appliances siren machine_tool`)

// commitments are objects that commit money, or a person, once made.
var commitments = set(`payment transaction money fund transfer order reservation booking loan trade bid
	purchase subscription card charge refund payout checkout donation deposit withdrawal
	appointment ride insurance policy investment stock invoice giftcard wire`)

// sensitive are objects that decide who may do what.
var sensitive = set(`password credential permission access role privilege secret token
	authentication 2fa mfa restriction acl firewall grant apikey passkey certificate_authority
	security ssh rbac recovery`)

// messages are objects that reach people as soon as they exist.
var messages = set(`message email sms tweet dm thread mail notification announcement newsletter status
	broadcast reply call post gist snippet paste pastebin`)

// delivers are the verbs by which a message that exists has reached people.
var delivers = set(`create add post insert put publish reply schedule comment write push`)

// personal are objects in which other people take part.
var personal = set(`participant attendee invitee invitation invite recipient guest collaborator sharing member
	registrant responder`)

// documents are objects whose body is what people read.
var documents = set(`page document file content note wiki block markdown section article sheet range
	post message comment readme gist snippet story memo paste canvas issue description body`)

// httpMethods name how a call travels, not what it does.
var httpMethods = set(`post put patch`)

// analyse finds a tool's verb, object and effect.
func analyse(def *schema.Tool, siblings *schema.Catalogue) *tool {
	t := &tool{def: def, desc: fold(def.Description), places: places(def)}
	t.words = withoutPrefix(split(def.Name), siblings)
	t.plural, t.inner = plurals(def.Name)
	t.acted = acted(t.desc)
	t.findVerb()
	t.adjust()
	return t
}

// withoutPrefix takes off the words that nearly all tools of a server begin
// with: they name the service, and "post" or "google_home" there is no verb.
func withoutPrefix(words []string, siblings *schema.Catalogue) []string {
	if siblings == nil || len(siblings.Tools) < 3 {
		return words
	}
	if len(words) > 1 {
		n := 0
		for i := range siblings.Tools {
			if w := split(siblings.Tools[i].Name); len(w) > 1 && w[0] == words[0] {
				n++
			}
		}
		if n*10 < len(siblings.Tools)*6 {
			return words
		}
		if _, isVerb := verbs[words[0]]; isVerb && n == len(siblings.Tools) && words[0] == "get" {
			return words
		}
		return words[1:]
	}
	return words
}

// candidate is one word that may be the tool's verb.
type candidate struct {
	word string
	verb verb
	pos  int
}

func (t *tool) findVerb() {
	var named []candidate
	for i, w := range t.words {
		if t.inner[w] {
			continue // the second half of a compound ("taskrun")
		}
		if i > 0 && (t.plural[w] || strings.HasSuffix(w, "ed")) {
			continue // a noun, or an adjective ("linked accounts")
		}
		if word, v, ok := verbOf(w); ok {
			if i == 0 && word == "return" && len(t.words) > 1 {
				// Descriptions return values; what a tool is named for returning goes
				// back to where it came from.
				v = verb{effect: contract.Write, manner: changing}
			}
			if i == 0 && word == "log" && len(t.words) > 1 && !t.plural[w] {
				// "log_event" writes one down; "git log" and "pod_logs" are read.
				v = verb{effect: contract.Write, manner: adding, weak: true}
			}
			named = append(named, candidate{word, v, i})
		}
	}
	named = operation(t.def.Name, t.words, named)
	told := leadingVerbs(t.desc)
	if len(named) == 0 && len(told) == 0 {
		told = unspacedVerbs(t.desc)
	}
	chosen, why := choose(named, told, t.words)
	for i, w := range t.words {
		if chosen.word == "" || i != chosen.pos {
			t.object = append(t.object, w)
		}
	}
	t.verb, t.manner, t.effect = chosen.word, chosen.verb.manner, chosen.verb.effect
	switch {
	case chosen.word != "":
		t.why = append(t.why, why)
	default:
		t.effect, t.manner = contract.Destructive, changing
		t.why = append(t.why, "no verb that is known in name or description")
		t.review = append(t.review, "what the tool does could not be told from its name or description; the strictest reading was taken")
	}
	// A second opinion: the description may say that the tool does more than
	// its name, never less.
	for _, d := range told {
		if chosen.word != "" && d.word != chosen.word && !d.verb.weak && severity(d.verb.effect) > severity(t.effect) {
			if t.effect == contract.Read && d.verb.effect == contract.Execute {
				continue // "Execute a SELECT query": what is executed is judged as an argument
			}
			if t.effect == contract.Read {
				t.review = append(t.review, fmt.Sprintf("the name says %q, the description %q: the stricter was taken", t.verb, d.word))
			}
			t.effect = d.verb.effect
			if !mixed(told) {
				t.manner = d.verb.manner
			}
			t.why = append(t.why, fmt.Sprintf("the description says %q", d.word))
		}
	}
}

// operation leaves out the verbs of a name's prefix: "VerifyV2--CreateService"
// creates.
func operation(name string, words []string, named []candidate) []candidate {
	cut := -1
	for _, sep := range []string{"--", "__", "::", "/"} {
		if i := strings.LastIndex(name, sep); i >= 0 {
			cut = max(cut, i+len(sep))
		}
	}
	if cut < 0 {
		return named
	}
	from := len(words) - len(split(name[cut:]))
	if i := slices.IndexFunc(named, func(c candidate) bool { return c.pos >= from }); i > 0 {
		return named[i:]
	}
	return named
}

// leadingVerbs are the verbs that a description begins with: "Create, patch,
// or delete a rule" has three.
func leadingVerbs(desc string) []candidate {
	desc = strings.ReplaceAll(desc, "drag and drop", "drag") // nothing is dropped for good
	// "Notion | Create a page", "Goal Seek: change the constant".
	starts := []string{desc}
	if head, rest, ok := strings.Cut(desc, "|"); ok && len(head) < 30 {
		starts = append([]string{rest}, starts...)
	}
	if head, rest, ok := strings.Cut(desc, ": "); ok && len(head) < 40 {
		starts = append(starts, rest)
	}
	for _, lead := range []string{"use this tool to ", "this tool ", "tool to ", "allows you to ", "used to ", "allows ", "lets you ", "use to "} {
		if _, rest, ok := strings.Cut(desc, lead); ok {
			starts = append(starts, rest)
			break
		}
	}
	for _, s := range starts {
		if found := verbRun(s); len(found) > 0 {
			return found
		}
	}
	return nil
}

// unspacedVerbs are the verbs in the first sentence of a description whose
// language puts no spaces between words.
func unspacedVerbs(desc string) []candidate {
	if i := strings.IndexAny(desc, "。；\n"); i >= 0 {
		desc = desc[:i]
	}
	var out []candidate
	for _, word := range unspaced.words {
		if strings.Contains(desc, word) {
			w := unspaced.verbs[word]
			out = append(out, candidate{w, verbs[w], -1})
		}
	}
	return out
}

func verbRun(s string) []candidate {
	var out []candidate
	fields := strings.FieldsFunc(s, func(r rune) bool {
		return r == ' ' || r == ',' || r == '/' || r == '\n' || r == '.' || r == '*' || r == '(' || r == '`'
	})
	for i, f := range fields {
		if i > 6 {
			break
		}
		switch f {
		case "or", "and", "to", "recursively", "permanently", "quickly", "safely", "batch", "bulk", "automatically", "performs", "perform", "a", "an", "the", "-":
			continue
		}
		words := split(f)
		if len(words) != 1 {
			break
		}
		w, v, ok := verbOf(words[0])
		if !ok {
			w, v, ok = verbOf(f)
		}
		if !ok {
			break
		}
		out = append(out, candidate{w, v, -1})
		if i+1 < len(fields) && fields[i+1] != "or" && fields[i+1] != "and" && !strings.Contains(s[:min(len(s), 60)], f+",") && !strings.Contains(s[:min(len(s), 60)], f+"/") {
			break
		}
	}
	return out
}

// starting are verbs that say that the other one begins.
var starting = set("start perform do begin")

// choose picks the tool's verb among those in its name, with the description
// as arbiter.
func choose(named, told []candidate, words []string) (candidate, string) {
	if len(named) == 0 {
		if len(told) == 0 {
			return candidate{}, ""
		}
		c := strictest(told)
		c.pos = -1
		return c, fmt.Sprintf("the description says %q", c.word)
	}
	if first := named[0]; first.pos == 0 && starting[first.word] && len(named) > 1 {
		// "start_search" searches, if the description doesn't say more.
		if c := named[1]; c.word == "search" && c.pos == len(words)-1 {
			if len(told) == 0 || strictest(told).verb.effect == contract.Read || strictest(told).word == first.word {
				return c, fmt.Sprintf("named %q", c.word)
			}
		}
	}
	pick := func(c candidate, note string) (candidate, string) {
		return c, fmt.Sprintf("named %q%s", c.word, note)
	}
	// "create_or_update", "find_and_replace": all of them happen.
	for i := 0; i+1 < len(named); i++ {
		if named[i+1].pos-named[i].pos == 2 {
			if link := words[named[i].pos+1]; link == "or" || link == "and" {
				return pick(strictest(named[i:i+2]), "")
			}
		}
	}
	// What name and description agree on.
	for _, d := range told {
		for _, c := range named {
			if c.word == d.word && (!c.verb.weak || len(named) == 1 || c.pos == 0) && !httpMethods[c.word] {
				return pick(c, ", and so says the description")
			}
		}
	}
	first := named[0]
	if httpMethods[first.word] && first.pos == 0 {
		if len(told) > 0 && told[0].word == first.word {
			return pick(first, ", and so says the description")
		}
		// An HTTP method says less than any other verb.
		for _, c := range named[1:] {
			if !c.verb.weak {
				return pick(c, "")
			}
		}
		if len(told) > 0 && !told[0].verb.weak {
			c := strictest(told)
			c.pos = first.pos
			return c, fmt.Sprintf("the description says %q", c.word)
		}
		return pick(first, "")
	}
	if !first.verb.weak {
		return pick(first, "")
	}
	// A weak verb: a strong one in the description explains it.
	if len(told) > 0 {
		c := strictest(told)
		switch {
		case c.verb.effect == first.verb.effect && c.verb.manner == first.verb.manner:
			return pick(first, "")
		case !c.verb.weak:
			c.pos = first.pos
			if mixed(told) {
				c.verb.manner = changing
			}
			return c, fmt.Sprintf("named %q; the description says %q", first.word, c.word)
		}
	}
	// "list_orders": what begins with a weak verb of reading is a read. Else
	// a strong verb further on is the better guess.
	if first.pos > 0 || first.verb.effect != contract.Read {
		for _, c := range named[1:] {
			if !c.verb.weak {
				return pick(c, "")
			}
		}
	}
	return pick(first, "")
}

// mixed tells whether several verbs do different things to their object, so
// that none of them alone says what happens to it.
func mixed(cs []candidate) bool {
	for _, c := range cs[1:] {
		if c.verb.manner != cs[0].verb.manner {
			return true
		}
	}
	return false
}

// plurals are the words that stand in the plural in a name, and those that
// are the second half of a compound.
func plurals(name string) (plural, inner map[string]bool) {
	plural, inner = map[string]bool{}, map[string]bool{}
	for _, piece := range cut(name) {
		w := canonicalWords(piece)
		if len(w) == 1 && singular(piece) != piece {
			plural[w[0]] = true
		}
		for _, second := range w[1:] {
			inner[second] = true
		}
	}
	return plural, inner
}

func strictest(cs []candidate) candidate {
	best := cs[0]
	for _, c := range cs[1:] {
		if severity(c.verb.effect) > severity(best.verb.effect) || best.verb.weak && !c.verb.weak && severity(c.verb.effect) == severity(best.verb.effect) {
			best = c
		}
	}
	return best
}

// raise makes the effect stricter, never milder.
func (t *tool) raise(e contract.Effect, m manner, why string) {
	if severity(e) > severity(t.effect) {
		t.effect = e
		if m != looking {
			t.manner = m
		}
		t.why = append(t.why, why)
	}
}

// about tells whether the verb acts on an object of a set, by the tool's name
// or by the first words of its description.
func (t *tool) about(s map[string]bool) (string, bool) {
	for _, w := range t.object {
		if s[w] {
			return w, true
		}
	}
	for _, w := range t.acted {
		if s[w] {
			return w, true
		}
	}
	return "", false
}

// acted are the words that the description's first verb acts on: what stands
// before the first preposition, or belongs to it by "of".
func acted(desc string) []string {
	first, _, _ := strings.Cut(desc, ".")
	var out []string
	verb := false
	for i, f := range strings.Fields(first) {
		f = strings.Trim(f, ",;:()'`\"")
		if !verb {
			_, _, verb = verbOf(f)
			if i > 4 {
				break
			}
			continue
		}
		switch f {
		case "to", "from", "in", "for", "with", "by", "at", "on", "using", "via", "that", "which", "into", "including", "based", "through", "within", "whose", "given", "under":
			return out
		}
		out = append(out, split(f)...)
		if len(out) > 8 {
			break
		}
	}
	return out
}

// adjust applies what the object, the arguments, the description and the
// annotations say about the effect. Every rule makes it stricter.
func (t *tool) adjust() {
	if (t.verb == "download" || t.verb == "export") && t.argument(cPath) == nil && t.argument(cLocator) == nil && t.delivery() == nil {
		t.effect, t.manner = contract.Read, looking
		t.why = append(t.why, "to the caller, not to a file")
	}
	write := t.effect == contract.Write || t.effect == contract.Destructive && t.verb == ""
	if t.effect != contract.Read {
		if p := t.argument(cSql); p != nil {
			t.viaSQL = true
			t.raise(contract.Execute, running, fmt.Sprintf("%s is run by a database", p.name))
		}
	}
	if p := t.argument(cCode); p != nil && p.required {
		t.raise(contract.Execute, running, fmt.Sprintf("%s is executed", p.name))
	}
	if t.verb == "resolve" {
		if o, ok := t.about(set("issue ticket conflict thread comment incident alert bug discussion")); ok {
			t.raise(contract.Write, changing, fmt.Sprintf("changes the state of a %s", o))
		}
	}
	if t.verb == "convert" && t.effect == contract.Read {
		for _, p := range t.places {
			if e := t.winner(p); p.depth == 1 && (e.concept == cObject || e.concept == cPlace) && handles[last(p.words)] {
				t.raise(contract.Write, changing, fmt.Sprintf("makes something else of what %s names", p.name))
			}
		}
	}
	if t.effect == contract.Read {
		if p := t.contacted(); p != nil {
			t.raise(contract.Egress, looking, fmt.Sprintf("contacts what %s names", p.name))
		}
	}
	if p := t.delivery(); p != nil {
		t.raise(contract.Egress, t.manner, fmt.Sprintf("%s says to whom the result goes", p.name))
	}
	if write {
		if o, ok := t.about(messages); ok && delivers[t.verb] && !slices.Contains(t.object, "draft") {
			if _, mark := t.about(relations); !mark {
				t.raise(contract.Egress, sending, fmt.Sprintf("people read a %s", o))
			}
		}
		if slices.Contains(t.object, "comment") && delivers[t.verb] {
			t.raise(contract.Egress, t.manner, "whoever follows the thread reads a new comment")
		}
		if o, ok := t.about(personal); ok && t.manner != relocating {
			t.raise(contract.Egress, sending, fmt.Sprintf("other people take part in %q", o))
		}
		if o, ok := t.about(commitments); ok && !strings.Contains(t.verb, "tag") && !t.ofBoard(o) {
			t.raise(contract.Egress, sending, fmt.Sprintf("a %s commits money or a person", o))
		}
		if o, ok := t.about(devices); ok {
			t.raise(contract.Execute, running, fmt.Sprintf("acts on a %s", o))
		}
		if o, ok := t.about(runnables); ok && (t.verb == "start" || t.verb == "enable" || t.verb == "process" || t.verb == "apply" || t.verb == "schedule" || t.verb == "resume" || t.verb == "unpause") {
			t.raise(contract.Execute, running, fmt.Sprintf("starts a %s", o))
		}
		if o, ok := t.about(set("tool function command agent plugin skill")); ok && t.verb == "use" {
			t.raise(contract.Execute, running, fmt.Sprintf("runs a %s", o))
		}
		if o, ok := t.about(set("signature autoreply autoresponder")); ok {
			t.raise(contract.Egress, t.manner, fmt.Sprintf("later mail carries the %s", o))
		}
		if o, ok := t.about(set("job pipeline workflow")); ok && t.verb == "build" {
			t.verb = "trigger" // a build of a job is no new job
			t.raise(contract.Execute, running, fmt.Sprintf("runs a %s", o))
		}
		if _, ok := t.about(set("campaign")); ok && begins[t.verb] {
			t.raise(contract.Egress, t.manner, "people get a campaign")
		}
		if _, ok := t.about(set("position")); ok && (t.verb == "open" || t.verb == "close") {
			t.raise(contract.Egress, t.manner, "a position commits money")
		}
		if o, ok := t.about(sensitive); ok {
			t.raise(contract.Destructive, changing, fmt.Sprintf("%s decides who may do what", o))
		}
		if o, ok := t.elsewhere(); ok {
			t.raise(contract.Egress, t.manner, fmt.Sprintf("to or from another host, by %s", o))
		}
		if o, ok := t.about(set("image dockerfile")); ok && t.verb == "build" {
			t.raise(contract.Execute, running, fmt.Sprintf("building a %s runs what its file says", o))
		}
		for _, p := range t.places {
			if notified(p) && t.verb != "draft" {
				t.raise(contract.Egress, t.manner, fmt.Sprintf("the people in %s hear of it", p.name))
			}
		}
		for _, phrase := range []string{"sends an email", "send an email", "also email", "will email", "notifies", "send a notification", "sends a notification", "notifying", "sends a message", "publicly"} {
			if contains(t.desc, phrase) {
				t.raise(contract.Egress, t.manner, fmt.Sprintf("the description says %q", phrase))
			}
		}
		if t.overwrites() {
			t.raise(contract.Destructive, t.manner, "overwrites what is there")
		}
		if t.operates() {
			t.raise(contract.Egress, t.manner, "what is done on a page goes to whoever runs it")
		}
		if o, ok := t.redirects(); ok {
			t.raise(contract.Destructive, t.manner, fmt.Sprintf("%s decides where mail or traffic goes", o))
		}
	}
	for _, p := range t.places {
		if p.depth != 1 || t.winner(p).concept != cDeed {
			continue
		}
		if t.effect == contract.Read && !verbs[t.verb].weak && len(enumeration(p.node)) == 0 {
			continue // "check whether the operation is allowed"
		}
		for _, v := range verbsIn(p) {
			t.raise(v.verb.effect, looking, fmt.Sprintf("%s may be %q", p.name, v.word))
		}
	}
	a := t.def.Annotations
	if hinted := a.Destructive != nil && *a.Destructive; hinted && t.effect == contract.Write && verbs[t.verb].weak {
		t.raise(contract.Destructive, t.manner, fmt.Sprintf("%q says little, and the server says that it is destructive", t.verb))
	}
	if t.effect == contract.Read && a.ReadOnly != nil && !*a.ReadOnly {
		e := contract.Write
		if a.Destructive != nil && *a.Destructive {
			e = contract.Destructive
		}
		t.raise(e, changing, "the server says that it is not read-only")
		t.review = append(t.review, "named like a read, but the server says that it is not read-only")
	}
}

// begins are verbs by which something that was prepared takes place.
var begins = set("schedule start resume enable activate")

// results are objects that a service makes for somebody to have.
var results = set(`report export statement backup dump archive summary digest transcript certificate invoice receipt`)

// delivery finds the argument that says to whom, or where, the result of a tool is
// taken: an address in an export, a list of people to notify. What a search names
// so is a filter.
func (t *tool) delivery() *place {
	switch t.verb {
	case "search", "list", "find", "query", "filter":
		return nil
	}
	if _, ok := t.about(messages); ok {
		return nil // who a message is to is part of it
	}
	made := t.verb == "export" || t.verb == "download"
	if _, ok := t.about(results); ok {
		made = true
	}
	for _, p := range t.places {
		if p.depth != 1 || isBoolean(p.node) || isNumber(p.node) {
			continue
		}
		switch first, l := p.words[0], last(p.words); {
		case first == "notify", l == "delivery", first == "deliver", l == "to" && len(p.words) > 1 && (first == "send" || first == "email"):
			return p
		case made && (destination(p) || t.toward(p) || p.name == "to" || l == "bucket" || l == "recipient" || l == "email" || l == "cc" || l == "channel"):
			return p
		}
	}
	return nil
}

// operates tells whether a tool works a page or a screen as a person does: a click
// or a key can send, buy or delete, and nothing in the call says what it does.
func (t *tool) operates() bool {
	return gestures[t.verb] || entries[t.verb] && (t.onPage() || t.inBrowser())
}

// gestures are verbs that only pages and screens have, and entries those that others
// have too.
var (
	gestures = set("click press tap drag swipe")
	entries  = set("type fill enter select choose")
)

// redirections are objects that say where mail or traffic goes.
var redirections = set(`dns nameserver mx cname forwarding redirect redirection delegation delegate route alias`)

// redirects tells whether a write decides where mail or traffic goes.
func (t *tool) redirects() (string, bool) {
	for _, w := range t.object {
		if redirections[w] && (w != "alias" && w != "route" || t.ofMail()) {
			return w, true
		}
	}
	if t.ofNames() {
		return "a record of names", true
	}
	return "", false
}

// ofNames tells whether a tool is about the names of hosts: of DNS by its words, or
// of the records of a zone.
func (t *tool) ofNames() bool {
	if _, ok := t.about(set("dns nameserver")); ok {
		return true
	}
	_, ok := t.about(set("record recordset"))
	return ok && slices.ContainsFunc(t.places, func(p *place) bool { return p.depth == 1 && slices.Contains(p.words, "zone") })
}

// ofMail tells whether a tool is about mailboxes, domains or the people they belong
// to, so that an alias there is an address.
func (t *tool) ofMail() bool {
	about := set("mailbox mail email domain user account")
	if slices.ContainsFunc(t.words, func(w string) bool { return about[w] }) {
		return true
	}
	return slices.ContainsFunc(t.places, func(p *place) bool { return p.depth == 1 && (about[p.words[0]] || about[last(p.words)]) })
}

// argument finds a top-level argument whose name or description says the
// concept strongly.
func (t *tool) argument(c concept) *place {
	for _, p := range t.places {
		if p.depth == 1 && !isBoolean(p.node) {
			if e := t.winner(p); e.concept == c && e.weight >= strong {
				return p
			}
		}
	}
	return nil
}

// contacted finds the argument that names whom a read contacts.
func (t *tool) contacted() *place {
	for _, c := range []concept{cLocator, cHost} {
		if p := t.argument(c); p != nil && (p.required || t.verb == "fetch" || t.verb == "request" || t.verb == "crawl") {
			return p
		}
	}
	return nil
}

// elsewhere tells whether a tool brings something from another host or takes it
// there, though it names no address: "push to a remote", "pull an image".
func (t *tool) elsewhere() (string, bool) {
	switch t.verb {
	case "push", "pull", "clone", "mirror", "load", "import":
	default:
		return "", false
	}
	for _, p := range t.places {
		if p.depth == 1 && !isBoolean(p.node) && (p.words[0] == "remote" || t.winner(p).concept == cLocator) {
			return p.name, true
		}
	}
	return t.about(set("image chart"))
}

// ofBoard tells whether a card is one of a board, and pays nothing.
func (t *tool) ofBoard(object string) bool {
	if object != "card" {
		return false
	}
	for _, p := range t.places {
		for _, w := range p.words {
			switch w {
			case "board", "stack", "lane", "swimlane":
				return p.depth == 1
			}
		}
	}
	return slices.Contains(t.words, "board")
}

// notified tells whether an argument names people who will hear of the call.
func notified(p *place) bool {
	for _, w := range p.words {
		switch w {
		case "participant", "attendee", "recipient", "cc", "bcc", "invitee", "guest":
			return !isBoolean(p.node) && !slices.Contains(p.words, "include")
		}
	}
	return false
}

// overwrites tells whether a write takes away what stood in its place.
func (t *tool) overwrites() bool {
	switch t.verb {
	case "write", "save", "put", "edit", "move", "rename", "modify", "replace", "update", "patch":
		for _, o := range t.object {
			if o == "file" || o == "directory" {
				return t.argument(cPath) != nil
			}
		}
	}
	for _, phrase := range []string{"overwriting cells", "overwriting them", "overwriting the", "overwrite existing", "overwrites", "completely overwrite", "irreversible", "permanently", "cannot be undone", "can't be undone", "and store it"} {
		if contains(t.desc, phrase) && !contains(t.desc, "never "+phrase) && !contains(t.desc, "not "+phrase) {
			return true
		}
	}
	return false
}

// verbsIn are the verbs that a verb argument may hold: its enumeration's, or
// else those quoted in its description.
func verbsIn(p *place) []candidate {
	values := enumeration(p.node)
	if len(values) == 0 {
		parts := strings.FieldsFunc(p.node.Description, func(r rune) bool { return r == '\'' || r == '"' || r == '`' })
		for i := 1; i < len(parts); i += 2 {
			if len(parts[i]) < 40 {
				values = append(values, parts[i])
			}
		}
	}
	var out []candidate
	for _, v := range values {
		if c, ok := verbOfValue(v); ok {
			out = append(out, c)
		}
	}
	return out
}

// verbOfValue finds the verb in one value of a verb argument.
func verbOfValue(value string) (candidate, bool) {
	words := split(value)
	for i, w := range words {
		if word, v, ok := verbOf(w); ok {
			return candidate{word, v, i}, true
		}
		if i == 1 {
			break
		}
	}
	return candidate{}, false
}

func isBoolean(n *schema.Node) bool {
	ts := types(n)
	return len(ts) == 1 && ts[0] == "boolean"
}

func isNumber(n *schema.Node) bool {
	ts := types(n)
	if len(ts) == 0 {
		return false
	}
	for _, t := range ts {
		if t != "number" && t != "integer" {
			return false
		}
	}
	return true
}

// adjustVariant applies the adjustments to one variant.
func (t *tool) adjustVariant() {
	write := t.effect == contract.Write
	if !write {
		return
	}
	if o, ok := t.about(commitments); ok && !t.ofBoard(o) {
		t.raise(contract.Egress, sending, fmt.Sprintf("a %s commits money or a person", o))
	}
	if o, ok := t.about(devices); ok {
		t.raise(contract.Execute, running, fmt.Sprintf("acts on a %s", o))
	}
	if o, ok := t.about(sensitive); ok {
		t.raise(contract.Destructive, changing, fmt.Sprintf("%s decides who may do what", o))
	}
	if p := t.argument(cLocator); p != nil && t.inBrowser() && t.manner == adding {
		t.raise(contract.Egress, sending, fmt.Sprintf("opens what %s names", p.name))
	}
	for _, p := range t.places {
		if notified(p) {
			t.raise(contract.Egress, t.manner, fmt.Sprintf("the people in %s hear of it", p.name))
		}
	}
}
