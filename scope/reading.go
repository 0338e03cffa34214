package scope

// Reading is the shape of a tool's results that no serializer is proven to have written: the
// author of a value in one may have written a record. A person may agree to have the tool's
// results of this very shape read as fields. That says who wrote the format, never who wrote a
// record, so such a result counts for less.
type Reading struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	Format string `json:"format"`
	// Shape is the same for results with the same fields in the same order and places.
	Shape string `json:"shape"`
	// Call is set where the person was shown all of the result of this call: until the user's next
	// turn it counts as any with fields, for calls that can be taken back. Empty for all results
	// of the shape.
	Call string `json:"call,omitempty"`
}
