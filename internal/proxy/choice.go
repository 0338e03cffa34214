package proxy

import (
	"encoding/json"
	"fmt"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/strictjson"
)

// A request can restrict which tools the model may choose (tool_choice) and force
// it to call one. When the proxy asks again after a denial, the model must be
// free to call nothing, and must not get more tools than before.

// chosenTools returns the names of the tools that a choice allows; nil if it
// allows all.
func chosenTools(choice json.RawMessage) map[string]bool {
	kind := strictjson.GetText(choice, "type")
	if strictjson.Text(choice) == "none" || kind == "none" {
		return map[string]bool{}
	}

	var named []json.RawMessage
	switch kind {
	case "function", "custom", "tool":
		named = []json.RawMessage{choice}
	case "allowed_tools":
		named = append(values(strictjson.Get(choice, "tools")), values(strictjson.Get(choice, "allowed_tools", "tools"))...)
	default:
		return nil
	}

	only := map[string]bool{}
	for _, c := range named {
		for _, at := range [][]string{{"name"}, {"function", "name"}, {"custom", "name"}} {
			if name := strictjson.GetText(c, at...); name != "" {
				only[name] = true
			}
		}
	}

	return only
}

// forces reports whether a choice forces the model to call a tool.
func forces(choice json.RawMessage) bool {
	switch kind := strictjson.GetText(choice, "type"); kind {
	case "function", "custom", "tool", "any":
		return true
	case "allowed_tools":
		return strictjson.GetText(choice, "mode") == "required" || strictjson.GetText(choice, "allowed_tools", "mode") == "required"
	}
	word := strictjson.Text(choice)
	return word == "required" || word == "any"
}

// allowNoCall lifts a forced choice from a request of OpenAI's APIs.
func allowNoCall(body []byte) []byte {
	choice := strictjson.Get(body, "tool_choice")
	switch {
	case absent(choice) || strictjson.Text(choice) == "none":
		return body
	case strictjson.GetText(choice, "type") == "allowed_tools":
		auto := []byte(`"auto"`)
		return strictjson.Replace(strictjson.Replace(body, auto, "tool_choice", "mode"), auto, "tool_choice", "allowed_tools", "mode")
	}
	return strictjson.Replace(body, []byte(`"auto"`), "tool_choice")
}

// allowNoCallMessages lifts a forced choice from a request of Anthropic's API.
func allowNoCallMessages(body []byte) []byte {
	choice := strictjson.Get(body, "tool_choice")
	if kind := strictjson.GetText(choice, "type"); absent(choice) || kind == "none" || kind == "auto" {
		return body
	}
	free := strictjson.Set(strictjson.Remove(choice, "name"), "type", []byte(`"auto"`))
	return strictjson.Replace(body, free, "tool_choice")
}

// notOffered returns the message to the model for a call that the application's
// choice excludes.
func notOffered(tool string) string {
	return fmt.Sprintf("The call of %s was denied.\n- the application does not offer this tool in this turn\n  answer without it", display.Line(tool))
}

// forcedNames returns the tools of which the model must call one.
func (r *request) forcedNames() []string {
	var names []string
	for _, tool := range r.tools {
		name := toolName(tool)
		if r.forced && (r.only == nil || r.only[name]) {
			names = append(names, name)
		}
	}
	return names
}

// toolName returns the name in a tool definition.
func toolName(tool json.RawMessage) string {
	if name := strictjson.GetText(tool, "function", "name"); name != "" {
		return name
	}
	return strictjson.GetText(tool, "name")
}
