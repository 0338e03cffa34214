// Package report shows a compiled policy document for review: its sentences in reading
// order, each with what became of it, and its policies with their rules, tests and
// conflicts.
//
// A [Report] is plain data, for a terminal; [Report.HTML] writes it as one page without
// external resources. Texts of documents and models are escaped, and their invisible
// characters made visible.
package report
