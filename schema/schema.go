// Package schema parses tool catalogues (MCP tools/list results, OpenAI function
// lists and OpenAPI 3.0 and 3.1 documents) to one representation and computes a
// fingerprint of every tool definition.
//
// Catalogues come from untrusted servers: sizes, depths and counts are limited,
// references can't leave their document or recurse without end, and the claims of a
// catalogue are described but not believed.
package schema

// Catalogue is the list of tools that one server offers.
type Catalogue struct {
	// Server is the name of the server; contracts refer to it.
	Server string
	Tools  []Tool
}

// Tool is the definition of one tool.
type Tool struct {
	Name        string
	Title       string
	Description string
	// Input describes the arguments. It is always an object.
	Input *Node
	// Output describes the structured result; nil if the server doesn't describe
	// it.
	Output *Node
	// Annotations are the server's own hints (MCP). The server is not trusted: use
	// them to be stricter, never to be laxer.
	Annotations Annotations
	// Fingerprint is "sha256:" and a digest of the definition in canonical form. It
	// changes exactly if something changes that a model or a contract could depend
	// on.
	Fingerprint string
}

// Annotations are MCP tool annotations; nil if the server doesn't set them.
type Annotations struct {
	ReadOnly, Destructive, Idempotent, OpenWorld *bool
}

// Node is one place in a schema, with references resolved.
type Node struct {
	// Types are the accepted JSON types: "object", "array", "string", "number",
	// "integer", "boolean". Empty means any. A union with null sets Nullable
	// instead.
	Types    []string
	Nullable bool

	Title       string
	Description string
	Format      string
	Pattern     string
	// Enum lists the accepted values as JSON text, for example `"rw"` or `3`. A
	// const is an enumeration with one member.
	Enum []string
	// Default and Examples are JSON text.
	Default  string
	Examples []string

	// Properties are the members of an object, in the order of the source.
	Properties []Property
	// Additional describes members that Properties doesn't list; nil if they have
	// no description. Open reports whether they are accepted: only if the source
	// explicitly says so (additionalProperties true or a schema, patternProperties)
	// or describes an object without any properties.
	Additional *Node
	Open       bool
	// Items describes the elements of an array; nil if the source doesn't.
	Items *Node
	// Alternatives are the branches of oneOf and anyOf that remain after a null
	// branch has become Nullable and a single remaining branch has been merged into
	// this node. allOf is merged.
	Alternatives []*Node
	// Cut is set if the description ends before the source does, because a
	// definition refers to itself or a limit was reached. A cut node is open.
	Cut bool

	// openness is the source's rule for members that it doesn't list. Open follows
	// from it after all parts of a schema are merged.
	openness openness

	// The fields below are for [Node.Check].

	// low and high limit the range of numbers.
	low, high limit
	// needed lists required members that the requiring schema itself doesn't list: it is beside a
	// reference, or in a branch.
	needed []string
	// forms are the alternatives as in the source, one list per anyOf and oneOf: a
	// value must match one branch of each. They include branches that describe
	// nothing and exclude conditional branches.
	forms [][]*Node
	// closed is set if this part of the schema itself excludes unlisted members.
	// openness also covers branches below such a part.
	closed bool
}

// openness is the source's rule for unlisted members of an object.
type openness uint8

const (
	unsaid openness = iota
	explicitlyOpen
	explicitlyClosed
)

// Property is a named member of an object.
type Property struct {
	Name     string
	Required bool
	Node     *Node
}

// Leaf is a place in a tool's input that can hold a value.
type Leaf struct {
	// Pattern is a JSON pointer (RFC 6901) with "*" for list elements and for
	// accepted members that are not listed.
	Pattern  string
	Name     string
	Required bool
	Node     *Node
	// Path lists the nodes from the tool's input to Node, including both.
	Path []*Node
}
