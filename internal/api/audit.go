package api

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/remit-project/remit/store"
)

const (
	// maxExports bounds concurrent exports: each reads the whole log from one
	// snapshot of the store. exportTime bounds a single export for the same
	// reason.
	maxExports = 2
	exportTime = 10 * time.Minute
)

func (s *Server) verifyAudit(ctx context.Context, r *request) (reply, error) {
	var heads []store.Hash
	if text := r.URL.Query().Get("head"); text != "" {
		var h store.Hash
		if err := h.UnmarshalText([]byte(strings.TrimPrefix(text, "sha256:"))); err != nil {
			return reply{}, invalidRequest.errorf("head: %s", err)
		}
		heads = append(heads, h)
	}
	report, err := s.o.Store.Verify(ctx, heads...)
	if err != nil {
		return reply{}, err
	}
	return ok(struct {
		OK bool `json:"ok"`
		*store.Report
	}{report.OK(), report}, nil)
}

// lastVerified answers with the last verification of the audit log, without doing it again.
func (s *Server) lastVerified(ctx context.Context, _ *request) (reply, error) {
	v, err := s.o.Store.Verified(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return reply{}, notFound.errorf("the audit log was never verified: GET /v1/audit/verification does it")
	}
	if err != nil {
		return reply{}, err
	}
	return ok(struct {
		Time     time.Time       `json:"time"`
		OK       bool            `json:"ok"`
		Sessions int             `json:"sessions"`
		Entries  int64           `json:"entries"`
		Problems int             `json:"problems"`
		Head     store.ChainHead `json:"head"`
	}{v.At.UTC(), v.Problems == 0, v.Sessions, v.Entries, v.Problems, v.Head}, nil)
}

func (s *Server) exportAudit(w http.ResponseWriter, r *request) error {
	select {
	case s.exports <- struct{}{}:
		defer func() { <-s.exports }()
	default:
		return tooMany.errorf("%d exports are running: wait for one", maxExports).setHeader("Retry-After", "60")
	}

	ctx, cancel := context.WithTimeout(r.Context(), exportTime)
	defer cancel()

	out := bufio.NewWriterSize(w, 1<<16)
	w.Header().Set("Content-Type", "application/x-ndjson")

	begun := false
	for line, err := range s.o.Store.Export(ctx) {
		if err != nil && !begun {
			return err
		}
		begun = true
		if err == nil {
			err = store.WriteLine(out, line)
		}
		if err != nil {
			// The rest is missing, and the reader must be able to tell: break the
			// connection instead of ending it cleanly.
			s.o.Log.Error("an export broke off", "error", err)
			panic(http.ErrAbortHandler)
		}
	}

	if err := out.Flush(); err != nil {
		s.o.Log.Debug("an export broke off", "error", err)
	}
	return nil
}
