// Package compiler finds the policies of a document for the tools of an agent,
// and has rules made of them.
//
// It works in stages, each a kind of question to a model:
//
//	route     which tools a sentence has something to say about
//	find      the policies of a tool in its sentences
//	refine    what is one policy, and what are several
//	review    which of them a program can enforce; the others are archived
//	ground    exactly the sentences that each rests on
//	examples  calls that keep to it and calls that don't, in words
//	reflect   what is missing, wrong or too much
//
// Package generation has the stages that follow for each policy. What a model
// says of sentences are numbers: a reference is always the document's own text.
//
// A lock knows what came of each sentence, so that a later run asks only about
// what changed: a sentence that is new, policies whose sentences or tool changed.
// The number of questions grows with sentences and tools, not with their product;
// [Compiler.Plan] counts them before any is asked.
package compiler
