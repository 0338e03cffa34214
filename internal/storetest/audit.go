package storetest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

func refusedNotes(t *testing.T, s *suite) {
	is(t, s.Note(t.Context(), store.Note{}), store.ErrInvalid)
	is(t, s.Note(t.Context(), store.Note{About: "x", Members: map[string]string{"x": strings.Repeat("x", store.MaxNote)}}), store.ErrInvalid)
}

// story writes something of every kind.
func story(t *testing.T, s *suite) {
	t.Helper()
	s.begin(t, "s", "t")
	must(t, s.Append(t.Context(), "s", 1, call("s", "c1", remit.Ask), call("s", "c2", remit.Deny),
		store.Record{Event: remit.Event{Kind: remit.ResultEvent, Time: noon, Result: &remit.Result{Call: "c1", Content: "text"}}}))
	a := s.ask(t, "s", "c1", 0)
	_, err := s.Answer(t.Context(), a.ID, store.Answer{Approve: true, By: "ann"})
	must(t, err)
	_, err = s.Claim(t.Context(), a.ID, a.Arguments)
	must(t, err)
	must(t, s.Cancel(t.Context(), s.ask(t, "t", "c9", 0).ID, "it has gone"))
	must(t, s.Note(t.Context(), store.Note{About: "contracts", Members: map[string]string{"server": "mail", "sha256": "00"}}))
}

func audited(t *testing.T, s *suite) {
	story(t, s)
	if strings.Contains(string(export(t, s)), `"shadow"`) {
		t.Error("a decision that was enforced is noted as one that was not")
	}
	r := verified(t, s)
	if r.Sessions != 2 || r.Entries != 3+7+3 || r.Unnoted != r.Entries-3 {
		t.Errorf("got %s", show(r))
	}
	_, err := s.Head(t.Context())
	must(t, err)
	if r := verified(t, s); r.Unnoted != 0 {
		t.Errorf("after the head: %s", show(r))
	}
}

func export(t *testing.T, s store.Store) []byte {
	t.Helper()
	var b bytes.Buffer
	for l, err := range s.Export(t.Context()) {
		must(t, err)
		must(t, store.WriteLine(&b, l))
	}
	return b.Bytes()
}

// shadowed: the log says of a decision that the call ran whatever the verdict, and can be verified.
func shadowed(t *testing.T, s *suite) {
	r := call("s", "c1", remit.Deny)
	r.Shadow = true
	must(t, s.Append(t.Context(), "s", 0, r))
	if out := string(export(t, s)); !strings.Contains(out, `"shadow":true`) {
		t.Errorf("the log has %s", out)
	}
	verified(t, s)
}

func exported(t *testing.T, s *suite) {
	story(t, s)
	head, err := s.Head(t.Context())
	must(t, err)
	out := export(t, s)
	r, err := store.VerifyLines(store.ReadLines(bytes.NewReader(out)), head.Hash)
	must(t, err)
	if !r.OK() || r.Sessions != 2 || r.Head != head {
		t.Errorf("got %s\nhead %s", show(r), show(head))
	}

	lines := bytes.SplitAfter(out, []byte("\n"))
	lines = lines[:len(lines)-1]
	for i := range lines {
		for name, changed := range map[string][][]byte{
			"removed":  slices.Concat(lines[:i], lines[i+1:]),
			"repeated": slices.Concat(lines[:i+1], lines[i:]),
			"cut":      lines[:i],
			"changed":  slices.Concat(lines[:i], [][]byte{bytes.Replace(lines[i], []byte(`"time":"2026`), []byte(`"time":"2025`), 1)}, lines[i+1:]),
			"moved":    slices.Concat(lines[i:], lines[:i]),
		} {
			if name == "moved" && i == 0 {
				continue
			}
			r, err := store.VerifyLines(store.ReadLines(bytes.NewReader(bytes.Join(changed, nil))), head.Hash)
			must(t, err)
			if r.OK() {
				t.Errorf("line %d %s: nothing is wrong\n%s", i, name, lines[i])
			}
		}
	}
}

func heads(t *testing.T, s *suite) {
	empty, err := s.Head(t.Context())
	must(t, err)
	verified(t, s, empty.Hash)
	s.begin(t, "a")
	first, err := s.Head(t.Context())
	must(t, err)
	if again, err := s.Head(t.Context()); err != nil || again != first {
		t.Errorf("nothing has happened, and the head is %v, not %v (%v)", again, first, err)
	}

	s.begin(t, "b")
	must(t, s.Append(t.Context(), "a", 1, said("more")))
	second, err := s.Head(t.Context())
	must(t, err)
	verified(t, s, empty.Hash, first.Hash, second.Hash)
	report, err := s.Verify(t.Context(), store.Hash{1})
	must(t, err)
	if report.OK() {
		t.Error("a head of another log is in it")
	}
}

func secrets(t *testing.T, s *suite) {
	secret := []string{"hunter2hunter2", "ghp_0123456789abcdefghijABCDEFGHIJ", "AKIAIOSFODNN7EXAMPLE", "badge-4711", "tr0ub4dor"}
	d := decision("s", "c1")
	d.Findings = append(d.Findings,
		remit.Finding{Path: "/password", Value: secret[0], Role: label.Credential, How: "ambient"},
		remit.Finding{Path: "/text", Value: "use " + secret[1] + " and " + secret[2], Role: label.Content, How: "ambient"})
	d.Reasons = append(d.Reasons, remit.Reason{Code: remit.BelowFloor, Message: "“" + secret[0] + "” and “" + secret[0][:9] + "…”, also " + secret[3]})
	r := call("s", "c1", remit.Ask)
	r.Decision = d
	r.Event.Call.Arguments = json.RawMessage(`{"password":"` + secret[0] + `"}`)
	r.Event.Readings = []scope.Reading{{Tool: "list", Format: "lines", Shape: "password:\nmember:\n" + secret[3] + ":"}}
	must(t, s.Append(t.Context(), "s", 0, said("password: "+secret[4]), r,
		store.Record{Event: remit.Event{Kind: remit.AttachmentEvent, Name: secret[1], Text: secret[1], Time: noon}}))
	a, err := s.Ask(t.Context(), store.Question{Decision: d})
	must(t, err)
	_, err = s.Answer(t.Context(), a.ID, store.Answer{By: "ann", Why: "it has " + secret[3]})
	must(t, err)
	must(t, s.Note(t.Context(), store.Note{About: "start", Members: map[string]string{"password": secret[4], "url": "https://u:" + secret[4] + "@x.example"}}))

	out := string(export(t, s))
	for _, x := range append(secret, secret[0][:9]) {
		if strings.Contains(out, x) {
			t.Errorf("%q is in the audit log:\n%s", x, out)
		}
	}

	for _, x := range []string{"[redacted: credential]", "[redacted: github token]", "[redacted: aws key]", "[redacted: badge]", "https://u:[redacted: password in an address]@x.example",
		`"password:\nmember:\n[redacted: badge]:"`} {
		if !strings.Contains(out, x) {
			t.Errorf("%q is not in the audit log:\n%s", x, out)
		}
	}

	// The session itself has every byte.
	if got := records(t, s.Read(t.Context(), "s", 0)); got[0].Event.Text != "password: "+secret[4] || got[1].Decision.Findings[2].Value != secret[0] {
		t.Errorf("the events are redacted: %s", show(got))
	}
	verified(t, s)
}

func pruned(t *testing.T, s *suite) {
	story(t, s)
	before, err := s.Head(t.Context())
	must(t, err)
	s.pass(time.Hour)
	s.begin(t, "new")
	must(t, s.Append(t.Context(), "t", 1, said("still here")))
	n, err := s.Prune(t.Context(), s.now())
	must(t, err)
	if n != 1 {
		t.Errorf("%d were pruned, want 1: s", n)
	}

	for _, err := range s.Read(t.Context(), "s", 0) {
		is(t, err, store.ErrPruned)
	}

	is(t, s.Append(t.Context(), "s", 0, said("x")), store.ErrPruned)
	is(t, s.Append(t.Context(), "s", 4, said("x")), store.ErrPruned)
	_, err = s.Session(t.Context(), "s")
	is(t, err, store.ErrNotFound)
	list, err := s.Sessions(t.Context(), "", 0)
	must(t, err)
	if len(list) != 2 || list[0].ID != "new" || list[1].ID != "t" {
		t.Errorf("left: %v", list)
	}
	if r := verified(t, s, before.Hash); r.Pruned != 1 || r.Sessions != 2 {
		t.Errorf("got %s", show(r))
	}
	if bytes.Contains(export(t, s), []byte(`"chain":"s"},`)) {
		t.Error("the pruned session is in the export")
	}
	if n, err := s.Prune(t.Context(), s.now()); n != 0 || err != nil {
		t.Errorf("a second time: %d, %v", n, err)
	}
	verified(t, s, before.Hash)
}

// resumed checks that an export goes on from wherever a file of it ends, with the store as it
// is by then.
func resumed(t *testing.T, s *suite) {
	story(t, s)
	_, err := s.Head(t.Context())
	must(t, err)
	whole := export(t, s)
	lines := bytes.SplitAfter(whole, []byte("\n"))

	goOn := func(part []byte) ([]byte, error) {
		e, err := store.ReadExported(bytes.NewReader(part))
		if err != nil {
			return nil, err
		}
		out := bytes.NewBuffer(slices.Clone(part[:e.Bytes]))
		for l, err := range e.Rest(t.Context(), s) {
			if err != nil {
				return nil, err
			}
			must(t, store.WriteLine(out, l))
		}
		return out.Bytes(), nil
	}
	for i := range len(lines) {
		part := slices.Concat(lines[:i]...)
		for name, part := range map[string][]byte{"whole lines": part, "half a line": append(slices.Clone(part), `{"hash":"1`...)} {
			out, err := goOn(part)
			must(t, err)
			if !bytes.Equal(out, whole) {
				t.Fatalf("%d %s: got\n%s\nwant\n%s", i, name, out, whole)
			}
		}
	}

	// What is begun later belongs to the next export, once sessions are written; the file
	// stays whole in itself.
	must(t, s.Note(t.Context(), store.Note{About: "start"}))
	s.begin(t, "aaa later", "zzz later")
	_, err = s.Head(t.Context())
	must(t, err)
	for i := range len(lines) {
		out, err := goOn(slices.Concat(lines[:i]...))
		must(t, err)
		r, err := store.VerifyLines(store.ReadLines(bytes.NewReader(out)))
		must(t, err)
		if !r.OK() {
			t.Fatalf("%d lines: %s", i, show(r))
		}
	}

	// Another log, and one that has lost sessions.
	last := len(lines) - 2
	other := slices.Clone(lines[last])
	digit := &other[len(`{"hash":"`)]
	if *digit++; *digit == '9'+1 || *digit == 'f'+1 {
		*digit = '0'
	}
	_, err = goOn(slices.Concat(append(slices.Clone(lines[:last]), other)...))
	is(t, err, store.ErrOtherLog)
	_, err = s.Prune(t.Context(), s.now().Add(time.Hour))
	must(t, err)
	_, err = goOn(slices.Concat(lines[:last]...))
	is(t, err, store.ErrOtherLog)
}
