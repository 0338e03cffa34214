package provenance

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// For any words of the user, text read and value: a label has a witness or is the ambient one,
// evidence is where it says, and a value of which the user's text has no piece has the ambient
// label.
func FuzzResolve(f *testing.F) {
	for _, seed := range []struct{ user, page, tool, name, value string }{
		{"Write to bob@corp.com.", page, "send_email", "to", "bob@corp.com"},
		{"Pay 50 EUR to DE89 3704 0044 0532 0130 00 on March 3rd.", `[{"id":"a1","amount":"50"}]`, "pay", "date", "2026-03-03"},
		{"Look at https://corp.com/docs?x=1#y and /srv/data/a.txt", "x", "open", "url", "https://corp.com/docs?x=1"},
		{"Run `ls -la /tmp`; next Friday at 10:00 for 90 minutes", "\u202e", "run", "command", "ls -la /tmp && rm -rf /"},
		{"> quoted\nThe largest file, twice 1,200.50", `{"files":[{"name":"a","size":1},{"name":"b","size":2}]}`, "delete", "file", "b"},
		{"ask @bob and #general, “zwölf”", "Ym9iQGNvcnAuY29t", "post", "channel", "general"},
	} {
		f.Add(seed.user, seed.page, seed.tool, seed.name, seed.value, uint8(0))
	}
	f.Fuzz(func(t *testing.T, user, text, tool, name, value string, how uint8) {
		s := New(now)
		s.User("user:0", user)
		r := Result{Text: text, Tool: tool, Spec: Spec{Trust: label.External}}
		if doc, err := strictjson.Parse([]byte(text), strictjson.OutputLimits()); err == nil {
			r.Document = doc
			if how&1 != 0 {
				r.Spec.Trust = label.ToolOutput
			}
		}
		s.Output("result:1", r)
		if how&2 != 0 {
			s.External("page", "anything")
		}
		kind := strictjson.String
		if doc, err := strictjson.Parse([]byte(value), strictjson.DefaultLimits()); err == nil && doc.Root().Kind() == strictjson.Number {
			kind = strictjson.Number
		}
		v := Value{Pointer: "/" + name, Kind: kind, Text: value, Form: [...]Form{"", FormURL, FormAddress, FormPath, FormShell, FormSQL, "", ""}[how>>2&7]}
		got := s.Resolve(Act{Tool: tool}, []Value{v})[0]
		ambient := s.Ambient()
		if !got.Witness && got.Label.Trust > ambient.Trust {
			t.Fatalf("%q is %s (%s) without a witness", value, got.Label.Trust, got.How)
		}
		if got.Label.Trust > ambient.Trust && got.Label.Origins.Has(label.OriginModel) {
			t.Fatalf("%q is %s (%s), and the model's", value, got.Label.Trust, got.How)
		}
		for _, e := range got.Evidence {
			source, ok := s.Text(e.Origin)
			if !ok || e.Start < 0 || e.End < e.Start || e.End > len(source) || source[e.Start:e.End] != e.Text {
				t.Fatalf("evidence %+v does not stand in %q", e, source)
			}
			if e.ValueStart < 0 || e.ValueEnd < e.ValueStart || e.ValueEnd > len(value) {
				t.Fatalf("evidence %+v explains what %q does not have", e, value)
			}
		}
		// Of a user who said nothing that a value could be made of, nothing is
		// made.
		if !strings.ContainsFunc(user, func(r rune) bool { return r > ' ' }) && got.Label.Trust >= label.User && ambient.Trust < label.User && got.How != "empty" {
			t.Fatalf("%q is %s (%s), and the user said nothing", value, got.Label.Trust, got.How)
		}
		again := s.Resolve(Act{Tool: tool}, []Value{v})[0]
		if again.Label != got.Label {
			t.Fatalf("%q is %+v, and then %+v", value, got.Label, again.Label)
		}
		s.Called("call:c#", []Value{v}, []Resolution{got})
		s.Output("result:2", r)
		if again = s.Resolve(Act{Tool: tool}, []Value{v})[0]; again.Label.Trust > max(got.Label.Trust, r.Spec.Trust) {
			t.Fatalf("%q is %s, and %s when it comes back", value, got.Label.Trust, again.Label.Trust)
		}
		s.Sink(value)
	})
}
