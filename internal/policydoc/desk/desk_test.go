package desk_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/desk"
	"github.com/remit-project/remit/store"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const (
	tool, policy = "refill_prescription", "seen-within-twelve-months"
	conflicted   = "guard/message"
)

// clinic is a desk over a copy of the worked example, in which a later run has another message
// for a rule.
func clinic(t *testing.T) *desk.Desk {
	t.Helper()
	root, from := t.TempDir(), filepath.Join("..", "..", "..", "examples", "clinic")
	must(t, os.CopyFS(root, os.DirFS(filepath.Join(from, "policy"))))
	mapping := filepath.Join(root, "mapping", tool+".yaml")
	text, err := os.ReadFile(mapping)
	must(t, err)
	const before = "  - name: no-controlled-substances\n"
	must(t, os.WriteFile(mapping, []byte(strings.Replace(string(text), before, "    conflicts:\n      - {field: "+conflicted+", generated: See a doctor first.}\n"+before, 1)), 0o644))
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "remit.db"), store.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, st.Close()) })
	return &desk.Desk{Root: root, Document: filepath.Join(from, "policy.md"), Write: true, Audit: st,
		Deployment: func() (guard.Deployment, error) {
			return inputs.Deployment([]string{filepath.Join(from, "tools.json")}, "")
		}}
}

// files are the files of a directory with their texts, hidden ones left out.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		text, err := os.ReadFile(name)
		within, _ := filepath.Rel(root, name)
		out[filepath.ToSlash(within)] = string(text)
		return err
	}))
	return out
}

func review(word desk.Word, field, reason string) desk.Review {
	return desk.Review{Tool: tool, Policy: policy, Word: word, Field: field, Reason: reason}
}

var ann = access.Principal{Name: "ann"}

// A review writes the files that the commands write, and its patch applied elsewhere results in
// the same.
func TestReviewWritesWhatTheCommandsWrite(t *testing.T) {
	for name, c := range map[string]struct {
		review  desk.Review
		command func(*policydoc.Directory) error
	}{
		"approve": {review(desk.Approve, "", ""), func(d *policydoc.Directory) error { return d.Approve(tool, policy) }},
		"archive": {review(desk.Archive, "", "nothing tells"), func(d *policydoc.Directory) error { return d.Archive(tool, policy, "nothing tells") }},
		"mine":    {review(desk.Mine, conflicted, ""), func(d *policydoc.Directory) error { return d.Resolve(tool, policy, conflicted, false) }},
		"theirs":  {review(desk.Theirs, conflicted, ""), func(d *policydoc.Directory) error { return d.Resolve(tool, policy, conflicted, true) }},
	} {
		t.Run(name, func(t *testing.T) {
			d := clinic(t)
			commanded := clinic(t).Root
			dir, err := policydoc.ReadDirectory(commanded)
			must(t, err)
			must(t, c.command(dir))
			must(t, dir.Write())
			want := files(t, commanded)

			before := files(t, d.Root)
			p, err := d.Propose(t.Context(), c.review)
			must(t, err)
			if diff := cmp.Diff(before, files(t, d.Root)); diff != "" {
				t.Errorf("a proposal has written: %s", diff)
			}
			patched := clinic(t).Root
			apply := exec.CommandContext(t.Context(), "git", "apply", "-p1", "-")
			apply.Dir, apply.Stdin = patched, strings.NewReader(p.Patch)
			if out, err := apply.CombinedOutput(); err != nil {
				t.Fatalf("the patch doesn't apply: %v, %s\n%s", err, out, p.Patch)
			}
			if diff := cmp.Diff(want, files(t, patched)); diff != "" {
				t.Errorf("the patch comes to another thing: %s", diff)
			}

			c.review.Base = p.Base
			_, err = d.Review(t.Context(), c.review, ann, "here")
			must(t, err)
			if diff := cmp.Diff(want, files(t, d.Root)); diff != "" {
				t.Errorf("the review comes to another thing: %s", diff)
			}
			again, err := d.Propose(t.Context(), review(c.review.Word, c.review.Field, c.review.Reason))
			if c.review.Field == "" && (err != nil || len(again.Files) > 0) {
				t.Errorf("a second time: %+v, %v", again, err)
			}
		})
	}
}

// What can't be reviewed is refused with its reason, and nothing is written.
func TestReviewRefuses(t *testing.T) {
	d := clinic(t)
	before := files(t, d.Root)
	old := review(desk.Approve, "", "")
	old.Base = "0"
	for name, c := range map[string]struct {
		review desk.Review
		want   error
	}{
		"no such tool":           {desk.Review{Tool: "none", Policy: policy, Word: desk.Approve}, desk.ErrNone},
		"no such policy":         {desk.Review{Tool: tool, Policy: "none", Word: desk.Approve}, desk.ErrNone},
		"no such word":           {review("bless", "", ""), desk.ErrReview},
		"a field to approve":     {review(desk.Approve, conflicted, ""), desk.ErrReview},
		"no field":               {review(desk.Theirs, "", ""), desk.ErrReview},
		"no conflict":            {review(desk.Theirs, "description", ""), desk.ErrReview},
		"failing to archive":     {desk.Review{Tool: tool, Policy: policy, Word: desk.Archive, Failing: true}, desk.ErrReview},
		"a reason to approve":    {review(desk.Approve, "", "because"), desk.ErrReview},
		"a reason without end":   {review(desk.Archive, "", strings.Repeat("x", desk.MaxReason+1)), desk.ErrReview},
		"of what was not shown":  {old, desk.ErrMoved},
		"of another tool's name": {desk.Review{Tool: "../" + tool, Policy: policy, Word: desk.Approve}, desk.ErrNone},
	} {
		if _, err := d.Review(t.Context(), c.review, ann, "here"); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d.Write = false
	if _, err := d.Review(t.Context(), review(desk.Approve, "", ""), ann, "here"); !errors.Is(err, desk.ErrReadOnly) {
		t.Errorf("where nothing may be written: %v", err)
	}
	if diff := cmp.Diff(before, files(t, d.Root)); diff != "" {
		t.Errorf("something was written: %s", diff)
	}
}

// A policy is not approved while a test of its rule fails, unless the person says so. Other policies of the
// tool are.
func TestReviewRunsTheTests(t *testing.T) {
	d := clinic(t)
	name := filepath.Join(d.Root, "guards", tool+".yaml")
	text, err := os.ReadFile(name)
	must(t, err)
	broken := strings.Replace(string(text), "today - seen_day <= 10000", "today - seen_day <= 0", 1)
	if broken == string(text) {
		t.Fatal("the rule is another one")
	}
	must(t, os.WriteFile(name, []byte(broken), 0o644))

	if _, err := d.Propose(t.Context(), review(desk.Approve, "", "")); !errors.Is(err, desk.ErrReview) || !strings.Contains(err.Error(), "of its rule") {
		t.Errorf("the policy is approved: %v", err)
	}
	other := review(desk.Approve, "", "")
	other.Policy = "no-controlled-substances"
	if _, err := d.Propose(t.Context(), other); err != nil {
		t.Errorf("another policy is refused: %v", err)
	}

	audit := &meddling{}
	d.Audit = audit
	although := review(desk.Approve, "", "")
	although.Failing = true
	if _, err := d.Review(t.Context(), although, ann, "here"); err != nil {
		t.Errorf("somebody says so: %v", err)
	}
	if len(audit.notes) != 1 || audit.notes[0].Members["tests"] == "" {
		t.Errorf("the notes are %+v", audit.notes)
	}

	must(t, os.WriteFile(name, []byte(strings.Replace(string(text), "today - seen_day", "today -", 1)), 0o644))
	if _, err := d.Propose(t.Context(), review(desk.Approve, "", "")); !errors.Is(err, desk.ErrReview) || !strings.Contains(err.Error(), "can't be run") {
		t.Errorf("a rule with a mistake: %v", err)
	}
}

// meddling is an audit log whose notes come with a change of a file by another writer.
type meddling struct {
	store.Audit
	notes  []store.Note
	meddle func()
	fail   error
}

func (m *meddling) Note(_ context.Context, n store.Note) error {
	members := map[string]string{}
	for name, text := range n.Members {
		members[name] = text
	}
	m.notes = append(m.notes, store.Note{About: n.About, Members: members})
	if m.meddle != nil {
		m.meddle()
	}
	return m.fail
}

// What another writer writes while a review waits for its note stays, and the audit log says that
// the review has failed. Without a note nothing is written.
func TestReviewUndoesNoChange(t *testing.T) {
	d := clinic(t)
	name := filepath.Join(d.Root, "mapping", tool+".yaml")
	text, err := os.ReadFile(name)
	must(t, err)
	theirs := "# theirs\n" + string(text)
	audit := &meddling{meddle: func() { must(t, os.WriteFile(name, []byte(theirs), 0o644)) }}
	d.Audit = audit
	if _, err := d.Review(t.Context(), review(desk.Approve, "", ""), ann, "here"); !errors.Is(err, desk.ErrMoved) {
		t.Errorf("the error is %v", err)
	}
	if got := files(t, d.Root)["mapping/"+tool+".yaml"]; got != theirs {
		t.Errorf("the file is %s", got)
	}
	if len(audit.notes) != 2 || audit.notes[0].Members["failed"] != "" || audit.notes[1].Members["failed"] == "" || audit.notes[0].Members["by"] != "ann" {
		t.Errorf("the notes are %+v", audit.notes)
	}

	d.Audit = &meddling{fail: errors.New("full")}
	if _, err := d.Review(t.Context(), review(desk.Approve, "", ""), ann, "here"); err == nil {
		t.Error("a review without a note is not an error")
	}
	if got := files(t, d.Root)["mapping/"+tool+".yaml"]; got != theirs {
		t.Errorf("it was written without a note: %s", got)
	}
}

// Of people who review the same policy at once one wins, and the others are told; those who
// review others are not kept from it.
func TestReviewsTakeTurns(t *testing.T) {
	d := clinic(t)
	base, err := d.Digest(tool, policy)
	must(t, err)
	errs := make(chan error)
	for _, word := range []desk.Word{desk.Approve, desk.Archive, desk.Approve, desk.Archive} {
		go func() {
			r := review(word, "", "")
			r.Base = base
			_, err := d.Review(t.Context(), r, ann, "here")
			errs <- err
		}()
	}
	won := 0
	for range 4 {
		switch err := <-errs; {
		case err == nil:
			won++
		case !errors.Is(err, desk.ErrMoved):
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d have won", won)
	}
	if _, err := d.Review(t.Context(), desk.Review{Tool: tool, Policy: "no-controlled-substances", Word: desk.Approve}, ann, "here"); err != nil {
		t.Error(err)
	}
}

// The report has what each tool is covered by, and a digest of each policy to be reviewed.
func TestReport(t *testing.T) {
	d := clinic(t)
	r, err := d.Report(t.Context(), "", false)
	must(t, err)
	base, err := d.Digest(tool, policy)
	must(t, err)
	found := false
	for _, tools := range r.Tools {
		for _, p := range tools.Policies {
			found = found || (p.Name == policy && p.Digest == base && len(p.Conflicts) == 1)
		}
	}
	bare := 0
	for _, c := range r.Coverage {
		if c.Bare() {
			bare++
		}
	}
	if !found || len(r.Coverage) < 5 || bare > 0 {
		t.Errorf("found %t, %d tools, %d of them bare", found, len(r.Coverage), bare)
	}
	d.Root = t.TempDir()
	if _, err := d.Report(t.Context(), "", false); err == nil || !strings.Contains(err.Error(), "has no policies") {
		t.Errorf("an empty directory: %v", err)
	}
}

// An earlier version is compared, and a missing one is a mistake.
func TestChanges(t *testing.T) {
	d := clinic(t)
	if _, err := d.Changes(t.Context()); !errors.Is(err, desk.ErrNone) {
		t.Errorf("without one: %v", err)
	}
	d.Before = clinic(t).Root
	same, err := d.Changes(t.Context())
	must(t, err)
	_, err = d.Review(t.Context(), review(desk.Archive, "", ""), ann, "here")
	must(t, err)
	other, err := d.Changes(t.Context())
	must(t, err)
	if len(same.Policies) != 0 || len(other.Policies) != 1 || !other.Policies[0].Loosens() {
		t.Errorf("the same: %+v, another: %+v", same.Policies, other.Policies)
	}
	d.Before = filepath.Join(d.Root, "none")
	if _, err := d.Changes(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("one that there isn't: %v", err)
	}
}
