package trace

import "encoding/json"

// readRequest reads a request to a model as it went over the wire: of Anthropic's
// Messages API, or of OpenAI's Responses API.
func readRequest(top object, line int) ([]exchange, error) {
	e := exchange{line: line}
	e.tools, _ = present(top, "tools")
	for _, name := range [...]string{"system", "instructions"} {
		if raw, ok := present(top, name); ok {
			b := blocks{turn: turn{role: System}}
			if err := b.content(raw); err != nil {
				return nil, &Error{line, name + ": " + err.Error(), "write it as text"}
			}
			e.messages = append(e.messages, b.turns()...)
		}
	}

	for _, name := range [...]string{"messages", "input"} {
		raw, ok := present(top, name)
		if !ok {
			continue
		}
		turns, err := readTurns(raw, User, line)
		if err != nil {
			return nil, err
		}
		e.messages = append(e.messages, turns...)
	}

	e.tools = functionsOf(e.tools)
	return []exchange{e}, nil
}

// functionsOf returns tools in a form that catalogues are read in: those of Anthropic's
// API are renamed to MCP's. Tools that run at the provider have no schema and are left out:
// their calls are in the recording with their results.
func functionsOf(raw json.RawMessage) json.RawMessage {
	var out []object
	for _, one := range list(raw) {
		var t object
		if json.Unmarshal(one, &t) != nil {
			return raw
		}
		if schema, ok := present(t, "input_schema"); ok {
			t = object{"name": t["name"], "description": orEmpty(t["description"]), "inputSchema": schema}
		}
		if has(t, "function") || has(t, "inputSchema") || has(t, "parameters") {
			out = append(out, t)
		}
	}

	if out == nil {
		return nil
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return text
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(`""`)
	}
	return raw
}

// readLogged reads a request with the response that it got, as clients and proxies log
// them: {"request": {…}, "response": {…}}.
func readLogged(top object, line int) ([]exchange, error) {
	request, ok := member(top, "request")
	if !ok {
		return nil, &Error{line, `"request" is not an object`, "log the body of the request as JSON"}
	}
	if body, ok := member(request, "body"); ok {
		request = body
	}
	all, err := readRequest(request, line)
	if err != nil {
		return nil, err
	}

	response, ok := member(top, "response")
	if !ok {
		return all, nil
	}
	if body, ok := member(response, "body"); ok {
		response = body
	}
	said, err := readResponse(response, line)
	all[0].messages = append(all[0].messages, answered(said)...)
	return all, err
}

// readResponse reads what a model answered: a message of Anthropic's API, the choices of
// the chat API, or the output of the Responses API.
func readResponse(o object, line int) ([]turn, error) {
	switch {
	case has(o, "output"):
		return readTurns(o["output"], Assistant, line)
	case has(o, "choices"):
		for _, raw := range list(o["choices"]) {
			var choice struct {
				Message object `json:"message"`
			}
			if json.Unmarshal(raw, &choice) == nil && choice.Message != nil {
				return turnOf(choice.Message, line)
			}
		}
		return nil, nil
	}
	return turnOf(o, line)
}

// turnOf reads one message.
func turnOf(o object, line int) ([]turn, error) {
	turns, err := readTurn(o)
	if err != nil {
		return nil, &Error{line, err.Error(), "write Remit's own form: docs/reference/traces.md"}
	}
	return turns, nil
}
