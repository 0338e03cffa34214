package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// kept is a response body, byte for byte as sent.
type kept []byte

// keyHeader has a request's idempotency key.
const keyHeader = "Idempotency-Key"

// once runs a request. A request of an operation that takes idempotency keys runs once under
// its key; a retry gets the same answer. The others keep no answer: who may only read must not
// write into the store.
func (s *Server) once(ctx context.Context, op operation, r *request, f func(context.Context, *request) (reply, error)) (reply, error) {
	takesKey := slices.ContainsFunc(op.params, func(p parameter) bool { return p.In == "header" && p.Name == keyHeader })
	key := r.Header.Get(keyHeader)
	if !takesKey || key == "" {
		return f(ctx, r)
	}
	return s.runKeyed(ctx, r, store.Request{Principal: r.who.Name, Key: key, Content: content(r)}, f)
}

// runKeyed runs a request with an idempotency key once. The write that carries it
// out also stores the reply, so a crash leaves both or neither: a request without
// a stored reply can run at once, whichever replica started it.
func (s *Server) runKeyed(ctx context.Context, r *request, id store.Request, f func(context.Context, *request) (reply, error)) (reply, error) {
	before, err := s.o.Store.Reply(ctx, id)
	if before != nil || err != nil {
		return replay(before, err)
	}
	var written *store.Reply
	in := *r
	in.settles = &store.Settlement{Request: id, Reply: func(outcome any) (store.Reply, error) {
		made, err := encodeReply(in.replyTo(outcome))
		written = &made
		return made, err
	}}
	out, err := f(ctx, &in)
	switch {
	case errors.Is(err, store.ErrAnswered):
		return replay(s.o.Store.Reply(ctx, id))
	case changedNothing(err):
		return out, err
	case err != nil:
		p, known := problemOf(err)
		if !known {
			return out, err // sent again, it is carried out if it wasn't
		}
		out = reply{status: p.kind.status, body: p}
	}
	made, failed := encodeReply(out)
	if failed != nil {
		return reply{}, failed
	}
	if err == nil && written != nil && same(*written, made) {
		return replay(&made, nil)
	}

	// No reply was stored: the request failed, changed nothing, or lost a race
	// with another write.
	if failed = s.o.Store.Settle(ctx, id, made); errors.Is(failed, store.ErrAnswered) {
		return replay(s.o.Store.Reply(ctx, id))
	}
	if failed != nil {
		s.o.Log.Error("the reply to a request could not be kept", "error", failed)
	}
	if err != nil {
		return reply{}, err
	}
	return replay(&made, nil)
}

// replyTo returns the reply for the outcome of a request's write.
func (r *request) replyTo(outcome any) reply {
	if r.made != nil {
		return *r.made
	}
	switch o := outcome.(type) {
	case store.SessionInfo:
		return sessionReply(o)
	case store.Approval:
		return approvalReply(o)
	case *remit.Decision:
		if o != nil {
			return reply{status: http.StatusOK, body: r.form(o)}
		}
	}
	return reply{status: http.StatusNoContent}
}

func same(a, b store.Reply) bool {
	return a.Status == b.Status && maps.Equal(a.Header, b.Header) && bytes.Equal(a.Body, b.Body)
}

// content hashes everything that a request asks for.
func content(r *request) store.Hash {
	h := sha256.New()
	io.WriteString(h, r.Method+" "+r.URL.EscapedPath()+"?"+r.URL.RawQuery+"\n")
	h.Write(r.body)
	return store.Hash(h.Sum(nil))
}

// encodeReply returns a reply in its stored form.
func encodeReply(out reply) (store.Reply, error) {
	r := store.Reply{Status: out.status, Header: map[string]string{"Location": out.location}}
	if out.body == nil {
		return r, nil
	}
	body, err := encode(out.body)
	r.Body = body
	return r, err
}

// replay returns the answer for a stored reply.
func replay(before *store.Reply, err error) (reply, error) {
	switch {
	case errors.Is(err, store.ErrReused):
		return reply{}, keyReused.errorf("give every request a key of its own")
	case err != nil:
		return reply{}, err
	case before == nil: // it was answered, and has been forgotten since
		return reply{}, gone.errorf("the answer is no longer kept")
	}
	out := reply{status: before.Status, location: before.Header["Location"]}
	if before.Body != nil {
		out.body = kept(before.Body)
	}
	return out, nil
}
