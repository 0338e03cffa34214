package main

import (
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/schema"
)

// Where sessions bring their tools, a guard for a tool that one doesn't have decides nothing there.
// Where all tools are known, its name is mistyped.
func TestGuardsOfOtherTools(t *testing.T) {
	f, err := guard.Load("refund.yaml", []byte("tool: refund\npolicies: [{name: never, require: 'false', message: no}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	mail, err := schema.Parse("mail", []byte(`[{"name":"read_mail","inputSchema":{"type":"object"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	e := engine{guards: []*guard.File{f}, open: true}
	if _, err := e.monitor([]*schema.Catalogue{mail}, time.Time{}); err != nil {
		t.Errorf("a session without the tool: %v", err)
	}
	e.open = false
	if _, err := e.monitor([]*schema.Catalogue{mail}, time.Time{}); err == nil || !strings.Contains(err.Error(), "no tool") {
		t.Errorf("a name that no tool has: %v", err)
	}
}

// A session that brings tools of a server which --tools has, as stored ones may, is refused with
// what to do.
func TestToolsOfAServerTwice(t *testing.T) {
	mail, desk := &schema.Catalogue{Server: "mail"}, &schema.Catalogue{Server: "desk"}
	if err := twice([]*schema.Catalogue{mail}, []*schema.Catalogue{desk}); err != nil {
		t.Error(err)
	}
	err := twice([]*schema.Catalogue{mail}, []*schema.Catalogue{desk, mail})
	if err == nil || !strings.Contains(err.Error(), `the server "mail" by --tools: leave them out`) {
		t.Errorf("got %v", err)
	}
}
