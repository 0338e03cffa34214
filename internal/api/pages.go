package api

import "encoding/json"

// pageBytes bounds a page of events or decisions, in bytes: what is said of a call is many times
// its size. A page has one of them at least.
const pageBytes = 4 << 20

// written is a list whose members are written as they come, so that their size is known.
type written struct {
	list []json.RawMessage
	size int
}

// add writes one member more.
func (w *written) add(v any) error {
	data, err := encode(v)
	w.list, w.size = append(w.list, json.RawMessage(data)), w.size+len(data)
	return err
}

// ends reports whether the list is as long as a page may be.
func (w *written) ends(limit int) bool { return len(w.list) >= limit || w.size >= pageBytes }
