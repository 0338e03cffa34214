package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/hook"
)

const (
	shopContracts = `version: 1
server: shop
tools:
  get_order: {effect: read, args: {/id: {role: selector}}, output: {trust: TOOL_OUTPUT}}
  cancel: {effect: write, args: {/id: {role: selector, floor: USER}}}
`
	shopRules = `tool: cancel
policies:
  - name: pending
    require: |
      tools.get_order({"id": args.id}).status == "pending"
    message: Only pending orders can be cancelled.
`
)

// shopping is a conversation with a shop's tools and rules, which look things up with the
// servers of a file; nil where nothing is said of any.
func shopping(t *testing.T, servers guard.Reader) *conversation {
	t.Helper()
	c := converse(t)
	c.contracts = t.TempDir()
	settings := hook.Settings{Policies: t.TempDir()}
	if servers != nil {
		settings.Lookups = "remit.yaml"
	}
	c.settings = settings
	c.service.Reader = func(file string) (guard.Reader, error) {
		if file != "remit.yaml" {
			return nil, errors.New("another file")
		}
		return servers, nil
	}
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(c.contracts, "shop.yaml", shopContracts)
	write(settings.Policies, "cancel.yaml", shopRules)
	c.says("Cancel my order W1, please.")
	return c
}

var itsID = map[string]any{"id": "W1"}

// TestRulesByOwnLookups: where Remit can't look things up, the agent does, and is told what.
func TestRulesByOwnLookups(t *testing.T) {
	for status, want := range map[string]remit.Verdict{"pending": remit.Allow, "delivered": remit.Deny} {
		c := shopping(t, nil)
		_, a := c.proposes("mcp__shop__cancel", itsID)
		if a.Verdict != remit.Deny || !strings.Contains(a.Reason, `call get_order with {"id":"W1"}`) {
			t.Fatalf("before it is looked up: %+v", a)
		}
		id, a := c.proposes("mcp__shop__get_order", itsID)
		if a.Verdict != remit.Allow {
			t.Fatalf("the look-up: %+v", a)
		}
		c.returns(id, "mcp__shop__get_order", itsID, []any{map[string]any{"type": "text", "text": `{"status":"` + status + `"}`}})
		if _, a := c.proposes("mcp__shop__cancel", itsID); a.Verdict != want {
			t.Errorf("a %s order: %+v", status, a)
		}
	}
}

// orders answers look-ups with the status of an order.
type orders string

func (o orders) Read(_ context.Context, server, tool string, arguments json.RawMessage) (*guard.Result, error) {
	if server != "shop" || tool != "get_order" || string(arguments) != `{"id":"W1"}` {
		return nil, errors.New("another look-up")
	}
	return guard.ResultOf(json.RawMessage(`{"status":"` + string(o) + `"}`)), nil
}

// TestRulesByServers looks things up with the servers that the settings name.
func TestRulesByServers(t *testing.T) {
	for status, want := range map[string]remit.Verdict{"pending": remit.Allow, "delivered": remit.Deny} {
		c := shopping(t, orders(status))
		if _, a := c.proposes("mcp__shop__cancel", itsID); a.Verdict != want {
			t.Errorf("a %s order: %+v", status, a)
		}
	}
}

// TestRulesWithMistakes denies what it can't hold to the rules, and takes new ones up as
// they come.
func TestRulesWithMistakes(t *testing.T) {
	c := shopping(t, nil)
	rules := filepath.Join(c.settings.Policies, "cancel.yaml")
	for text, want := range map[string]remit.Verdict{
		"tool: cancel\npolicies: [{name: a, require: 'args.idd == \"W1\"', message: no}]\n":            remit.Deny,
		"tool: cancel\npolicies: [{name: a, require: 'tools.get_ordr({}) == 1', message: no}]\n":       remit.Deny,
		"tool: cancel\npolicies: [{name: a, require: 'args.id.startsWith(\"W\")', message: longer}]\n": remit.Allow,
	} {
		if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, a := c.proposes("mcp__shop__cancel", itsID); a.Verdict != want {
			t.Errorf("%s: %+v", text, a)
		}
	}
}

// TestRulesOfSharedNames: a policy for a tool that several agents have is for each of them, and one for
// a tool that none has is for nobody.
func TestRulesOfSharedNames(t *testing.T) {
	for text, want := range map[string]remit.Verdict{
		"tool: Read\npolicies: [{name: a, require: 'false', message: no}]\n":                      remit.Deny,
		"tool: Read\nserver: claude-code\npolicies: [{name: a, require: 'false', message: no}]\n": remit.Deny,
		"tool: Raed\npolicies: [{name: a, require: 'false', message: no}]\n":                      remit.Allow,
	} {
		c := shopping(t, nil)
		if err := os.WriteFile(filepath.Join(c.settings.Policies, "cancel.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, a := c.proposes("Read", map[string]any{"file_path": filepath.Join(c.dir, "notes.txt")}); a.Verdict != want {
			t.Errorf("%s: %+v", text, a)
		}
	}
}
