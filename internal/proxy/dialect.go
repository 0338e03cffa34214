package proxy

import (
	"encoding/json"
	"errors"

	"github.com/remit-project/remit/internal/sse"
	"github.com/remit-project/remit/internal/strictjson"
)

// dialect is one API: how a conversation is read out of its requests, and how
// its answers are read and written.
type dialect interface {
	name() string
	// request reads a request's body, with the containers that hold what others
	// wrote.
	request(body []byte, c containers) (*request, error)
	// turn reads one turn of a request.
	turn(raw json.RawMessage, c containers) turn
	// answer reads an answer that came as one body.
	answer(body []byte) (*answer, error)
	// again is the request with the model's turn and what it is told instead of
	// the results of its calls.
	again(body []byte, a *answer) []byte
	// whole is an answer as the client gets it: the calls that may run, what is
	// said about the others, and the usage of all tries, nil where there was one.
	whole(body []byte, a *answer, notes []string, usage json.RawMessage) []byte
	// codec reads and writes answers as streams.
	codec() codec
	// problem is an error in the form that clients expect.
	problem(status int, message string) []byte
	// owed are turns that a history kept by the provider lacks after an answer
	// of which the client doesn't see all.
	owed(a *answer) []json.RawMessage
}

// answer is what came of one try.
type answer struct {
	said
	// id is the provider's name of the answer.
	id string
	// turn is the model's turn as the conversation goes on from it.
	turn json.RawMessage
	// usage is what the provider counted; nil when it doesn't say.
	usage json.RawMessage
	// cut tells that the answer ended before its end: its calls may be half.
	cut bool
	// fate says, for each call, what was decided.
	fate []fate
}

// fate is what comes of a call.
type fate struct {
	// arguments go on to the agent when denial is empty.
	arguments json.RawMessage
	// denial is what the model is told about a call that may not run.
	denial string
}

// denied counts the calls that may not run.
func (a *answer) denied() int {
	n := 0
	for i := range a.fate {
		if a.fate[i].denial != "" {
			n++
		}
	}
	return n
}

// notes are what is said about the calls that may not run.
func (a *answer) notes() []string {
	var out []string
	for i := range a.fate {
		if a.fate[i].denial != "" {
			out = append(out, a.fate[i].denial)
		}
	}
	return out
}

// step says what becomes of an event of a stream.
type step uint8

const (
	// pass: to the client, at once unless a call is waited for.
	pass step = iota
	// lead: as pass, but it belongs to the call that follows, if one does.
	lead
	// begin: a call begins. Nothing of it is passed on as it came.
	begin
	// tail: it ends the answer, and waits until all is decided.
	tail
	// pending: it is a part of a call that began before, and has no piece.
	pending
)

// piece is an event, or a part of one, with what becomes of it. A [begin] has
// none.
type piece struct {
	step  step
	event sse.Event
}

// codec reads the events of one try after the other, and writes one stream.
type codec interface {
	// event reads an event and says what becomes of it, in pieces.
	event(e sse.Event) ([]piece, error)
	// answer is what the events of this try made; an error when they broke off.
	answer() (*answer, error)
	// next begins another try.
	next()

	// passed is an event as it goes on.
	passed(e sse.Event) sse.Event
	// call are the events of a call that may run, by its place in the answer.
	call(n int, arguments json.RawMessage) []sse.Event
	// note are the events of a text of the proxy's own.
	note(text string) []sse.Event
	// end are the events that end the answer, of the tail of the last try.
	// The usage is that of all tries, nil where there was one.
	end(tail []sse.Event, a *answer, usage json.RawMessage) []sse.Event
	// failure are the events that end a stream which can't go on.
	failure(message string) []sse.Event
}

// errRequest is an error in a request: the client's to mend.
type errRequest struct{ message string }

func (e *errRequest) Error() string { return e.message }

func refuse(message string) error { return &errRequest{message} }

var (
	errBody   = errors.New("the answer is not the JSON that was expected")
	errBroken = errors.New("the stream of the answer broke off")
	// errTold ends a stream in which the upstream itself has told of an error.
	errTold = errors.New("the upstream reported an error within its answer")
)

// turnLimits bound one turn: 32 MiB hold what providers accept, pictures
// included.
func turnLimits() strictjson.Limits {
	return strictjson.Limits{Size: 32 << 20, Depth: 96, Leaves: 400_000}
}

func strict(raw []byte) error {
	_, err := strictjson.Parse(raw, turnLimits())
	return err
}
