package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/proxy"
)

// Conversations are refused whose calls are text that a program runs: without
// tools, by the words where the model is to stop and by what it is told. Others
// are not.
func TestTextCallsAreRefused(t *testing.T) {
	const react = "Use this format:\\n\\nThought: what to do\\nAction: one of [read_page]\\nAction Input: its input\\nObservation: the result"
	user := func(text string) string { return `"messages":[{"role":"user","content":"` + text + `"}]` }
	system := func(text string) string {
		return `"messages":[{"role":"system","content":"` + text + `"},{"role":"user","content":"Hello."}]`
	}
	for name, test := range map[string]struct {
		path, members string
		refused       bool
	}{
		"a stop":             {"/v1/chat/completions", user("Hello.") + `,"stop":"\nObservation:"`, true},
		"stops":              {"/v1/chat/completions", user("Hello.") + `,"stop":["END","</code>"]`, true},
		"stops of messages":  {"/v1/messages", user("Hello.") + `,"max_tokens":9,"stop_sequences":["Observation"]`, true},
		"actions":            {"/v1/chat/completions", system(react), true},
		"actions, as a user": {"/v1/chat/completions", user(react), true},
		"actions, emphasised": {"/v1/messages", `"max_tokens":9,"system":"Answer so:\n**Action:** a tool\n**Action Input:** its input",` +
			user("Hello."), true},
		"code":        {"/v1/responses", `"instructions":"Write code in <code> elements.\nObservation: what it printed","input":"Hello."`, true},
		"elements":    {"/v1/chat/completions", system(`Call a function in <tool_call></tool_call> elements.`), true},
		"tags":        {"/v1/messages", `"max_tokens":9,"system":"Tool use is formatted using XML-style tags.",` + user("Hello."), true},
		"with tools":  {"/v1/chat/completions", user("Hello.") + `,"stop":["Observation:"],"tools":` + mailTools, false},
		"a chat":      {"/v1/chat/completions", system("You are an assistant. Take action: help. Mind every observation: it counts.") + `,"stop":["\n\n","END"]`, false},
		"a report":    {"/v1/chat/completions", user("My report:\\nObservation: it was warm.\\n```python\\nprint(1)\\n```"), false},
		"another way": {"/v1/responses", `"input":"What does <tool_call> mean?"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, shadow := range []bool{false, true} {
				u := newUpstream(t, reply{status: 503, kind: "text/plain", body: "busy"})
				s := newProxy(t, u, func(o *proxy.Options) { o.Shadow = shadow })
				resp, text := post(t, s.URL, test.path, fmt.Sprintf(`{"model":"m",%s}`, test.members))
				refused := resp.StatusCode == 400 && strings.Contains(text, "--text-calls") && u.count() == 0
				if want := test.refused && !shadow; refused != want {
					t.Errorf("shadow %v: refused: %v, want %v: %d %s", shadow, refused, want, resp.StatusCode, text)
				}
			}
		})
	}
}

// Code in an answer is not a call, but the log says that there is some.
func TestCodeIsLogged(t *testing.T) {
	for members, want := range map[string]bool{``: true, `,"tools":` + mailTools: false} {
		u := newUpstream(t, reply{status: 200, kind: "application/json", body: `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Run this:\n` + "```python\\nprint(1)\\n```" + `"},"finish_reason":"stop"}]}`})
		base, log := before(t, u.URL, nil)
		resp, text := post(t, base, "/v1/chat/completions", `{"messages":[{"role":"user","content":"Hello."}]`+members+`}`)
		if resp.StatusCode != 200 || strings.Contains(log.String(), "an answer has code") != want {
			t.Errorf("%s: %d %s\n%s", members, resp.StatusCode, text, log)
		}
	}
}
