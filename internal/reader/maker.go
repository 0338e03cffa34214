package reader

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/schema"
)

// DefaultTime is how long contracts wait for a model that reads the definitions of a server on
// first sight: a client is waiting for the tools.
const DefaultTime = time.Minute

// Maker weighs what a model says against the contracts of tools that an enforcement point sees for the first
// time. It is safe for concurrent use.
type Maker struct {
	reader *Reader
	time   time.Duration
	log    *slog.Logger

	mu   sync.Mutex
	made map[string]func() *contract.File
}

// NewMaker returns a maker that waits so long for a model; [DefaultTime] if 0.
func NewMaker(r *Reader, wait time.Duration, log *slog.Logger) *Maker {
	if wait == 0 {
		wait = DefaultTime
	}
	return &Maker{reader: r, time: wait, log: log, made: map[string]func() *contract.File{}}
}

// Weigh weighs what a model says against the contracts that were made of a catalogue, except for the definitions of the
// given fingerprints, which people reviewed. The same definitions are read once, also when that
// fails: then the contracts stay as they were made, with marks. The caller owns what it returns.
func (m *Maker) Weigh(c *schema.Catalogue, made *contract.File, reviewed []string) *contract.File {
	key := c.Server + "\x00" + c.Fingerprint()
	m.mu.Lock()
	weighed := m.made[key]
	if weighed == nil {
		if len(m.made) >= maxKept {
			clear(m.made)
		}
		weighed = sync.OnceValue(func() *contract.File { return m.weigh(c, made, reviewed) })
		m.made[key] = weighed
	}
	m.mu.Unlock()
	return weighed().Clone()
}

func (m *Maker) weigh(c *schema.Catalogue, made *contract.File, reviewed []string) *contract.File {
	ctx, cancel := context.WithTimeoutCause(context.Background(), m.time, fmt.Errorf("the definitions were not read within %v: allow more time, or use a faster model", m.time))
	defer cancel()
	result, err := m.reader.Weigh(ctx, c, made, reviewed)
	if err != nil {
		m.log.Warn("definitions could not be read by the model, and their contracts stand", "server", c.Server, "error", err)
	}
	m.log.Info("a model has read definitions", "server", c.Server, "model", m.reader.String(), "tools", len(result.Readings), "disagreements", len(result.Disagreements))
	for _, d := range result.Disagreements {
		m.log.Info("the model disagrees with the rules", "server", c.Server, "tool", d.Tool, "path", d.Path, "rules", d.Rules, "model", d.Model, "taken", d.Taken)
	}
	return result.File
}
