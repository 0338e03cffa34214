package console

import (
	"context"
	"sync"

	"github.com/remit-project/remit/internal/playground"
)

const (
	// maxPlays bounds the runs of the playground at once. It decides what people write, which
	// is work, and must not keep others from their questions.
	maxPlays = 2
	// maxInLine bounds a person's requests to the playground, of which one runs.
	maxInLine = 4
)

// plays lets people into the playground: one run for each of them, and few at once.
type plays struct {
	all chan struct{}

	mu sync.Mutex
	of map[string]*queue // by principal
}

// queue is a person's requests: the one that runs holds the place, the others wait.
type queue struct {
	place chan struct{}
	n     int
}

func newPlays() *plays {
	return &plays{all: make(chan struct{}, maxPlays), of: map[string]*queue{}}
}

// enter waits for a request's turn, up to [playground.Time], and returns what ends it; nil where the
// person has too many in line, or no turn came.
func (p *plays) enter(v *visit) func() {
	l := p.join(v.who.Name)
	if l == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(v.Context(), playground.Time)
	defer cancel()

	if !taken(ctx, l.place) {
		p.part(v.who.Name, l)
		return nil
	}
	if !taken(ctx, p.all) {
		<-l.place
		p.part(v.who.Name, l)
		return nil
	}
	return func() {
		<-p.all
		<-l.place
		p.part(v.who.Name, l)
	}
}

// taken takes a place before the context ends.
func taken(ctx context.Context, places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// join puts a request in a person's line; nil when the line is full.
func (p *plays) join(name string) *queue {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.of[name]
	if l == nil {
		l = &queue{place: make(chan struct{}, 1)}
		p.of[name] = l
	}
	if l.n == maxInLine {
		return nil
	}
	l.n++
	return l
}

// part takes a request out of a person's line.
func (p *plays) part(name string, l *queue) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.n--; l.n == 0 {
		delete(p.of, name)
	}
}
