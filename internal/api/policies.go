package api

import (
	"context"

	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/change"
	"github.com/remit-project/remit/internal/policydoc/desk"
	"github.com/remit-project/remit/internal/policydoc/report"
	"github.com/remit-project/remit/label"
)

// policiesForm is what became of a policy document, as callers see it.
type policiesForm struct {
	Document struct {
		Name   string `json:"name"`
		Digest string `json:"digest"`
	} `json:"document"`
	Compiled   bool             `json:"compiled"`
	Changed    bool             `json:"changed"`
	Mistakes   []string         `json:"mistakes"`
	Coverage   []report.Covered `json:"coverage"`
	Sentences  []sentenceForm   `json:"sentences"`
	Suspicions []suspicionForm  `json:"suspicions"`
	Questions  []questionForm   `json:"questions"`
	Policies   []policyForm     `json:"policies"`
}

type sentenceForm struct {
	ID         string          `json:"id"`
	Text       string          `json:"text"`
	Place      string          `json:"place,omitempty"`
	State      report.State    `json:"state,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Suspicious bool            `json:"suspicious,omitempty"`
	New        bool            `json:"new,omitempty"`
	Policies   []policyRefForm `json:"policies,omitempty"`
}

type policyRefForm struct {
	Tool   string       `json:"tool"`
	Policy string       `json:"policy"`
	State  report.State `json:"state"`
}

type suspicionForm struct {
	Kind     string `json:"kind"`
	Text     string `json:"text"`
	Why      string `json:"why"`
	Sentence string `json:"sentence,omitempty"`
}

type questionForm struct {
	policyRefForm
	Kind report.QuestionKind `json:"kind"`
	Why  string              `json:"why,omitempty"`
}

type policyForm struct {
	policyRefForm
	Status      policydoc.Status `json:"status,omitempty"`
	Digest      string           `json:"digest,omitempty"`
	Description string           `json:"description"`
	Reason      string           `json:"reason,omitempty"`
	Tools       []string         `json:"tools,omitempty"`
	References  []referenceForm  `json:"references"`
	Compliance  []exampleForm    `json:"compliance_examples"`
	Violations  []exampleForm    `json:"violation_examples"`
	Rule        *ruleForm        `json:"rule,omitempty"`
	Conflicts   []conflictForm   `json:"conflicts"`
}

type referenceForm struct {
	Text      string   `json:"text"`
	Sentences []string `json:"sentences"`
}

type exampleForm struct {
	Text   string `json:"text"`
	Tested bool   `json:"tested"`
	Reason string `json:"reason,omitempty"`
}

type ruleForm struct {
	Place     string         `json:"place"`
	Variables []variableForm `json:"variables"`
	Require   string         `json:"require,omitempty"`
	Message   string         `json:"message"`
	Otherwise label.Verdict  `json:"otherwise"`
	Remarks   []string       `json:"remarks"`
	Broken    bool           `json:"broken,omitempty"`
	Tests     []testForm     `json:"tests"`
}

type variableForm struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type testForm struct {
	Name   string        `json:"name"`
	Want   label.Verdict `json:"want"`
	Got    label.Verdict `json:"got,omitempty"`
	Passed bool          `json:"passed"`
	Failed string        `json:"failed,omitempty"`
}

type conflictForm struct {
	Field  string `json:"field"`
	Mine   string `json:"mine"`
	Theirs string `json:"theirs"`
}

func refForm(r report.PolicyRef) policyRefForm { return policyRefForm{r.Tool, r.Name, r.State} }

// reportForm returns a report as callers see it.
func reportForm(r *report.Report) policiesForm {
	out := policiesForm{Compiled: r.Compiled, Changed: r.Changed, Mistakes: append([]string{}, r.Mistakes...), Coverage: r.Coverage,
		Sentences: []sentenceForm{}, Suspicions: []suspicionForm{}, Questions: []questionForm{}, Policies: []policyForm{}}
	out.Document.Name, out.Document.Digest = r.Name, r.Digest
	for _, s := range r.Sentences {
		f := sentenceForm{
			ID: s.ID, Text: s.Text, Place: s.Place.String(), State: s.State, Reason: s.Reason,
			Suspicious: s.Suspicious, New: s.New,
		}
		for _, p := range s.Policies {
			f.Policies = append(f.Policies, refForm(p))
		}
		out.Sentences = append(out.Sentences, f)
	}
	for _, s := range r.Suspicions {
		out.Suspicions = append(out.Suspicions, suspicionForm{string(s.Kind), s.Text, s.Why, s.Sentence})
	}
	for _, q := range r.Questions() {
		out.Questions = append(out.Questions, questionForm{refForm(q.PolicyRef), q.Kind, q.Why})
	}

	for _, t := range r.Tools {
		for _, p := range t.Policies {
			out.Policies = append(out.Policies, formOfPolicy(p))
		}
	}
	return out
}

func formOfPolicy(p *report.Policy) policyForm {
	out := policyForm{policyRefForm: refForm(p.PolicyRef), Status: p.Status, Digest: p.Digest, Description: p.Description, Reason: p.Reason, Tools: p.Tools,
		References: []referenceForm{}, Compliance: formOfExamples(p.Compliance), Violations: formOfExamples(p.Violations), Rule: formOfRule(p.Rule), Conflicts: []conflictForm{}}
	for _, r := range p.References {
		f := referenceForm{r.Text, []string{}}
		for _, s := range r.Sentences {
			f.Sentences = append(f.Sentences, s.ID)
		}
		out.References = append(out.References, f)
	}
	for _, c := range p.Conflicts {
		out.Conflicts = append(out.Conflicts, conflictForm{c.Field, c.Mine, c.Theirs})
	}
	return out
}

func formOfExamples(list []report.InWords) []exampleForm {
	out := []exampleForm{}
	for _, e := range list {
		out = append(out, exampleForm(e))
	}
	return out
}

func formOfRule(r *report.Rule) *ruleForm {
	if r == nil {
		return nil
	}
	out := &ruleForm{Place: r.Place, Variables: []variableForm{}, Require: r.Require, Message: r.Message, Otherwise: r.Otherwise,
		Remarks: append([]string{}, r.Remarks...), Broken: r.Broken, Tests: []testForm{}}
	for _, v := range r.Variables {
		out.Variables = append(out.Variables, variableForm(v))
	}
	for _, t := range r.Tests {
		out.Tests = append(out.Tests, testForm{t.Name, t.Want, t.Got, t.Passed, t.Failed})
	}
	return out
}

// changesForm is what a version of a document changes, with each policy's changes in words.
type changesForm struct {
	*change.Report
	Policies []changedForm `json:"policies"`
}

type changedForm struct {
	change.Policy
	Headline string `json:"headline"`
}

// policies returns the desk; a problem where there is none.
func (s *Server) policies() (*desk.Desk, error) {
	if s.o.Policies == nil {
		return nil, notFound.errorf("the server was started without a policy document: --compiled DIR --document FILE")
	}
	return s.o.Policies, nil
}

// getPolicies answers with what became of the policy document.
func (s *Server) getPolicies(ctx context.Context, r *request) (reply, error) {
	d, err := s.policies()
	if err != nil {
		return reply{}, err
	}
	ctx, leave, err := s.replaying(ctx)
	if err != nil {
		return reply{}, err
	}
	defer leave()
	out, err := d.Report(ctx, r.URL.Query().Get("tool"), false)
	if err != nil {
		return reply{}, refusal(err)
	}
	return ok(reportForm(out), nil)
}

// comparePolicies answers with what the present version of the document changes.
func (s *Server) comparePolicies(ctx context.Context, _ *request) (reply, error) {
	d, err := s.policies()
	if err != nil {
		return reply{}, err
	}
	ctx, leave, err := s.replaying(ctx)
	if err != nil {
		return reply{}, err
	}
	defer leave()
	changes, err := d.Changes(ctx)
	if err != nil {
		return reply{}, refusal(err)
	}
	out := changesForm{Report: changes, Policies: []changedForm{}}
	for _, p := range changes.Policies {
		out.Policies = append(out.Policies, changedForm{p, p.Headline()})
	}
	return ok(out, nil)
}

// readReview reads a review, and returns the desk that it is for.
func (s *Server) readReview(r *request) (*desk.Desk, desk.Review, error) {
	var in desk.Review
	d, err := s.policies()
	if err == nil {
		err = decode(r, &in)
	}
	return d, in, err
}

// checkReview shows what a review of a policy writes.
func (s *Server) checkReview(ctx context.Context, r *request) (reply, error) {
	d, in, err := s.readReview(r)
	if err != nil {
		return reply{}, err
	}
	ctx, leave, err := s.replaying(ctx)
	if err != nil {
		return reply{}, err
	}
	defer leave()
	p, err := d.Propose(ctx, in)
	if err != nil {
		return reply{}, refusal(err)
	}
	return ok(p, nil)
}

// reviewPolicy writes a review of a policy into its files.
func (s *Server) reviewPolicy(ctx context.Context, r *request) (reply, error) {
	d, in, err := s.readReview(r)
	if err != nil {
		return reply{}, err
	}
	ctx, leave, err := s.replaying(ctx)
	if err != nil {
		return reply{}, err
	}
	defer leave()
	p, err := d.Review(ctx, in, *r.who, "api "+r.RemoteAddr)
	if err != nil {
		return reply{}, refusal(err)
	}
	return ok(p, nil)
}
