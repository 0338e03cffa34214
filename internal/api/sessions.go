package api

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// defaultPage is the page size when the caller sets none, as in the description.
const defaultPage = 50

func health(context.Context, *request) (reply, error) {
	return reply{status: http.StatusOK, body: map[string]string{"status": "ok"}}, nil
}

func (s *Server) description(w http.ResponseWriter, _ *request) error {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(Description) // the caller has gone, then
	return nil
}

// ok returns a reply with a resource.
func ok(body any, err error) (reply, error) { return reply{status: http.StatusOK, body: body}, err }

// sessionsFor returns the sessions that a principal's scopes reach.
func sessionsFor(p *access.Principal) store.Whose {
	return store.Whose{Principal: p.Name, Everybody: p.May(access.SessionsAny)}
}

// reach reads a session that the caller's scopes reach. Any other session looks
// as if it didn't exist.
func (s *Server) reach(ctx context.Context, who *access.Principal, id string) (store.SessionInfo, error) {
	info, err := s.o.Store.Session(ctx, id)
	if err == nil && info.Principal != who.Name && !who.May(access.SessionsAny) {
		err = store.ErrNotFound
	}
	if errors.Is(err, store.ErrNotFound) { // in the same words for another's
		err = notFound.errorf("there is no session with this id that the token reaches: check the id of the session")
	}
	return info, err
}

// open opens the session that a request names.
func (s *Server) open(ctx context.Context, r *request) (*ledger.Session, error) {
	return s.openID(ctx, r, r.PathValue("session"))
}

func (s *Server) openID(ctx context.Context, r *request, id string) (*ledger.Session, error) {
	if _, err := s.reach(ctx, r.who, id); err != nil {
		return nil, err
	}
	about, err := s.monitors.agentFor(ctx, s.o.Store, id)
	if err != nil {
		return nil, err
	}
	m := about.monitor
	if r.unseen && !about.declared {
		m = about.unseen
	}
	session, err := s.ledger.Open(ctx, m, id)
	if err != nil {
		return nil, err
	}
	return session.Settling(r.settles), nil
}

// page is the part of a listing that a request asks for.
type page struct {
	limit  int
	cursor []byte // what the page before ended with
}

func parsePage(r *request) (page, error) {
	p := page{limit: defaultPage}
	query := r.URL.Query()
	if text := query.Get("limit"); text != "" {
		p.limit, _ = strconv.Atoi(text) // the description has made sure of it
	}
	var err error
	if p.cursor, err = base64.RawURLEncoding.DecodeString(query.Get("cursor")); err != nil {
		return page{}, errCursor
	}
	return p, nil
}

// after returns the number that the cursor holds: 0 for the first page.
func (p page) after() (int64, error) {
	if len(p.cursor) == 0 {
		return 0, nil
	}
	from, err := strconv.ParseInt(string(p.cursor), 10, 64)
	if err != nil || from < 0 {
		return 0, errCursor
	}
	return from, nil
}

// pageOfLog returns the page of a session's log that a request asks for, the place that it
// begins after, and the session.
func (s *Server) pageOfLog(ctx context.Context, r *request) (p page, from int64, info store.SessionInfo, err error) {
	if p, err = parsePage(r); err != nil {
		return p, 0, info, err
	}
	if from, err = p.after(); err != nil {
		return p, 0, info, err
	}
	info, err = s.reach(ctx, r.who, r.PathValue("session"))
	return p, from, info, err
}

var errCursor = invalidRequest.errorf("the cursor is not one that a page ended with")

// cursor encodes the cursor of the next page.
func cursor(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

func (s *Server) listSessions(ctx context.Context, r *request) (reply, error) {
	p, err := parsePage(r)
	if err != nil {
		return reply{}, err
	}
	// One more than the limit shows whether there is a next page.
	list, err := s.o.Store.SessionsOf(ctx, sessionsFor(r.who), string(p.cursor), p.limit+1)
	if err != nil {
		return reply{}, err
	}
	out := struct {
		Sessions []store.SessionInfo `json:"sessions"`
		Next     string              `json:"next,omitempty"`
	}{Sessions: append([]store.SessionInfo{}, list[:min(len(list), p.limit)]...)}
	if len(list) > p.limit {
		out.Next = cursor(list[p.limit-1].ID)
	}
	return ok(out, nil)
}

func (s *Server) createSession(ctx context.Context, r *request) (reply, error) {
	var in struct {
		ID string `json:"id"`
		creation
	}
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}

	if in.ID == "" {
		in.ID = "api-" + strings.ToLower(rand.Text())
	}
	about, err := in.text()
	if err != nil {
		return reply{}, err
	}
	// Find unusable tools before anything is stored.
	if _, err := s.monitors.newAgent(about); err != nil {
		return reply{}, err
	}

	info, err := s.o.Store.Create(ctx, store.Creation{ID: in.ID, Principal: r.who.Name, Tools: about, Settles: r.settles})
	return sessionReply(info), err
}

// sessionReply returns the reply for a new session.
func sessionReply(info store.SessionInfo) reply {
	return reply{status: http.StatusCreated, location: "/v1/sessions/" + url.PathEscape(info.ID), body: info}
}

func (s *Server) getSession(ctx context.Context, r *request) (reply, error) {
	return ok(s.reach(ctx, r.who, r.PathValue("session")))
}

func (s *Server) endSession(ctx context.Context, r *request) (reply, error) {
	id := r.PathValue("session")
	if _, err := s.reach(ctx, r.who, id); err != nil {
		return reply{}, err
	}
	info, err := s.o.Store.End(ctx, id)
	s.hub.wake(id)
	s.hub.wake(approvalsTopic)
	return ok(info, err)
}

func (s *Server) addEvent(ctx context.Context, r *request) (reply, error) {
	var in struct {
		Type string `json:"type"`
		Text string `json:"text"`
		Name string `json:"name"`
		remit.Result
	}
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}

	session, err := s.open(ctx, r)
	if err != nil {
		return reply{}, err
	}

	switch in.Type {
	case "system":
		err = session.System(ctx, in.Text)
	case "user":
		if err = session.User(ctx, in.Text); err == nil {
			session.PlanAhead(ctx)
		}
	case "attach":
		err = session.Attach(ctx, in.Name, in.Text)
	case "assistant":
		err = session.Assistant(ctx, in.Text)
	case "result":
		err = session.AwaitedResult(ctx, in.Result)
	default:
		err = errors.New("an event of a type that the description has and the code does not")
	}

	return reply{status: http.StatusNoContent}, err
}
