package api

import (
	"fmt"
	"strings"
	"testing"
)

func authZEN(session, tool, arguments string) string {
	return fmt.Sprintf(`{"subject":{"type":"user","id":"ann"},"action":{"name":%q},"resource":{"type":"server","id":"mail"},"context":{"session":%q,"arguments":%s}}`, tool, session, arguments)
}

// TestAuthZEN asks in the other dialect: only allow is true.
func TestAuthZEN(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	type evaluated struct {
		Decision bool
		Context  struct {
			Verdict, Explanation string
			Reasons              []struct{ Code string }
		}
	}
	for name, c := range map[string]struct {
		tool, arguments, verdict string
	}{
		"allowed":         {"send", `{"to":"ann@corp.example","text":"x"}`, "allow"},
		"held back":       {"send", `{"to":"eve@evil.example","text":"x"}`, "ask"},
		"denied":          {"unknown", `{}`, "deny"},
		"the model's own": {"send", `"{\"to\":\"ann@corp.example\",\"text\":\"x\"}"`, "allow"},
		"no arguments":    {"send", `"{"`, "deny"},
	} {
		t.Run(name, func(t *testing.T) {
			a := b.post(t, 200, "agent", "/access/v1/evaluation", authZEN("s", c.tool, c.arguments), "X-Request-ID", "r7")
			got := into[evaluated](t, a)
			if got.Context.Verdict != c.verdict || got.Decision != (c.verdict == "allow") || (len(got.Context.Reasons) == 0) != got.Decision || (got.Context.Explanation == "") != got.Decision {
				t.Errorf("got %s", a.body)
			}
			if a.header.Get("X-Request-ID") != "r7" {
				t.Errorf("the request's name is %q", a.header.Get("X-Request-ID"))
			}
		})
	}
	const all = `"subject":{"type":"user","id":"ann"},"resource":{"type":"server","id":"mail"},"action":{"name":"send"}`
	ann, eve := `{"context":{"session":"s","arguments":{"to":"ann@corp.example","text":"x"}}}`, `{"context":{"session":"s","arguments":{"to":"eve@evil.example","text":"x"}}}`
	for semantic, want := range map[string]string{"": "true false true", `,"options":{"evaluations_semantic":"deny_on_first_deny"}`: "true false", `,"options":{"evaluations_semantic":"permit_on_first_permit"}`: "true"} {
		got := into[struct{ Evaluations []evaluated }](t, b.post(t, 200, "agent", "/access/v1/evaluations", `{`+all+semantic+`,"evaluations":[`+ann+`,`+eve+`,`+ann+`]}`))
		var text []string
		for _, e := range got.Evaluations {
			text = append(text, fmt.Sprint(e.Decision))
		}
		if strings.Join(text, " ") != want {
			t.Errorf("%s: %q, want %q", semantic, text, want)
		}
	}
	for name, body := range map[string]string{
		"no session":      `{` + all + `,"context":{}}`,
		"no context":      `{` + all + `}`,
		"another thing":   strings.Replace(authZEN("s", "read", `{}`), `"server"`, `"file"`, 1),
		"no subject":      strings.Replace(authZEN("s", "read", `{}`), `"subject"`, `"person"`, 1),
		"nothing to do":   `{` + all + `,"evaluations":[]}`,
		"half of several": `{"evaluations":[` + ann + `]}`,
	} {
		path := "/access/v1/evaluation"
		if strings.Contains(body, "evaluations") {
			path += "s"
		}
		if got := b.post(t, 400, "agent", path, body).kind(); got != "invalid-request" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestUnseenUser: a caller can say that not everything comes here. What nothing
// explains is EXTERNAL then, from the first call on; AuthZEN takes it so unless the
// session says otherwise.
func TestUnseenUser(t *testing.T) {
	b := newBench(t)
	mail := func(to string) string {
		return fmt.Sprintf(`{"server":"mail","tool":"send","arguments":{"to":%q,"text":"hi"}}`, to)
	}
	for name, c := range map[string]struct {
		member                 string
		decision, authzen, own string // for what was not named, and for what the user named
	}{
		"nothing is said":   {``, "allow", "ask", "allow"},
		"it is not all":     {`,"unseen_user":true`, "ask", "ask", "allow"},
		"it is all":         {`,"unseen_user":false`, "allow", "allow", "allow"},
		"with tools it has": {`,"unseen_user":true,"tools":[{"server":"x","tools":[]}]`, "ask", "ask", "allow"},
	} {
		t.Run(name, func(t *testing.T) {
			id := strings.ReplaceAll(name, " ", "-")
			b.post(t, 201, "agent", "/v1/sessions", `{"id":"`+id+`"`+c.member+`}`)
			b.post(t, 204, "agent", "/v1/sessions/"+id+"/events", `{"type":"user","text":"Send it to bob@corp.example"}`)
			replica := newBench(t, func(o *Options) { o.Store = b.store }) // it is kept with the session
			if got := verdictOf(replica.post(t, 200, "agent", "/v1/sessions/"+id+"/decisions", mail("eve@evil.example"))); got != c.decision {
				t.Errorf("a decision: %s", got)
			}
			a := replica.post(t, 200, "agent", "/access/v1/evaluation", authZEN(id, "send", `{"to":"eve@evil.example","text":"hi"}`))
			if got := into[evaluated](t, a).Context.Verdict; string(got) != c.authzen {
				t.Errorf("an evaluation: %s", a.body)
			}
			a = replica.post(t, 200, "agent", "/access/v1/evaluation", authZEN(id, "send", `{"to":"bob@corp.example","text":"hi"}`))
			if got := into[evaluated](t, a).Context.Verdict; string(got) != c.own {
				t.Errorf("what the user named: %s", a.body)
			}
		})
	}
}
