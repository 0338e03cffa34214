// Package policydoc keeps what a policy document was compiled into: the mapping, which
// says what the document's sentences ask of the calls of each tool, and the guards that
// were made of it. People review and edit both.
//
// A [Directory] has one mapping file and one guard file for each tool; unmapped.yaml,
// for the sentences that no policy refers to; and policy.lock, which records what was
// made of what. Package compiler finds the mapping, package generation makes the rules.
//
// The mapping follows the ToolGuard paper (arXiv 2507.16459): for each tool,
// policies with verbatim references and examples in words.
package policydoc
