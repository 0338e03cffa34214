package proxy

import (
	"encoding/json"
	"errors"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/sse"
	"github.com/remit-project/remit/internal/strictjson"
)

// dialect is one API: it reads conversations from requests, and reads and writes
// answers.
type dialect interface {
	name() string
	// request reads a request's body; the containers delimit text from others.
	request(body []byte, b *begun, c containers) (*request, error)
	// turn reads one turn of a request.
	turn(raw json.RawMessage, c containers) turn
	// answer reads an answer that isn't streamed.
	answer(body []byte) (*answer, error)
	// again returns the request extended by the model's turn and by what the
	// model is told instead of the results of its calls.
	again(body []byte, a *answer) []byte
	// tell returns the request with a text below that of its last turn, the user's.
	tell(body []byte, text string) []byte
	// whole returns the answer for the client: the allowed calls, notes about the
	// denied ones, and the usage of all tries, nil if there was one.
	whole(body []byte, a *answer, notes []string, usage json.RawMessage) []byte
	// codec returns a codec for streamed answers.
	codec() codec
	// problem returns an error in the API's form.
	problem(status int, message string) []byte
	// missingTurns returns the turns that a history kept by the provider lacks
	// when the client sees only part of an answer.
	missingTurns(a *answer) []json.RawMessage
}

// answer is the result of one try.
type answer struct {
	utterance
	// id is the provider's id of the answer.
	id string
	// turn is the model's turn as the next request repeats it.
	turn json.RawMessage
	// usage is the provider's count; nil if there is none.
	usage json.RawMessage
	// cut is true when the answer is truncated: its calls may be incomplete.
	cut bool
	// fate holds the decision on each call.
	fate []fate
	// question is what the user is asked below the answer; empty for nothing.
	question string
}

// fate is the decision on a call.
type fate struct {
	// arguments go to the agent if denial is empty.
	arguments json.RawMessage
	// denial tells the model why a call is denied.
	denial string
	// held is the decision on a call that the user may be asked about; nil for others.
	held *remit.Decision
	// asked is true when the answer's question is about the call.
	asked bool
}

// denied counts the denied calls.
func (a *answer) denied() int {
	n := 0
	for i := range a.fate {
		if a.fate[i].denial != "" {
			n++
		}
	}
	return n
}

// notes returns the notes about the denied calls, and the question.
func (a *answer) notes() []string {
	var out []string
	for i := range a.fate {
		if f := &a.fate[i]; f.denial != "" && !f.asked {
			out = append(out, f.denial)
		}
	}
	if a.question != "" {
		out = append(out, a.question)
	}
	return out
}

// step says how to handle an event of a stream.
type step uint8

const (
	// pass: send it to the client, at once unless a call is pending.
	pass step = iota
	// lead: as pass, but it belongs to the next call, if one follows.
	lead
	// begin: a call begins. Nothing of it passes as it came.
	begin
	// tail: it ends the answer and waits for all decisions.
	tail
	// pending: it continues a call and has no piece.
	pending
)

// piece is an event, or a part of one, with its step. A [begin] has no event.
type piece struct {
	step  step
	event sse.Event
}

// codec reads the events of successive tries and writes one stream.
type codec interface {
	// event reads an event and divides it into pieces.
	event(e sse.Event) ([]piece, error)
	// answer returns the answer of this try; an error if the events broke off.
	answer() (*answer, error)
	// next begins another try.
	next()

	// forward returns an event as the client gets it.
	forward(e sse.Event) sse.Event
	// call returns the events of an allowed call, by its place in the answer.
	call(n int, arguments json.RawMessage) []sse.Event
	// divide takes the text out of the tail of an answer without calls: a note comes
	// between the two.
	divide(tail []sse.Event) (text, rest []sse.Event)
	// note returns the events of a text by the proxy.
	note(text string) []sse.Event
	// end returns the events that end the answer, given the tail of the last try.
	// usage is the sum of all tries, nil if there was one.
	end(tail []sse.Event, a *answer, usage json.RawMessage) []sse.Event
	// failure returns the events that end a failed stream.
	failure(message string) []sse.Event
}

// errRequest is an error in a request, for the client to fix.
type errRequest struct{ message string }

func (e *errRequest) Error() string { return e.message }

func refuse(message string) error { return &errRequest{message} }

var (
	errBody   = errors.New("the answer is not the JSON that was expected")
	errBroken = errors.New("the stream of the answer broke off")
	errLong   = errors.New("the answer is longer than the bound")
	// errTold ends a stream in which the upstream has already reported an error.
	errTold = errors.New("the upstream reported an error within its answer")
)

// turnLimits bound one turn: 32 MiB hold what providers accept, images included.
func turnLimits() strictjson.Limits {
	return strictjson.Limits{Size: 32 << 20, Depth: 96, Leaves: 400_000}
}

func strict(raw []byte) error {
	_, err := strictjson.Parse(raw, turnLimits())
	return err
}
