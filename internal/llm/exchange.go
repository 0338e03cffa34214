package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
)

// exchange is a prompt while it is asked.
type exchange struct {
	c      *Client
	link   *link
	prompt Prompt
	schema compiled
	tape   *tape

	// messages is the conversation so far, max the bound of the next answer.
	messages []Message
	max      int
	// cut, refusals and repairs count what went wrong.
	cuts, refusals, repairs int
	// shown is set where the conversation has the schema.
	shown bool
	usage Usage
}

func (x *exchange) outcome(err error) outcome {
	var (
		r *RefusedError
		t *TruncatedError
		i *InvalidError
	)
	switch {
	case err == nil && x.repairs == 0:
		return answered
	case err == nil:
		return repaired
	case errors.As(err, &r):
		return refused
	case errors.As(err, &t):
		return truncated
	case errors.As(err, &i):
		return invalid
	}
	return "" // the exchange didn't come to an end
}

// run asks until there is an answer or nothing is left to try.
func (x *exchange) run(ctx context.Context) (*Answer, error) {
	for {
		r, err := x.ask(ctx)
		if err != nil {
			if err = x.tooLong(err); err != nil {
				return nil, err
			}
			continue
		}
		switch {
		case r.refused:
			if x.refusals++; x.refusals > 1 {
				return nil, &RefusedError{clip(r.refusal, longestMessage)}
			}
			x.again(errors.New("the model refused to answer"))
			continue
		case r.truncated:
			if !x.longer() {
				return nil, &TruncatedError{x.max}
			}
			x.again(errors.New("the answer was cut off for its length"))
			continue
		}

		value, mistakes, form := x.read(r)
		if len(mistakes) == 0 {
			model := r.model
			if model == "" {
				model = x.link.Model
			}
			return &Answer{Value: value, Usage: x.usage, Model: model}, nil
		}
		wrong := &InvalidError{mistakes}
		if x.repairs == x.c.o.Repairs {
			return nil, wrong
		}
		x.repair(r, mistakes, form)
		x.again(wrong)
	}
}

func (x *exchange) again(why error) { x.c.tell(x.prompt, Event{Step: Repaired, Err: why}) }

// read returns the answer of a reply, or its mistakes, and reports whether they are in
// its form.
func (x *exchange) read(r reply) (value json.RawMessage, mistakes []string, form bool) {
	value, err := r.read()
	if err != nil {
		return nil, []string{err.Error()}, true
	}
	if mistakes := x.schema.mistakes(value); len(mistakes) > 0 {
		return nil, mistakes, true
	}
	if x.prompt.Check != nil {
		if err := x.prompt.Check(value); err != nil {
			return nil, []string{err.Error()}, false
		}
	}
	return value, nil, false
}

// question returns the next request, where the endpoint lacks something.
func (x *exchange) question(l lacks) question {
	forms := x.link.dialect.forms()
	return question{
		model:    x.link.Model,
		form:     forms[min(l.forms, len(forms)-1)],
		system:   x.prompt.System,
		shared:   x.prompt.Shared,
		messages: x.messages,
		schema:   x.prompt.Schema,
		max:      x.max,
		oldMax:   l.oldMax,
	}
}

// ask returns the next reply: the recorded one, or a new one.
func (x *exchange) ask(ctx context.Context) (reply, error) {
	if x.tape != nil {
		got, ok, err := x.tape.play()
		if err != nil {
			return reply{}, err
		}
		if ok {
			_, r, err := x.link.understand(got)
			if err != nil {
				return reply{}, x.tape.broken(err)
			}
			x.count(Usage{Reused: 1})
			return r, nil
		}
	}

	if err := x.c.meter.begin(x.prompt.Stage); err != nil {
		return reply{}, err
	}
	x.usage.Calls++
	l := x.c.lacks(x)
	for {
		q := x.question(l)
		body, err := x.link.dialect.body(q)
		if err != nil {
			return reply{}, err
		}
		got, r, err := x.c.send(ctx, x.link, body, func(err error, wait time.Duration) {
			x.c.tell(x.prompt, Event{Step: Retried, Err: err, Wait: wait})
		})
		if err != nil {
			less, ok := x.less(l, q, err)
			if !ok {
				return reply{}, err
			}
			l = less
			x.c.tell(x.prompt, Event{Step: Retried, Err: err})
			continue
		}

		x.c.learn(x, l)
		x.count(r.tokens.usage(x.link.Price, len(body), len(r.said())))
		if x.tape != nil {
			x.tape.add(q.form, got)
		}
		return r, nil
	}
}

func (x *exchange) count(u Usage) {
	x.usage = x.usage.plus(u)
	x.c.meter.add(x.prompt.Stage, u)
}

func (x *exchange) learning() learning {
	return learning{x.link.address, x.link.Model, x.prompt.Schema.Name}
}

// lacks returns what the endpoint is known not to support.
func (c *Client) lacks(x *exchange) lacks {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.learned[x.learning()]
}

// learn notes what an endpoint lacks. It is called once the endpoint has answered
// without, so that an unrelated error teaches nothing.
func (c *Client) learn(x *exchange, l lacks) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.learned[x.learning()]
	c.learned[x.learning()] = lacks{max(known.forms, l.forms), known.oldMax || l.oldMax}
}

// less asks for less, if an error says that the endpoint doesn't support something.
func (x *exchange) less(l lacks, q question, err error) (lacks, bool) {
	var status *StatusError
	if !errors.As(err, &status) {
		return l, false
	}
	forms := x.link.dialect.forms()
	switch at := slices.Index(forms, q.form); {
	case x.link.Provider == OpenAI && q.max > 0 && !q.oldMax && status.about("max_completion_tokens"):
		l.oldMax = true
	case at+1 < len(forms) && status.about(x.link.dialect.lacks()...):
		l.forms = at + 1
	default:
		return l, false
	}
	return l, true
}

// longAnswer bounds an answer that was cut off by a bound that isn't ours, in
// tokens: servers have such where none is sent, often of 4096, and models answer
// at greater length.
const longAnswer = 32_768

// longer makes room for an answer that was cut off: with twice the bound, or where
// none was sent, with a large one. When that isn't enough, it asks for a shorter
// answer. It reports whether there is something left to try.
func (x *exchange) longer() bool {
	x.cuts++
	bounded := x.link.MaxTokens > 0
	switch {
	case x.cuts == 1 && bounded:
		x.max *= 2
	case x.cuts == 1:
		x.max = longAnswer
	case x.cuts == 2 && !bounded:
		x.max = 0
		x.messages = slices.Clone(x.messages)
		x.messages[len(x.messages)-1].Text += "\n\nYour last answer was cut off for its length. Answer more briefly."
	default:
		return false
	}
	return true
}

// tooLong handles an endpoint that doesn't allow the bound of a second try. It
// returns nil if there is something left to try.
func (x *exchange) tooLong(err error) error {
	var status *StatusError
	if x.cuts == 0 || x.max == 0 || !errors.As(err, &status) || status.Status != http.StatusBadRequest {
		return err
	}
	if x.longer() {
		return nil
	}
	return &TruncatedError{x.link.MaxTokens}
}

// longestSaid bounds how much of an answer that is wrong goes back to the model, in
// bytes: the model has to write all of it again.
const longestSaid = 256 << 10

// sentBack says to a model what is wrong with its answer.
func sentBack(mistakes []string) string {
	return "This answer can't be used:\n- " + strings.Join(mistakes, "\n- ") + "\nGive the whole answer again, put right."
}

// SendBack returns messages that say to a model what is wrong with an answer.
func SendBack(answer, mistake string) []Message {
	return []Message{{Assistant, answer}, {User, sentBack([]string{mistake})}}
}

// repair asks the model to correct its answer. Where the form is wrong it shows the
// schema, once: some endpoints accept a schema and ignore it.
func (x *exchange) repair(r reply, mistakes []string, form bool) {
	x.repairs++
	said := r.said()
	if len(said) > longestSaid {
		said = strings.ToValidUTF8(said[:longestSaid], "") + "…"
	}
	text := sentBack(mistakes)
	if form && !x.shown {
		x.shown = true
		text += " It must meet this JSON Schema:\n" + string(x.prompt.Schema.JSON)
	}
	x.messages = append(slices.Clone(x.messages), Message{Assistant, said}, Message{User, text})
}
