package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
)

// playedScenario is one attack, or one ordinary request, as lines of the session protocol.
type playedScenario struct {
	ID     string            `json:"id"`
	Kind   string            `json:"kind"` // "attack" or "benign"
	Class  string            `json:"class"`
	Known  string            `json:"known"`
	Slow   bool              `json:"slow"`
	Tools  []json.RawMessage `json:"tools"`
	Lines  []json.RawMessage `json:"lines"`
	Judged []string          `json:"judged"`
	// HelpersMayFail are calls before the judged ones that need not be allowed.
	HelpersMayFail []string `json:"helpers_may_fail"`
	// Now is the time at the user's place; without it, that of scenarioNow.
	Now time.Time `json:"now"`
}

// now returns the time of the scenario.
func (s *playedScenario) now() time.Time {
	if s.Now.IsZero() {
		return scenarioNow
	}
	return s.Now
}

// scenarioLine is a line of a scenario.
type scenarioLine struct {
	Type       string          `json:"type"`
	Session    string          `json:"session"`
	Text       string          `json:"text"`
	Name       string          `json:"name"`
	ID         string          `json:"id"`
	Tool       string          `json:"tool"`
	Server     string          `json:"server"`
	Arguments  json.RawMessage `json:"arguments"`
	Call       string          `json:"call"`
	For        string          `json:"for"`
	Content    string          `json:"content"`
	Structured json.RawMessage `json:"structured"`
}

// ScenariosReport holds the outcomes of attacks and ordinary requests: without
// scopes, and with scopes in both modes if given.
type ScenariosReport struct {
	Attacks  int            `json:"attacks"`
	Ordinary int            `json:"ordinary"`
	Plain    ScenarioRates  `json:"plain"`
	Grant    *ScenarioRates `json:"grant,omitempty"`
	Bound    *ScenarioRates `json:"bound,omitempty"`
	// LeftOut are the scenarios with unknown tool sets.
	LeftOut []string `json:"left_out,omitempty"`
	// Names are the questions about the names of members; nil where nobody is asked.
	Names *NamesReport `json:"names,omitempty"`
}

// ScenarioRates counts the outcomes in one mode.
type ScenarioRates struct {
	// Allowed are the attacks whose judged calls and all calls before them were
	// allowed; documented gaps are known.
	Allowed        int `json:"allowed"`
	AllowedKnown   int `json:"allowed_known"`
	AllowedUnknown int `json:"allowed_unknown"`
	// Asked are the ordinary requests with a judged call that was not allowed.
	Asked int `json:"asked"`
	// Questions are all that a person is asked for the ordinary requests who agrees to every
	// one, and AskedAgain the requests with more than one question, by their number.
	Questions  int                      `json:"questions"`
	AskedAgain map[string]int           `json:"asked_again,omitempty"`
	ByClass    map[string]ScenarioClass `json:"by_class"`
	// Misses are the ids of wrong outcomes.
	Misses []string `json:"misses,omitempty"`
}

// ScenarioClass counts the scenarios of one class.
type ScenarioClass struct {
	Allowed  int `json:"allowed"`
	Attacks  int `json:"attacks"`
	Asked    int `json:"asked"`
	Ordinary int `json:"ordinary"`
}

// scenarioNow is the time in scenarios that name none, a Wednesday.
var scenarioNow = time.Date(2026, 1, 7, 12, 0, 0, 0, time.UTC)

// Scenarios plays the scenarios of a file over the tool sets of another one. Scopes is
// a file with the scopes of the user's turns, by scenario; empty for none.
func Scenarios(ctx context.Context, file, tools, scopes string, o ScenarioOptions) (*ScenariosReport, error) {
	var sets map[string]json.RawMessage
	if err := readJSON(tools, &sets); err != nil {
		return nil, err
	}
	var all []playedScenario
	if err := readLines(file, func(s playedScenario) error { all = append(all, s); return nil }); err != nil {
		return nil, err
	}
	turns, err := scenarioScopes(scopes)
	if err != nil {
		return nil, err
	}
	seen, err := observe(all, o.Refined, o.Pinned)
	if err != nil {
		return nil, err
	}

	out := &ScenariosReport{}
	modes := map[scope.Mode]*ScenarioRates{scope.ModeOff: &out.Plain}
	if scopes != "" {
		out.Grant, out.Bound = &ScenarioRates{}, &ScenarioRates{}
		modes[scope.ModeGrant], modes[scope.ModeBound] = out.Grant, out.Bound
	}
	if o.Bound {
		modes = map[scope.Mode]*ScenarioRates{scope.ModeBound: out.Bound}
	}
	asking := newAsking(o.Namer)
	var plays []rating
	for _, s := range all {
		if s.Slow {
			continue
		}
		catalogues, known, err := s.catalogues(sets)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.ID, err)
		}
		if !known {
			out.LeftOut = append(out.LeftOut, s.ID)
			continue
		}

		tries, err := s.tries()
		if err != nil {
			return nil, err
		}
		for _, t := range tries {
			if t.Kind == "attack" {
				out.Attacks++
			} else {
				out.Ordinary++
			}
			plays = append(plays, rating{scenario: &t, tools: catalogues, scopes: turns[s.ID]})
		}
	}
	errs := each(plays, o.Parallel, func(r *rating) error {
		if err := r.play(ctx, modes, seen, o, asking); err != nil {
			return fmt.Errorf("scenario %s: %w", r.scenario.ID, err)
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for i := range plays {
		plays[i].count(modes)
	}
	out.Names = asking.report()
	for _, r := range modes {
		slices.Sort(r.Misses)
	}
	return out, nil
}

func scenarioScopes(path string) (map[string][]json.RawMessage, error) {
	out := map[string][]json.RawMessage{}
	if path == "" {
		return out, nil
	}
	err := readLines(path, func(s struct {
		ID    string            `json:"id"`
		Turns []json.RawMessage `json:"turns"`
	},
	) error {
		out[s.ID] = s.Turns
		return nil
	})
	return out, err
}

// add counts a scenario.
func (r *ScenarioRates) add(s *playedScenario, allowed bool) {
	if r.ByClass == nil {
		r.ByClass = map[string]ScenarioClass{}
	}

	c := r.ByClass[s.Class]
	attack := s.Kind == "attack"
	wrong := attack == allowed
	switch {
	case attack && allowed && s.Known != "":
		r.AllowedKnown++
	case attack && allowed:
		r.AllowedUnknown++
	case !attack && !allowed:
		r.Asked++
		c.Asked++
	}

	if attack {
		c.Attacks++
	} else {
		c.Ordinary++
	}
	if attack && allowed {
		r.Allowed++
		c.Allowed++
	}
	if wrong {
		r.Misses = append(r.Misses, s.ID)
	}
	r.ByClass[s.Class] = c
}

// question counts what a person is asked for an ordinary request.
func (r *ScenarioRates) question(id string, n int) {
	r.Questions += n
	if n < 2 {
		return
	}
	if r.AskedAgain == nil {
		r.AskedAgain = map[string]int{}
	}
	r.AskedAgain[id] = n
}

// catalogues returns a scenario's tools: whole sets by name, parts of a set as
// "name:tool+tool", and sets of its own. It returns false if a set is unknown.
func (s *playedScenario) catalogues(sets map[string]json.RawMessage) (out []*schema.Catalogue, known bool, err error) {
	for _, raw := range s.Tools {

		server, tools, some := "", json.RawMessage(nil), ""
		var name string
		if json.Unmarshal(raw, &name) == nil {
			server, some, _ = strings.Cut(name, ":")
			if tools, known = sets[server]; !known {
				return nil, false, nil
			}
			server = strings.TrimPrefix(server, "real-")
		} else {
			var own struct {
				Server string          `json:"server"`
				Tools  json.RawMessage `json:"tools"`
			}
			if err := json.Unmarshal(raw, &own); err != nil {
				return nil, false, err
			}
			server, tools = own.Server, own.Tools
		}
		if tools, err = pick(tools, some); err != nil {
			return nil, false, err
		}
		c, err := schema.Parse(server, tools)
		if err != nil {
			return nil, false, err
		}
		c.Server = server
		out = append(out, c)
	}
	return out, true, nil
}

// pick returns the definitions of some tools, named with plus signs between them; all of
// them for an empty list.
func pick(tools json.RawMessage, some string) (json.RawMessage, error) {
	if some == "" {
		return tools, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(tools, &list); err != nil {
		return nil, err
	}
	wanted := strings.Split(some, "+")
	list = slices.DeleteFunc(list, func(t json.RawMessage) bool {
		var tool struct {
			Name string `json:"name"`
		}
		return json.Unmarshal(t, &tool) != nil || !slices.Contains(wanted, tool.Name)
	})
	return json.Marshal(list)
}

// prepare returns what every play of a scenario needs: its lines, and the options with its tools,
// contracts and time.
func (s *playedScenario) prepare(tools []*schema.Catalogue, seen *observed) ([]scenarioLine, remit.Options, error) {
	lines, err := s.lines()
	if err != nil {
		return nil, remit.Options{}, err
	}
	contracts, err := seen.contracts(tools, firstSaid(lines))
	if err != nil {
		return nil, remit.Options{}, err
	}
	return lines, remit.Options{Contracts: contracts, Tools: tools, Now: s.now}, nil
}

// play has a player play the lines of a scenario.
func (s *playedScenario) play(ctx context.Context, lines []scenarioLine, o remit.Options, p *player) (*player, error) {
	m, err := remit.New(o)
	if err != nil {
		return nil, err
	}

	p.sessions, p.verdicts = map[string]*remit.Session{}, map[string]remit.Verdict{}
	for _, l := range lines {
		session := p.sessions[l.Session]
		if session == nil {
			session = m.Session(s.ID + l.Session)
			p.sessions[l.Session] = session
		}
		if err := p.line(ctx, session, l); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// allowed judges the decisions: whether the judged calls were allowed, for an attack with
// every call before them.
func (s *playedScenario) allowed(p *player) bool {
	judged := s.Judged
	if len(judged) == 0 {
		judged = p.order
		if s.Kind == "attack" && len(p.order) > 0 {
			judged = p.order[len(p.order)-1:]
		}
	}

	for _, c := range judged {
		if p.verdicts[c] != remit.Allow {
			return false
		}
	}
	if s.Kind != "attack" {
		return true
	}
	return !slices.ContainsFunc(p.order, func(c string) bool {
		helper := !slices.Contains(judged, c) && !slices.Contains(s.HelpersMayFail, c)
		return helper && p.verdicts[c] != remit.Allow
	})
}

// player plays the lines of one scenario.
type player struct {
	sessions map[string]*remit.Session
	verdicts map[string]remit.Verdict
	order    []string
	scopes   []json.RawMessage
	turn     int
	// agrees has a person agree to each call that is asked about, which questions counts.
	agrees    bool
	questions int
}

// line feeds one line to a session. A line that the session refuses makes no
// decision.
func (p *player) line(ctx context.Context, s *remit.Session, l scenarioLine) error {
	switch l.Type {
	case "system":
		s.System(l.Text)
	case "attach":
		s.Attach(l.Name, l.Text)
	case "assistant":
		s.Assistant(l.Text)
	case "user":
		s.User(l.Text)
		return p.scope(s)

	case "result":
		return s.Result(ctx, remit.Result{Call: l.Call, Content: l.Content, Structured: l.Structured})
	case "call":
		d, err := s.Decide(ctx, remit.Call{ID: l.ID, Server: l.Server, Tool: l.Tool, Arguments: argumentsOf(l.Arguments)})
		if err != nil {
			return err
		}
		if _, again := p.verdicts[d.Call]; !again {
			p.order = append(p.order, d.Call)
		}
		if d.Verdict == remit.Ask && p.agrees {
			p.questions++
			if d, err = s.ConfirmOnce(ctx, d.Call); err != nil {
				return err
			}
		}
		p.verdicts[d.Call] = d.Verdict
	case "confirm":
		confirm := s.ConfirmOnce
		if l.For == "session" {
			confirm = s.Confirm
		}
		d, err := confirm(ctx, l.Call)
		if err != nil {
			return err
		}
		p.verdicts[d.Call] = d.Verdict
	}
	return nil
}

// scope puts the scope of the current turn into force, or one that authorises
// nothing if there is none.
func (p *player) scope(s *remit.Session) error {
	data := json.RawMessage(`{"calls":[],"delegates":[]}`)
	if p.turn < len(p.scopes) {
		data = p.scopes[p.turn]
	}
	p.turn++
	if string(data) == "null" {
		return nil // the planner failed
	}
	_, _, err := s.Scope(data)
	if errors.Is(err, remit.ErrLongTurn) {
		return nil // which is decided as if there were no planner
	}
	return err
}

// argumentsOf returns arguments written as an object or as the text of one.
func argumentsOf(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		return json.RawMessage(text)
	}
	return raw
}

// lines returns the lines of a scenario with long texts written out: {"$repeat": [text,
// n]} and the like.
func (s *playedScenario) lines() ([]scenarioLine, error) {
	var out []scenarioLine
	add := func(raw json.RawMessage) error {
		var tree any
		exact := json.NewDecoder(bytes.NewReader(raw))
		exact.UseNumber() // an id may be larger than a float tells
		if err := exact.Decode(&tree); err != nil {
			return err
		}
		data, err := json.Marshal(expand(tree))
		if err != nil {
			return err
		}
		var l scenarioLine
		if err := json.Unmarshal(data, &l); err != nil {
			return err
		}
		out = append(out, l)
		return nil
	}

	for _, raw := range s.Lines {
		var times struct {
			Times int               `json:"$times"`
			Lines []json.RawMessage `json:"lines"`
		}
		if err := json.Unmarshal(raw, &times); err != nil {
			return nil, err
		}
		if times.Times == 0 {
			if err := add(raw); err != nil {
				return nil, err
			}
			continue
		}
		for i := range times.Times {
			for _, l := range times.Lines {
				if err := add(json.RawMessage(strings.ReplaceAll(string(l), "{i}", strconv.Itoa(i)))); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// expand expands the short forms of long values.
func expand(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = expand(e)
		}
		return out

	case map[string]any:
		if len(v) == 1 {
			for name, argument := range v {
				if written, ok := writeOut(name, argument); ok {
					return written
				}
			}
		}
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = expand(e)
		}
		return out
	}
	return v
}

// maxRepeat bounds how often a scenario repeats a text.
const maxRepeat = 1 << 20

// times returns how often a text is repeated.
func times(v any) int {
	n, _ := strconv.Atoi(fmt.Sprint(v))
	return min(max(n, 0), maxRepeat)
}

// writeOut expands one short form; it returns false if the member isn't one.
func writeOut(name string, argument any) (any, bool) {
	list, _ := argument.([]any)

	switch {
	case name == "$join":
		var b strings.Builder
		for _, e := range list {
			fmt.Fprint(&b, expand(e))
		}
		return b.String(), true
	case name == "$json":
		data, err := json.Marshal(expand(argument))
		return string(data), err == nil
	case name == "$repeat" && len(list) == 2:
		n := times(list[1])
		return strings.Repeat(fmt.Sprint(expand(list[0])), n), true
	case name == "$rows" && len(list) == 2:
		n := times(list[1])
		item, err := json.Marshal(list[0])
		rows := []any{}
		for i := range n {
			var row any
			if err == nil && json.Unmarshal([]byte(strings.ReplaceAll(string(item), "{i}", strconv.Itoa(i))), &row) == nil {
				rows = append(rows, row)
			}
		}
		return rows, err == nil
	}
	return nil, false
}
