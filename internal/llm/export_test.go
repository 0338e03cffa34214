package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Clock replaces a client's clock, and notes how long it would have waited.
func (c *Client) Clock(now time.Time, waited func(time.Duration)) {
	c.now = func() time.Time { return now }
	c.sleep = func(ctx context.Context, d time.Duration) error {
		waited(d)
		return ctx.Err()
	}
}

// Read finds the answer in a text.
func Read(text string) (json.RawMessage, error) { return read(text) }

// Mistakes holds a value to a schema.
func (s Schema) Mistakes(value string) ([]string, error) {
	c, err := s.compile()
	if err != nil {
		return nil, err
	}
	return c.mistakes(json.RawMessage(value)), nil
}
