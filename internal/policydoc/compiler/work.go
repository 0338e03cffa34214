package compiler

import (
	"cmp"
	"slices"

	"github.com/remit-project/remit/internal/policydoc"
)

// work is what is to be done for a tool: nothing, where no sentence is in focus
// and no policy retires.
type work struct {
	// routed are all sentences about the tool.
	routed []string
	// focus are those in which policies are searched: new ones, and those of
	// policies that are made again.
	focus []string
	// known are the policies that stay, previous those that are made again: their
	// sentences or the tool changed.
	known, previous []shownPolicy
	// anew are the names of the previous ones that are the tool's own, and shared of
	// those that it shares with others.
	anew, shared []string
}

func (w *work) none() bool { return len(w.focus) == 0 && len(w.anew) == 0 && len(w.shared) == 0 }

// work compares what the lock says of a tool with how things are now.
func (c *Compiler) work(corpus *corpus, t *tool, now routing, lock *policydoc.Lock, mapping *policydoc.Mapping, all *sharing) *work {
	w := &work{routed: corpus.sorted(now.to(t.key))}
	made := c.mappingMade(t)
	focus := map[string]bool{}
	for _, id := range w.routed {
		if had, ok := lock.Sentences[id]; !ok || !slices.Contains(had.Tools, t.key) {
			focus[id] = true
		}
	}

	policies := map[string]*policydoc.Policy{}
	if mapping != nil {
		for i := range mapping.Policies {
			policies[mapping.Policies[i].Name] = &mapping.Policies[i]
		}
	}
	whole := c.whole(t, lock, made)
	for name, locked := range lock.Policies[t.key] {
		if len(locked.Tools) > 0 {
			continue // the tools that share it make it again
		}
		lost := slices.ContainsFunc(locked.Sentences, func(id string) bool { return corpus.number[id] == 0 })
		again := whole || lost
		if locked.Mapping == "" || !again {
			continue
		}
		w.anew = append(w.anew, name)
		for _, id := range locked.Sentences {
			// Policies also rest on sentences that are about no tool by themselves.
			if now.about(id, t.key) || !slices.Contains(lock.Sentences[id].Tools, t.key) {
				focus[id] = true
			}
		}
	}

	w.share(all.of(t.key), now, lock, t.key, focus)
	if whole {
		for _, id := range w.routed {
			focus[id] = true
		}
	}
	slices.Sort(w.anew)
	for id := range focus {
		w.focus = append(w.focus, id)
	}
	w.focus = corpus.sorted(w.focus)
	for name, i := range policies {
		p := shownPolicy{Name: name, Description: i.Description}
		if len(i.Tools) > 0 {
			continue
		}
		if slices.Contains(w.anew, name) {
			w.previous = append(w.previous, p)
		} else {
			w.known = append(w.known, p)
		}
	}

	byName := func(a, b shownPolicy) int { return cmp.Compare(a.Name, b.Name) }
	slices.SortFunc(w.previous, byName)
	slices.SortFunc(w.known, byName)
	return w
}

// whole reports whether all of a tool is made again: it is another one, or is back, or a
// model or a prompt is another one.
func (c *Compiler) whole(t *tool, lock *policydoc.Lock, made string) bool {
	had, ok := lock.Tools[t.key]
	if had != t.fingerprint && (ok || len(lock.Policies[t.key]) > 0) {
		return true
	}
	for _, locked := range lock.Policies[t.key] {
		if len(locked.Tools) == 0 && locked.Mapping != "" && locked.Mapping != made {
			return true
		}
	}
	return false
}

// share adds the policies that the tool shares with others: they are known, or made again
// with their sentences in focus.
func (w *work) share(policies []sharedPolicy, now routing, lock *policydoc.Lock, key string, focus map[string]bool) {
	for _, p := range policies {
		shown := shownPolicy{Name: p.name, Description: p.description}
		if !p.again {
			w.known = append(w.known, shown)
			continue
		}
		w.shared, w.previous = append(w.shared, p.name), append(w.previous, shown)
		for _, id := range p.sentences {
			if now.about(id, key) || !slices.Contains(lock.Sentences[id].Tools, key) {
				focus[id] = true
			}
		}
	}
}
