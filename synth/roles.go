package synth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// verdict is what an argument is to security, and why.
type verdict struct {
	role    label.Role
	floor   label.Trust
	form    contract.Form
	concept concept
	why     string
	review  string
}

// nearly is how close a stricter second reading must be to the first to make
// an argument ambiguous.
const nearly = 9

// judge decides one place.
func (t *tool) judge(p *place) verdict {
	es := t.all(p)
	if len(es) == 0 {
		return t.unknown(p)
	}
	best := es[0]
	v := t.roleOf(best, p)
	v.concept = best.concept
	v.why = reason(es)
	if v.role.AuthorityBearing() {
		return v
	}
	for _, e := range es[1:] {
		if best.weight-e.weight > nearly {
			break
		}
		second := t.roleOf(e, p)
		if second.role.AuthorityBearing() {
			second.concept = e.concept
			second.why = e.why
			second.review = fmt.Sprintf("might also be %s (%s): %s; the stricter reading was taken", best.concept, v.role, best.why)
			return second
		}
		if second.floor > v.floor && second.role == v.role {
			v.floor = second.floor
		}
	}
	return v
}

// reason puts the evidence that agrees into words.
func reason(es []evidence) string {
	out := []string{es[0].why}
	for _, e := range es[1:] {
		if e.concept == es[0].concept && !slices.Contains(out, e.why) && len(out) < 3 {
			out = append(out, e.why)
		}
	}
	return strings.Join(out, ", ")
}

// unknown is the verdict when nothing is known: strict where the tool reaches
// out, payload where it only writes, a filter where it only reads.
func (t *tool) unknown(p *place) verdict {
	doubt := fmt.Sprintf("neither the name %q nor the description says what it is", p.name)
	switch {
	case t.effect == contract.Read:
		return verdict{role: label.Selector, floor: label.External, why: "an argument of a read", review: doubt}
	case t.effect.Outward():
		return verdict{role: label.Target, floor: label.User, why: "unknown, in a tool that " + t.manner.String(), review: doubt + "; the stricter reading was taken"}
	}
	return verdict{role: label.Content, floor: label.External, why: "an argument of a write", review: doubt}
}

// roleOf is the table from concept and effect to role and floor.
func (t *tool) roleOf(e evidence, p *place) verdict {
	read := t.effect == contract.Read
	target := verdict{role: label.Target, floor: label.User}
	content := verdict{role: label.Content, floor: label.External}
	control := func(f label.Trust) verdict { return verdict{role: label.Control, floor: f} }
	selector := verdict{role: label.Selector, floor: label.ToolOutput}
	if read || t.effect == contract.Egress && (t.manner == looking || t.verb == "crawl" || t.verb == "scrape") {
		selector.floor = label.External
	}
	if !read && decisions[t.verb] {
		selector.floor = label.User
	}
	payload := t.inPayload(p) && !t.picksInside(p)

	switch e.concept {
	case cSecret:
		v := verdict{role: label.Credential, floor: label.Trusted}
		if t.setsSecret(p) {
			v.floor = label.User // a new password is the user's to choose
		}
		return v
	case cSql, cCode, cManifest, cImage:
		v := verdict{role: label.Command, floor: label.User}
		if e.concept == cImage && e.weight < fair && t.effect == contract.Egress && t.manner == sending {
			return target // pictures that are sent
		}
		switch {
		case e.concept == cSql:
			v.form = contract.SQL
		case shellLike(p):
			v.form = contract.Shell
		}
		if e.concept == cCode && e.weight < strong && t.effect != contract.Execute || e.concept == cManifest && e.weight < strong {
			if read {
				return content
			}
			v.review = "may be executed, or only stored"
		}
		return v
	case cPath:
		if read && t.verb == "search" && slices.Contains(p.words, "filename") || t.cloudFilename(p) {
			return t.named(p, content, selector, target)
		}
		target.form = contract.Path
		return target
	case cLocator:
		target.form = contract.URL
		if t.onlyShown(p) || payload {
			v := content
			v.floor, v.form = label.User, contract.URL
			v.review = "a link that is shown; if the service fetches it, it is a target"
			return v
		}
		return target
	case cHost, cPort:
		if e.concept == cPort && t.hostSibling(p) == nil {
			if read {
				return control(label.External)
			}
			return control(label.User)
		}
		return target
	case cPerson, cAccount:
		if payload && e.weight < strong {
			return content
		}
		if read {
			return selector
		}
		if len(p.words) == 1 && p.words[0] == "name" && t.effect == contract.Write {
			return t.named(p, content, selector, target) // what a person is called reaches nobody
		}
		if e.concept == cPerson && looksLikeAddress(p) {
			target.form = contract.Address
		}
		switch {
		case t.isObject(p):
			return t.handled(p, selector)
		case t.manner == removing && t.effect == contract.Destructive && !t.grants():
			v := selector
			v.floor = label.User
			v.review = "names a person or account in a tool that removes"
			return v
		}
		return target
	case cPlace:
		switch {
		case t.names(p):
			return content
		case payload:
			return content
		case read:
			return selector
		case t.brings(p):
			return selector
		case destination(p), t.toward(p):
			return target
		case origin(p):
			return selector
		case t.isObject(p):
			return t.handled(p, selector)
		case t.manner == removing:
			v := selector
			v.review = "scopes what is removed"
			return v
		}
		return target
	case cObject:
		if t.names(p) {
			return content
		}
		if last(p.words) == "name" && !read && t.object != nil && (t.manner == adding || t.effect == contract.Execute) && !destination(p) && (len(p.words) == 1 || t.shares(p)) {
			return t.named(p, content, selector, target)
		}
		switch {
		case payload:
			return content
		case read:
			return selector
		case destination(p), t.manner == relocating && t.toward(p):
			return target
		case t.effect == contract.Execute && (p.words[0] == "command" || p.words[0] == "script" || p.words[0] == "macro"):
			return verdict{role: label.Command, floor: label.User, review: "says by its id what is executed"}
		case t.manner == sending && slices.Contains(p.words, "webhook"):
			return target
		case p.words[0] == "new" && (t.verb == "rename" || t.manner == relocating):
			target.review = "the name that it gets may be another's, which is overwritten then"
			return target
		}
		return t.handled(p, selector)
	case cName:
		return t.named(p, content, selector, target)
	case cText:
		switch {
		case read && t.identifies(p):
			return selector
		case takesAway[t.verb] && !accompanies[last(p.words)]:
			return selector // says which of them goes
		case !read && isFree(p.node) && p.node.Items == nil:
			return t.free(p, content) // a body that is an object says more than text does
		}
		return content
	case cData:
		switch {
		case read && t.projects(p):
			return control(label.External)
		case read && projection[last(p.words)] && !isRecord(p.node):
			return selector
		case read:
			return content
		case takesAway[t.verb]:
			return selector // says which of them goes
		case last(p.words) == "header":
			return control(label.User) // says who calls, and how it is taken
		case t.effect == contract.Execute && !t.viaSQL:
			v := control(label.User)
			if p.depth == 1 && p.opaque && isRecord(p.node) {
				v.review = "free-form: may say what is executed, and on what"
			}
			return v
		}
		return t.free(p, content)
	case cTagging:
		if read || t.version(p) {
			return selector
		}
		return content
	case cQuery:
		switch {
		case t.effect == contract.Execute:
			return verdict{role: label.Command, floor: label.User, review: "query text in a tool that executes"}
		case read:
			if t.filterLanguage(p) {
				return selector
			}
			return content
		}
		return selector
	case cPattern:
		if !read && t.manner != looking && len(enumeration(p.node)) > 1 {
			return control(label.User) // how much is changed
		}
		return selector
	case cOld:
		selector.floor = label.External // quoted from the object itself
		return selector
	case cWhen:
		if read || t.manner == removing && t.verb != "cancel" || t.verb == "" && contains(t.desc, "matching") {
			return selector
		}
		return content
	case cMoney:
		if read {
			return selector
		}
		return control(label.User)
	case cQuantity:
		switch {
		case read:
			return control(label.External)
		case t.manner == removing && t.effect == contract.Destructive && isNumber(p.node):
			return control(label.User)
		case t.effect == contract.Write && p.depth > 1:
			return control(label.External)
		}
		return control(label.User)
	case cLimit, cLook:
		return control(label.External)
	case cOption:
		if read && decides(p) {
			return control(label.User)
		}
		if read || cosmetic(p) {
			return control(label.External)
		}
		return control(label.User)
	case cAudience:
		if read {
			return control(label.External)
		}
		return control(label.User)
	case cDeed:
		if read {
			return control(label.External)
		}
		return control(label.User)
	case cKind:
		switch {
		case read:
			return selector
		case p.depth > 1 && t.manner != removing:
			return control(label.External) // says what its siblings are
		case t.manner == adding && t.effect == contract.Write:
			return control(label.External)
		case t.manner == removing:
			return selector
		}
		return control(label.User)
	case cPart:
		if creating[t.verb] && !isNumber(p.node) && t.manner == adding && last(p.words) != "cell" && last(p.words) != "range" && !slices.Contains(t.object, last(p.words)) {
			return content // a part that the new object has
		}
		if t.points(p) && !read {
			selector.floor = label.User // any number finds something there
		}
		return selector
	case cGeo:
		if read {
			return selector
		}
		v := content
		if t.effect == contract.Egress && t.manner == sending && p.depth == 1 && destination(p) {
			v.review = "where something or somebody goes"
		}
		return v
	}
	return t.unknown(p)
}

// holdsRecords tells whether a text is described as JSON that holds more than
// text: an assignee, a project, a recipient.
func holdsRecords(p *place) bool {
	d := fold(p.node.Description)
	if !contains(d, "json") {
		return false
	}
	for _, w := range []string{"assignee", "project", "recipient", "account", "owner", "url", "path", "email", "permission"} {
		if strings.Contains(d, w) {
			return true
		}
	}
	return false
}

// takesAway are verbs after which something is gone, and accompanies the texts that
// are said with it: any other text of such a call tells what goes.
var (
	takesAway   = set("delete remove erase clear purge drop prune discard")
	accompanies = set("reason comment message note description explanation feedback remark summary subject body title")
)

// isFree tells whether a node takes objects of members that the schema doesn't list,
// alone or in a list.
func isFree(n *schema.Node) bool {
	if n.Items != nil {
		return isFree(n.Items)
	}
	return isOpaque(n) && slices.Contains(types(n), "object")
}

// free is the verdict for data that is written. What changes something that exists,
// or goes out, may give it another owner, address or account in a member that no
// schema lists; so that the user has to vouch for it.
func (t *tool) free(p *place, content verdict) verdict {
	v := content
	switch {
	case holdsRecords(p), isFree(p.node) && last(p.words) != "metadata" && (t.manner == changing || t.effect.Outward()):
		v.floor = label.User
		v.review = "free-form: may hold an owner, an address or an account beside text"
	case p.depth == 1 && p.opaque:
		v.review = "free-form: may hold fields that decide more than text does"
	}
	return v
}

// handled is the verdict for the object that a tool names by its id: picked,
// or the receiver of something new.
func (t *tool) handled(p *place, selector verdict) verdict {
	target := verdict{role: label.Target, floor: label.User}
	switch {
	case t.verb == "", t.effect == contract.Execute && t.manner == running:
		return target
	case t.commits(p):
		return target
	case t.publishesInto(p):
		target.review = "receives new text, and is named by an id only"
		return target
	}
	v := selector
	if handleOfMessage(p) && (t.manner == sending || t.manner == adding) {
		v.review = "with the container, says to whose message something is added"
	}
	if t.effect == contract.Destructive && t.manner == removing && byTypedName(p) {
		v.floor = label.User
	}
	if v.review == "" && (t.manner == adding || t.manner == changing || t.manner == sending) && t.hasPayload(p) {
		v.review = "picks the object; text is written in the same call, so that it may be its destination"
	}
	return v
}

// decisions are verbs by which somebody's word lets something happen, or makes one
// thing of two for good: what they are about is for the user to say.
var decisions = set("approve accept confirm ratify endorse countersign release grant merge")

// hasPayload tells whether the tool takes text or values beside p.
func (t *tool) hasPayload(p *place) bool {
	for _, q := range t.places {
		if q == p || q.depth != 1 || isBoolean(q.node) {
			continue
		}
		if c := conceptByName(q).concept; c == cText || c == cData {
			return true
		}
	}
	return false
}

// named is the verdict for a name: a new object's is a label, an existing
// object's picks it.
func (t *tool) named(p *place, content, selector, target verdict) verdict {
	switch {
	case t.effect == contract.Read:
		return selector
	case t.inPayload(p) && !t.picksInside(p):
		return content
	case t.storesUnder(p) && t.identifier(p) != nil && t.manner != adding:
		return t.handled(p, selector)
	case slices.Contains(p.words, "new") || slices.Contains(p.words, "target") || contains(fold(p.node.Description), "new name"):
		return content
	case t.effect == contract.Execute && !t.viaSQL && !creating[t.verb] && t.verb != "install" && t.verb != "run" && t.verb != "deploy" && t.verb != "launch":
		return target
	case t.manner == adding, t.effect == contract.Execute, t.manner == sending && !t.isObject(p):
		return content
	}
	if other := t.identifier(p); other != nil && t.manner == changing {
		return content // the object is named by its id; this is the new name
	}
	return t.handled(p, selector)
}

// identifier is another top-level argument that identifies the object.
func (t *tool) identifier(p *place) *place {
	for _, q := range t.places {
		if q == p || q.depth != 1 {
			continue
		}
		last := ""
		if len(q.words) > 0 {
			last = q.words[len(q.words)-1]
		}
		if last == "id" || last == "key" || last == "number" || last == "uuid" {
			return q
		}
	}
	return nil
}

// identifies tells whether a text argument of a read picks the object.
func (t *tool) identifies(p *place) bool {
	last := last(p.words)
	return last == "title" || last == "subject" || last == "name" || last == "summary"
}

// isObject tells whether a place names the very object that the verb acts on.
func (t *tool) isObject(p *place) bool {
	if p.depth > 1 || destination(p) {
		return false
	}
	if len(t.object) == 0 {
		return t.manner == changing && len(t.acted) > 0 && t.acted[0] == p.words[0]
	}
	last := t.object[len(t.object)-1]
	if t.manner == adding || t.manner == sending {
		return false
	}
	for _, w := range p.words {
		if handles[w] || fillers[w] {
			continue
		}
		return w == last || slices.Contains(t.object, w) && slices.Index(t.object, w) <= 1 && len(t.object) < 3
	}
	return false
}

// destination tells whether an argument's name says that something goes there.
func destination(p *place) bool {
	for i, w := range p.words {
		switch w {
		case "destination", "parent", "target", "into":
			return true
		case "remote":
			return i == 0
		case "to":
			return i == 0 && len(p.words) > 1
		}
	}
	return false
}

// toward tells whether the tool's name says that something goes there: the group of
// "assign_user_to_group", the drive of "copy_to_drive", or what is described as
// "sheet to export to".
func (t *tool) toward(p *place) bool {
	if t.verb != "" && strings.HasSuffix(strings.TrimRight(fold(p.node.Description), ". "), t.verb+" to") {
		return true
	}
	i := slices.Index(t.words, "to")
	if i < 0 || t.effect == contract.Read {
		return false
	}
	return slices.ContainsFunc(p.words, func(w string) bool { return !handles[w] && !fillers[w] && slices.Contains(t.words[i+1:], w) })
}

// origin tells whether an argument's name says that something comes from there.
func origin(p *place) bool {
	return len(p.words) > 1 && (p.words[0] == "source" || p.words[0] == "from")
}

// brings tells whether a container is what a tool takes from, as against where
// it writes: the branch that is cloned, or that a new one begins at.
func (t *tool) brings(p *place) bool {
	l := last(p.words)
	switch t.verb {
	case "clone", "checkout", "pull", "switch":
		return l == "branch"
	}
	return creating[t.verb] && len(p.words) > 1 && p.words[0] == "base" && l == last(t.object)
}

// projection are words for the parts of a record.
var projection = set("field fields column attribute property")

// projects tells whether a list of a read says which parts of the records come
// back.
func (t *tool) projects(p *place) bool {
	return projection[last(p.words)] && p.node.Items != nil && !isRecord(p.node) && p.depth == 1
}

// version tells whether a tag says which of the versions of a thing is meant.
func (t *tool) version(p *place) bool {
	if p.node.Items != nil || isRecord(p.node) || last(p.words) != "tag" || t.manner == adding || creating[t.verb] || t.verb == "tag" {
		return false
	}
	_, ok := t.about(set("image container release package chart"))
	return ok
}

// decides tells whether a switch of a read makes it do more than read.
func decides(p *place) bool {
	d := fold(p.node.Description)
	for _, ph := range []string{"actually", "runs the", "executes", "execute the", "really"} {
		if contains(d, ph) {
			return true
		}
	}
	return false
}

// creating are the verbs that make something that was not there.
var creating = set("create new define make generate initialize register establish build mkdir")

// names tells whether p is the name of the object that the tool creates.
func (t *tool) names(p *place) bool {
	if !creating[t.verb] || p.depth != 1 || len(t.object) == 0 || destination(p) || origin(p) || p.words[0] == "base" || t.effect.Outward() && t.effect != contract.Execute {
		return false
	}
	last := last(p.words)
	for _, w := range p.words {
		if handles[w] && w != "name" && w != "slug" {
			return false
		}
	}
	if len(p.words) == 1 && last == "name" {
		return true
	}
	object := t.object[len(t.object)-1]
	return last == object || last == "name" && len(p.words) > 1 && p.words[len(p.words)-2] == object
}

// commits tells whether p names, in words, with whom money or a person is
// committed: the hotel of a reservation.
func (t *tool) commits(p *place) bool {
	if t.effect != contract.Egress || t.manner != sending {
		return false
	}
	for _, w := range p.words {
		if handles[w] && w != "name" {
			return false
		}
	}
	if h := headOf(p.node.Description); passive[last(p.words)] && len(h.head) == 1 && h.head[0] == "id" {
		return false // what is bought, named by its id
	}
	_, ok := t.about(commitments)
	return (ok || t.verb == "reserve" || t.verb == "book" || t.verb == "order" || t.verb == "buy") && !isRecord(p.node) && p.node.Items == nil
}

// passive are objects that are never the ones that receive something.
var passive = set(`milestone sha commit version color template product item type category status label field
	variant price plan rule icon style`)

// receives tells whether p is the one among a tool's ids that something is
// added to: the first required one.
func (t *tool) receives(p *place) bool {
	for _, w := range p.words {
		if passive[w] {
			return false
		}
	}
	if origin(p) || p.words[0] == "after" || p.words[0] == "before" {
		return false
	}
	if creating[t.verb] && !slices.ContainsFunc(p.words, func(w string) bool { return handles[w] && w != "name" }) {
		return false // what something new is made from, not where it goes
	}
	for _, q := range t.places {
		if q.depth != 1 || q.required != p.required {
			continue
		}
		if q == p {
			return true
		}
		if conceptByName(q).concept == cObject && !t.hasRequiredFirst(q, p) {
			return t.shares(p)
		}
	}
	return true
}

func (t *tool) hasRequiredFirst(q, p *place) bool {
	for _, w := range q.words {
		if passive[w] {
			return true
		}
	}
	return p.required && !q.required
}

// relations are objects that mark or relate others and carry no text.
var relations = set(`reaction label tag watcher star link vote relation bookmark pin follower like
	worklog dependency epic sprint permission member flag favorite`)

// publishesInto tells whether the object named by p receives new text: a
// comment, a reply, an upload, an appended or replaced body.
func (t *tool) publishesInto(p *place) bool {
	if handleOfMessage(p) && t.hasPlace(p) {
		return false
	}
	if t.manner == sending {
		return t.verb == "post" || t.verb == "reply" || t.verb == "message" || t.verb == "respond" || t.verb == "publish" && t.hasBody(p) || t.verb == "comment" || t.verb == "upload" || t.verb == "submit"
	}
	if t.manner == adding {
		if _, ok := t.about(relations); ok || t.verb == "generate" {
			return false
		}
		return t.receives(p)
	}
	if t.storesUnder(p) {
		return true
	}
	if t.manner == changing && t.hasBody(p) && t.shares(p) {
		_, ok := t.about(documents)
		return ok
	}
	return t.verb == "overwrite" || t.verb == "replace" && t.hasBody(p)
}

// storesUnder tells whether p is the key or name under which a value is
// stored, so that the call replaces a body.
func (t *tool) storesUnder(p *place) bool {
	last := last(p.words)
	if t.effect == contract.Read || t.manner == removing || last != "key" && last != "name" || len(p.words) > 2 {
		return false
	}
	for _, q := range t.places {
		if q != p && q.depth == 1 && len(q.words) == 1 {
			switch q.words[0] {
			case "value", "data", "content", "member", "item", "values":
				return !isBoolean(q.node)
			}
		}
	}
	return false
}

// shares tells whether an argument's name has a noun of the tool's object.
func (t *tool) shares(p *place) bool {
	for _, w := range p.words {
		if !handles[w] && slices.Contains(t.object, w) {
			return true
		}
	}
	return false
}

// handleOfMessage tells whether an argument names one message of a thread or
// channel, as against the audience.
func handleOfMessage(p *place) bool {
	for _, w := range p.words {
		switch w {
		case "thread", "message", "comment", "timestamp":
			return true
		}
	}
	return false
}

// hasPlace tells whether another argument names the container.
func (t *tool) hasPlace(p *place) bool {
	for _, q := range t.places {
		if q != p && q.depth == 1 && !handleOfMessage(q) {
			if c := conceptByName(q).concept; c == cPlace || c == cPerson {
				return true
			}
		}
	}
	return false
}

// hasBody tells whether the tool takes a body of text beside p.
func (t *tool) hasBody(p *place) bool {
	for _, q := range t.places {
		if q == p || q.depth > 2 {
			continue
		}
		for _, w := range q.words {
			switch w {
			case "body", "content", "text", "markdown", "html":
				if len(q.words) < 3 && !isBoolean(q.node) && q.words[len(q.words)-1] != "format" {
					return true
				}
			}
		}
	}
	return false
}

// setsSecret tells whether a tool stores the secret rather than uses it.
func (t *tool) setsSecret(p *place) bool {
	if t.manner != changing && t.manner != adding && t.effect != contract.Destructive {
		return false
	}
	if slices.Contains(p.words, "new") {
		return true
	}
	if slices.Contains(p.words, "old") || slices.Contains(p.words, "current") {
		return false
	}
	d := fold(p.node.Description)
	_, ok := t.about(set("password credential pin secret passphrase"))
	return ok || strings.HasPrefix(d, "new ") || strings.HasPrefix(d, "to set")
}

// grants tells whether a tool that removes something also lets somebody in.
func (t *tool) grants() bool {
	_, ok := t.about(set("permission access role"))
	return ok && t.verb != "revoke" && t.verb != "remove"
}

// onlyShown tells whether a URL is stored for readers, not contacted.
func (t *tool) onlyShown(p *place) bool {
	if t.effect != contract.Write {
		return false
	}
	d := fold(p.node.Description)
	for _, w := range []string{"fetch", "download", "import", "crawl", "contact", "request", "webhook", "callback", "clone"} {
		if strings.Contains(d, w) || slices.Contains(t.words, w) || slices.Contains(p.words, w) {
			return false
		}
	}
	if t.verb == "join" || t.verb == "open" {
		return false // the link is followed
	}
	_, link := t.about(set("link bookmark"))
	return link || contains(d, "link to") || contains(d, "link") || slices.Contains(p.words, "icon") || slices.Contains(p.words, "cover") || slices.Contains(p.words, "image")
}

// inPayload tells whether a place lies inside a container of content.
func (t *tool) inPayload(p *place) bool {
	for _, q := range p.parents {
		if q.element {
			continue
		}
		switch c := conceptByName(q).concept; c {
		case cText, cData:
			return t.effect != contract.Read
		}
	}
	return false
}

// hostSibling is the host argument beside a port.
func (t *tool) hostSibling(p *place) *place {
	for _, q := range t.places {
		if q != p && q.depth == p.depth && conceptByName(q).concept == cHost {
			return q
		}
	}
	return nil
}

// cloudFilename tells whether a file name labels an object of a service, as
// against naming a place on a disk.
func (t *tool) cloudFilename(p *place) bool {
	if len(p.words) == 0 || !(last(p.words) == "filename" || strings.HasSuffix(strings.Join(p.words, " "), "file name")) {
		return false
	}
	d := fold(p.node.Description)
	if strings.Contains(d, "path") || contains(d, "save") || contains(d, "directory") {
		return false
	}
	switch t.verb {
	case "create", "upload", "attach", "search", "find", "get", "list", "rename":
		return true
	}
	return false
}

// filterLanguage tells whether a search takes an expression that can only
// restrict the listing.
func (t *tool) filterLanguage(p *place) bool {
	d := fold(p.node.Description)
	for _, ph := range []string{"syntax", "operators", "query language", "jql", "cql", "lucene", "qualifiers", "filter expression"} {
		if strings.Contains(d, ph) {
			return true
		}
	}
	return false
}

// byTypedName tells whether an object is named as a person would type it.
func byTypedName(p *place) bool {
	last := last(p.words)
	return last == "name" || last == "title" || last == "branch" || last == "username"
}

// looksLikeAddress tells whether a person is named by an e-mail address.
func looksLikeAddress(p *place) bool {
	for _, w := range p.words {
		if w == "email" || w == "cc" || w == "bcc" {
			return true
		}
	}
	if strings.HasPrefix(p.node.Format, "email") {
		return true
	}
	d := fold(p.node.Description)
	i := strings.Index(d, "email address")
	return i >= 0 && i < 40 && !contains(d, "username") && !contains(d, "name or")
}

func last(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

func shellLike(p *place) bool {
	ts := types(p.node)
	if len(ts) > 0 && !slices.Contains(ts, "string") {
		return false
	}
	for _, w := range p.words {
		if w == "command" || w == "bash" || w == "shell" || w == "cmdline" {
			return true
		}
	}
	return false
}

// cosmetic tells whether a switch changes only looks, or what comes back.
func cosmetic(p *place) bool {
	d := fold(p.node.Description)
	for _, w := range p.words {
		switch w {
		case "include", "return", "verbose", "raw", "pretty", "bold", "italic", "underline", "show", "gridline", "expand", "formatted", "heading", "stream", "wait", "slowly", "case":
			return true
		}
	}
	return strings.Contains(d, "in the response") || strings.Contains(d, "in the result")
}
