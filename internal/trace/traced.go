package trace

import "encoding/json"

// readRun reads a run as LangSmith exports it. Runs of models hold the conversation;
// those of chains and tools repeat parts of it.
func readRun(top object, line int) ([]exchange, error) {
	if kind, _ := str(top, "run_type"); kind != "llm" {
		return nil, nil
	}
	e := exchange{line: line}
	if e.key, _ = str(top, "trace_id"); e.key == "" {
		e.key, _ = str(top, "id")
	}

	inputs, _ := member(top, "inputs")
	turns, err := readTurns(unnested(inputs["messages"]), User, line)
	if err != nil {
		return nil, err
	}
	e.messages = turns

	outputs, _ := member(top, "outputs")
	for _, raw := range list(unnested(outputs["generations"])) {
		var g struct {
			Message object `json:"message"`
		}
		if json.Unmarshal(raw, &g) != nil || g.Message == nil {
			continue
		}
		said, err := turnOf(g.Message, line)
		if err != nil {
			return nil, err
		}
		// Further generations are answers that the conversation did not follow.
		e.messages = append(e.messages, answered(said)...)
		break
	}
	if has(outputs, "choices") || has(outputs, "role") {
		said, err := readResponse(outputs, line)
		if err != nil {
			return nil, err
		}
		e.messages = append(e.messages, answered(said)...)
	}

	extra, _ := member(top, "extra")
	invocation, _ := member(extra, "invocation_params")
	e.tools = functionsOf(invocation["tools"])
	return []exchange{e}, nil
}

// unnested returns the first element of a list of lists, as LangChain writes batches
// of one.
func unnested(raw json.RawMessage) json.RawMessage {
	if outer := list(raw); len(outer) == 1 && len(outer[0]) > 0 && outer[0][0] == '[' {
		return outer[0]
	}
	return raw
}

// readObservations reads what Langfuse exports: an observation, or a trace with its
// observations. Generations hold the conversation.
func readObservations(top object, line int) ([]exchange, error) {
	raw, ok := present(top, "observations")
	if !ok {
		return readObservation(top, line)
	}

	var out []exchange
	for _, one := range list(raw) {
		var o object
		if json.Unmarshal(one, &o) != nil {
			return nil, &Error{line, "an observation is not an object", "export the trace with its observations"}
		}
		if !has(o, "traceId") {
			o["traceId"] = top["id"]
		}
		all, err := readObservation(o, line)
		if err != nil {
			return nil, err
		}
		out = append(out, all...)
	}
	return out, nil
}

func readObservation(o object, line int) ([]exchange, error) {
	if kind, _ := str(o, "type"); kind != "GENERATION" {
		return nil, nil
	}
	e := exchange{line: line}
	e.key, _ = str(o, "traceId")
	e.time, _ = str(o, "startTime")

	input := o["input"]
	var request object
	if json.Unmarshal(input, &request) == nil && has(request, "messages") {
		input = request["messages"]
		e.tools = functionsOf(request["tools"])
	}
	turns, err := readTurns(input, "", line)
	if err != nil {
		return nil, err
	}
	e.messages = turns

	said, err := readOutput(o["output"], line)
	e.messages = append(e.messages, answered(said)...)
	return []exchange{e}, err
}

// readOutput reads what a generation gave: a message, a list of them, or a text.
func readOutput(raw json.RawMessage, line int) ([]turn, error) {
	var o object
	if said, ok := text(raw); ok {
		return []turn{{role: Assistant, text: said}}, nil
	}
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return readTurns(raw, Assistant, line)
	}
	if !has(o, "role") {
		o["role"] = json.RawMessage(`"assistant"`)
	}
	return turnOf(o, line)
}
