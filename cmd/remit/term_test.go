package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/label"
)

// Text that others wrote can't move the cursor, colour the screen, hide or
// turn itself around.
func TestVisibleDisarms(t *testing.T) {
	for in, want := range map[string]string{
		"plain ü 東":               "plain ü 東",
		"a\nb\tc":                 "a⏎b c",
		"\x1b[2J":                 `\u{1b}[2J`,
		"bob\u202egro.live":       `bob\u{202e}gro.live`,
		"pay\u200bpal":            `pay\u{200b}pal`,
		"\u009b31m":               `\u{9b}31m`,
		"\U000e0041":              `\u{e0041}`,
		string([]byte{'a', 0xff}): `a\u{fffd}`,
		"\r\x00":                  `\u{d}\u{0}`,
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[31mb\u202e\n")
	f.Fuzz(func(t *testing.T, s string) {
		out := visible(s)
		if strings.ContainsAny(out, "\x1b\r\n\x07\u009b\u202e") || !utf8.ValidString(out) {
			t.Fatalf("visible(%q) = %q", s, out)
		}
	})
}

func TestWrapKeepsWordsAndWidth(t *testing.T) {
	lines := wrap("one two three four five", 9)
	if got := strings.Join(lines, "|"); got != "one two|three|four five" {
		t.Errorf("wrap = %q", got)
	}
	if got := wrap("", 9); len(got) != 1 || got[0] != "" {
		t.Errorf("wrap of nothing = %q", got)
	}
	if got := cut("abcdef", 4); got != "abc…" {
		t.Errorf("cut = %q", got)
	}
	if got := tail("abcdef", 4); got != "…def" {
		t.Errorf("tail = %q", got)
	}
}

// A value is cut where its evidence changes, and each part has the trust of
// what explains it.
func TestPiecesAreColouredByTheirEvidence(t *testing.T) {
	f := &remit.Finding{Value: "https://corp.example/?q=secret", Trust: label.External, Evidence: []remit.Evidence{
		{ValueStart: 0, ValueEnd: 20, Trust: label.User, Vouches: true},
		{ValueStart: 8, ValueEnd: 20, Trust: label.External},
		{ValueStart: 24, ValueEnd: 30, Trust: label.ToolOutput},
	}}
	var got []string
	for _, p := range pieces(f) {
		got = append(got, p.Trust.String()+":"+p.Text)
	}
	want := "USER:https://corp.example EXTERNAL:/?q= TOOL_OUTPUT:secret"
	if strings.Join(got, " ") != want {
		t.Errorf("pieces = %q, want %q", got, want)
	}
}

// Evidence of a decision from elsewhere may not fit the session at hand.
func TestLocateSurvivesForeignEvidence(t *testing.T) {
	text := func(string) (string, bool) { return "short", true }
	for _, e := range []remit.Evidence{{Start: -1, End: 2}, {Start: 4, End: 99}, {Start: 3, End: 1}} {
		e.Text = "kept"
		if p := locate(e, text); p.Match != "kept" {
			t.Errorf("locate(%+v) = %+v", e, p)
		}
	}
}
