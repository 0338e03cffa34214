package sse

import (
	"sync"
	"time"
)

const (
	// MaxStreams bounds the open streams of a server, and MaxStreamsEach those of one
	// principal: each asks the store every second.
	MaxStreams     = 512
	MaxStreamsEach = 64
	// LookTime is how often a stream looks for what other processes wrote.
	LookTime = time.Second
	// Heartbeat is how often a quiet stream sends a sign of life: proxies close
	// connections that are silent for a minute.
	Heartbeat = 15 * time.Second
)

// Streams counts the open streams of a server. It is safe for concurrent use.
type Streams struct {
	mu   sync.Mutex
	all  int
	each map[string]int
}

// NewStreams returns a count of no streams.
func NewStreams() *Streams { return &Streams{each: map[string]int{}} }

// Enter counts a stream of a principal and returns the function that ends it; false if
// there are too many.
func (s *Streams) Enter(principal string) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= MaxStreams || s.each[principal] >= MaxStreamsEach {
		return nil, false
	}

	s.all++
	s.each[principal]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.each[principal]--; s.each[principal] == 0 {
			delete(s.each, principal)
		}
	}, true
}

// Open returns how many streams a principal has.
func (s *Streams) Open(principal string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.each[principal]
}
