package contract

import (
	"iter"
	"strings"
)

// Records locates the records of a structured result. The service itself creates
// the lists and wrapping objects around a record, whereas an object nested in a
// record may come from a third party ("answers": {"id": …}).
type Records struct {
	marks map[string]mark // by the pointer of an object
	lists map[string]bool // by the pointer of a list
}

// mark describes an object by its scalar members.
type mark uint8

const (
	// speaks is set if the object has text or an identifier of its own: an object
	// in it is then a part of it, and not a wrapped record.
	speaks mark = 1 << iota
	// identified is set if the object has a name or an identifier of its own: a
	// list in it is then also a part of it.
	identified
)

// envelope lists members of the objects in which services wrap records. They don't
// identify a record.
var envelope = setOf(strings.Fields(`status kind object type ok error message code next previous prev cursor next_cursor
	nextCursor prev_cursor next_page nextPage next_page_token nextPageToken sync_token nextSyncToken etag self href url
	version api_version apiVersion timestamp request_id requestId trace_id expand method query jsonrpc
	@odata.context @odata.nextLink`))

// identities lists members that identify an object.
var identities = setOf(strings.Fields(`id id_ _id uuid guid key sha name title subject slug login email username filename
	number iid`))

// Scalar is a text or a number in a result.
type Scalar struct {
	// Pointer is the place of the value (RFC 6901).
	Pointer string
	Text    string
	// Number reports whether the value is a number.
	Number bool
	// Indexes has bit i set where segment i of the pointer is the index of an element.
	Indexes uint64
}

// RecordsOf locates the records of a result by its texts and numbers. Its cost is
// proportional to the total length of their pointers.
func RecordsOf(scalars iter.Seq[Scalar]) *Records {
	r := &Records{marks: map[string]mark{}, lists: map[string]bool{}}
	for s := range scalars {
		cut := strings.LastIndexByte(s.Pointer, '/')
		if cut < 0 {
			continue
		}
		r.addLists(s)
		if m := markOf(s, s.Pointer[cut+1:]); m != 0 && !r.lists[s.Pointer[:cut]] {
			r.marks[s.Pointer[:cut]] |= m
		}
	}
	return r
}

// addLists keeps the lists that a value is in.
func (r *Records) addLists(s Scalar) {
	for at, left := 0, s.Indexes; left != 0 && at < len(s.Pointer); left >>= 1 {
		if left&1 != 0 {
			r.lists[s.Pointer[:at]] = true
		}
		at = segmentEnd(s.Pointer, at)
	}
}

func markOf(s Scalar, name string) mark {
	if s.Text == "" {
		return 0
	}
	if identities[name] {
		return speaks | identified
	}

	says := !s.Number && !envelope[name]
	if says || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id") {
		return speaks
	}
	return 0
}

// own returns the length of the part of a pointer that leads to the record with the
// value.
func (r *Records) own(pointer string) int {
	at := 0
	for {
		end := strings.IndexByte(pointer[min(at+1, len(pointer)):], '/')
		if end < 0 {
			return at
		}
		end += at + 1

		// What isn't known to be a list may be an object, whatever its members are called.
		ends := speaks
		if r.lists[pointer[:end]] {
			ends = identified
		}
		if r.marks[pointer[:at]]&ends != 0 {
			return at
		}
		at = end
	}
}
