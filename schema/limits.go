package schema

// Limits on the cost of one catalogue. Its server is not trusted, so every loop in
// this package ends at one of these limits.
const (
	// MaxDocument is the maximum size of a document in bytes. The largest public
	// OpenAPI documents (GitHub, Stripe, parts of Microsoft Graph) are smaller.
	MaxDocument = 16 << 20
	// MaxTools is the maximum number of tools in one catalogue. A model's context
	// is full long before.
	MaxTools = 4096
	// MaxDepth is the maximum depth of schemas after following references; deeper
	// schemas become open nodes.
	MaxDepth = 32
	// maxNesting is the maximum depth of the document. A level of schemas takes at
	// most three levels of JSON, and an OpenAPI document adds a few.
	maxNesting = 256
	// maxValues is the maximum number of JSON values in one document. It limits
	// memory: 16 MiB of "[0,0,0…" would otherwise take fifty times as much.
	maxValues = 1 << 20
	// maxToolNodes is the number of nodes from which references in one tool's
	// schemas are no longer followed: mutually recursive definitions multiply, and
	// no reviewer reads that much.
	maxToolNodes = 4_000
	// maxNodes is the maximum number of nodes of all tools, about 120 MB. A
	// thousand operations whose responses have four hundred places each need fewer.
	maxNodes = 400_000
	// maxRecursion is how often a definition is followed inside itself: once, so
	// that the children of a tree are described and their children are open.
	maxRecursion = 1
	// maxName is the maximum length of a tool's or argument's name in bytes. MCP
	// recommends 128; OpenAPI names derived from paths need more.
	maxName = 512
	// maxText is the maximum length of any other string in a node.
	maxText = 256 << 10
	// maxEnum is the maximum number of members of an enumeration or list of
	// examples.
	maxEnum = 20_000
	// maxShared is the maximum number of references from operations of an OpenAPI
	// document to definitions, counted once per operation. Large documents have a
	// thousand operations with some hundred definitions each.
	maxShared = 5_000_000
	// maxErrors is the maximum number of reported mistakes.
	maxErrors = 20
)
