package proxy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/strictjson"
)

// gemini is Google's generateContent, of the Gemini API and of Vertex.
type gemini struct{}

func (gemini) name() string { return "gemini" }

// Google's servers accept two spellings of a request's members, and a single
// value in place of a list.

// snakeCase returns a member's name in its other spelling.
func snakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// spelling returns the spelling of a member that an object uses.
func spelling(object json.RawMessage, name string) string {
	if other := snakeCase(name); strictjson.Get(object, name) == nil && strictjson.Get(object, other) != nil {
		return other
	}
	return name
}

// memberEither returns the value of a member in either spelling.
func memberEither(object json.RawMessage, path ...string) json.RawMessage {
	for _, name := range path {
		object = strictjson.Get(object, spelling(object, name))
	}
	return object
}

// asList returns the elements of a list, or a single value as a list.
func asList(raw json.RawMessage) []json.RawMessage {
	if !absent(raw) && raw[0] == '{' {
		return []json.RawMessage{raw}
	}
	return values(raw)
}

// checkSpelling returns an error if an object has one of these members twice, or
// in a spelling that only some servers accept.
func checkSpelling(object json.RawMessage, names ...string) error {
	members, err := strictjson.Members(object)
	if err != nil {
		return refuse("there is no object where one is expected")
	}

	seen := map[string]string{}
	for _, m := range members {
		folded := foldedName(m.Name)
		i := slices.IndexFunc(names, func(n string) bool { return foldedName(n) == folded })
		if i < 0 {
			continue
		}
		if m.Name != names[i] && m.Name != snakeCase(names[i]) {
			return refuse(fmt.Sprintf("the member %q is not %q, and some readers take it for that: leave it out", display.Line(m.Name), names[i]))
		}
		if seen[folded] != "" {
			return refuse(fmt.Sprintf("the member %q appears twice", names[i]))
		}
		seen[folded] = m.Name
	}

	return nil
}

// geminiMembers are the members of a request that decisions depend on.
var geminiMembers = []string{"contents", "systemInstruction", "tools", "toolConfig", "cachedContent", "generationConfig"}

func (gemini) request(body []byte, b *begun, c containers) (*request, error) {
	members := slices.Clone(geminiMembers[1:])
	for _, name := range geminiMembers[1:] {
		members = append(members, snakeCase(name))
	}

	o, err := object(body, b, "contents", slices.Compact(slices.Sorted(slices.Values(members)))...)
	if err == nil {
		err = checkSpelling(body, geminiMembers...)
	}
	if err != nil {
		return nil, err
	}

	system, tools := memberEither(body, "systemInstruction"), memberEither(body, "tools")
	turns := o.elements
	if turns == nil {
		turns = asList(o.members["contents"])
	}
	r := &request{read: o.read, turns: turns, frame: []json.RawMessage{system, tools}}
	config := memberEither(body, "toolConfig", "functionCallingConfig")
	switch {
	case len(r.turns) == 0:
		return nil, refuse(`"contents" is missing, empty, or no list`)
	case !absent(system) && system[0] != '{':
		return nil, refuse(`"systemInstruction" is not an object`)
	case !absent(memberEither(body, "cachedContent")):
		return nil, refuse(`the text and the tools of "cachedContent" are not in the request, and its calls can't be decided: send them with the request`)
	case truth(memberEither(config, "streamFunctionCallArguments")):
		return nil, refuse(`calls that come in fragments can't be decided: leave "streamFunctionCallArguments" out`)
	}

	if err := r.geminiTools(tools); err != nil {
		return nil, err
	}
	if n := memberEither(body, "generationConfig", "candidateCount"); len(r.tools) > 0 && !absent(n) && string(n) != "1" {
		return nil, refuse(`several answers with calls can't be decided: leave "candidateCount" out`)
	}

	for _, of := range [][]json.RawMessage{r.turns, asList(system)} {
		if err := checkPartSpelling(of); err != nil {
			return nil, err
		}
	}

	r.system = c.events(remit.SystemEvent, geminiParts(system))
	r.only, r.forced = geminiChoice(config), strings.EqualFold(strictjson.GetText(config, "mode"), "ANY")
	r.body = unmark(body, b, "contents", "systemInstruction", "system_instruction")
	return r, nil
}

// geminiChoice returns the tools that a choice allows; nil for all of them.
func geminiChoice(config json.RawMessage) map[string]bool {
	if strings.EqualFold(strictjson.GetText(config, "mode"), "NONE") {
		return map[string]bool{}
	}
	names := asList(memberEither(config, "allowedFunctionNames"))
	if len(names) == 0 {
		return nil
	}
	only := map[string]bool{}
	for _, name := range names {
		only[strictjson.Text(name)] = true
	}
	return only
}

// checkPartSpelling returns an error if the parts of turns are ambiguous.
func checkPartSpelling(turns []json.RawMessage) error {
	for i, t := range turns {
		if err := strict(t); err != nil {
			return refuse(fmt.Sprintf("turn %d is not acceptable JSON: %v", i, err))
		}
		if err := checkSpelling(t, "role", "parts"); err != nil {
			return err
		}
		if list := strictjson.Get(t, "parts"); !absent(list) && list[0] != '[' && list[0] != '{' {
			return refuse(`"parts" is not a list`)
		}
		for _, p := range asList(strictjson.Get(t, "parts")) {
			if err := checkSpelling(p, partMembers...); err != nil {
				return err
			}
		}
	}
	return nil
}

// partMembers are the members that give a part its kind.
var partMembers = []string{"text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData", "fileData",
	"executableCode", "codeExecutionResult", "toolCall", "toolResponse", "videoMetadata", "partMetadata", "mediaResolution"}

// partDetails are the members that only add detail.
var partDetails = []string{"thought", "thoughtSignature", "videoMetadata", "partMetadata", "mediaResolution", markMember}

// geminiParts returns the parts of a turn. The member that a part has is its
// kind.
func geminiParts(turn json.RawMessage) []part {
	var out []part
	for _, raw := range asList(strictjson.Get(turn, "parts")) {
		p := part{kind: "unknown", raw: raw, marked: strictjson.Get(raw, markMember) != nil || strictjson.Get(turn, markMember) != nil}
		members, _ := strictjson.Members(raw)
		kinds := 0
		for _, m := range members {
			if i := slices.IndexFunc(partDetails, func(d string) bool { return foldedName(d) == foldedName(m.Name) }); i >= 0 || absent(m.Value.Of(raw)) {
				continue
			}
			p.kind = m.Name
			if i := slices.IndexFunc(partMembers, func(k string) bool { return foldedName(k) == foldedName(m.Name) }); i >= 0 {
				p.kind = partMembers[i]
			}
			kinds++
		}
		switch {
		case kinds > 1:
			p.kind = "unknown"
		case p.kind == "text" && truth(strictjson.Get(raw, "thought")):
			p.kind, p.text = "thought", strictjson.GetText(raw, "text")
		case p.kind == "text":
			p.text = strictjson.GetText(raw, "text")
		}
		out = append(out, p)
	}

	return out
}

func (gemini) turn(raw json.RawMessage, c containers) turn {
	role, list := strictjson.GetText(raw, "role"), geminiParts(raw)
	if role == "model" {
		return turn{utterance: geminiUtterance(list)}
	}

	var t turn
	var own []part
	returned := map[string]int{}

	for _, p := range list {
		if p.kind == "functionResponse" {
			t.events = append(t.events, geminiResult(memberEither(p.raw, "functionResponse"), returned))
		} else {
			own = append(own, p)
		}
	}

	if role != "user" && role != "" {
		for i := range own {
			own[i].marked = true // what comes with results
		}
	}
	t.events = append(t.events, c.events(remit.UserEvent, own)...)
	return t
}

// positionID identifies a call without an id by its tool and by how many calls of the
// tool precede it in the turn.
func positionID(tool string, before map[string]int) string {
	before[tool]++
	return fmt.Sprintf("%s#%d", tool, before[tool])
}

// geminiResult returns the event for a function's response. Clients wrap a value
// that isn't an object.
func geminiResult(response json.RawMessage, before map[string]int) remit.Event {
	id := strictjson.GetText(response, "id")
	if n := positionID(strictjson.GetText(response, "name"), before); id == "" {
		id = n
	}
	content := strictjson.Get(response, "response")
	if members, err := strictjson.Members(content); err == nil && len(members) == 1 && slices.Contains([]string{"result", "output"}, members[0].Name) {
		content = members[0].Value.Of(content)
	}
	texts := []string{string(content)}
	if len(content) > 0 && content[0] == '"' {
		texts = []string{strictjson.Text(content)}
	}
	for _, p := range asList(strictjson.Get(response, "parts")) {
		texts = append(texts, unreadable("response part"), everything(p))
	}
	return remit.Event{Kind: remit.ResultEvent, Result: &remit.Result{Call: id, Content: words(texts)}}
}

// geminiUtterance reads a model's turn. Streams may split texts anywhere.
func geminiUtterance(list []part) *utterance {
	s := &utterance{}
	called := map[string]int{}
	last := ""

	join := func(texts []string, p part) []string {
		if last == p.kind {
			texts[len(texts)-1] += p.text
			return texts
		}
		return append(texts, p.text)
	}

	for _, p := range list {
		switch {
		case p.kind == "text":
			s.text = join(s.text, p)
		case p.kind == "thought":
			s.other = join(s.other, p)
		case p.kind == "functionCall":
			s.calls = append(s.calls, geminiCall(p.raw, called))
		case mayBeCall(p):
			s.calls = append(s.calls, foreign(call{raw: p.raw, mute: true}, "part", p.kind))
		default:
			if text := everything(p.raw); text != "" || p.kind != "unknown" { // else a signature alone
				s.external = append(s.external, words([]string{unreadable(p.kind), text}))
			}
		}
		last = p.kind
	}

	return s
}

// mayBeCall reports whether a client could read a call in a part that isn't one:
// a part of an unknown kind, or of several kinds at once.
func mayBeCall(p part) bool {
	if p.kind == "unknown" {
		return memberEither(p.raw, "functionCall") != nil
	}
	return !slices.Contains(partMembers, p.kind)
}

// geminiCall reads a call. A call without an id is known by its position; some
// clients send results back without the ids, too.
func geminiCall(part json.RawMessage, before map[string]int) call {
	raw := memberEither(part, "functionCall")
	c := call{id: strictjson.GetText(raw, "id"), tool: strictjson.GetText(raw, "name"), raw: part}
	c.signed = !absent(memberEither(part, "thoughtSignature"))
	c.alias = positionID(c.tool, before)
	if c.id == "" {
		c.id, c.alias = c.alias, ""
	}
	if c.arguments = strictjson.Get(raw, "args"); absent(c.arguments) {
		c.arguments = json.RawMessage("{}")
	}
	return c
}

// listContents returns a request with its contents as a list.
func listContents(body []byte) []byte {
	if contents := strictjson.Get(body, "contents"); !absent(contents) && contents[0] == '{' {
		body = strictjson.Set(body, "contents", join([]json.RawMessage{contents}))
	}
	return body
}

func (gemini) tell(body []byte, text string) []byte {
	return extend(listContents(body), "contents", fmt.Appendf(nil, `{"role":"user","parts":[%s]}`, geminiText(text)))
}

// allowNoCallGemini lifts a forced choice from a request.
func allowNoCallGemini(body []byte) []byte {
	in := spelling(body, "toolConfig")
	name := spelling(strictjson.Get(body, in), "functionCallingConfig")
	config := strictjson.Get(body, in, name)
	if mode := strings.ToUpper(strictjson.GetText(config, "mode")); absent(config) || mode == "NONE" || mode == "AUTO" {
		return body
	}
	free := strictjson.Remove(config, spelling(config, "allowedFunctionNames"))
	return strictjson.Replace(body, strictjson.Set(free, "mode", []byte(`"AUTO"`)), in, name)
}
