package mcp

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/question"
	"github.com/remit-project/remit/internal/strictjson"
)

// asks are the members in which a server's question speaks to a person or to the
// client's model, by method.
var asks = map[string]string{
	"elicitation/create":     "message",
	"sampling/createMessage": "systemPrompt",
}

// marked says in a question of a server whose it is: to the client all questions
// come from one server, Remit's own among them.
func marked(server, method string, params json.RawMessage) json.RawMessage {
	member, ok := asks[method]
	if !ok || len(params) == 0 {
		return params
	}
	mark := fmt.Sprintf("[The server %s asks this. It is not a question of Remit.]", question.Name(server))
	if text := strictjson.GetText(params, member); text != "" {
		mark += " " + text
	}
	return strictjson.Set(params, member, strictjson.Quote(mark))
}

// maxQuestions bounds the questions of one result: each is shown to a person.
const maxQuestions = 64

// withMarks is [marked] for the questions in a result of the generation without
// sessions.
func (b *backend) withMarks(m *wire.Message) (*wire.Message, error) {
	at, ok := strictjson.Find(m.Raw, "result", "inputRequests")
	if !ok || m.Kind != wire.Response {
		return m, nil
	}
	requests := []byte(at.Of(m.Raw))
	members, err := strictjson.Members(requests)
	if err != nil || len(members) > maxQuestions {
		return nil, fmt.Errorf("the questions in the answer can't be read: at most %d are passed on", maxQuestions)
	}
	for _, q := range slices.Backward(members) { // so that the places of the rest stay
		one := q.Value.Of(requests)
		params := marked(b.server.Name, strictjson.GetText(one, "method"), strictjson.Get(one, "params"))
		requests = strictjson.Splice(requests, q.Value, strictjson.Replace(one, params, "params"))
	}
	return wire.Parse(strictjson.Splice(m.Raw, at, requests), b.c.g.limits())
}
