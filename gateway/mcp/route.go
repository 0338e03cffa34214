package mcp

import (
	"github.com/remit-project/remit/gateway/mcp/wire"
)

// route finds the server of a tool by the name that the client knows it by.
func (c *conversation) route(name string) (*backend, string, error) {
	if b := c.only(); b != nil {
		return b, name, nil
	}
	return nil, "", &wire.Error{Code: wire.InvalidParams, Message: "no server offers the tool " + string(wire.Quote(name))}
}

func (c *conversation) handleMany(x *exchange) {
	x.fail(wire.MethodNotFound, &wire.Error{Code: wire.MethodNotFound, Message: "not served"})
}
