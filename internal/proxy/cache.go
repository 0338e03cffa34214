package proxy

import (
	"container/list"
	"encoding/json"
	"sync"
)

// live is a conversation between two requests.
type live struct {
	// keys are the hashes of what it has read, by which a request finds it.
	keys []hash
	c    *conversation
	// answered tells that it has answered, and how; the next request says so.
	answered bool
	answer   hash
	// spoken is how the answer is known beside another frame.
	spoken hash
	// work tells that it was calls.
	work bool
	// kept is what the history which the provider keeps needs to go on.
	kept kept
}

// kept is what a history that the provider keeps needs to go on from an answer
// of which the client has seen another form.
type kept struct {
	// owed are turns that it lacks.
	owed []json.RawMessage
	// response is the provider's name of the answer, where the client knows it by
	// another one.
	response string
}

// cache keeps conversations between requests, and drops those that were not
// used for longest. One that was dropped is made again from its next request.
type cache struct {
	max, maxBytes int

	mu    sync.Mutex
	by    map[hash][]*list.Element // of *live
	used  list.List                // most recently used first
	bytes int
}

// put keeps a conversation.
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

// full reports whether the cache has more than it may keep. One conversation is
// kept however long it is.
func (k *cache) full() bool {
	return k.used.Len() > k.max || (k.bytes > k.maxBytes && k.used.Len() > 1)
}

// take takes a conversation that fits out of the cache: it belongs to the caller
// alone from then on.
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

// answers remembers which answers were passed on, by where in which
// conversation.
type answers struct {
	max int

	mu   sync.Mutex
	by   map[hash]*list.Element // of *behind
	used list.List
}

// behind is what a model had before it beside the turns of a conversation when it
// answered. Where an answer comes back without it, what the session knows of the
// conversation is not all that may be behind the words.
type behind struct {
	answer hash
	// offer is the key of the tools, outside identifies the material in the frame,
	// and external what the provider brought; zero where there was none.
	offer, outside, external hash
}

// add notes an answer. Of what was behind it the least counts: the model has said
// the same without more.
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

// get returns what is known of an answer; nil where it was not passed on.
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
