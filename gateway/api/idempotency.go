package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"time"

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
	id := store.Request{Principal: r.who.Name, Key: key, Content: content(r)}
	before, err := s.o.Store.Accept(ctx, id)
	var underway *store.UnderwayError
	switch {
	case errors.Is(err, store.ErrReused):
		return reply{}, keyReused.of("give every request a key of its own")
	case errors.As(err, &underway) && time.Since(underway.Since) < requestTime:
		return reply{}, requestUnderway.of("wait, and send it again").with("Retry-After", "1")
	case underway != nil:
		return reply{}, requestUnknown.of("the server stopped while it was carrying it out: read the session before sending it under another key")
	case err != nil:
		return reply{}, err
	case before != nil:
		return replay(before)
	}
	out, err := f(ctx, r)
	if untouched(err) {
		if err := s.o.Store.Release(ctx, id); err != nil {
			s.o.Log.Error("a request could not be released", "error", err)
		}
		return out, err
	}
	if err := s.settle(ctx, id, &out, err); err != nil {
		// It stays underway: sent again, it will not be carried out twice.
		s.o.Log.Error("the reply to a request could not be kept", "error", err)
	}
	return out, err
}

// content is a hash of all that a request asks for.
func content(r *request) store.Hash {
	h := sha256.New()
	io.WriteString(h, r.Method+" "+r.URL.EscapedPath()+"?"+r.URL.RawQuery+"\n")
	h.Write(r.body)
	return store.Hash(h.Sum(nil))
}

// settle keeps the answer to a request. One that may or may not have been
// carried out has none.
func (s *Server) settle(ctx context.Context, id store.Request, out *reply, failed error) error {
	r := store.Reply{Status: out.status, Header: map[string]string{"Location": out.location}}
	if failed != nil {
		p, known := problemOf(failed)
		if !known {
			return nil
		}
		body, err := encode(p)
		if err != nil {
			return err
		}
		r.Status, r.Body = p.kind.status, body
	} else if out.body != nil {
		body, err := encode(out.body)
		if err != nil {
			return err
		}
		r.Body, out.body = body, body
	}
	return s.o.Store.Settle(ctx, id, r)
}

// replay is the answer that a request got before.
func replay(before *store.Reply) (reply, error) {
	out := reply{status: before.Status, location: before.Header["Location"]}
	if before.Body != nil {
		out.body = kept(before.Body)
	}
	return out, nil
}
