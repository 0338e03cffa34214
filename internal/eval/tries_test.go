package eval

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestTries: a try is played after the lines before it, and one that is made later after the ordinary calls too that were made till then.
func TestTries(t *testing.T) {
	s := playedScenario{ID: "s"}
	for _, l := range []string{
		`{"type":"user"}`,
		`{"try":"benign","later":true,"lines":[{"type":"call","id":"pay"},{"type":"result","call":"pay"}]}`,
		`{"try":"benign","lines":[{"type":"call","id":"instead"}]}`,
		`{"try":"attack","title":"more","lines":[{"type":"call","id":"read"},{"type":"result","call":"read"},{"type":"call","id":"more"}]}`,
		`{"type":"assistant"}`,
		`{"try":"attack","title":"again","later":true,"lines":[{"type":"call","id":"again"}]}`,
	} {
		s.Lines = append(s.Lines, json.RawMessage(l))
	}
	tries, err := s.tries()
	if err != nil {
		t.Fatal(err)
	}

	var got []string
	for _, try := range tries {
		lines, err := try.lines()
		if err != nil {
			t.Fatal(err)
		}
		text := try.ID + ", " + try.Kind + ":"
		for _, l := range lines {
			text += " " + l.Type + " " + l.ID + l.Call
		}
		got = append(got, text+", judged by "+try.Judged[0])
	}
	want := []string{
		"s/1, benign: user  call pay result pay, judged by pay",
		"s/2, benign: user  call instead, judged by instead",
		"s/3 more, attack: user  call read result read call more, judged by more",
		"s/4 again, attack: user  call pay result pay assistant  call again, judged by again",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if helpers := tries[2].HelpersMayFail; !slices.Equal(helpers, []string{"read"}) {
		t.Errorf("calls that may be stopped: %q", helpers)
	}
}
