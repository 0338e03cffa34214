package contract_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/contract"
)

// Comments stay with their entries when a file is written again.
func TestMarshalOver(t *testing.T) {
	old := `# Our mail server.
version: 1
server: mail
tools:
  # Ann looked at this one.
  send: # asks
    effect: egress
    approved:
      # the list of the team
      - {/to: team@corp.example}
    args:
      /to: {role: target} # reviewed
  gone: {effect: read} # and this with it
`
	f := load(t, old)
	f.Tools = append([]contract.Tool{{Name: "read", Effect: contract.Read}}, f.Tools[0])
	f.Tools[1].Why = "new # words"
	got, err := f.MarshalOver("mail.yaml", []byte(old))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Our mail server.\n", "# Ann looked at this one.\n  send:", "# asks\n", "# the list of the team\n      - {/to: team@corp.example}", "# reviewed\n", "read:"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if changes := contract.Diff(f, load(t, string(got))); len(changes) > 0 || strings.Contains(string(got), "gone") {
		t.Errorf("%v\n%s", changes, got)
	}
}

// Whatever stood there before, the text says what the file says.
func TestMarshalOverProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, before := file().Draw(t, "file"), file().Draw(t, "before")
		if rapid.Bool().Draw(t, "alike") {
			before = f
		}
		old, err := before.Marshal()
		if err != nil {
			t.Skip()
		}
		lines := strings.Split(string(old), "\n")
		for i := range lines {
			if strings.HasSuffix(lines[i], ":") && rapid.Bool().Draw(t, "comment") {
				lines[i] += " # " + rapid.StringMatching(`[a-z #:{}"-]{0,10}`).Draw(t, "words")
			}
		}
		text, err := f.MarshalOver("f.yaml", []byte(strings.Join(lines, "\n")))
		if err != nil {
			t.Skip()
		}
		got, err := contract.Load("f.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		want, err := f.Marshal()
		if err != nil {
			t.Skip()
		}
		if again, err := got.Marshal(); err != nil || string(again) != string(want) {
			t.Fatalf("%v\n%s\n%s", err, again, want)
		}
	})
}
