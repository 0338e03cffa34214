// Package policydoc ties a policy document to the tools of an agent: which
// sentences ask what of the calls of which tool. People review it sentence by
// sentence, and guards are made from it.
//
// It holds the mapping as files: one YAML file a tool, which people edit,
// unmapped.yaml for the sentences that no policy refers to, and policy.lock,
// which knows what came from what. How the mapping is found is the matter of
// package compiler, how rules are made of it that of package generation.
//
// The mapping follows the ToolGuard paper (arXiv 2507.16459): for each tool,
// policies with verbatim references and examples in words.
package policydoc
