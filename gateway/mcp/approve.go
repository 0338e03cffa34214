package mcp

import (
	"context"
	"encoding/json"

	"github.com/remit-project/remit"
)

// answersIn takes the client's answers to the gateway's own questions out of
// the params of a call.
func (c *conversation) answersIn(x *exchange, name string) (params, answers json.RawMessage) {
	return x.msg.Params, nil
}

// approve asks a person about a call that was held back. It returns the decision
// as it is then, or a result that asks the client to come back with an answer.
func (c *conversation) approve(ctx context.Context, x *exchange, s Session, d *remit.Decision, params, answers json.RawMessage) (*remit.Decision, []byte, error) {
	if c.g.o.Approver == nil {
		return d, nil, nil
	}
	ask, cancel := context.WithTimeout(ctx, c.g.o.Limits.Approval)
	defer cancel()
	yes, err := c.g.o.Approver.Ask(ask, d)
	if err != nil {
		c.log.Warn("nobody could be asked", "call", d.Call, "tool", d.Tool, "error", err)
	}
	if err != nil || !yes {
		return d, nil, nil
	}
	confirmed, err := s.Confirm(ctx, d.Call)
	return confirmed, nil, err
}
