package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
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

func (gemini) request(body []byte, c containers) (*request, error) {
	members := slices.Clone(geminiMembers[1:])
	for _, name := range geminiMembers[1:] {
		members = append(members, snakeCase(name))
	}

	m, turns, err := object(body, "contents", slices.Compact(slices.Sorted(slices.Values(members)))...)
	if err == nil {
		err = checkSpelling(body, geminiMembers...)
	}
	if err != nil {
		return nil, err
	}

	system, tools := memberEither(body, "systemInstruction"), memberEither(body, "tools")
	if turns == nil {
		turns = asList(m["contents"])
	}
	r := &request{turns: turns, frame: []json.RawMessage{system, tools}}
	config := memberEither(body, "toolConfig", "functionCallingConfig")
	switch {
	case len(r.turns) == 0:
		return nil, refuse(`"contents" is missing, empty, or no list`)
	case !absent(system) && system[0] != '{':
		return nil, refuse(`"systemInstruction" is no object`)
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
	r.body = unmark(body, "contents", "systemInstruction", "system_instruction")
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
			return refuse(`"parts" is no list`)
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
	c.alias = positionID(c.tool, before)
	if c.id == "" {
		c.id, c.alias = c.alias, ""
	}
	if c.arguments = strictjson.Get(raw, "args"); absent(c.arguments) {
		c.arguments = json.RawMessage("{}")
	}
	return c
}

// geminiShape is the shape of answers, and of the chunks of a stream.
var geminiShape = &shape{members: []string{"candidates", "promptFeedback", "usageMetadata", "responseId", "error"}, inner: map[string]*shape{
	"candidates": {list: true, members: []string{"content", "finishReason", "index", "groundingMetadata", "urlContextMetadata"}, inner: map[string]*shape{
		"content": {members: []string{"role", "parts"}, inner: map[string]*shape{
			"parts": {list: true, members: partMembers, inner: map[string]*shape{
				"functionCall": {members: []string{"id", "name", "args"}},
			}},
		}},
	}},
}}

// geminiChunk is the content of one chunk of an answer.
type geminiChunk struct {
	parts           []part
	finish          string
	blocked, failed bool
	// external is what the provider's tools returned outside of the parts.
	external []string
}

// readGemini reads a chunk. It returns an error for calls that can't be decided.
func readGemini(chunk json.RawMessage) (*geminiChunk, error) {
	if err := readable(chunk, geminiShape); err != nil {
		return nil, err
	}

	c := &geminiChunk{blocked: strictjson.GetText(chunk, "promptFeedback", "blockReason") != "", failed: !absent(strictjson.Get(chunk, "error"))}
	for i, candidate := range values(strictjson.Get(chunk, "candidates")) {
		list := geminiParts(strictjson.Get(candidate, "content"))
		if i > 0 || integer(strictjson.Get(candidate, "index")) > 0 {
			if len(geminiUtterance(list).calls) > 0 {
				return nil, fmt.Errorf("%w: there are calls in one of several answers", errBody)
			}
			continue
		}
		for _, p := range list {
			for _, name := range []string{"partialArgs", "willContinue"} {
				if v := memberEither(p.raw, "functionCall", name); !absent(v) && string(v) != "false" {
					return nil, fmt.Errorf("%w: a call comes in fragments", errBody)
				}
			}
		}
		c.parts, c.finish = list, strictjson.GetText(candidate, "finishReason")
		for _, name := range []string{"groundingMetadata", "urlContextMetadata"} {
			if m := strictjson.Get(candidate, name); !absent(m) && string(m) != "{}" {
				c.external = append(c.external, words([]string{unreadable(name), everything(m)}))
			}
		}
	}

	return c, nil
}

// geminiCut reports whether an answer is truncated.
func geminiCut(finish string) bool { return finish != "" && finish != "STOP" }

// chunks returns the chunks of an answer in one body: the body itself, or the
// elements of a list.
func chunks(body []byte) []json.RawMessage {
	if len(body) > 0 && body[0] == '[' {
		return values(body)
	}
	return []json.RawMessage{body}
}

func (gemini) answer(body []byte) (*answer, error) {
	if err := strict(body); err != nil {
		return nil, fmt.Errorf("%w: %v", errBody, err)
	}

	a := &answer{}
	var list []part
	ended := false
	for _, raw := range chunks(body) {
		c, err := readGemini(raw)
		if err != nil {
			return nil, err
		}
		empty := strictjson.Get(raw, "candidates") == nil && !c.blocked && absent(strictjson.Get(raw, "usageMetadata"))
		if c.failed || empty {
			return nil, fmt.Errorf("%w: it has no candidates", errBody)
		}
		list = append(list, c.parts...)
		ended = ended || c.finish != "" || c.blocked
		a.cut = a.cut || geminiCut(c.finish)
		a.external = append(a.external, c.external...)
		if u := strictjson.Get(raw, "usageMetadata"); !absent(u) {
			a.usage = u
		}
		if a.id == "" {
			a.id = strictjson.GetText(raw, "responseId")
		}
	}

	external := a.external
	a.utterance, a.turn = *geminiUtterance(list), geminiTurn(list)
	a.external = append(a.external, external...)
	a.cut = a.cut || !ended
	return a, nil
}

// geminiTurn returns the model's turn with these parts.
func geminiTurn(list []part) json.RawMessage {
	raw := make([]json.RawMessage, len(list))
	for i, p := range list {
		raw[i] = p.raw
	}
	return fmt.Appendf(nil, `{"role":"model","parts":%s}`, join(raw))
}

func (gemini) again(body []byte, a *answer) []byte {
	var told []json.RawMessage
	for i, c := range a.calls {
		raw := strictjson.Get(c.raw, "functionCall")
		response := fmt.Appendf(nil, `{"name":%s,"response":{"error":%s}}`, strictjson.Quote(c.tool), strictjson.Quote(a.fate[i].denial))
		if id := strictjson.GetText(raw, "id"); id != "" {
			response = strictjson.Set(response, "id", strictjson.Quote(id))
		}
		told = append(told, fmt.Appendf(nil, `{"functionResponse":%s}`, response))
	}
	return allowNoCallGemini(extend(listContents(body), "contents", a.turn, fmt.Appendf(nil, `{"role":"user","parts":%s}`, join(told))))
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

func (gemini) missingTurns(*answer) []json.RawMessage { return nil }

// replaceParts returns a chunk with other parts.
func replaceParts(chunk json.RawMessage, list []json.RawMessage) json.RawMessage {
	at, ok := strictjson.Find(chunk, "candidates")
	if !ok {
		return chunk
	}
	candidates := values(at.Of(chunk))
	if len(candidates) == 0 {
		return chunk
	}
	candidates[0] = strictjson.Replace(candidates[0], join(list), "content", "parts")
	return strictjson.Splice(chunk, at, join(candidates))
}

// addPart returns a chunk with a further part.
func addPart(chunk, p json.RawMessage) json.RawMessage {
	c, err := readGemini(chunk)
	if err != nil {
		return chunk
	}
	var out []json.RawMessage
	for _, have := range c.parts {
		out = append(out, have.raw)
	}
	return replaceParts(chunk, append(out, p))
}

// replaceArguments returns the part of a call with the checked arguments.
func replaceArguments(part, arguments json.RawMessage) json.RawMessage {
	return strictjson.Set(part, "functionCall", strictjson.Set(strictjson.Get(part, "functionCall"), "args", arguments))
}

func geminiText(text string) json.RawMessage {
	return fmt.Appendf(nil, `{"text":%s}`, strictjson.Quote(text))
}

func (gemini) whole(body []byte, a *answer, notes []string, usage json.RawMessage) []byte {
	list := chunks(body)
	n, counted, last := 0, -1, 0
	for i, chunk := range list {
		c, err := readGemini(chunk)
		if err != nil {
			continue
		}
		if !absent(strictjson.Get(chunk, "usageMetadata")) {
			counted = i
		}
		if len(c.parts) > 0 {
			last = i
		}
		var out []json.RawMessage
		first := n
		for _, p := range c.parts {
			if len(geminiUtterance([]part{p}).calls) == 0 {
				out = append(out, p.raw)
				continue
			}
			if n == 0 && len(notes) > 0 {
				out = append(out, geminiText(strings.TrimPrefix(appendNotes(words(a.text), notes), words(a.text))))
			}
			if f := a.fate[n]; f.denial == "" {
				out = append(out, replaceArguments(p.raw, f.arguments))
			}
			n++
		}
		if n > first {
			list[i] = replaceParts(chunk, out)
		}
	}

	if n == 0 && len(notes) > 0 {
		list[last] = addPart(list[last], geminiText("\n\n"+appendNotes("", notes)))
	}
	if usage != nil && counted >= 0 {
		list[counted] = strictjson.Set(list[counted], "usageMetadata", usage)
	}
	if len(body) > 0 && body[0] == '[' {
		return join(list)
	}
	return list[0]
}

func (gemini) problem(status int, message string) []byte {
	kind := "INVALID_ARGUMENT"
	switch {
	case status == http.StatusForbidden:
		kind = "PERMISSION_DENIED"
	case status >= http.StatusInternalServerError:
		kind = "INTERNAL"
	}
	return fmt.Appendf(nil, `{"error":{"code":%d,"message":%s,"status":%q}}`, status, strictjson.Quote("remit: "+message), kind)
}

// geminiTools reads the tool definitions of a request. The results of the
// provider's tools appear in no part.
func (r *request) geminiTools(tools json.RawMessage) error {
	for _, tool := range asList(tools) {
		if err := checkSpelling(tool, "functionDeclarations", "codeExecution"); err != nil {
			return err
		}
		members, _ := strictjson.Members(tool)
		for _, m := range members {
			switch value := m.Value.Of(tool); {
			case foldedName(m.Name) == foldedName("functionDeclarations"):
				for _, d := range asList(value) {
					declared, err := declaration(d)
					if err != nil {
						return err
					}
					r.tools = append(r.tools, declared)
				}
			case foldedName(m.Name) == foldedName("codeExecution") || absent(value):
				// What it prints is a part.
			default:
				r.unread = append(r.unread, unreadable(m.Name))
			}
		}
	}

	return nil
}

// declaration returns a function definition in the form of other APIs.
func declaration(raw json.RawMessage) (json.RawMessage, error) {
	if err := checkSpelling(raw, "name", "description", "parameters", "parametersJsonSchema"); err != nil {
		return nil, err
	}

	parameters, schema := strictjson.Get(raw, "parameters"), memberEither(raw, "parametersJsonSchema")
	switch {
	case !absent(parameters) && !absent(schema):
		return nil, refuse(fmt.Sprintf("the function %q has both parameters and parametersJsonSchema: leave one out", display.Line(strictjson.GetText(raw, "name"))))
	case !absent(parameters):
		schema = jsonSchema(parameters)
	}

	out := []byte(`{"type":"function"}`)
	for _, name := range []string{"name", "description"} {
		if v := strictjson.Get(raw, name); !absent(v) {
			out = strictjson.Set(out, name, v)
		}
	}

	if !absent(schema) {
		out = strictjson.Set(out, "parameters", schema)
	}
	return out, nil
}

// maxSchemaDepth bounds the nesting of a schema: real tools have five or six
// levels.
const maxSchemaDepth = 64

// jsonSchema translates Google's dialect of OpenAPI schemas to JSON Schema.
// Malformed parts stay as they are, for the schema reader to refuse.
func jsonSchema(raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	out, err := strictjson.Encode(translateSchema(v, 0))
	if err != nil {
		return raw
	}
	return out
}

// schemaNames maps members that have other names in JSON Schema.
var schemaNames = map[string]string{"any_of": "anyOf", "min_items": "minItems", "max_items": "maxItems", "min_length": "minLength", "max_length": "maxLength",
	"min_properties": "minProperties", "max_properties": "maxProperties", "additional_properties": "additionalProperties", "ref": "$ref", "defs": "$defs"}

func translateSchema(v any, depth int) any {
	schema, ok := v.(map[string]any)
	if !ok || depth > maxSchemaDepth {
		return v
	}

	out := map[string]any{}
	for name, value := range schema {
		if other, ok := schemaNames[name]; ok {
			name = other
		}
		switch name {
		case "propertyOrdering", "property_ordering", "nullable":
		case "type":
			if kind, ok := value.(string); ok {
				value = strings.ToLower(kind)
			}
			out[name] = value
		case "items", "additionalProperties":
			out[name] = translateSchema(value, depth+1)
		case "properties", "$defs":
			out[name] = translateEach(value, depth+1)
		case "anyOf":
			list, _ := value.([]any)
			for i := range list {
				list[i] = translateSchema(list[i], depth+1)
			}
			out[name] = value
		case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
			if number, ok := value.(string); ok {
				value = json.Number(number) // as Google writes long integers
			}
			out[name] = value
		default:
			out[name] = value
		}
	}

	if kind, ok := out["type"].(string); ok && schema["nullable"] == true {
		out["type"] = []any{kind, "null"}
	}
	return out
}

// translateEach translates the schemas in an object's members.
func translateEach(v any, depth int) any {
	members, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for name, value := range members {
		members[name] = translateSchema(value, depth)
	}
	return members
}
