// Package report shows people what a policy document was made into: its sentences
// in reading order, each with what became of it, and its policies with their rules,
// tests and open questions.
//
// A [Report] is plain data, for a terminal; [Report.HTML] writes it as one page that
// needs nothing else. Text of documents and models is shown, and nothing more: it is
// escaped, and what is invisible in it is made visible.
package report
