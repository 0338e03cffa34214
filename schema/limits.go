package schema

// Bounds on what one catalogue may cost. A server that nobody has vouched for
// writes these documents, so every loop in this package ends at one of them.
const (
	// MaxDocument is the size of a whole document in bytes. The largest public
	// OpenAPI documents (GitHub, Stripe, Microsoft Graph's parts) stay below it.
	MaxDocument = 16 << 20
	// MaxTools is the number of tools in one catalogue; a model's context ends
	// long before it.
	MaxTools = 4096
	// MaxDepth is how deeply schemas may nest, references followed; what lies
	// deeper becomes an open node.
	MaxDepth = 32
	// maxNesting is how deeply the document itself may nest. A schema level
	// costs at most three levels of JSON, and an OpenAPI document adds a few.
	maxNesting = 256
	// maxValues is the number of JSON values in one document: it bounds memory,
	// which 16 MiB of "[0,0,0…" would otherwise multiply by fifty.
	maxValues = 1 << 20
	// maxToolNodes is where references in one tool's schemas stop being
	// followed: mutually recursive definitions multiply, and a reviewer reads
	// nothing of that size.
	maxToolNodes = 4_000
	// maxNodes is the number of nodes of all tools together, about 120 MB. A thousand
	// operations with responses of four hundred places each stay below it.
	maxNodes = 400_000
	// maxRecursion is how often a definition is followed inside itself: once,
	// so that a tree's children are described and their children are open.
	maxRecursion = 1
	// maxName is the length of a tool's or argument's name in bytes. MCP
	// recommends 128; file paths as OpenAPI names need more.
	maxName = 512
	// maxText is the length of any other string that is kept in a node.
	maxText = 256 << 10
	// maxEnum is the number of members of one enumeration or example list.
	maxEnum = 20_000
	// maxShared is how many definitions the operations of an OpenAPI document
	// may refer to, each counted once an operation. Large documents have a
	// thousand operations with some hundred definitions each.
	maxShared = 5_000_000
	// maxErrors is how many mistakes are reported before giving up.
	maxErrors = 20
)
