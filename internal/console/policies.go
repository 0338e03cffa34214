package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/policydoc/change"
	"github.com/remit-project/remit/internal/policydoc/desk"
	"github.com/remit-project/remit/internal/policydoc/report"
)

const (
	// reportTime bounds how long a page about policies reads files and runs tests.
	reportTime = 20 * time.Second
	// pageBlocks is how many paragraphs of the document a page shows.
	pageBlocks = 200
	// maxListed bounds the lists beside the document: questions, suspicions, changes.
	maxListed = 200
)

// policiesPage is what became of the company's policy document.
type policiesPage struct {
	// Report is nil where the console was not told of a document, and where there is a Mistake.
	Report *report.Report
	// Mistake says why there is no report although there is a document.
	Mistake string
	// State is the state of sentences that are shown; empty for all.
	State report.State
	// Blocks are those of this page, which begins with the block From of Length; Next is -1
	// on the last page.
	Blocks             []policyBlock
	From, Length, Next int
	// Shares are the sentences by state.
	Shares []share
	// Questions are the first that need a decision, and MoreQuestions counts the others.
	Questions     []report.QuestionGroup
	MoreQuestions int
	// Compared is set where there is an earlier version.
	Compared bool
	// Fresh counts the sentences that the policies' version of the document didn't have.
	Fresh int
}

// policyBlock is a paragraph with the policies that were made of it.
type policyBlock struct {
	report.Block
	Policies []report.PolicyRef
	Reasons  []string
}

// blockOf gathers what was made of the sentences of a paragraph, each policy once.
func blockOf(b report.Block) policyBlock {
	out := policyBlock{Block: b}
	for _, s := range b.Sentences {
		for _, p := range s.Policies {
			if !slices.Contains(out.Policies, p) {
				out.Policies = append(out.Policies, p)
			}
		}
		if s.Reason != "" && !slices.Contains(out.Reasons, s.Reason) {
			out.Reasons = append(out.Reasons, s.Reason)
		}
	}
	return out
}

// askedFor says why policies of a kind need a decision.
var askedFor = map[report.QuestionKind]string{
	report.Undecided: "No rule is in force, or a conflict waits", report.Failed: "Tests fail", report.OnGuess: "The rule reads a record whose form was guessed",
	report.Laxer: "Perhaps laxer than the sentence", report.Stricter: "Perhaps stricter than the sentence", report.Disputed: "A test is contested",
	report.OnWords: "The rule depends on what is said in the conversation", report.OutOfForce: "Archived",
}

// share is a part of a bar, in hundredths of its width.
type share struct {
	State    report.State
	From, Of float64
	N        int
}

// Prev returns where the page before begins.
func (p policiesPage) Prev() int { return max(0, p.From-pageBlocks) }

// reported reads the report within its time. Its error is nil where page has a mistake
// instead.
func (c *Console) reported(ctx context.Context, tool string) (r *report.Report, mistake string, err error) {
	thinking, cancel := context.WithTimeout(ctx, reportTime)
	defer cancel()
	r, err = c.o.Policies.Report(thinking, tool, false)
	switch {
	case err == nil:
		return r, "", nil
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Sprintf("Reading the policies and running their tests takes longer than %s: use remit policy review.", reportTime), nil
	}
	return nil, err.Error(), nil // of files: where and what
}

func (c *Console) policies(ctx context.Context, v *visit) (outcome, error) {
	page := policiesPage{Next: -1, State: report.State(v.FormValue("state"))}
	if c.o.Policies != nil {
		var err error
		if page.Report, page.Mistake, err = c.reported(ctx, ""); err != nil {
			return outcome{}, err
		}
		page.Compared = c.o.Policies.Before != ""
	}
	if page.Report != nil {
		from, _ := strconv.Atoi(v.FormValue("from"))
		page.read(from)
	}
	return outcome{page: "policies", frame: frame{Title: "Policies", View: "policies", Body: page}}, nil
}

// read takes a page of the report.
func (p *policiesPage) read(from int) {
	if !slices.Contains(report.States(), p.State) {
		p.State = ""
	}
	blocks := p.Report.Blocks()
	if p.State != "" {
		blocks = slices.DeleteFunc(blocks, func(b report.Block) bool {
			return !slices.ContainsFunc(b.Sentences, func(s report.Sentence) bool { return s.State == p.State })
		})
	}
	p.Length = len(blocks)
	p.From = max(0, min(from, p.Length-1)) / pageBlocks * pageBlocks
	end := min(p.From+pageBlocks, p.Length)
	for _, b := range blocks[p.From:end] {
		p.Blocks = append(p.Blocks, blockOf(b))
	}
	if end < p.Length {
		p.Next = end
	}

	at := 0.0
	for _, row := range p.Report.Rows() {
		of := 100 * float64(row.Sentences) / float64(max(1, p.Report.Counts.Sentences))
		if row.Sentences > 0 {
			p.Shares = append(p.Shares, share{row.State, at, of, row.Sentences})
		}
		at += of
	}
	for _, s := range p.Report.Sentences {
		if s.New && s.State != "" {
			p.Fresh++
		}
	}

	left := maxListed
	for _, g := range p.Report.QuestionGroups() {
		if n := min(left, len(g.Questions)); n > 0 {
			p.Questions = append(p.Questions, report.QuestionGroup{Kind: g.Kind, Questions: g.Questions[:n]})
		}
		p.MoreQuestions += max(0, len(g.Questions)-left)
		left = max(0, left-len(g.Questions))
	}
}

// policyPage is a policy with its rule, its tests and what a person may decide.
type policyPage struct {
	*report.Policy
	// Review is what the form says, and Choices what it may say.
	Review  desk.Review
	Choices []reviewChoice
	// Proposal is what the review results in; nil before there is one.
	Proposal *desk.Proposal
	Patch    []patchLine
	Mistake  string
	// Write is set where this person may write the files from here.
	Write bool
	// Done is set after a review was written, and Following is the next policy that waits for a
	// decision.
	Done      bool
	Following *report.PolicyRef
	// RulePlace is the place of the rule within the directory.
	RulePlace string
	// Places are the pages on which sentences are, by their ids.
	Places map[string]int
	// Lacking counts the examples in words that no test holds the rule to.
	Lacking int
}

// reviewChoice is a way to decide about a policy.
type reviewChoice struct {
	// Value is what the form says: the word, and the field after it.
	Value, Name, Words string
	Chosen             bool
}

// failing stands in the place of a field where a policy is approved although tests of its rule fail.
const failing = "failing"

// formValue is what a form says for a word and its field.
func formValue(word desk.Word, field string) string {
	return strings.TrimSpace(string(word) + " " + field)
}

// choicesOf returns the ways to decide about a policy.
func choicesOf(p *report.Policy, r desk.Review) []reviewChoice {
	if p.Digest == "" {
		return nil // the mapping doesn't have it
	}
	said := formValue(r.Word, r.Field)
	if r.Failing {
		said = formValue(r.Word, failing)
	}
	var out []reviewChoice
	add := func(word desk.Word, field, name, words string) {
		value := formValue(word, field)
		out = append(out, reviewChoice{value, name, words, value == said})
	}
	approve := func(name, words string) {
		if p.Rule != nil && (p.Rule.Failing() > 0 || p.Rule.Broken) {
			add(desk.Approve, failing, name+" although tests fail", words)
			return
		}
		add(desk.Approve, "", name, words)
	}
	for _, c := range p.Conflicts {
		add(desk.Mine, c.Field, "Keep "+c.Field+" as it is in the file", "and forget what the later run says")
		add(desk.Theirs, c.Field, "Take over what the later run says of "+c.Field, "instead of what is in the file")
	}

	switch p.Status {
	case "approved":
		add(desk.Archive, "", "Archive", "out of force: its rule is taken out of the guard file, and the policy stays for the record")
	case "archived":
		approve("Bring it back", "approved: it gets its rule by the next compilation")
	default:
		approve("Approve", "it says what the document says, and somebody has looked at it")
		add(desk.Archive, "", "Archive", "out of force: its rule is taken out of the guard file, and the policy stays for the record")
	}
	return out
}

// errReview is told for a form that no page of the console sends.
var errReview = &failure{http.StatusBadRequest, "That is not a decision about a policy."}

// review reads a form.
func (v *visit) review() desk.Review {
	r := desk.Review{Tool: v.FormValue("tool"), Policy: v.FormValue("name"), Base: v.PostForm.Get("base")}
	word, field, _ := strings.Cut(v.PostForm.Get("review"), " ")
	r.Word, r.Field = desk.Word(word), field
	switch r.Word {
	case desk.Archive:
		r.Reason = strings.TrimSpace(v.PostForm.Get("reason"))
	case desk.Approve:
		r.Failing, r.Field = field == failing, ""
	}
	return r
}

// policy shows a policy, and what a review in the form would write.
func (c *Console) policy(ctx context.Context, v *visit) (outcome, error) {
	if c.o.Policies == nil {
		return outcome{}, errNotFound
	}
	r, mistake, err := c.reported(ctx, "")
	if err != nil {
		return outcome{}, err
	}
	if mistake != "" {
		return outcome{}, &failure{http.StatusInternalServerError, mistake}
	}
	page := policyPage{Review: v.review(), Write: c.o.Policies.Write && v.who.May(access.ContractsWrite), Places: map[string]int{}}
	if page.Policy = find(r, page.Review.Tool, page.Review.Policy); page.Policy == nil {
		return outcome{}, errNotFound
	}
	page.read(r)
	page.Done = page.Digest != "" && v.FormValue("done") == page.Digest

	if page.Review.Word != "" {
		testing, cancel := context.WithTimeout(ctx, reportTime)
		defer cancel()
		page.Proposal, err = c.o.Policies.Propose(testing, page.Review)
		switch {
		case errors.Is(err, desk.ErrMoved), errors.Is(err, desk.ErrReview):
			page.Mistake = err.Error()
		case err != nil:
			return outcome{}, reviewFailure(err)
		default:
			page.Patch = filePatchLines(page.Proposal)
		}
	}
	return outcome{page: "policy", frame: frame{Title: page.Name + " of " + page.Tool, View: "policies", Body: page}}, nil
}

// find returns a policy of a tool; nil where there is none.
func find(r *report.Report, tool, name string) *report.Policy {
	for _, t := range r.Tools {
		for _, p := range t.Policies {
			if p.Tool == tool && p.Name == name {
				return p
			}
		}
	}
	return nil
}

// read takes what the page shows beside the policy.
func (p *policyPage) read(r *report.Report) {
	p.Choices = choicesOf(p.Policy, p.Review)
	for i, b := range r.Blocks() {
		for _, s := range b.Sentences {
			p.Places[s.ID] = i / pageBlocks * pageBlocks
		}
	}
	for _, e := range slices.Concat(p.Compliance, p.Violations) {
		if e.Reason != "" {
			p.Lacking++
		}
	}
	if p.Rule != nil {
		p.RulePlace = strings.TrimPrefix(p.Rule.Place, r.Root+string(filepath.Separator))
	}
	p.Following = p.after(r)
}

// after returns the next policy without a decision: one that needs a decision, or any.
func (p *policyPage) after(r *report.Report) *report.PolicyRef {
	var list []report.PolicyRef
	for _, q := range r.Questions() {
		list = append(list, q.PolicyRef)
	}
	for _, t := range r.Tools {
		for _, other := range t.Policies {
			list = append(list, other.PolicyRef)
		}
	}
	at := slices.IndexFunc(list, func(o report.PolicyRef) bool {
		decided := o.State == report.Approved || o.State == report.Archived
		return !decided && (o.Tool != p.Tool || o.Name != p.Name)
	})
	if at < 0 {
		return nil
	}
	return &list[at]
}

// filePatchLines prepares the difference of several files for a page, each below its name.
func filePatchLines(p *desk.Proposal) []patchLine {
	var out []patchLine
	lines, file := diffLines(p.Patch), 0
	for i := 0; i < len(lines); i++ {
		// No line of a text begins so: each has a sign before it.
		if !strings.HasPrefix(lines[i].Text, "diff ") || i+2 >= len(lines) || file == len(p.Files) {
			out = append(out, lines[i])
			continue
		}
		name := p.Files[file]
		if lines[i+2].Text == "+++ /dev/null" {
			name += ", which is removed"
		}
		out = append(out, patchLine{"file", name})
		i, file = i+2, file+1
	}
	return out
}

// reviewFailure returns what people are told of a review that can't be made.
func reviewFailure(err error) error {
	switch {
	case errors.Is(err, desk.ErrNone):
		return errNotFound
	case errors.Is(err, desk.ErrMoved):
		return &failure{http.StatusConflict, "Somebody else was quicker: the policy has been changed since this page was made, and nothing was written. Go back, reload it, and look at it again."}
	case errors.Is(err, desk.ErrReadOnly):
		return &failure{http.StatusForbidden, "The console may not write policies here. Take the patch."}
	case errors.Is(err, desk.ErrReview):
		return errReview
	case errors.Is(err, desk.ErrBroken):
		return &failure{http.StatusInternalServerError, err.Error()}
	}
	return err
}

// writeReview writes a review into the files of its policy.
func (c *Console) writeReview(ctx context.Context, v *visit) (outcome, error) {
	r := v.review()
	if c.o.Policies == nil || r.Base == "" {
		return outcome{}, errReview // the person has not seen what it is about
	}
	ctx, cancel := context.WithTimeout(ctx, reportTime)
	defer cancel()
	p, err := c.o.Policies.Review(ctx, r, *v.who, "console "+v.RemoteAddr)
	if err != nil {
		return outcome{}, reviewFailure(err)
	}
	c.o.Log.Info("a policy was reviewed", "tool", r.Tool, "policy", r.Policy, "review", r.Word, "files", p.Files, "principal", v.who.Name, "from", v.RemoteAddr)
	// What it has become is not what was looked at.
	now, err := c.o.Policies.Digest(r.Tool, r.Policy)
	if err != nil {
		return outcome{}, err
	}
	to := url.Values{"tool": {r.Tool}, "name": {r.Policy}, "done": {now}}
	return outcome{to: "policy?" + to.Encode()}, nil
}

// reviewPatch serves the difference that a review makes, for those who keep the files.
func (c *Console) reviewPatch(w http.ResponseWriter, v *visit) {
	err := v.form(w)
	var p *desk.Proposal
	switch {
	case err != nil:
	case c.o.Policies == nil:
		err = errNotFound
	default:
		testing, cancel := context.WithTimeout(v.Context(), reportTime)
		defer cancel()
		p, err = c.o.Policies.Propose(testing, v.review())
	}
	if err != nil {
		c.fail(w, v.Request, v, reviewFailure(err))
		return
	}
	sendPatch(w, "policy.patch", p.Patch)
}

// comparedPage is what the present version of the document changes.
type comparedPage struct {
	*change.Report
	// Stricter and Laxer count policies.
	Stricter, Laxer int
	// More counts the policies that are not shown.
	More    int
	Mistake string
}

// compared shows what the present version changes against the earlier one.
func (c *Console) compared(ctx context.Context, _ *visit) (outcome, error) {
	if c.o.Policies == nil {
		return outcome{}, errNotFound
	}
	thinking, cancel := context.WithTimeout(ctx, reportTime)
	defer cancel()
	page := comparedPage{}
	var err error
	switch page.Report, err = c.o.Policies.Changes(thinking); {
	case errors.Is(err, desk.ErrNone):
		return outcome{}, errNotFound
	case ctx.Err() != nil:
		return outcome{}, ctx.Err()
	case err != nil:
		page.Report, page.Mistake = nil, err.Error() // of files: where and what
	default:
		page.count()
	}
	return outcome{page: "compared", frame: frame{Title: "What this version changes", View: "policies", Body: page}}, nil
}

// count counts policies, and cuts what is more than a page shows.
func (p *comparedPage) count() {
	for i := range p.Policies {
		if p.Policies[i].Tightens() {
			p.Stricter++
		}
		if p.Policies[i].Loosens() {
			p.Laxer++
		}
	}
	if p.More = max(0, len(p.Policies)-maxListed); p.More > 0 {
		p.Policies = p.Policies[:maxListed]
	}
}

// sandbox keeps the report, which brings its own style and script and its own policy for
// both, away from the console: it has no origin, and no cookie is sent with what it asks for.
const sandbox = "sandbox allow-scripts; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var errNoReport = &failure{http.StatusInternalServerError, "The document or its policies could not be read. The page about policies says why."}

// document serves the document beside its policies on one page, as remit policy review writes
// it.
func (c *Console) document(w http.ResponseWriter, v *visit) {
	if c.o.Policies == nil {
		c.fail(w, v.Request, v, errNotFound)
		return
	}
	r, _, err := c.reported(v.Context(), "")
	var b bytes.Buffer
	if err == nil && r != nil {
		err = r.HTML(&b)
	}
	if err != nil || r == nil {
		c.fail(w, v.Request, v, errNoReport)
		return
	}
	w.Header().Set("Content-Security-Policy", sandbox)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = b.WriteTo(w) // the reader has gone, then
}
