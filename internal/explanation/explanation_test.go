package explanation

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/label"
)

// A value is cut where its evidence changes, and each part has the trust of
// what explains it.
func TestPiecesAreColouredByTheirEvidence(t *testing.T) {
	f := &remit.Finding{Value: "https://corp.example/?q=secret", Trust: label.External, Evidence: []remit.Evidence{
		{ValueStart: 0, ValueEnd: 20, Trust: label.User, Vouches: true},
		{ValueStart: 8, ValueEnd: 20, Trust: label.External},
		{ValueStart: 24, ValueEnd: 30, Trust: label.ToolOutput},
	}}
	var got []string
	for _, p := range Pieces(f) {
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

// As JSON, an explanation is its decision, whose findings say more.
func TestJSON(t *testing.T) {
	d := &remit.Decision{Session: "s", Call: "c1", Tool: "send", Verdict: remit.Ask, Findings: []remit.Finding{
		{Path: "/to", Value: "eve", How: "ambient", Evidence: []remit.Evidence{{Origin: "result:c0", Start: 3, End: 6, ValueEnd: 3, Text: "eve"}}},
	}}
	data, err := json.Marshal(Of(d, func(string) (string, bool) { return "to eve now", true }))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Call     string
		Findings []struct {
			Path, State, Way string
			Places           []struct{ Origin, Before, Match, After string }
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if f := got.Findings; got.Call != "c1" || len(f) != 1 || f[0].Path != "/to" || f[0].State != "not accepted" || !strings.HasPrefix(f[0].Way, "nothing vouches") ||
		len(f[0].Places) != 1 || f[0].Places[0].Before != "to " || f[0].Places[0].Match != "eve" || f[0].Places[0].After != " now" {
		t.Errorf("got %s", data)
	}
}
