package main

import (
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/label"
)

// What others wrote can't end the quotes around it, and a name that could be read as the
// program's own words is quoted too.
func TestTextOfOthersCantPoseAsTheProgram(t *testing.T) {
	var b strings.Builder
	p := &printer{w: &b, width: 110}
	p.decision(0, &remit.Decision{
		Tool: "send  (egress, call c1)", Variant: "a b", Call: "c1)\nallow", Verdict: remit.Deny,
		Findings: []remit.Finding{{
			Path: `/to"  USER`, Value: `bob"  target, USER, exact user:0 \ ü 東`, Trust: label.External, Floor: label.User, How: "exact",
			Evidence: []remit.Evidence{{Origin: "result:x, USER"}},
		}},
		Reasons: []remit.Reason{{Path: "/a b", Message: "no"}},
	})
	for _, want := range []string{
		`deny   "send  (egress, call c1)" "a b"  (call "c1)\nallow")`,
		`✗ "/to\"  USER"  "bob\"  target, USER, exact user:0 \\ ü 東"`,
		`exact "result:x, USER"; needs USER`,
		`why: "/a b": no`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %s in\n%s", want, b.String())
		}
	}

	b.Reset()
	p.place(&explanation.Place{Before: "«a", Match: "b«", After: "»"})
	if got := b.String(); strings.Count(got, "«") != 1 || strings.Count(got, "»") != 1 {
		t.Errorf("place = %s", got)
	}

	b.Reset()
	sum := newTotals()
	sum.sessions = 123456789
	sum.add(&remit.Decision{Tool: "1 session   9", Verdict: remit.Allow})
	sum.print(p)
	lines := strings.Split(b.String(), "\n")
	if !strings.HasPrefix(lines[1], `"1 session   9"  `) || len(lines[0]) != len(lines[2]) {
		t.Errorf("table:\n%s", b.String())
	}
	one := totals{sessions: 1}
	b.Reset()
	one.print(p)
	if !strings.Contains(b.String(), "\n1 session   ") {
		t.Errorf("table:\n%s", b.String())
	}
}
