package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"maps"
	"net/http"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// kept is a body in the bytes that were or will be sent.
type kept []byte

// once carries a request out. One that changes something and has a key is
// carried out once: sent again, it gets the same answer.
func (s *Server) once(ctx context.Context, r *request, f func(context.Context, *request) (reply, error)) (reply, error) {
	key := r.Header.Get("Idempotency-Key")
	if r.Method != http.MethodPost || key == "" {
		return f(ctx, r)
	}
	return s.keyed(ctx, r, store.Request{Principal: r.who.Name, Key: key, Content: content(r)}, f)
}

// keyed carries a request out once. The write that does so keeps the reply. A
// server that dies leaves either both or neither, so that a request without a
// reply is carried out at once, whichever replica had begun with it.
func (s *Server) keyed(ctx context.Context, r *request, id store.Request, f func(context.Context, *request) (reply, error)) (reply, error) {
	before, err := s.o.Store.Reply(ctx, id)
	if before != nil || err != nil {
		return replayed(before, err)
	}
	var written *store.Reply
	in := *r
	in.settles = &store.Settlement{Request: id, Reply: func(outcome any) (store.Reply, error) {
		made, err := settled(in.replyTo(outcome))
		written = &made
		return made, err
	}}
	out, err := f(ctx, &in)
	switch {
	case errors.Is(err, store.ErrAnswered):
		return replayed(s.o.Store.Reply(ctx, id))
	case untouched(err):
		return out, err
	case err != nil:
		p, known := problemOf(err)
		if !known {
			return out, err // sent again, it is carried out if it wasn't
		}
		out = reply{status: p.kind.status, body: p}
	}
	made, failed := settled(out)
	if failed != nil {
		return reply{}, failed
	}
	if err == nil && written != nil && same(*written, made) {
		return replayed(&made, nil)
	}

	// Nothing was written with it: it is a problem, or changed nothing, or what it
	// was about to write was overtaken.
	if failed = s.o.Store.Settle(ctx, id, made); errors.Is(failed, store.ErrAnswered) {
		return replayed(s.o.Store.Reply(ctx, id))
	}
	if failed != nil {
		s.o.Log.Error("the reply to a request could not be kept", "error", failed)
	}
	if err != nil {
		return reply{}, err
	}
	return replayed(&made, nil)
}

// replyTo is the reply to a request whose write led to something.
func (r *request) replyTo(outcome any) reply {
	switch o := outcome.(type) {
	case store.SessionInfo:
		return sessionMade(o)
	case store.Approval:
		return questionOf(o)
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

// content is a hash of all that a request asks for.
func content(r *request) store.Hash {
	h := sha256.New()
	io.WriteString(h, r.Method+" "+r.URL.EscapedPath()+"?"+r.URL.RawQuery+"\n")
	h.Write(r.body)
	return store.Hash(h.Sum(nil))
}

// settled is a reply as it is kept.
func settled(out reply) (store.Reply, error) {
	r := store.Reply{Status: out.status, Header: map[string]string{"Location": out.location}}
	if out.body == nil {
		return r, nil
	}
	body, err := encode(out.body)
	r.Body = body
	return r, err
}

// replayed is the answer that a kept reply is.
func replayed(before *store.Reply, err error) (reply, error) {
	switch {
	case errors.Is(err, store.ErrReused):
		return reply{}, keyReused.of("give every request a key of its own")
	case err != nil:
		return reply{}, err
	case before == nil: // it was answered, and has been forgotten since
		return reply{}, gone.of("the answer is no longer kept")
	}
	out := reply{status: before.Status, location: before.Header["Location"]}
	if before.Body != nil {
		out.body = kept(before.Body)
	}
	return out, nil
}
