package proxy

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/protocol"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/store"
)

// exchange is one client request with all its tries.
type exchange struct {
	p *Proxy
	d dialect
	w http.ResponseWriter
	r *http.Request

	req    *request
	tenant hash
	owner  uint64 // as echoes know it
	c      *conversation
	end    hash // of the conversation up to the answer
	spoken hash // and without what the deployment has put in it
	kept   kept
	// outside is the frame's material that the model sees beside the turns.
	outside []string

	stream *stream // nil until an answer streams
	tries  []*answer
	usage  json.RawMessage
}

// serve handles a request for an answer.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request, d dialect) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)

	x := &exchange{p: p, d: d, w: w, r: r.WithContext(ctx)}
	if wait := p.o.Rates.Take(strconv.FormatUint(p.echoes.owner(r), 36), time.Now()); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(access.Seconds(wait)))
		answerError(w, d, http.StatusTooManyRequests, fmt.Sprintf("more than %d requests in a minute with these credentials", p.o.Rates.PerMinute()))
		return
	}
	body, err := x.body()
	if err == nil {
		err = x.open(body)
	}
	if err != nil && p.o.Shadow && ctx.Err() == nil {
		p.o.Log.Warn("a request would have been refused", "path", r.URL.Path, "error", err)
		r.Body = rest{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
		p.pass(w, r)
		return
	}
	if err != nil {
		x.fail(err)
		return
	}
	if err := x.run(cancel); err != nil {
		x.fail(err)
	}

	if x.stream != nil {
		x.stream.stop()
	}
}

// rest is a body with a part already read.
type rest struct {
	io.Reader
	io.Closer
}

// body reads the request's body, or as much of it as arrives.
func (x *exchange) body() ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, refuse("the body is not declared to be application/json")
	}
	if e := x.r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return nil, refuse("the body is encoded: send it as it is")
	}
	body, err := io.ReadAll(io.LimitReader(x.r.Body, int64(x.p.o.Limits.Request)+1))
	if err != nil {
		return body, refuse("the body could not be read: " + err.Error())
	}
	if len(body) > x.p.o.Limits.Request {
		return body, refuse("the body is longer than the bound")
	}
	return body, nil
}

// open reads the conversation from the request.
func (x *exchange) open(body []byte) error {
	declared := x.p.attached
	if h := x.r.Header.Values(headerAttached); len(h) > 0 {
		more, err := parseContainers(strings.Split(strings.Join(h, ","), ","))
		if err != nil {
			return refuse(headerAttached + ": " + err.Error())
		}
		declared = append(declared[:len(declared):len(declared)], more...)
	}

	id := x.r.Header.Get(headerSession)
	if len(id) > maxSessionID {
		return refuse(headerSession + " is too long")
	}
	x.tenant = tenant(x.d.name(), x.r)
	begun, sum := x.p.beginnings.find(x.tenant, body)
	body = begun.repair(body)
	req, err := x.d.request(body, begun, declared)
	if err != nil {
		return err
	}

	x.req = req
	x.owner = x.p.echoes.owner(x.r)
	r := &reader{owner: x.owner, p: x.p, d: x.d, req: req, begun: begun, c: declared, read: make([]*turn, len(req.turns))}
	if r.textual() && !x.p.o.TextCalls {
		x.p.o.Log.Warn("calls are text in this conversation, and nobody decides them", "dialect", x.d.name())
		if !x.p.o.Shadow {
			return refuse(textCalls)
		}
	}

	c, kept, err := r.resume(x.r.Context(), id, x.tenant)
	if err != nil {
		return ofSession(err)
	}
	x.p.beginnings.keep(x.tenant, body, sum, r)
	last := len(req.turns)
	x.c, x.end, x.spoken, x.kept, x.outside = c, r.before[last], r.spoken[last], kept, r.outside
	x.req.body = addMissing(x.req.body, kept)
	if yes := c.fresh(); !yes.empty() {
		x.req.body = x.d.tell(x.req.body, toRepeat(yes))
	}
	return nil
}

// maxSessionID bounds the ids of durable sessions.
const maxSessionID = 256

// run asks the upstream until an answer may go out.
func (x *exchange) run(cancel context.CancelCauseFunc) error {
	idle := newIdle(x.p.o.Limits.Idle, cancel)
	defer idle.stop()
	x.c.plan(x.r.Context())

	body := x.req.body
	for {
		resp, err := x.send(body)
		if err != nil {
			if len(x.tries) == 0 {
				x.keep(nil)
			}
			return x.endPartial(err)
		}
		idle.reset()
		if resp.StatusCode == http.StatusNotFound && doubled(x.p.o.Upstream.Path, x.r.URL.Path) {
			resp.Body.Close()
			return errDoubled
		}
		if away := x.p.redirect(resp); away != nil && x.p.o.Shadow {
			x.p.o.Log.Warn("an answer would have been refused", "path", x.r.URL.Path, "error", away)
		} else if away != nil {
			resp.Body.Close()
			if len(x.tries) == 0 {
				x.keep(nil)
			}
			return x.endPartial(away)
		}
		if resp.StatusCode < 200 || resp.StatusCode > 299 {
			if x.stream != nil {
				err = x.endPartial(errors.New(http.StatusText(resp.StatusCode)))
			} else {
				if len(x.tries) == 0 {
					x.keep(nil)
				}
				err = x.copy(resp, idle)
			}
			resp.Body.Close()
			return err
		}
		again, err := x.try(resp, idle)
		resp.Body.Close()
		if err != nil || !again {
			return err
		}
		body = x.d.again(body, x.tries[len(x.tries)-1])
	}
}

// try reads one answer of the upstream and reports whether to ask the model
// again.
func (x *exchange) try(resp *http.Response, idle *idle) (again bool, err error) {
	if kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err == nil && kind == "text/event-stream" {
		return x.streamAnswer(resp, idle)
	}
	if x.stream != nil {
		return false, errBroken // it began as a stream
	}

	raw, err := io.ReadAll(io.LimitReader(idle.reader(resp.Body), int64(x.p.o.Limits.Answer)+1))
	if err != nil {
		return false, err
	}
	if len(raw) > x.p.o.Limits.Answer {
		return false, errLong
	}

	raw = bytes.TrimSpace(strictjson.Repair(bytes.TrimPrefix(raw, byteOrderMark)))
	a, err := x.d.answer(raw)
	if err != nil {
		err = unusable(err, resp, raw)
		if x.p.o.Shadow {
			return false, x.passUnchecked(resp, raw, err)
		}
		return false, err
	}
	again, err = x.settle(a)
	if err != nil && x.p.o.Shadow {
		return false, x.passUnchecked(resp, raw, err)
	}
	if err != nil || again {
		return again, err
	}
	if !x.p.o.Shadow {
		var usage json.RawMessage
		if len(x.tries) > 1 {
			usage = x.usage
		}
		raw = x.d.whole(raw, a, a.notes(), usage)
	}

	shown, err := x.d.answer(raw)
	if err != nil {
		return false, err
	}
	err = x.finish(&shown.utterance)
	if err != nil && x.p.o.Shadow {
		return false, x.passUnchecked(resp, raw, err)
	}
	if err != nil {
		return false, err
	}
	return false, x.write(resp, raw)
}

func (x *exchange) write(resp *http.Response, body []byte) error {
	header(x.w.Header(), resp.Header)
	x.w.WriteHeader(resp.StatusCode)
	_, err := x.w.Write(body)
	return err
}

// byteOrderMark precedes the JSON of some servers.
var byteOrderMark = []byte("\ufeff")

// passUnchecked passes on an answer that couldn't be read, decided or recorded, in shadow mode.
func (x *exchange) passUnchecked(resp *http.Response, body []byte, why error) error {
	x.noteUnchecked(why)
	return x.write(resp, body)
}

// noteUnchecked notes why an answer passes without a decision, in shadow mode.
func (x *exchange) noteUnchecked(why error) {
	x.p.o.Log.Warn("an answer would have been refused", "path", x.r.URL.Path, "error", why)
	x.keep(nil)
}

// settle decides the calls of an answer in order and reports whether to ask the
// model again.
func (x *exchange) settle(a *answer) (again bool, err error) {
	defer func() { err = ofSession(err) }()
	ctx := x.r.Context()
	x.tries = append(x.tries, a)
	x.usage = sum(x.usage, a.usage)

	for _, text := range a.external {
		if err := x.c.tell(ctx, attached("provider", text)); err != nil {
			return false, err
		}
	}

	message := remit.Call{Message: "answer-" + rand.Text(), Beside: clip(words(a.text)), Point: "proxy"}
	decided := make([]verdict, len(a.calls))
	clear(x.c.bearers)
	var signed *verdict // of the last call with a signature
	for i := range a.calls {
		switch {
		case a.calls[i].signed:
			signed = &decided[i]
		case signed != nil && !signed.goes() && !x.p.o.Shadow:
			decided[i].unsigned = true
			continue
		}
		if x.excluded(&a.calls[i]) {
			continue
		}
		begun := time.Now()
		if decided[i].d, err = x.c.propose(ctx, &a.calls[i], message); err != nil {
			return false, err
		}
		decided[i].took = time.Since(begun)
	}
	if err := x.approve(ctx, decided); err != nil {
		return false, err
	}
	for i := range a.calls {
		a.fate = append(a.fate, x.fate(&a.calls[i], decided[i]))
	}

	x.c.hold(a)
	n := a.denied()
	mute := slices.ContainsFunc(a.calls, func(k call) bool { return k.mute })
	again = n > 0 && n == len(a.calls) && !a.cut && !mute && len(x.tries) <= x.p.o.Retries
	if !again {
		x.ask(ctx, a)
	}
	return again, nil
}

// maxBeside bounds what guards see of the text beside a call, in bytes.
const maxBeside = 4 << 10

// clip cuts a text to the bound.
func clip(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxBeside)], "")
}

// excluded reports whether the application's choice excludes a call: the tool was
// offered in another request, or this is a later try, in which no provider
// enforces the choice.
func (x *exchange) excluded(k *call) bool {
	if x.p.o.Shadow {
		return false
	}
	named := func(tool json.RawMessage) bool { return toolName(tool) == k.tool }
	if x.c.offer.has(k.tool) && !slices.ContainsFunc(x.req.tools, named) {
		return true
	}
	return len(x.tries) > 1 && x.req.only != nil && !x.req.only[k.tool]
}

// verdict is what was decided about a call; empty for one that the application excludes.
type verdict struct {
	d    *remit.Decision
	took time.Duration
	// unsigned is set for a call that was not decided, as the one with its signature is held back.
	unsigned bool
}

// goes reports whether the call was let through.
func (v *verdict) goes() bool { return v.d != nil && v.d.Verdict == remit.Allow }

// approve has the approver ask a person about the calls of an answer that were held back,
// all of them in one question.
func (x *exchange) approve(ctx context.Context, decided []verdict) error {
	if x.p.o.Approver == nil || x.p.o.Shadow {
		return nil
	}
	var held []*remit.Decision
	var at []int
	for i, v := range decided {
		if v.d != nil && v.d.Verdict == remit.Ask && len(held) < store.MaxAsked {
			held, at = append(held, v.d), append(at, i)
		}
	}
	if len(held) == 0 {
		return nil
	}

	ask, cancel := context.WithTimeout(ctx, x.p.o.Limits.Approval)
	defer cancel()
	answer, err := x.p.o.Approver.Ask(ask, x.c.session, held...)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		x.p.o.Log.Warn("the person could not be asked", "call", held[0].Call, "tool", held[0].Tool, "calls", len(held), "error", err)
		return nil
	}
	if answer.Failed != nil {
		x.p.o.Log.Error("what a person agreed to could not be noted", "session", x.c.id, "error", answer.Failed)
	}
	for i, d := range answer.Decisions {
		decided[at[i]].d = d
	}
	return nil
}

// fate says what becomes of a call.
func (x *exchange) fate(k *call, v verdict) fate {
	d := v.d
	switch {
	case v.unsigned:
		return fate{denial: fmt.Sprintf("The call of %s was not made.\n- the model's provider takes it only with the call before it, which is held back\n  make it again by itself", display.Line(k.tool))}
	case d == nil:
		return fate{denial: notOffered(k.tool)}
	}

	mode, message := "enforce", "decided"
	if x.p.o.Shadow {
		mode = "shadow"
		if d.Verdict != remit.Allow {
			message = "would have been stopped"
		}
	}
	x.p.o.Log.Info(message, "session", d.Session, "tool", d.Tool, "call", d.Call, "verdict", d.Verdict, "confirmed", d.Confirmed,
		"mode", mode, "reasons", protocol.ReasonCodes(d), "took", v.took)
	x.p.o.Telemetry.Decided(x.r.Context(), d, mode, v.took)

	switch {
	case d.Verdict == remit.Ask && x.p.o.asks():
		return fate{denial: heldText(d), held: d}
	case d.Verdict != remit.Allow && !x.p.o.Shadow:
		return fate{denial: protocol.DenialText(d)}
	}
	return fate{arguments: d.Arguments}
}

// finish records what the client gets, before the client gets it.
func (x *exchange) finish(shown *utterance) error {
	if err := x.c.assistant(x.r.Context(), words(shown.text)); err != nil {
		return ofSession(err)
	}
	x.keep(shown)
	return nil
}

// keep stores the conversation for the next request.
func (x *exchange) keep(shown *utterance) {
	l := &live{keys: []hash{x.end}, c: x.c, kept: x.kept}

	if shown != nil {
		last := x.tries[len(x.tries)-1]
		l.kept = kept{missing: x.d.missingTurns(last), response: last.id}
		id := last.id
		if x.stream != nil {
			id = x.tries[0].id // a stream has one id
		}
		if id != "" {
			l.keys = append(l.keys, keptKey(x.tenant, "response "+id))
		}
		if strings.HasPrefix(x.req.kept, "conversation ") {
			l.keys = append(l.keys, keptKey(x.tenant, x.req.kept))
		}
		l.answered, l.answer = true, shown.digest(x.end)
		x.c.told = agreed{}
		x.remember(l, shown)
		x.echo(shown)
		l.work = x.c.floor.work
	}
	x.p.cache.put(l)
}

// remember records the answer as passed on.
func (x *exchange) remember(l *live, shown *utterance) {
	outside := x.outside
	if x.stream == nil {
		for _, a := range x.tries[:len(x.tries)-1] {
			outside = append(outside[:len(outside):len(outside)], a.external...) // the client doesn't see it
		}
	}
	l.spoken = shown.digest(x.spoken)
	l.keys = append(l.keys, staleKey(x.spoken))
	b := behind{answer: l.spoken, offer: x.c.offer.key, outside: textsHash(outside), external: textsHash(shown.external)}
	if x.c.open != nil {
		x.p.questions.add(l.spoken, x.c.open)
	}
	x.p.monitors.remember(x.c.offer)
	x.p.answers.add(b)
	for _, text := range shown.other {
		x.p.answers.add(behind{answer: hashAside(x.spoken, text)})
	}
}

// endPartial ends an answer that the client already has in part, with what is
// known of it; otherwise it returns the error.
func (x *exchange) endPartial(err error) error {
	if x.stream == nil || len(x.tries) == 0 || x.r.Context().Err() != nil {
		return err
	}
	x.p.o.Log.Warn("the model could not be asked again", "error", err)
	return x.stream.end(x.tries[len(x.tries)-1])
}

// errSession is an error of the session, as of its store. Its text may name what the client has
// no business with.
type errSession struct{ err error }

// Error implements [error].
func (e *errSession) Error() string { return e.err.Error() }

// Unwrap returns what went wrong.
func (e *errSession) Unwrap() error { return e.err }

// ofSession marks an error of the session; nil for none.
func ofSession(err error) error {
	if err == nil {
		return nil
	}
	return &errSession{err}
}

// fail answers with an error, or ends the stream with one.
func (x *exchange) fail(err error) {
	if cause := context.Cause(x.r.Context()); cause != nil && !errors.Is(cause, errIdle) {
		return // the client has gone
	}

	status, message := http.StatusBadGateway, "the upstream could not be asked, or its answer could not be used: "+err.Error()
	if e := (*errAnswer)(nil); errors.As(err, &e) {
		message += e.text
	}
	if e := (*errRequest)(nil); errors.As(err, &e) {
		status, message = http.StatusBadRequest, e.message
	} else {
		x.p.o.Log.Error("a request failed", "path", x.r.URL.Path, "error", err)
	}
	switch e := (*errSession)(nil); {
	case errors.Is(err, errDoubled):
		status, message = http.StatusNotFound, err.Error()
	case errors.As(err, &e) && status == http.StatusBadGateway:
		message = "the session could not go on, and nothing was decided: the log of remit proxy says why"
	}
	if x.stream != nil {
		if !errors.Is(err, errTold) {
			x.stream.fail(message)
		}
		return
	}
	answerError(x.w, x.d, status, message)
}
