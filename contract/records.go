package contract

import (
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// Records tells where in a structured result its records begin: the lists and
// wrapping objects around them are the service's own, while what is nested in a
// record may be whatever somebody put there ("answers": {"id": …}).
type Records struct {
	marks map[string]mark // by the pointer of an object
}

// mark is what the scalar members of an object say about it.
type mark uint8

const (
	// speaks marks an object with text or an identifier of its own: an object in
	// it is a part of it, and not what it wraps.
	speaks mark = 1 << iota
	// identified marks an object with a name or an identifier of its own: a list
	// in it is a part of it as well.
	identified
)

// envelope are members of the objects that services wrap records in. They name
// no record.
var envelope = setOf(strings.Fields(`status kind object type ok error message code next previous prev cursor next_cursor
	nextCursor prev_cursor next_page nextPage next_page_token nextPageToken sync_token nextSyncToken etag self href url
	version api_version apiVersion timestamp request_id requestId trace_id expand method query jsonrpc
	@odata.context @odata.nextLink`))

// identities are members that name an object.
var identities = setOf(strings.Fields(`id id_ _id uuid guid key sha name title subject slug login email username filename
	number iid`))

// RecordsOf finds the records of a result. Its work is proportional to the
// document's pointers, which have a budget of their own.
func RecordsOf(d *strictjson.Document) *Records {
	r := &Records{marks: map[string]mark{}}
	for _, leaf := range d.Leaves() {
		cut := strings.LastIndexByte(leaf.Pointer, '/')
		if cut < 0 {
			continue
		}
		if m := markOf(leaf, leaf.Pointer[cut+1:]); m != 0 {
			r.marks[leaf.Pointer[:cut]] |= m
		}
	}
	return r
}

func markOf(leaf strictjson.Leaf, name string) mark {
	scalar := (leaf.Kind == strictjson.String && leaf.Text != "") || leaf.Kind == strictjson.Number
	if !scalar || index(name) {
		return 0
	}
	if identities[name] {
		return speaks | identified
	}

	says := leaf.Kind == strictjson.String && !envelope[name]
	if says || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id") {
		return speaks
	}
	return 0
}

// own returns the length of the pointer's part that leads to the record in which
// it stands.
func (r *Records) own(pointer string) int {
	at := 0
	for {
		end := strings.IndexByte(pointer[min(at+1, len(pointer)):], '/')
		if end < 0 {
			return at
		}
		end += at + 1

		// What the member holds shows in the segment after it.
		next, _, _ := strings.Cut(pointer[end+1:], "/")
		ends := speaks
		if index(next) {
			ends = identified
		}
		if r.marks[pointer[:at]]&ends != 0 {
			return at
		}
		at = end
	}
}

// index tells whether a segment may be an index of a list.
func index(segment string) bool {
	for i := range len(segment) {
		if segment[i] < '0' || segment[i] > '9' {
			return false
		}
	}
	return segment != ""
}
