package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/display"
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
func (b *backend) marked(method string, params json.RawMessage) (json.RawMessage, error) {
	member, ok := asks[method]
	if !ok || len(params) == 0 {
		return params, nil
	}
	params, err := b.withoutContext(params)
	if err != nil {
		return nil, err
	}
	mark := fmt.Sprintf("[The server %s asks this. It is not a question of Remit.]", question.Name(b.server.Name))
	if text := strictjson.GetText(params, member); text != "" {
		mark += " " + text
	}
	return strictjson.Set(params, member, strictjson.Quote(mark)), nil
}

// contextMember asks the client to put what servers returned before the model, whose answer goes to
// the server that asks.
const contextMember = "includeContext"

// withoutContext takes back a server's wish for what others returned: nobody decides on such a
// call. To the client all servers are one, so that "this server" means all of them.
func (b *backend) withoutContext(params json.RawMessage) (json.RawMessage, error) {
	members, err := strictjson.Members(params)
	if err != nil {
		return nil, errors.New("the question's params are no object")
	}
	for _, m := range members {
		want := string(m.Value.Of(params))
		own := want == `"thisServer"` && b.c.only() != nil
		switch {
		case !strings.EqualFold(m.Name, contextMember):
		case m.Name != contextMember:
			return nil, fmt.Errorf("the member %q is not %q, and some clients take it for that", display.Line(m.Name), contextMember)
		case !own && want != `"none"`:
			b.server.log.Warn("a server asks for what others returned, and is given nothing of it", "method", "sampling/createMessage")
			return strictjson.Splice(params, m.Value, []byte(`"none"`)), nil
		}
	}
	return params, nil
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
		params, err := b.marked(strictjson.GetText(one, "method"), strictjson.Get(one, "params"))
		if err != nil {
			return nil, fmt.Errorf("a question in the answer was refused: %w", err)
		}
		requests = strictjson.Splice(requests, q.Value, strictjson.Replace(one, params, "params"))
	}
	return wire.Parse(strictjson.Splice(m.Raw, at, requests), b.c.g.limits())
}
