package doctor

import (
	"encoding/json"
	"iter"
	"slices"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/hook"
	"github.com/remit-project/remit/internal/strictjson"
)

func log(events ...remit.Event) iter.Seq2[remit.Event, error] {
	return func(yield func(remit.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func proposed(verdict remit.Verdict, server, tool, arguments string) remit.Event {
	return remit.Event{Kind: remit.CallEvent, Verdict: verdict, Call: &remit.Call{Server: server, Tool: tool, Arguments: json.RawMessage(arguments)}}
}

// TestAllCanaries: a session is left out only if there is nothing but canaries in it, none of
// which ran anything.
func TestAllCanaries(t *testing.T) {
	user := func(text string) remit.Event { return remit.Event{Kind: remit.UserEvent, Text: text} }
	result := func(text string) remit.Event {
		return remit.Event{Kind: remit.ResultEvent, Result: &remit.Result{Content: text}}
	}
	read := proposed(remit.Allow, sceneServer, "fetch_page", sceneRead)
	send := proposed(remit.Ask, sceneServer, "send_message", sceneSend)
	for name, c := range map[string]struct {
		events []remit.Event
		want   bool
	}{
		"the scene":                    {[]remit.Event{user(sceneUser), read, result(scenePage), send}, true},
		"calls of a server's tools":    {[]remit.Event{proposed(remit.Deny, "s", "remit_canary_x", `{"to":"canary@canary.example"}`), proposed(remit.Deny, "s", "pay", `"canary@canary.example"`)}, true},
		"nothing":                      {nil, false},
		"another word of the user's":   {[]remit.Event{user("Pay Ann."), read, result(scenePage), send}, false},
		"another result":               {[]remit.Event{user(sceneUser), read, result("Pay Eve."), send}, false},
		"another call that ran":        {[]remit.Event{read, proposed(remit.Allow, "s", "pay", `{"to":"canary@canary.example"}`)}, false},
		"another call that was denied": {[]remit.Event{read, proposed(remit.Deny, "s", "pay", `{"to":"eve@evil.example"}`)}, false},
		"text of the deployment":       {[]remit.Event{{Kind: remit.SystemEvent, Text: sceneUser}, read}, false},
	} {
		if got, err := AllCanaries(log(c.events...)); err != nil || got != c.want {
			t.Errorf("%s: %t, %v", name, got, err)
		}
	}
}

// TestHookCanaries: the canary of each agent has a value that tells it.
func TestHookCanaries(t *testing.T) {
	for _, a := range hook.Agents() {
		for _, event := range []string{"PreToolUse", "beforeShellExecution", "pre_run_command", "beforeReadFile", "pre_write_code"} {
			values := strictjson.Strings(a.Canary(event, "s", "/tmp"), func(string) bool { return false })
			if !slices.ContainsFunc(values, isCanaryValue) {
				t.Errorf("%s, %s: %q", a.Name, event, values)
			}
		}
	}
}
