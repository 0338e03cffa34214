package store

import (
	"context"

	"github.com/remit-project/remit/label"
)

// MoreOrigins represents in a resource's label the origins beyond
// [MaxOrigins].
const MoreOrigins = "…"

// Resources are the labels of what tools keep: a file, a note, a memory that
// one session wrote and another reads.
type Resources interface {
	// Lower notes what was written to resources. It only ever lowers: the trust
	// becomes the lesser of both, the origins the union. All of them are
	// lowered, or none.
	Lower(ctx context.Context, l ResourceLabel, list ...Resource) error
	// Labels returns the labels of resources in their order; nil for one of
	// which nothing was ever noted.
	Labels(ctx context.Context, list ...Resource) ([]*ResourceLabel, error)
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
