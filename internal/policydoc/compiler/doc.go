// Package compiler compiles a policy document: it finds the document's policies for the
// tools of an agent, and has a rule made for each.
//
// It works in stages. Each asks a model one kind of question:
//
//	route     which tools a sentence has something to say about
//	find      the policies of a tool in its sentences
//	refine    what is one policy, and what are several
//	review    which of them a program can enforce; the others are archived
//	ground    exactly the sentences that each rests on
//	examples  calls that keep to it and calls that don't, in words
//	reflect   what is missing, wrong or too much
//
// Package generation has the following stages, for each policy. Models name sentences by
// number: a reference is always the document's own text.
//
// The lock records what became of each sentence, so that a later run asks only about
// changes: new sentences, and policies whose sentences or tool changed. The number of
// questions grows with the sentences and the tools, not with their product;
// [Compiler.Plan] counts them in advance.
package compiler
