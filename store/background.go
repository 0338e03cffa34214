package store

import (
	"context"
	"sync"
	"time"
)

// background runs one function at a time that no caller waits for.
type background struct {
	pause time.Duration // after each

	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelFunc
	runs   sync.WaitGroup
	busy   bool
}

func newBackground(pause time.Duration) *background {
	b := &background{pause: pause}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// wake runs a function, unless one runs, and lets it rest afterwards.
func (b *background) wake(f func(context.Context) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy || b.ctx.Err() != nil {
		return
	}
	b.busy = true
	b.runs.Go(func() {
		_ = f(b.ctx) // a failure costs only time: a caller that needs the result does the work itself
		select {
		case <-b.ctx.Done():
		case <-time.After(b.pause):
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.busy = false
	})
}

// stop ends what runs, and waits for it.
func (b *background) stop() {
	b.mu.Lock()
	b.cancel()
	b.mu.Unlock()
	b.runs.Wait()
}
