package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
)

// PolicyOptions locate the parts of a policy data set. [Policy] searches for the
// parts left out.
type PolicyOptions struct {
	// Document is the policy document, Truth the ground truth, and Compiled the
	// directory of files compiled from the document.
	Document, Truth, Compiled string
	// TruthCompiled is a directory of guards generated from the ground truth, to
	// be measured as well.
	TruthCompiled string
	// Records are files, and directories of records*.jsonl, with what further look-ups find. Of
	// conversations they count before what cases and DIR have, of a case after what it gives and
	// what its history has.
	Records []string
	// Judge answers what words don't settle; nil measures without a judge alone.
	Judge guard.Judge
	// Deployment holds the tools with their contracts. Without any, guards are
	// not measured.
	Deployment guard.Deployment
}

// PolicyReport says how well a policy document was compiled: whether the mapping
// matches the ground truth, and whether the guards decide its tests. Unmeasured
// parts are nil, and Notes say why.
type PolicyReport struct {
	// Document is the file that was read.
	Document string
	Mapping  *MappingReport
	// Guards are the guards of the compiled mapping, TruthGuards those generated
	// from the ground truth.
	Guards, TruthGuards *GuardReport
	// JudgedGuards are Guards with the judge.
	JudgedGuards *GuardReport
	Notes        []string

	find quoted // in the document; nil without one
}

// Policy measures what was compiled of the policy document in a directory:
//
//   - the document is the one in DIR, or --document
//   - the ground truth is in DIR/ground_truth*.json
//   - the tests are in DIR/cases*.json; what guards look up is given there, or
//     comes from the records of τ-bench's airline, where DIR has them, or from
//     what tools returned before, or is in DIR/records*.jsonl or in --records
//   - conversations are in DIR/conversations*.jsonl, and what their look-ups find is
//     given by any case, in DIR/records*.jsonl, or in --records
//   - the compiled files are in DIR, or in DIR/policy
//
// The measures are those of the ToolGuard paper (arXiv 2507.16459), as its
// authors' programs compute them, and some beside them: see [MappingRates] and
// [GuardRates].
func Policy(ctx context.Context, dir string, o PolicyOptions) (*PolicyReport, error) {
	r := &PolicyReport{}
	compiled, err := findCompiled(dir, o.Compiled)
	if err != nil {
		return nil, err
	}
	truth, err := findTruth(dir, o.Truth)
	if err != nil {
		return nil, err
	}
	if truth == nil {
		r.note("the mapping is not measured: there is no ground_truth*.json in %s; give --truth FILE", dir)
	} else if err := r.compare(dir, o.Document, truth, compiled); err != nil {
		return nil, err
	}
	return r, r.guards(ctx, dir, o, truth, compiled)
}

func (r *PolicyReport) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// compare measures the mapping.
func (r *PolicyReport) compare(dir, name string, truth *policyTruth, compiled *policydoc.Directory) error {
	mappings, err := mappingsOf(compiled)
	if err != nil {
		return err
	}
	if len(mappings) == 0 {
		r.note("the mapping is not measured: there are no mapping files beside the guards")
		return nil
	}
	called := ""

	if compiled.Lock != nil {
		called = compiled.Lock.Document.Name
	}
	doc, from, err := findDocument(dir, name, called)
	if err != nil || doc == nil {
		if err == nil {
			r.note("the mapping is not measured: there is no policy document in %s; give --document FILE", dir)
		}
		return err
	}

	r.Document, r.find = from, sentencesIn(doc)
	r.Mapping = compareMappings(truth, mappings, r.find)
	if r.Mapping.References == nil {
		r.note("references is not measured: the mapping and the truth have no two sentences in common for any tool")
	}
	return nil
}

// sentencesIn returns the finder of quotations in a document. Sentences with the
// same words are the same: a quotation doesn't distinguish them.
func sentencesIn(doc *document.Document) quoted {
	return func(quotation string) ([]string, bool) {
		q, ok := doc.Find(quotation)
		if !ok {
			return nil, false
		}
		var out []string
		for _, s := range q.Sentences {
			if s.Kind != document.Heading {
				out = append(out, s.Text)
			}
		}
		return out, true
	}
}

// guards measures the guards.
func (r *PolicyReport) guards(ctx context.Context, dir string, o PolicyOptions, truth *policyTruth, compiled *policydoc.Directory) error {
	if len(o.Deployment.Tools) == 0 {
		r.note("guards are not measured: there is no tools*.json in %s; give --tools FILE", dir)
		return nil
	}
	rig := &guardRig{scope: o.Deployment}

	cases, err := readCases(dir)
	switch {
	case errors.Is(err, errNotFound):
		r.note("tpr is not measured: there is no cases*.json in %s", dir)
	case err != nil:
		return err
	case hasRecords(dir):
		if rig.airline, err = newAirline(dir); err != nil {
			return err
		}
	}

	r.Notes = append(r.Notes, checkCases(dir, cases, truth, o.Deployment)...)
	conversations, err := readConversations(dir)
	if err != nil {
		return err
	}
	if rig.records, err = readRecords(dir, nil, o.Records); err != nil {
		return err
	}
	found, err := readRecords(dir, cases, o.Records)
	if err != nil {
		return err
	}

	var known []string
	if truth != nil {
		known = truth.tools()
	}
	measure := func(d *policydoc.Directory, what string, judge guard.Judge) (*GuardReport, error) {
		rig.judge = judge
		files, err := guardsOf(d)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			r.note("the guards %s are not measured: there are none", what)
			return nil, nil
		}
		m, err := newGuardMeasure(rig, files, known)
		if err != nil {
			return nil, err
		}
		if err := m.know(d, truth, r.find); err != nil {
			return nil, err
		}
		if err := errors.Join(m.decide(ctx, cases), m.playConversations(ctx, conversations, found), m.mutate(ctx)); err != nil {
			return nil, err
		}
		r.noteGuards(m.report, what)
		return m.report, nil
	}

	if r.Guards, err = measure(compiled, "of the mapping", nil); err != nil {
		return err
	}
	if o.Judge != nil {
		if r.JudgedGuards, err = measure(compiled, "of the mapping, with the judge", o.Judge); err != nil {
			return err
		}
	}
	if o.TruthCompiled == "" {
		return nil
	}
	other, err := findCompiled(o.TruthCompiled, o.TruthCompiled)
	if err != nil {
		return err
	}
	r.TruthGuards, err = measure(other, "of the ground truth", nil)
	return err
}

func (r *PolicyReport) noteGuards(g *GuardReport, what string) {
	if len(g.Mistakes) > 0 {
		r.note("the guards %s have %d mistakes, such as %s", what, len(g.Mistakes), g.Mistakes[0])
	}
	if g.Killed+g.Survived == 0 {
		r.note("mutation_score of the guards %s is not measured: no rule with passing examples has a mutant", what)
	}
	if g.All.TPR.Of > 0 && g.Truth.TPR.Of == 0 {
		r.note("tpr of the guards %s is not measured: no forbidden case is about a tool of the ground truth", what)
	}
}

// WriteMapping writes a directory's ground truth as a compiled mapping, from
// which guards can be generated. The truth is DIR/ground_truth*.json, or the
// given file.
func WriteMapping(dir, truth, out string) error {
	t, err := findTruth(dir, truth)
	if err != nil {
		return err
	}
	if t == nil {
		return fmt.Errorf("there is no ground_truth*.json in %s: give --truth FILE", dir)
	}
	return writeMappings(out, t.mappings())
}

// MarshalJSON implements [json.Marshaler]; see [Rate] for the members of rates.
func (r PolicyReport) MarshalJSON() ([]byte, error) {
	o := object{"document": r.Document, "notes": list(r.Notes), "precision": nil, "recall": nil, "f1": nil, "references": nil, "mapping": nil}
	if m := r.Mapping; m != nil {
		m.MappingRates.put(o)
		o["mapping"] = m.object()
	}

	r.Guards.put(o)
	o["judged"] = nil
	if r.JudgedGuards != nil {
		judged := object{}
		r.JudgedGuards.put(judged)
		o["judged"] = judged
	}
	o["ground_truth_mapping"] = nil
	if r.TruthGuards != nil {
		truth := object{}
		r.TruthGuards.put(truth)
		o["ground_truth_mapping"] = truth
	}
	return json.Marshal(o)
}
