package guard

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/strictjson"
)

// outcome is what a result says about what its call did.
type outcome int

const (
	// done is the outcome of every result that reports no failure.
	done outcome = iota
	// doubtful calls may have changed something: they were lost, timed out, or failed in part.
	doubtful
	// failed calls changed nothing.
	failed
)

var (
	// failing are the first words of a result that reports a failure.
	failing = []string{"error", "failed", "failure", "exception", "traceback", "invalid", "unauthorized", "forbidden"}
	// unsure are words after which something may have happened all the same.
	unsure = append([]string{"unable", "cannot", "can't", "couldn't", "timeout", "timed", "unavailable", "declined", "rejected", "refused", "fehler", "erreur"}, failing...)
	// flagged are words that make a failed call doubtful: it may have run.
	flagged = []string{"timeout", "timed", "partial", "partially", "pending", "unknown", "lost"}
	// errorMembers are the members of a result that report an error, in lower case, and nothing what they
	// hold where there is none.
	errorMembers = []string{"error", "iserror", "is_error"}
	nothing      = []string{"false", "null", "0", `""`, "[]", "{}", `"none"`, `"ok"`}
)

// outcome returns the outcome of a result. Without Failed, any text in it that reports a failure makes it doubtful.
func (r *Result) outcome() outcome {
	told, doc := r.told()
	marked := r != nil && r.Failed != nil
	if !marked && told == done && doc != nil && tells(doc, failed) {
		return doubtful
	}
	return told
}

// failed reports whether a result clearly says that its call changed nothing.
func (r *Result) failed() bool {
	told, _ := r.told()
	return told == failed
}

// told reads a result by Failed or, if that is nil, by its text or members. A text that contradicts Failed makes
// the outcome doubtful. It also returns the parsed result, or nil for a text.
func (r *Result) told() (outcome, *strictjson.Document) {
	if r == nil {
		return doubtful, nil
	}
	doc, text := r.parse()
	told := outcomeInWords(text)
	if doc != nil {
		told = outcomeIn(doc)
	}
	switch {
	case r.Failed == nil:
		return told, doc
	case *r.Failed && !r.mayHaveRun(doc):
		return failed, doc
	case *r.Failed, told == failed:
		return doubtful, doc
	}
	return done, doc
}

// parse returns a result as a document, or its text if it isn't one.
func (r *Result) parse() (doc *strictjson.Document, text string) {
	doc, err := strictjson.Parse(content(r), strictjson.OutputLimits())
	if err != nil {
		return nil, r.Content
	}
	if root := doc.Root(); root.Kind() == strictjson.String {
		return nil, root.Text()
	}
	return doc, ""
}

// mayHaveRun reports whether a result says that a failed call may have done something.
func (r *Result) mayHaveRun(doc *strictjson.Document) bool {
	if doc == nil {
		return hasWord(r.Content, flagged)
	}
	return slices.ContainsFunc(doc.Leaves(), func(l strictjson.Leaf) bool { return affirms(l) || hasWord(l.Text, flagged) })
}

// affirms reports whether a leaf says that something was done.
func affirms(l strictjson.Leaf) bool {
	name := strings.ToLower(l.Pointer[strings.LastIndexByte(l.Pointer, '/')+1:])
	return l.Kind == strictjson.Bool && l.Text == "true" && !slices.Contains(errorMembers, name)
}

// outcomeIn reads a document by its top-level members. An error is doubtful if the document also says that
// something was done.
func outcomeIn(doc *strictjson.Document) outcome {
	out := done
	for name, m := range doc.Root().Members() {
		out = max(out, outcomeOf(strings.ToLower(name), m))
	}
	if out == failed && (tells(doc, doubtful) || slices.ContainsFunc(doc.Leaves(), affirms)) {
		return doubtful
	}
	return out
}

// outcomeOf reads one member of a result.
func outcomeOf(name string, m strictjson.Value) outcome {
	raw := string(m.Raw())
	switch {
	case slices.Contains(errorMembers, name) && !slices.Contains(nothing, strings.ToLower(raw)):
		return failed
	case name == "errors" && !slices.Contains(nothing, raw):
		return doubtful // of several, some may have been done
	case (name == "ok" || name == "success") && raw == "false":
		return failed
	case name == "status":
		return outcomeInWords(m.Text())
	}
	return done
}

// tells reports whether a text in a document tells of an outcome.
func tells(doc *strictjson.Document, want outcome) bool {
	return slices.ContainsFunc(doc.Leaves(), func(l strictjson.Leaf) bool { return outcomeInWords(l.Text) == want })
}

func outcomeInWords(text string) outcome {
	words := mention.NewText(cut(text, MaxShown)).Words()
	switch {
	case len(words) > 0 && slices.Contains(failing, words[0]):
		return failed
	case hasWord(text, unsure):
		return doubtful
	}
	return done
}

// hasWord reports whether the beginning of a text has one of some words.
func hasWord(text string, of []string) bool {
	return slices.ContainsFunc(mention.NewText(cut(text, MaxShown)).Words(), func(w string) bool { return slices.Contains(of, w) })
}
