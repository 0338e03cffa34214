package reader

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/synth"
)

// Disagreement is a place where model and rules judge differently.
type Disagreement struct {
	Tool string `json:"tool"`
	// Path is the part of the tool: "effect", "output", or "args PATTERN role" and
	// "args PATTERN floor".
	Path  string `json:"path"`
	Rules string `json:"rules"`
	Model string `json:"model"`
	// Taken is set where the contract has what the model says: it is stricter, or a second opinion
	// agrees. All others keep what the rules say until a person decides.
	Taken bool `json:"taken"`
	// Why is the model's reason, which the definition may have dictated.
	Why string `json:"why,omitempty"`

	weight int
}

// String returns one line for people.
func (d Disagreement) String() string {
	took := "kept " + d.Rules
	if d.Taken {
		took = "took " + d.Model
	}
	s := fmt.Sprintf("%s %s: the rules say %s, the model %s; %s", display.Line(d.Tool), display.Line(d.Path), d.Rules, d.Model, took)
	if d.Why != "" {
		s += " (" + display.Line(clip(d.Why)) + ")"
	}
	return s
}

// maxWhy bounds the model's reason, in bytes.
const maxWhy = 160

func clip(s string) string {
	if len(s) > maxWhy {
		return strings.ToValidUTF8(s[:maxWhy], "") + "…"
	}
	return s
}

// Sort puts the most consequential disagreements first: what the rules had missed, then
// what holds up calls with effects, then the rest.
func Sort(ds []Disagreement) {
	slices.SortStableFunc(ds, func(a, b Disagreement) int { return cmp.Compare(b.weight, a.weight) })
}

// What makes a disagreement consequential.
const (
	missed    = 100 // the rules saw less than the model
	authority = 40  // an argument decides where authority goes
	outward   = 20  // the call has an effect that can't be taken back
	changing  = 10
)

const (
	// plausible is how likely a role has to be, by arguments like it, where neither it nor the
	// contract's bears authority.
	plausible = 0.05
	// hardlyOutward is how likely tools like it do more than write, at most, where the model's stricter
	// effect is left to people.
	hardlyOutward = 0.05
	// milderWithoutVerb is how likely a milder effect has to be by tools like it where the rules know no
	// verb, and milderThanWrite where what they see destroys nothing. What destroys needs most of them.
	milderWithoutVerb, milderThanWrite = 0.1, 0.25
	// ownWord is how likely the results of tools like it are the service's own word, and guessedFloor an argument no
	// higher a floor, of which the rules know no word.
	ownWord, guessedFloor = 0.25, 0.25
)

// weighing compares one tool's contract with a reading.
type weighing struct {
	tool *contract.Tool
	// second is what synthesis knows beside its verdict; nil if nothing is known.
	second *synth.Opinion
	// becameRead is set where the weighing itself took a tool's effect away.
	becameRead bool
	out        []Disagreement
}

func (w *weighing) differ(d Disagreement, stricter bool, weight int) {
	if stricter && d.Taken {
		weight += missed
	}
	switch {
	case w.tool.Effect.Outward():
		weight += outward
	case w.tool.Effect != contract.Read:
		weight += changing
	}
	d.Tool, d.weight = w.tool.Name, weight
	w.out = append(w.out, d)
}

// Weigh returns the contract of a tool, and all disagreements. It takes what a model says where that
// is stricter, and where it is milder if the second opinion agrees. The second opinion may be nil:
// then nothing becomes milder.
//
// A tool with variants is judged by its cases, which no model was asked about: there
// all disagreements are left to people.
func Weigh(made contract.Tool, r *Reading, second *synth.Opinion) (contract.Tool, []Disagreement) {
	f := (&contract.File{Tools: []contract.Tool{made}}).Clone()
	t := &f.Tools[0]
	w := &weighing{tool: t, second: second}
	open := t.Variants == nil && t.Unwrap == nil
	w.effect(r, open)
	w.becameRead = made.Effect != contract.Read && t.Effect == contract.Read
	for i := range t.Args {
		if m := r.about(t.Args[i].Pattern); m != nil {
			w.arg(&t.Args[i], m, open, m.At == t.Args[i].Pattern)
		}
	}
	w.output(r, open, opensWhatItNames(&made)) // what the call is for decides on what it returns
	if made.Effect == contract.Read && t.Effect != contract.Read {
		w.becomesEffect()
	}
	return *t, w.out
}

// about finds what a reading says about a pattern of the contract. What is said about
// the elements of a list holds for the list.
func (r *Reading) about(pattern string) *Arg {
	is := func(p string) int { return slices.IndexFunc(r.Args, func(a Arg) bool { return a.At == p }) }
	for p := strings.TrimSuffix(pattern, "/**"); ; p += "/*" {
		if i := is(p); i >= 0 {
			return &r.Args[i]
		}
		if strings.HasSuffix(p, "/*/*/*/*") {
			return nil
		}
	}
}

// effect takes a stricter effect, and a milder one that a second opinion sees.
func (w *weighing) effect(r *Reading, open bool) {
	t := w.tool
	if r.Effect == t.Effect {
		return
	}
	now := r.Effect
	if t.Effect == contract.Write && now == contract.Egress {
		// What is written stays where others read it, so its label is followed, unlike that of
		// what is only sent.
		now = contract.Destructive
	}
	stricter := degree(now) > degree(t.Effect)
	taken := open && ((stricter && !w.outvotes(now)) || w.seesEffect(r.Effect))
	w.differ(Disagreement{Path: "effect", Rules: string(t.Effect), Model: string(r.Effect), Taken: taken, Why: r.Does}, stricter, authority+outward)
	if !taken {
		return
	}

	t.Why = join(t.Why, fmt.Sprintf("a model says %s: %s", r.Effect, clip(r.Does)))
	t.Effect = now
}

// seesEffect reports whether the rules alone see an effect, or enough tools like it have it. What executes stays so.
func (w *weighing) seesEffect(e contract.Effect) bool {
	if w.second == nil || w.tool.Effect == contract.Execute {
		return false
	}
	likely := w.second.Effects[string(e)]
	isArguable := w.tool.Effect != contract.Destructive && likely >= milderThanWrite
	isPossible := w.second.NoVerb && likely >= milderWithoutVerb
	return isArguable || isPossible || w.second.Rules.Effect == e || likeliest(w.second.Effects) == string(e)
}

// outvotes reports whether the rules alone see a write where the model sees more, and hardly any tool like it does more.
func (w *weighing) outvotes(e contract.Effect) bool {
	if w.second == nil || !e.Outward() || w.tool.Effect != contract.Write || w.second.Rules.Effect != contract.Write {
		return false
	}
	outward := 0.0
	for effect, likely := range w.second.Effects {
		if contract.Effect(effect).Outward() {
			outward += likely
		}
	}
	return likeliest(w.second.Effects) == string(contract.Write) && outward < hardlyOutward
}

// becomesEffect holds what the rules took for a read to what any effect is held to.
func (w *weighing) becomesEffect() {
	t := w.tool
	for i := range t.Args {
		if a := &t.Args[i]; a.Role == label.Selector {
			a.Floor = max(a.Floor, label.ToolOutput)
		}
	}
	// What a result vouches for rests on the call having been a mere read.
	t.Output = contract.Output{Trust: label.External, Review: t.Output.Review}
}

// degree orders effects by what they are held to.
func degree(e contract.Effect) int {
	switch {
	case e.Outward():
		return 2
	case e == contract.Read:
		return 0
	}
	return 1
}

// output takes a lower trust of the result, and the service's own word where enough tools like it
// are trusted so: then the result is no better than the call's arguments, which it may repeat. What runs, and what
// comes from a page or a file that the call names, by the rules or by what was taken from the model, is never that.
func (w *weighing) output(r *Reading, open, opens bool) {
	out := &w.tool.Output
	trust := label.External
	if r.Output > label.External {
		trust = label.ToolOutput
	}
	if trust == out.Trust {
		return
	}
	isLower := trust < out.Trust
	taken := open && (isLower || (!opens && !opensWhatItNames(w.tool) && w.seesOwnWord()))
	w.differ(Disagreement{Path: "output", Rules: out.Trust.String(), Model: trust.String(), Taken: taken, Why: r.Does}, isLower, 0)
	if !taken {
		return
	}
	out.Trust = trust
	out.Derived = out.Derived || !isLower
}

// seesOwnWord reports whether enough tools like it return what the service itself makes.
func (w *weighing) seesOwnWord() bool {
	return w.second != nil && w.second.Outputs[label.ToolOutput.String()] >= ownWord
}

// opensWhatItNames reports whether a tool runs something, or returns a page or a file that its call names.
func opensWhatItNames(t *contract.Tool) bool {
	return t.Effect == contract.Execute || slices.ContainsFunc(t.Args, func(a contract.Arg) bool {
		fetched := t.Effect != contract.Write && (a.Form == contract.Path || a.Form == contract.URL)
		return a.Role == label.Command || (a.Role == label.Target && fetched)
	})
}

// arg takes a role that bears authority and a higher floor, and what is milder as far as a second
// opinion goes. Only what a model was asked about is told as a disagreement.
func (w *weighing) arg(a *contract.Arg, m *Arg, open, tell bool) {
	role := a.Role
	heavier := m.Role.AuthorityBearing() && !a.Role.AuthorityBearing()
	if heavier || w.isAsStrict(a.Role, m.Role) || w.seesRole(a, m.Role) {
		role = m.Role
	}
	floor := max(a.Floor, m.Floor)
	switch {
	case heavier:
		floor = max(floor, contract.DefaultFloor(role))
	case role == m.Role: // a floor goes with its role
		floor = max(m.Floor, w.leastFloor(a, role))
	}

	weight := 0
	if m.Role.AuthorityBearing() || a.Role.AuthorityBearing() {
		weight = authority
	}
	if tell && m.Role != a.Role {
		w.differ(Disagreement{Path: "args " + a.Pattern + " role", Rules: a.Role.String(), Model: m.Role.String(), Taken: open && role == m.Role, Why: m.Why}, heavier, weight)
	}
	if tell && m.Floor != a.Floor && m.Role == a.Role {
		w.differ(Disagreement{Path: "args " + a.Pattern + " floor", Rules: a.Floor.String(), Model: m.Floor.String(), Taken: open && floor == m.Floor, Why: m.Why}, m.Floor > a.Floor, weight)
	}
	if !open {
		return
	}
	if m.Role == a.Role && w.second != nil && a.Review == w.second.Arguments[a.Pattern].Doubt {
		a.Review = "" // two see it so, and few arguments like it are otherwise
	}
	if role != a.Role || floor != a.Floor {
		a.Why = join(a.Why, fmt.Sprintf("a model says %s %s: %s", m.Role, m.Floor, clip(m.Why)))
	}
	a.Role, a.Floor = role, floor
}

// isAsStrict reports whether a role without authority holds a call to no less than another with the same floor:
// nothing is milder than content, and in a read nothing hangs on whether something is a setting or text, or picks.
func (w *weighing) isAsStrict(was, is label.Role) bool {
	if was.AuthorityBearing() || is.AuthorityBearing() {
		return false
	}
	return was == label.Content || (w.tool.Effect == contract.Read && was == label.Control)
}

// mayLoosen reports whether a second opinion can make an argument milder: never a command or a credential.
func (w *weighing) mayLoosen(a *contract.Arg) bool {
	return w.second != nil && a.Role != label.Command && a.Role != label.Credential
}

// seesRole reports whether the rules alone say that an argument has a role, or most arguments like it have
// it; or, where nothing bears authority, enough of them.
func (w *weighing) seesRole(a *contract.Arg, r label.Role) bool {
	if !w.mayLoosen(a) {
		return false
	}
	roles := w.second.Arguments[a.Pattern].Roles
	isGuess := w.second.Arguments[a.Pattern].Unknown || !a.Role.AuthorityBearing()
	isPlausible := isGuess && !r.AuthorityBearing() && roles[r.String()] >= plausible
	ruled := w.ruled(a)
	return isPlausible || likeliest(roles) == r.String() || (ruled != nil && ruled.Role == r)
}

// leastFloor returns the lowest floor that the contract, the rules alone for an effect as grave, or most arguments
// like it have. What bears authority has that of its role at least, unless the contract's is lower.
func (w *weighing) leastFloor(a *contract.Arg, role label.Role) label.Trust {
	least := a.Floor
	if !w.mayLoosen(a) {
		return least
	}
	if by := w.ruled(a); by != nil && degree(w.second.Rules.Effect) >= degree(w.tool.Effect) {
		least = min(least, by.Floor)
	}
	least = min(least, w.alikeFloor(a))
	if role.AuthorityBearing() {
		return min(a.Floor, max(least, contract.DefaultFloor(role)))
	}
	if w.becameRead {
		return label.External // what the contract held it to was for the effect
	}
	return least
}

// alikeFloor returns the floor that is likeliest by arguments like it, or, where the rules only guess, the lowest that
// is likely enough.
func (w *weighing) alikeFloor(a *contract.Arg) label.Trust {
	like := w.second.Arguments[a.Pattern]
	atMost := 0.0
	for _, floor := range []label.Trust{label.External, label.ToolOutput, label.User} {
		atMost += like.Floors[floor.String()]
		if likeliest(like.Floors) == floor.String() || (like.Unknown && atMost >= guessedFloor) {
			return floor
		}
	}
	return a.Floor
}

// ruled returns the argument as the rules alone have it; nil if they don't.
func (w *weighing) ruled(a *contract.Arg) *contract.Arg {
	i := slices.IndexFunc(w.second.Rules.Args, func(b contract.Arg) bool { return b.Pattern == a.Pattern })
	if i < 0 {
		return nil
	}
	return &w.second.Rules.Args[i]
}

// likeliest returns the class with the highest probability, the first in order if several have it.
func likeliest(of map[string]float64) string {
	best := ""
	for _, class := range slices.Sorted(maps.Keys(of)) {
		if best == "" || of[class] > of[best] {
			best = class
		}
	}
	return best
}

func join(why, more string) string {
	if why == "" {
		return more
	}
	return why + "; " + more
}

// Accept returns the contract of a tool with everything that a model says, and all disagreements: for definitions that a person has read
// and found honest. What bears authority by the rules and by no word of the model's has a mark for that person. A tool with variants is
// weighed.
func Accept(made contract.Tool, r *Reading, second *synth.Opinion) (contract.Tool, []Disagreement) {
	t, told := Weigh(made, r, second)
	if t.Variants != nil || t.Unwrap != nil {
		return t, told
	}

	t.Effect = r.Effect
	trust := min(r.Output, label.ToolOutput)
	t.Output.Derived = t.Output.Derived || trust > made.Output.Trust
	t.Output.Trust = trust
	for i := range t.Args {
		a := &t.Args[i]
		m := r.about(a.Pattern)
		if m == nil {
			continue
		}
		if by := made.Args[i].Role; by.AuthorityBearing() && !m.Role.AuthorityBearing() {
			a.Review = join(a.Review, fmt.Sprintf("the rules say %s, and a model %s: %s", by, m.Role, clip(m.Why)))
		}
		a.Role, a.Floor = m.Role, m.Floor
	}
	for i := range told {
		told[i].Taken = true
	}
	return t, told
}
