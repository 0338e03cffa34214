package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
)

// TestToolResult: the result has the text of all parts, and fails only if the server says so.
func TestToolResult(t *testing.T) {
	yes, no := true, false
	for message, want := range map[string]wire.ToolResult{
		`{"result":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":true}}`: {Text: "a\nb", Failed: &yes},
		`{"result":{"content":[],"isError":false}}`:                                                     {Failed: &no},
		`{"result":{"content":[],"structuredContent":{"a":1}}}`:                                         {Structured: json.RawMessage(`{"a":1}`)},
		`{"result":{"content":[],"structuredContent":"a","isError":"perhaps"}}`:                         {},
		`{"result":{"content":[],"isError":null}}`:                                                      {},
		`{"error":{"code":-32000,"message":"lost"}}`:                                                    {Text: "lost"},
	} {
		m, err := wire.Parse([]byte(`{"jsonrpc":"2.0","id":1,`+message[1:]), strictjson.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, m.ToolResult()); diff != "" {
			t.Errorf("%s: %s", message, diff)
		}
	}
}

// TestLookUp: a call that failed, and one that the server has not answered yet, say no facts.
func TestLookUp(t *testing.T) {
	for result, want := range map[string]string{
		`{"content":[{"type":"text","text":"ok"}]}`:                  "",
		`{"content":[{"type":"text","text":"lost"}],"isError":true}`: `the tool answered with an error: "lost"`,
		`{"inputRequests":[{"type":"text","text":"which?"}]}`:        "the server asks for more before it answers",
	} {
		got := ""
		if _, err := wire.LookUp(json.RawMessage(result)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", result, got, want)
		}
	}
}
