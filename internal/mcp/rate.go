package mcp

import (
	"fmt"
	"time"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
)

// metaRetry is the member of _meta that holds in how many seconds a call that came too soon
// may be made.
const metaRetry = "dev.remit/retryAfter"

// rated counts a call of the conversation's principal. Where there are too many in a minute
// it returns the result that says so: a result, and no error of the protocol, since models
// are shown it and can wait.
func (c *conversation) rated(x *exchange, now time.Time) []byte {
	wait := c.g.rates.Take(c.principal, now)
	if wait == 0 {
		return nil
	}
	seconds := access.Seconds(wait)
	c.log.Warn("a call came too soon", "tool", x.msg.ParamText("name"), "limit", c.g.rates.PerMinute(), "retry_after", seconds)
	text := fmt.Sprintf("The call was not made: more than %d calls in a minute. Wait, and make it again in %d seconds.", c.g.rates.PerMinute(), seconds)
	result := fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"isError":true,"_meta":{%s:%d}}`, strictjson.Quote(text), strictjson.Quote(metaRetry), seconds)
	return wire.NewResult(x.id, x.completed(result))
}

// completed marks a result that the gateway makes itself as complete, where the client's
// generation wants that.
func (x *exchange) completed(result []byte) []byte {
	if !x.stateless {
		return result
	}
	return strictjson.Set(result, "resultType", []byte(`"complete"`))
}
