// Package schema brings the catalogues of tools that exist in the field, MCP
// tools/list results, OpenAI function lists and OpenAPI 3.0/3.1 documents,
// into one form, and gives every tool definition a fingerprint.
//
// Catalogues come from servers that nobody has vouched for: sizes, depths and
// counts are bounded, references cannot leave their document or recurse
// without end, and nothing in a catalogue is believed, only described.
package schema

// Catalogue is a list of tools that one server offers.
type Catalogue struct {
	// Server names the server; contracts are kept by it.
	Server string
	Tools  []Tool
}

// Tool is the definition of one tool.
type Tool struct {
	Name        string
	Title       string
	Description string
	// Input describes the arguments; it is always an object.
	Input *Node
	// Output describes the structured result; nil when the server doesn't say.
	Output *Node
	// Annotations are the server's own hints (MCP). They come from a party
	// that nobody has vouched for: use them to be stricter, never to be laxer.
	Annotations Annotations
	// Fingerprint is "sha256:" and the digest of the definition in canonical
	// form: it changes exactly when something that a model or a contract could
	// depend on changes.
	Fingerprint string
}

// Annotations are MCP tool annotations; nil means that the server doesn't say.
type Annotations struct {
	ReadOnly, Destructive, Idempotent, OpenWorld *bool
}

// Node is one place in a schema, with references resolved.
type Node struct {
	// Types are the JSON types that are accepted here: "object", "array",
	// "string", "number", "integer", "boolean". Empty means any. A union with
	// null is Nullable and not listed.
	Types    []string
	Nullable bool

	Title       string
	Description string
	Format      string
	Pattern     string
	// Enum lists the accepted values as JSON text, for example `"rw"` or `3`.
	// A const is an enumeration of one.
	Enum []string
	// Default and Examples are JSON text.
	Default  string
	Examples []string

	// Properties are the members of an object, in the order of the source.
	Properties []Property
	// Additional describes members that Properties doesn't list; nil when
	// they are not described. Open tells whether they are accepted: true only
	// when the source says so explicitly (additionalProperties true or a
	// schema, patternProperties) or describes an object without any
	// properties.
	Additional *Node
	Open       bool
	// Items describes the elements of an array; nil when the source doesn't say.
	Items *Node
	// Alternatives are the branches of oneOf and anyOf that remain after a
	// null branch has become Nullable and a single remaining branch has been
	// merged into this node. allOf is merged.
	Alternatives []*Node
	// Cut tells that the source goes on where this description ends, because
	// a definition refers to itself or a bound was reached. A cut node is open.
	Cut bool

	// openness is what the source says about members that it doesn't list;
	// Open follows from it when all parts of a schema have been merged.
	openness openness

	// What follows is what [Node.Check] needs beyond the description.

	// low and high are the range of numbers.
	low, high limit
	// needed are required members that were not listed where they were
	// required: they stand beside a reference, or in a branch.
	needed []string
	// forms are the alternatives as the source has them, one list for each anyOf
	// and oneOf: a value fits one branch of each. Branches that describe nothing
	// are in them, conditional ones are not.
	forms [][]*Node
	// closed tells that this part of the schema itself excludes unlisted members.
	// openness says the same of branches below such a part.
	closed bool
}

// openness is what a source says about unlisted members of an object.
type openness uint8

const (
	unsaid openness = iota
	explicitlyOpen
	explicitlyClosed
)

// Property is one named member of an object.
type Property struct {
	Name     string
	Required bool
	Node     *Node
}

// Leaf is a place in a tool's input at which a value can stand.
type Leaf struct {
	// Pattern is a JSON pointer (RFC 6901) with "*" for list elements and for
	// members that are accepted but not listed.
	Pattern  string
	Name     string
	Required bool
	Node     *Node
	// Path are the nodes from the tool's input down to Node, both included.
	Path []*Node
}
