package synth

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/estimate"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// Estimates are the tables that synthesis weighs its rules against; nil leaves one out.
type Estimates struct {
	Roles, Floors, Effects, Outputs *estimate.Table
}

// Estimated makes the contract of each tool of a catalogue with other estimates than the
// built-in ones. It is for measuring what an estimate is worth on servers that it was not
// fitted on.
func Estimated(e Estimates, c *schema.Catalogue) *contract.File {
	return builtin().with(e).contract(c)
}

// Features are what estimates look at of one tool, and of each of its arguments by pattern.
type Features struct {
	Tool      []string
	Arguments map[string][]string
}

// FeaturesOf returns the features of each tool of a catalogue, with what the rules alone say of it.
func FeaturesOf(c *schema.Catalogue) map[string]Features {
	x := builtin().with(Estimates{})
	out := map[string]Features{}
	for i := range c.Tools {
		t := x.analyse(&c.Tools[i], c)
		f := Features{Tool: estimate.Tool(t.def, string(t.told), t.table.english), Arguments: map[string][]string{}}
		for _, p := range t.places {
			v, _ := t.read(p)
			f.Arguments[p.pattern] = t.featuresOf(p, v)
		}
		out[t.def.Name] = f
	}
	return out
}

// with returns the table with other estimates.
func (x *table) with(e Estimates) *table {
	y := *x
	y.likely = e
	return &y
}

const (
	// weightOfRules is how much evidence is worth one natural logarithm of odds where rules have a head
	// start, beside what their verdict itself tells the estimate.
	weightOfRules = 90.0
	// surely is how likely a milder effect has to be than the strictest, where no verb is known.
	surely = 0.75
	// reasons is how many features explain an estimate.
	reasons = 3
	// mayDecide is how likely an argument bears authority that a person looks at, oftenDecides
	// of which little but the user's word is taken until then, and mayNeedUser how likely one
	// needs the user's word that gets it as its floor. They are low: what is missed costs more
	// than a look, or a question. A selector of a change often says where the change goes, and open
	// content and what reads ask for have no floor until somebody looks: their bounds are lower, by
	// the measurement on the page of the sets.
	mayDecide, oftenDecides, mayNeedUser          = 0.012, 0.12, 0.08
	mayDecidePicked, mayDecideText, mayDecideRead = 0.001, 0.003, 0.005
	// isLikely is how likely both have to be of text, and of ids that a tool's word is good for:
	// what rules know best, and what tasks are full of.
	isLikely = 0.5
	// needsOrigin is how likely one needs a tool's word, or the user's, that gets the tool's.
	needsOrigin = 0.7
	// hardlyUser and surelyAnybody are how likely arguments need the user's word at most, and
	// nobody's at least, so that a value that is only stored doesn't need it either.
	hardlyUser, surelyAnybody = 0.1, 0.9
)

// weighEffect asks what tools like this one do. That makes the effect stricter, and milder only where
// no verb is known and little doubt is left.
func (t *tool) weighEffect() {
	if t.table.likely.Effects == nil {
		return
	}
	features := estimate.Tool(t.def, string(t.told), t.table.english)
	odds := t.table.likely.Effects.Odds(features)
	likeliest := t.effect
	for _, e := range []contract.Effect{contract.Execute, contract.Destructive, contract.Egress, contract.Write, contract.Read} {
		if o, ok := odds[string(e)]; ok && o > odds[string(likeliest)] {
			likeliest = e
		}
	}
	milder := severity(likeliest) < severity(t.effect)
	doubtful := t.verb != "" || t.hasPhrasal() || t.ask("lasting", nil) || math.Exp(odds[string(likeliest)]) < surely
	if likeliest == t.effect || (milder && doubtful) {
		return
	}

	telling := t.table.likely.Effects.Why(features, string(likeliest), string(t.effect), reasons)
	t.why = append(t.why, fmt.Sprintf("tools like it %s: %s", does[likeliest].what, strings.Join(telling, ", ")))
	t.effect = likeliest
	if m := does[likeliest].manner; likeliest != contract.Destructive && (likeliest != contract.Write || !t.alters()) {
		t.manner = m
	}
	t.touch()
}

// does says how a tool with an effect goes about it, where no verb says more.
var does = map[contract.Effect]struct {
	manner manner
	what   string
}{
	contract.Read:        {looking, "read"},
	contract.Write:       {changing, "write"},
	contract.Egress:      {sending, "send"},
	contract.Destructive: {changing, "destroy"},
	contract.Execute:     {running, "execute"},
}

// alters reports whether the tool's verb adds, changes, removes or moves something.
func (t *tool) alters() bool {
	return !slices.Contains([]manner{looking, running, sending}, t.manner)
}

// weigh asks what arguments like this one were in labelled tools, and weighs that against
// the verdict of the rules, whose best evidence has a weight. An estimate never touches
// a credential, what no rule knows anything about in a tool that reaches out, or what bears
// authority by its nature, a path or a URL. Rules have a head start where they see authority, or what is
// paid, and the estimate doesn't, and where it would trust more people than they do.
func (t *tool) weigh(p *place, features []string, v verdict, weight int) verdict {
	if t.table.likely.Roles == nil || v.role == label.Credential {
		return v
	}
	best, why := t.likelier(features, v.role, 0)
	isPaid := v.concept == "money" && p.depth == 1 && t.effect.Outward()
	if isPaid || (v.role.AuthorityBearing() && !best.AuthorityBearing()) || t.trustsMore(best, v.role, p) {
		best, why = t.likelier(features, v.role, float64(weight)/weightOfRules)
	}
	isDate := strings.HasPrefix(p.node.Format, "date") && best == label.Control             // when something happens is no setting
	isBound := v.concept == "pattern" && best == label.Content && t.effect != contract.Read // nor how far it reaches a text
	adds := t.manner == adding || t.manner == sending
	isMoment := v.concept == "when" && best == label.Selector && adds // nor does the day of something new pick anything
	if best == v.role || isDate || isBound || isMoment {
		return v
	}
	loosens := v.role.AuthorityBearing() && !best.AuthorityBearing()
	if loosens && !slices.Contains([]concept{object, "name", "place", "old", "text", "data"}, v.concept) {
		return v
	}

	out := verdict{role: best, floor: max(t.usualFloor(best, p), v.floor), concept: v.concept, why: why, review: v.review}
	if v.role.AuthorityBearing() != best.AuthorityBearing() {
		out.review = fmt.Sprintf("the rules say %s: %s", v.role, v.why)
	}
	return out
}

// trustsMore reports whether an argument of a tool that does more than read would need a lower floor,
// or only be text, by the role that is likeliest.
func (t *tool) trustsMore(likeliest, rules label.Role, p *place) bool {
	becomesText := likeliest == label.Content && (rules == label.Selector || rules == label.Control)
	return t.effect != contract.Read && (becomesText || t.usualFloor(likeliest, p) < t.usualFloor(rules, p))
}

// likelier returns the role that is likeliest where the rules' has a head start, in
// natural logarithms of odds, and why.
func (t *tool) likelier(features []string, rules label.Role, start float64) (best label.Role, why string) {
	if features == nil {
		return rules, ""
	}
	odds := t.table.likely.Roles.Odds(features)
	odds[rules.String()] += start

	best = rules
	for _, r := range []label.Role{label.Command, label.Target, label.Selector, label.Control, label.Content} {
		if o, ok := odds[r.String()]; ok && o > odds[best.String()] {
			best = r
		}
	}
	telling := t.table.likely.Roles.Why(features, best.String(), rules.String(), reasons)
	return best, fmt.Sprintf("arguments like it are %s: %s", best, strings.Join(telling, ", "))
}

// featuresOf returns the features of an argument, with what the rules say.
func (t *tool) featuresOf(p *place, v verdict) []string {
	if t.features == nil {
		t.features = estimate.Arguments(t.def, string(t.told), t.table.english)
	}
	features := t.features[p.pattern]
	if features == nil {
		return nil
	}

	role, is, in := "rules say "+v.role.String(), "rules read "+string(cmp.Or(v.concept, "unknown")), " effect "+string(t.told)
	said := []string{role, role + in, role + " floor " + v.floor.String(), is, is + in, is + " as " + v.role.String()}
	return slices.Concat(features, said)
}

// doubt holds a verdict against arguments like it once more: one that may well bear authority is
// marked, and where more than a read hangs on it, one that may well need a better floor
// gets it. Milder it makes at most a value that is only stored.
func (t *tool) doubt(features []string, v verdict) verdict {
	if features == nil {
		return v
	}
	likely, most := 0.0, label.Target
	if !v.role.AuthorityBearing() && t.table.likely.Roles != nil {
		most, likely = t.likelyAuthority(features)
	}

	if likely >= t.mayDecide(v) && v.review == "" {
		telling := t.table.likely.Roles.Why(features, most.String(), v.role.String(), reasons)
		v.review = fmt.Sprintf("might also be a %s, as arguments like it are: %s", most, strings.Join(telling, ", "))
	}
	if t.effect == contract.Read {
		return v
	}
	if t.isStored(v) && likely < mayDecide && t.anybodys(features) {
		v.floor = label.External
	}
	if floor := t.likelyFloor(features, v, likely); floor > v.floor {
		v.floor = floor
		v.why += fmt.Sprintf("; arguments like it need %s", floor)
	}
	return v
}

// mayDecide returns how likely an argument with a verdict bears authority that a person looks at.
func (t *tool) mayDecide(v verdict) float64 {
	switch {
	case t.effect == contract.Read:
		return mayDecideRead
	case v.role == label.Selector && v.floor < label.User:
		return mayDecidePicked
	case v.role == label.Content && v.floor == label.External:
		return mayDecideText
	}
	return mayDecide
}

// isStored reports whether an argument is a value that a tool puts down where others decided.
func (t *tool) isStored(v verdict) bool {
	stores := slices.Contains([]concept{"data", "text", "geo", "name"}, v.concept)
	isUnknown := v.concept == "" && !v.role.AuthorityBearing()
	return t.effect == contract.Write && (isUnknown || (stores && v.review == "")) && (v.role == label.Control || v.role == label.Content)
}

// anybodys reports whether arguments with these features hardly ever need more than anybody's word.
func (t *tool) anybodys(features []string) bool {
	if t.table.likely.Floors == nil {
		return false
	}
	odds := t.table.likely.Floors.Odds(features)
	return math.Exp(odds[label.User.String()]) < hardlyUser && math.Exp(odds[label.External.String()]) > surelyAnybody
}

// likelyAuthority returns the likeliest role with authority of arguments with these features, and
// how likely it is that they have one of these roles.
func (t *tool) likelyAuthority(features []string) (most label.Role, likely float64) {
	odds := t.table.likely.Roles.Odds(features)
	most = label.Target
	best := math.Inf(-1)
	for _, r := range []label.Role{label.Target, label.Command, label.Credential} {
		o, ok := odds[r.String()]
		if !ok {
			continue // no example had the role
		}
		likely += math.Exp(o)
		if o > best {
			most, best = r, o
		}
	}
	return most, likely
}

// likelyFloor returns the floor that arguments with these features need often enough, of which
// authority is as likely as is given.
func (t *tool) likelyFloor(features []string, v verdict, authority float64) label.Trust {
	if t.table.likely.Floors == nil {
		return label.External
	}
	odds := t.table.likely.Floors.Odds(features)
	user, output := math.Exp(odds[label.User.String()]), math.Exp(odds[label.ToolOutput.String()])
	isID := v.role == label.Selector
	isText := v.role == label.Content && slices.Contains([]concept{"text", "name", "when", "geo"}, v.concept)
	may := user >= mayNeedUser || authority >= oftenDecides

	switch {
	case user >= isLikely, authority >= isLikely, may && !isID && !isText:
		return label.User
	case user+output >= needsOrigin, may && isID:
		return label.ToolOutput
	}
	return label.External
}

// usualFloor returns the floor of a role that no rule gave.
func (t *tool) usualFloor(r label.Role, p *place) label.Trust {
	switch {
	case r == label.Selector:
		return t.table.floor.first(&facts{t: t, p: p}).floor
	case r == label.Control && t.effect != contract.Read:
		return label.User
	}
	return contract.DefaultFloor(r)
}
