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

// Read and Decode are what reads hostile input.
func Read(text string) (json.RawMessage, error) { return read(text) }

// Decode tells whether a file is a recording.
func Decode(data []byte) error {
	_, err := decode(data)
	return err
}

// Mistakes holds a value to a schema.
func (s Schema) Mistakes(value string) ([]string, error) {
	c, err := s.compile()
	if err != nil {
		return nil, err
	}
	return c.mistakes(json.RawMessage(value)), nil
}
