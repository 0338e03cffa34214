package api

import (
	"errors"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/store"
)

// TestWaysOut: a refusal of what a newcomer gets wrong says what to do about it.
func TestWaysOut(t *testing.T) {
	b := newBench(t, func(*Options) {})
	b.tainted(t, "s")
	for name, c := range map[string]struct {
		who, method, path, body string
		status                  int
		detail                  string
	}{
		"no token":            {"", "GET", "/v1/sessions/s", "", 401, "send one as Authorization: Bearer TOKEN; remit token new makes one"},
		"a missing scope":     {"nobody", "GET", "/v1/sessions/s", "", 403, "make one that has it with remit token new --scope sessions:read"},
		"an unknown field":    {"agent", "POST", "/v1/sessions", `{"name":"s"}`, 400, "'name' not allowed; /openapi.yaml describes the request"},
		"an unknown session":  {"agent", "GET", "/v1/sessions/t", "", 404, "check the id of the session"},
		"another's session":   {"other", "GET", "/v1/sessions/s", "", 404, "check the id of the session"},
		"an unknown call":     {"agent", "GET", "/v1/sessions/s/decisions/c9", "", 404, "check the id of the call"},
		"an event of no call": {"agent", "POST", "/v1/sessions/s/events", `{"type":"result","call":"c9","content":"x"}`, 404, "check the id of the call"},
		"an unknown question": {"person", "GET", "/v1/approvals/q9", "", 404, "check the id of the question, and that the token has sessions:any where the session is another principal's"},
		"an unknown path":     {"agent", "GET", "/v1/session", "", 404, "/openapi.yaml describes what there is"},
	} {
		t.Run(name, func(t *testing.T) {
			got := into[struct{ Detail string }](t, want(t, c.status, b.send(t, c.who, c.method, c.path, c.body))).Detail
			if !strings.HasSuffix(got, c.detail) {
				t.Errorf("it says %q, not %q", got, c.detail)
			}
		})
	}
}

// TestWhoMay says what a caller may do, and that sessions are their principals'.
func TestWhoMay(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Callers = access.Hosts{Names: []string{"remit.example"}} })
	b.tainted(t, "s")
	b.post(t, 200, "agent", "/v1/sessions/s/decisions", mailTo("c1", "eve@evil.example"))
	id := into[store.Approval](t, b.post(t, 201, "agent", "/v1/sessions/s/approvals", `{"call":"c1"}`)).ID
	const user = `{"type":"user","text":"Write to eve@evil.example"}`
	for name, c := range map[string]struct {
		who, method, path, body string
		status                  int
		header                  []string
	}{
		"anybody is told that it runs":                 {"", "GET", "/healthz", "", 200, nil},
		"anybody may read the description":             {"", "GET", "/openapi.yaml", "", 200, nil},
		"a declared host":                              {"agent", "GET", "/v1/sessions/s", "", 200, []string{"Host", "remit.example"}},
		"another host":                                 {"agent", "GET", "/v1/sessions/s", "", 403, []string{"Host", "evil.example"}},
		"another host, although anybody may":           {"", "GET", "/healthz", "", 403, []string{"Host", "evil.example"}},
		"a page":                                       {"agent", "GET", "/v1/sessions/s", "", 403, []string{"Origin", "https://evil.example"}},
		"no token":                                     {"", "GET", "/v1/sessions/s", "", 401, nil},
		"an unknown token":                             {"agent2", "GET", "/v1/sessions/s", "", 401, nil},
		"another scheme":                               {"", "GET", "/v1/sessions/s", "", 401, []string{"Authorization", "Basic agent"}},
		"a token without scopes":                       {"nobody", "GET", "/v1/sessions/s", "", 403, nil},
		"the agent can't answer its own question":      {"agent", "POST", "/v1/approvals/" + id + "/answer", `{"answer":"approve"}`, 403, nil},
		"nor when it was verified":                     {"agent", "GET", "/v1/audit/verified", "", 403, nil},
		"the agent can't read the audit log":           {"agent", "GET", "/v1/audit/verification", "", 403, nil},
		"the agent can't read contracts":               {"agent", "GET", "/v1/contracts", "", 403, nil},
		"a person can't speak for the user":            {"person", "POST", "/v1/sessions/s/events", user, 403, nil},
		"another's session":                            {"other", "GET", "/v1/sessions/s", "", 404, nil},
		"another's session, to speak in":               {"other", "POST", "/v1/sessions/s/events", user, 404, nil},
		"another's session, to decide in":              {"other", "POST", "/v1/sessions/s/decisions", mailTo("c2", "ann@corp.example"), 404, nil},
		"another's session, by AuthZEN":                {"other", "POST", "/access/v1/evaluation", authZEN("s", "read", `{}`), 404, nil},
		"another's session, to confirm in":             {"other", "POST", "/v1/sessions/s/confirmations", `{"call":"c1"}`, 404, nil},
		"another's session, to ask about":              {"other", "POST", "/v1/sessions/s/approvals", `{"call":"c1"}`, 404, nil},
		"another's session, to end":                    {"other", "POST", "/v1/sessions/s/end", "", 404, nil},
		"another's session, to follow":                 {"other", "GET", "/v1/sessions/s/stream", "", 404, nil},
		"another's decisions":                          {"other", "GET", "/v1/sessions/s/decisions", "", 404, nil},
		"another's decision":                           {"other", "GET", "/v1/sessions/s/decisions/c1", "", 404, nil},
		"another's explanation":                        {"other", "GET", "/v1/sessions/s/decisions/c1/explanation", "", 404, nil},
		"another's question":                           {"other", "GET", "/v1/approvals/" + id, "", 404, nil},
		"another's question, to answer":                {"other", "POST", "/v1/approvals/" + id + "/answer", `{"answer":"approve"}`, 404, nil},
		"another's question, to use":                   {"other", "POST", "/v1/approvals/" + id + "/use", "", 404, nil},
		"another's id":                                 {"other", "POST", "/v1/sessions", `{"id":"s"}`, 409, nil},
		"any session, with the scope":                  {"person", "GET", "/v1/sessions/s", "", 200, nil},
		"any question, with the scope":                 {"person", "GET", "/v1/approvals/" + id, "", 200, nil},
		"any decision, with the scope":                 {"person", "GET", "/v1/sessions/s/decisions/c1", "", 200, nil},
		"the scope for any session is none of its own": {"person", "POST", "/v1/sessions/s/decisions", mailTo("c2", "ann@corp.example"), 403, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := want(t, c.status, b.send(t, c.who, c.method, c.path, c.body, c.header...))
			if c.status == 401 && !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer ") {
				t.Errorf("there is no challenge: %v", a.header)
			}
			if c.status >= 400 && a.header.Get("Link") != `</openapi.yaml>; rel="service-desc"` {
				t.Errorf("it leads to no description: %v", a.header)
			}
			if verdictOf(a) == "allow" {
				t.Errorf("allowed: %s", a.body)
			}
		})
	}
	for who, want := range map[string]string{"agent": "s", "other": "", "person": "s"} {
		list := into[struct{ Sessions []store.SessionInfo }](t, b.get(t, 200, who, "/v1/sessions")).Sessions
		got := ""
		for _, s := range list {
			got += s.ID
		}
		if got != want {
			t.Errorf("%s sees the sessions %q", who, got)
		}
	}
	if got := into[struct{ Approvals []store.Approval }](t, b.get(t, 200, "other", "/v1/approvals")); len(got.Approvals) != 0 {
		t.Errorf("another sees the questions %+v", got)
	}
}

// TestMistakes: what is not understood is said so, and nothing comes of it.
func TestMistakes(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	before := b.get(t, 200, "agent", "/v1/sessions/s").body
	const events, decisions = "/v1/sessions/s/events", "/v1/sessions/s/decisions"
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		kind               string
		header             []string
	}{
		"no JSON":                  {"POST", events, `{`, 400, "invalid-request", nil},
		"nothing":                  {"POST", events, ``, 415, "unsupported-media-type", nil},
		"a list":                   {"POST", events, `[]`, 400, "invalid-request", nil},
		"no type":                  {"POST", events, `{"text":"x"}`, 400, "invalid-request", nil},
		"an unknown type":          {"POST", events, `{"type":"call","tool":"send"}`, 400, "invalid-request", nil},
		"another type's member":    {"POST", events, `{"type":"user","text":"x","name":"y"}`, 400, "invalid-request", nil},
		"a name twice":             {"POST", events, `{"type":"attach","type":"user","text":"x"}`, 400, "invalid-request", nil},
		"another case":             {"POST", events, `{"type":"user","Text":"x","text":"y"}`, 400, "invalid-request", nil},
		"an empty result":          {"POST", events, `{"type":"result","call":"r1"}`, 400, "invalid-request", nil},
		"a number for a text":      {"POST", events, `{"type":"user","text":1}`, 400, "invalid-request", nil},
		"half a character":         {"POST", events, `{"type":"user","text":"\ud800"}`, 400, "invalid-request", nil},
		"no tool":                  {"POST", decisions, `{"arguments":{}}`, 400, "invalid-request", nil},
		"a list of arguments":      {"POST", decisions, `{"tool":"send","arguments":[]}`, 400, "invalid-request", nil},
		"an unknown member":        {"POST", decisions, `{"tool":"send","verdict":"allow"}`, 400, "invalid-request", nil},
		"another content type":     {"POST", decisions, mailTo("c", "ann@corp.example"), 415, "unsupported-media-type", []string{"Content-Type", "text/plain"}},
		"too large":                {"POST", events, `{"type":"user","text":"` + strings.Repeat("x", maxBody) + `"}`, 413, "request-too-large", nil},
		"too deep":                 {"POST", decisions, `{"tool":"send","arguments":{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`, 400, "invalid-request", nil},
		"a bad key":                {"POST", decisions, mailTo("c", "ann@corp.example"), 400, "invalid-request", []string{"Idempotency-Key", "ä"}},
		"a long key":               {"POST", decisions, mailTo("c", "ann@corp.example"), 400, "invalid-request", []string{"Idempotency-Key", strings.Repeat("k", 256)}},
		"an id that is a path":     {"POST", "/v1/sessions", `{"id":"../x"}`, 400, "invalid-request", nil},
		"an empty id":              {"POST", "/v1/sessions", `{"id":""}`, 400, "invalid-request", nil},
		"an unknown session":       {"POST", "/v1/sessions/t/decisions", mailTo("c", "ann@corp.example"), 404, "not-found", nil},
		"an impossible session":    {"GET", "/v1/sessions/%00", ``, 400, "invalid-request", nil},
		"an unknown call":          {"GET", decisions + "/nothing", ``, 404, "not-found", nil},
		"to explain nothing":       {"GET", decisions + "/nothing/explanation", ``, 404, "not-found", nil},
		"to ask about nothing":     {"POST", "/v1/sessions/s/approvals", `{"call":"nothing"}`, 404, "not-found", nil},
		"to ask about what runs":   {"POST", "/v1/sessions/s/approvals", `{"call":"r1"}`, 409, "conflict", nil},
		"an unknown question":      {"GET", "/v1/approvals/abc", ``, 404, "not-found", nil},
		"too long a wait":          {"GET", "/v1/approvals/abc?wait=61", ``, 400, "invalid-request", nil},
		"no limit":                 {"GET", "/v1/sessions?limit=0", ``, 400, "invalid-request", nil},
		"a limit in words":         {"GET", "/v1/sessions?limit=ten", ``, 400, "invalid-request", nil},
		"two limits":               {"GET", "/v1/sessions?limit=1&limit=2", ``, 400, "invalid-request", nil},
		"an unknown parameter":     {"GET", "/v1/sessions?principal=other", ``, 400, "invalid-request", nil},
		"a broken cursor":          {"GET", "/v1/sessions?cursor=!", ``, 400, "invalid-request", nil},
		"another list's cursor":    {"GET", decisions + "?cursor=" + cursor("x"), ``, 400, "invalid-request", nil},
		"a cursor of no question":  {"GET", "/v1/approvals?cursor=" + cursor("x"), ``, 400, "invalid-request", nil},
		"a broken last event":      {"GET", "/v1/sessions/s/stream", ``, 400, "invalid-request", []string{"Last-Event-ID", "x"}},
		"a last event of no queue": {"GET", "/v1/approvals/stream", ``, 400, "invalid-request", []string{"Last-Event-ID", "7"}},
		"nowhere":                  {"GET", "/v1", ``, 404, "not-found", nil},
		"another method":           {"DELETE", "/v1/sessions/s", ``, 405, "method-not-allowed", nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := want(t, c.status, b.send(t, "agent", c.method, c.path, c.body, c.header...))
			if a.kind() != c.kind {
				t.Errorf("problem %s, want %s", a.kind(), c.kind)
			}
			if len(a.body) > 2000 {
				t.Errorf("the problem has %d bytes", len(a.body))
			}
		})
	}
	if after := b.get(t, 200, "agent", "/v1/sessions/s").body; string(after) != string(before) {
		t.Errorf("the session has changed from %s to %s", before, after)
	}
}

// TestFailures: whatever breaks, no call runs.
func TestFailures(t *testing.T) {
	broken := false
	b := newBench(t, func(o *Options) {
		find := o.Principal
		o.Principal = func(token string) (*access.Principal, error) {
			if broken {
				return nil, errors.New("the disk is gone")
			}
			return find(token)
		}
	})
	b.tainted(t, "s")
	paths := map[string]string{
		"/v1/sessions":             `{}`,
		"/v1/sessions/s/events":    `{"type":"user","text":"x"}`,
		"/v1/sessions/s/decisions": mailTo("c1", "ann@corp.example"),
		"/v1/sessions/s/end":       "",
		"/access/v1/evaluation":    authZEN("s", "read", `{"q":"x"}`),
	}
	fail := func(what string) {
		t.Helper()
		for path, body := range paths {
			for _, key := range []string{"", what} {
				var header []string
				if key != "" {
					header = []string{"Idempotency-Key", strings.ReplaceAll(key, " ", "-") + path}
				}
				a := b.post(t, 503, "agent", path, body, header...)
				if a.kind() != "unavailable" || strings.Contains(string(a.body), "allow") || strings.Contains(string(a.body), "disk") {
					t.Errorf("%s, %s: %s", what, path, a.body)
				}
			}
		}
		for _, path := range []string{"/v1/sessions", "/v1/sessions/s", "/v1/sessions/s/decisions", "/v1/sessions/s/decisions/r1", "/v1/sessions/s/stream", "/v1/approvals", "/v1/audit/entries", "/v1/audit/verification", "/v1/audit/verified"} {
			b.get(t, 503, "operator", path)
		}
	}
	broken = true
	fail("tokens can't be read")
	broken = false
	must(t, b.store.Close())
	fail("the store is closed")
	if log := b.log.String(); !strings.Contains(log, "the disk is gone") || !strings.Contains(log, "the store is closed") {
		t.Errorf("the log doesn't say why: %s", log)
	}
}
