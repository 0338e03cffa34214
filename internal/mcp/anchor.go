package mcp

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
)

// RunSession returns the id of the session that the token of a run anchors. The token itself,
// which gives access to the session, is not in it.
func RunSession(token string) string { return "run-" + digest(token) }

// principalKey is that of the principal in the context of a request.
type principalKey struct{}

// principal is who makes a request; empty when the deployment doesn't say.
func principal(r *http.Request) string {
	who, _ := r.Context().Value(principalKey{}).(string)
	return who
}

// owned returns the digest of an anchor that belongs to a principal. The same anchor in the hands
// of another is another session.
func owned(principal, anchor string) string {
	if principal == "" {
		return digest(anchor)
	}
	return digest(fmt.Sprintf("%d:%s%s", len(principal), principal, anchor))
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// address returns the anchor in the address of a request: empty where there is none.
func (h *Handler) address(r *http.Request) (string, error) {
	token := r.PathValue("run")
	if token == "" {
		return "", nil
	}
	for _, c := range []byte(token) {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return "", errors.New("the token in the address may have letters, digits, - and _ only")
		}
	}
	if len(token) < minRun || len(token) > maxRun {
		return "", fmt.Errorf("the token in the address must have %d to %d characters, and be random: POST /runs makes one", minRun, maxRun)
	}
	return "run-" + owned(principal(r), token), nil
}

// declared returns the anchor that a message names in its _meta.
func (h *Handler) declared(r *http.Request, m *wire.Message) string {
	if h.o.MetaKey == "" {
		return ""
	}
	name := m.ParamText("_meta", h.o.MetaKey)
	if name == "" || len(name) > maxRun {
		return ""
	}
	return "meta-" + owned(principal(r), name)
}

// anchorless says what is missing in a request that belongs to no conversation.
func (h *Handler) anchorless() string {
	s := "the request names no conversation, and labels are kept by conversation: call the gateway at /mcp/TOKEN, with a token of your own run from POST /runs"
	if h.o.MetaKey != "" {
		s += fmt.Sprintf(", or name it in _meta as %q", h.o.MetaKey)
	}
	return s
}

// open reports whether a message brings nothing from a server to a model but what
// the server says about itself, so that it needs no conversation.
func open(m *wire.Message) bool {
	switch m.Method {
	case "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		return true
	}
	return m.Kind == wire.Notification && m.Method == "notifications/cancelled"
}

// run gives out the address of a conversation.
func (h *Handler) run(w http.ResponseWriter, r *http.Request) {
	token := strings.ToLower(rand.Text())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"session":%s,"path":%s}`+"\n", strictjson.Quote("run-"+owned(principal(r), token)), strictjson.Quote("/mcp/"+token))
}
