package proxy

import (
	"container/list"
	"encoding/json"
	"sync"
)

// live is a conversation between two requests.
type live struct {
	// keys are the hashes of its turns; a request finds it by one of them.
	keys []hash
	c    *conversation
	// answered reports whether it has answered, and with which turns.
	answered bool
	answer   hash
	// spoken is the answer's hash without the frame, so that another frame finds
	// it.
	spoken hash
	// work is true when the answer was calls.
	work bool
	// kept is the missing part of a history that the provider keeps.
	kept kept
}

// kept completes a history that the provider keeps, after an answer that the
// client saw in another form.
type kept struct {
	// missing are the turns that the history lacks.
	missing []json.RawMessage
	// response is the provider's id of the answer, if the client knows the answer
	// by another id.
	response string
}

// cache holds conversations between requests and evicts the least recently used.
// An evicted conversation is rebuilt from its next request.
type cache struct {
	max, maxBytes int

	mu    sync.Mutex
	by    map[hash][]*list.Element // of *live
	used  list.List                // most recently used first
	bytes int
}

// put stores a conversation.
func (k *cache) put(l *live) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by == nil {
		k.by = map[hash][]*list.Element{}
	}
	e := k.used.PushFront(l)
	for _, key := range l.keys {
		k.by[key] = append(k.by[key], e)
	}
	k.bytes += l.c.size
	for k.full() {
		k.remove(k.used.Back())
	}
}

// full reports whether the cache is over its bounds. It always holds at least one
// conversation, however long.
func (k *cache) full() bool {
	return k.used.Len() > k.max || (k.bytes > k.maxBytes && k.used.Len() > 1)
}

// take removes and returns a matching conversation; the caller then owns it.
func (k *cache) take(key hash, fits func(*live) bool) *live {
	k.mu.Lock()
	candidates := make([]*live, 0, 1)
	for _, e := range k.by[key] {
		candidates = append(candidates, e.Value.(*live))
	}
	k.mu.Unlock()

	for _, l := range candidates {
		if !fits(l) {
			continue
		}
		k.mu.Lock()
		for _, e := range k.by[key] {
			if e.Value.(*live) == l {
				k.remove(e)
				k.mu.Unlock()
				return l
			}
		}
		k.mu.Unlock()
	}

	return nil
}

func (k *cache) remove(e *list.Element) {
	l := k.used.Remove(e).(*live)
	k.bytes -= l.c.size
	for _, key := range l.keys {
		rest := k.by[key]
		for i := range rest {
			if rest[i] == e {
				rest = append(rest[:i:i], rest[i+1:]...)
				break
			}
		}
		if len(rest) == 0 {
			delete(k.by, key)
		} else {
			k.by[key] = rest
		}
	}
}

// answers records which answers the proxy passed on, by their place in a
// conversation.
type answers struct {
	max int

	mu   sync.Mutex
	by   map[hash]*list.Element // of *behind
	used list.List
}

// behind is what the model had seen beside the turns when it answered. If the
// answer comes back without that context, the session doesn't know everything
// that may have influenced it.
type behind struct {
	answer hash
	// offer is the key of the tools, outside the hash of the material in the
	// frame, and external the hash of what the provider's tools returned; zero
	// where there was none.
	offer, outside, external hash
}

// add records an answer. Of two contexts for the same answer it keeps the
// smaller: the model said the same without the rest.
func (a *answers) add(b behind) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by == nil {
		a.by = map[hash]*list.Element{}
	}
	if e, ok := a.by[b.answer]; ok {
		if known := e.Value.(*behind); known.outside != (hash{}) || known.external != (hash{}) {
			*known = b
		}
		a.used.MoveToFront(e)
		return
	}
	a.by[b.answer] = a.used.PushFront(&b)
	if a.used.Len() > a.max {
		delete(a.by, a.used.Remove(a.used.Back()).(*behind).answer)
	}
}

// get returns what is recorded of an answer; nil if the proxy didn't pass it on.
func (a *answers) get(h hash) *behind {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok := a.by[h]
	if !ok {
		return nil
	}
	a.used.MoveToFront(e)
	b := *e.Value.(*behind)
	return &b
}
