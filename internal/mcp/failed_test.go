package mcp

import (
	"testing"

	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
)

// TestFailed: what the server says of a failure is known, and nothing else is.
func TestFailed(t *testing.T) {
	yes, no := true, false
	for message, want := range map[string]*bool{
		`{"result":{"content":[],"isError":true}}`:      &yes,
		`{"result":{"content":[],"isError":false}}`:     &no,
		`{"result":{"content":[]}}`:                     nil,
		`{"result":{"content":[],"isError":"perhaps"}}`: nil,
		`{"result":{"content":[],"isError":null}}`:      nil,
		`{"error":{"code":-32000,"message":"lost"}}`:    nil,
	} {
		m, err := wire.Parse([]byte(`{"jsonrpc":"2.0","id":1,`+message[1:]), strictjson.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if got := failed(m); (got == nil) != (want == nil) || (got != nil && *got != *want) {
			t.Errorf("%s: %v", message, got)
		}
	}
}
