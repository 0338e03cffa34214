package store

import (
	"context"

	"github.com/remit-project/remit/label"
)

// MoreOrigins stands in a resource's label for the origins beyond
// [MaxOrigins].
const MoreOrigins = "…"

// Resources are the labels of what tools keep: a file, a note, a memory that
// one session wrote and another reads.
type Resources interface {
	// Lower notes what was written to a resource. It only ever lowers: the
	// trust becomes the lesser of both, the origins the union. It returns the
	// label that the resource has then.
	Lower(ctx context.Context, r Resource, l ResourceLabel) (ResourceLabel, error)
	// Label returns a resource's label; false when nothing was ever noted.
	Label(ctx context.Context, r Resource) (ResourceLabel, bool, error)
}

// Resource names something that tools of one server keep.
type Resource struct {
	// Server is the server, and Family what its tools share: "file", "note".
	Server, Family string
	// ID is the resource's own id: a path, a key.
	ID string
}

// ResourceLabel is what is known about a resource's content.
type ResourceLabel struct {
	Trust label.Trust `json:"trust"`
	// Origins name where it came from, sorted, at most [MaxOrigins] and
	// [MoreOrigins].
	Origins []string `json:"origins,omitempty"`
}
