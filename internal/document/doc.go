// Package document reads policy documents into sentences. Each sentence has a stable identity,
// its headings and lead-ins, and its place in the original, so that a reference to a document
// refers to words of it, and a program can check that they are there ([Document.Find]).
//
// Documents are written by others. Text that a reader of the original doesn't see never becomes a
// sentence: it is left out, and reported as a [Suspicion]. So are sentences that address the
// program or model that processes the document, instead of the people whom it governs. Reading is
// deterministic, needs no program but this one, and is bounded in size, nesting and number of
// sentences.
package document
