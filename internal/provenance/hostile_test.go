package provenance

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/raced"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// shapes are texts that are made to be looked at slowly: one piece repeated, or
// counted, up to a length.
var shapes = func() map[string]func(i int) string {
	out := map[string]func(i int) string{
		"words":            func(i int) string { return fmt.Sprintf("w%d ", i) },
		"mails":            func(i int) string { return fmt.Sprintf("m%d@x%d.io, ", i, i) },
		"links":            func(i int) string { return fmt.Sprintf("https://h%d.io/p%d ", i, i) },
		"counting":         func(i int) string { return fmt.Sprintf("%d ", i) },
		"amounts":          func(i int) string { return fmt.Sprintf("$%d.50 ", i) },
		"names":            func(i int) string { return fmt.Sprintf("Ann%c%c Berg ", 'a'+i%26, 'a'+i/26%26) },
		"quotes":           func(i int) string { return fmt.Sprintf("\"quote %d\" ", i) },
		"dates":            func(i int) string { return fmt.Sprintf("%d May 2026 at %d:30 for %d hours ", 1+i%28, i%24, i%9) },
		"requests":         func(i int) string { return fmt.Sprintf("send w%d to ann@corp.example. ", i) },
		"prohibitions":     func(i int) string { return "never write to ann@corp.example. " },
		"one word":         func(i int) string { return "plan " },
		"one mail":         func(i int) string { return "ann@corp.example, " },
		"one link":         func(i int) string { return "https://corp.example/a " },
		"links in a word":  func(i int) string { return "https://corp.example/a," },
		"hosts in a word":  func(i int) string { return "x.io/y," },
		"one quote":        func(i int) string { return "\"the plan\" " },
		"groups of digits": func(i int) string { return "1212 " },
		"combining marks":  func(i int) string { return "e\u0301\u0302\u0303" },
		"words for numbers": func(i int) string {
			return []string{"two ", "hundred ", "thousand ", "and ", "million ", "five "}[i%6]
		},
		"characters for numbers": func(i int) string { return []string{"五", "万", "3", "千", "十", "元"}[i%6] },
	}
	for _, piece := range []string{
		"data:", "a", "-", ".", "@", "/", "//", "\\", "\\\\", "\"", "'", "`", "(", "[", "{", "<", "[{(", ":", "://", "a:", "a://", "a.b", "a@", "@a", "www.", "https://", "%", "%25", "&#", "&#x41;",
		"\\u0041", "=41", "a ", "to ", "not ", "no", "1", "1 ", "1,", "1.", "1-", "1.2.", "1,2,", "123,", "123 ", "5 to ", "1/2/2026 ", "10:30 ", "two-", "hundert", "tausend", "cento", "五", "十", "零", "5万",
		"DE89 3704 ", "+49 ", "é", "\u0301", "\u200b", "ａ", "日", "日a", "ก", "“", "„", "«", "``` ", "> ", "\n", "-----\n", "From: a\n", "a,", "a;", "<a@b.c>,", "#a ", "$", "$1 ", "$(", "; rm ", " | ",
		"&&", "*", "~/", "../", "SGVsbG8gd29ybGQh", "48656c6c6f", "=?utf-8?q?=41?=", "\t", "a: b\n", "]", "🙂", "/srv/a/", "she ", "it and ", "and send it to ",
	} {
		out[fmt.Sprintf("%q", piece)] = func(int) string { return piece }
	}
	return out
}()

func fill(n int, piece func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(piece(i))
	}
	return b.String()
}

// errand is what the user says in sessions of hostile texts.
const errand = "Send the plan to ann@corp.example, see https://corp.example/a, pay 1,200 EUR and $12.50, read /srv/a. The largest, please."

// decides does what a decision does, and returns its steps for each byte and
// value that they are allotted for.
func decides(s *Session, values []Value) (steps int, spent bool) {
	resolved := s.Resolve(NewAct("send_mail", "", Sends), values)
	for i, r := range resolved {
		s.Sink(values[i].Text)
		s.Chosen(NewAct("send_mail", "", Sends), r)
	}
	s.Requested(NewAct("send_mail", "", Sends))
	return s.work.used(), s.Exhausted()
}

// everywhere are values that hold a text in each form.
func everywhere(text string) []Value {
	out := []Value{{Pointer: "/body", Kind: strictjson.String, Text: text, Brief: true}}
	if len(text) <= 64<<10 {
		for form, name := range map[Form]string{FormAddress: "/to", FormURL: "/url", FormPath: "/path", FormShell: "/command", FormSQL: "/query"} {
			out = append(out, Value{Pointer: name, Kind: strictjson.String, Text: text, Form: form})
		}
	}
	return out
}

// usual are the values of an ordinary call.
func usual() []Value {
	return []Value{
		{Pointer: "/to", Kind: strictjson.String, Text: "ann@corp.example", Form: FormAddress}, {Pointer: "/url", Kind: strictjson.String, Text: "https://corp.example/a?q=plan", Form: FormURL},
		{Pointer: "/path", Kind: strictjson.String, Text: "/srv/a/plan/w17", Form: FormPath}, {Pointer: "/amount", Kind: strictjson.Number, Text: "1200"},
		{Pointer: "/amount", Kind: strictjson.Number, Text: "1017.75"}, {Pointer: "/date", Kind: strictjson.String, Text: "2026-05-17T10:30"}, {Pointer: "/id", Kind: strictjson.String, Text: "identical"},
		{Pointer: "/title", Kind: strictjson.String, Text: "plan"}, {Pointer: "/code", Kind: strictjson.String, Text: "12121212121212121212"}, {Pointer: "/draft", Kind: strictjson.Bool, Text: "true"},
		{Pointer: "/body", Kind: strictjson.String, Text: "The plan of w17, two hundred, of the 5th, at https://corp.example/a."},
	}
}

// places are where a hostile text may be: what is decided after it was taken in, or with it.
var places = map[string]func(s *Session, text string) []Value{
	"argument": func(s *Session, text string) []Value {
		s.User("user:0", errand)
		s.Output("result:1", Result{Text: page, Tool: "read", Spec: Spec{Trust: label.External}})
		return everywhere(text)
	},
	"result": func(s *Session, text string) []Value {
		s.User("user:0", errand)
		s.Output("result:1", Result{Text: text, Tool: "read", Spec: Spec{Trust: label.External}})
		return usual()
	},
	"own result": func(s *Session, text string) []Value {
		s.User("user:0", errand)
		s.Output("result:1", Result{Text: page, Tool: "read", Spec: Spec{Trust: label.External}})
		s.Output("result:2", Result{Text: text, Tool: "list_ids", Spec: Spec{Trust: label.ToolOutput}})
		return usual()
	},
	"user": func(s *Session, text string) []Value {
		s.User("user:0", text+" "+errand)
		s.Output("result:1", Result{Text: page, Tool: "read", Spec: Spec{Trust: label.External}})
		return append(usual(), Value{Pointer: "/text", Kind: strictjson.String, Text: text[:min(len(text), 64)]}, Value{Pointer: "/texts", Kind: strictjson.String, Text: text[:min(len(text), 4096)]})
	},
}

// TestStepsGrowWithTheText: twice the text takes at most about twice the steps, whatever it is
// made of and wherever it is, or the decision is given up.
func TestStepsGrowWithTheText(t *testing.T) {
	raced.SkipTable(t)
	const n = 5 << 10 // more than is looked at as one address
	for place, put := range places {
		for name, piece := range shapes {
			var steps [2]int
			var spent bool
			for k := range steps {
				s := New(now)
				steps[k], spent = decides(s, put(s, fill(n<<k, piece)))
			}
			if steps[1] > 3*steps[0]+n && !spent {
				t.Errorf("%s, %s: %d steps, and %d for twice as much", place, name, steps[0], steps[1])
			}
		}
	}
}

// TestOrdinaryCallsTakeFewSteps: a user who repeats one thing hundreds of times
// may ask for it all the same.
func TestOrdinaryCallsTakeFewSteps(t *testing.T) {
	raced.SkipTable(t)
	for name, piece := range shapes {
		s := New(now)
		places["user"](s, fill(16<<10, piece))
		if steps, spent := decides(s, usual()); spent || steps > workPerDecision/4 {
			t.Errorf("after a user's %s: %d steps, given up: %t", name, steps, spent)
		}
	}
}

// TestStepsAreBounded: what each value of a call makes the decision look at again
// is counted, and a call that goes beyond its steps vouches for nothing.
func TestStepsAreBounded(t *testing.T) {
	raced.SkipTable(t)
	rows := func(n int, row string) string {
		return "[" + strings.Repeat(row+",", n-1) + row + "]"
	}
	for _, c := range []struct {
		name, user, tool, result string
		trust                    label.Trust
		argument, value          string
		values                   int
	}{
		{"a list of an address that was said often, again and again", strings.Repeat("ann@corp.example, ", 250), "read", page, label.External,
			"to", strings.Repeat("ann@corp.example, ", 60), 2000},
		{"words that were said often", strings.Repeat("the plan of ann, ", 250), "read", page, label.External, "title", "the plan of ann", 4000},
		{"folders of the user's", strings.Repeat("/srv/a ", 250), "read", page, label.External, "path", "/srv/a" + strings.Repeat("/a", 60), 4000},
		{"siblings of a component", strings.Repeat("a/b1-a/b2 ", 200), "read", page, label.External, "name", "b1-a", 4000},
		{"fields of a list without end, by which the user names records", "Read it.", "list_ids", rows(95_000, `{"id":"identical","name":"ann"}`), label.ToolOutput, "id", "identical", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(now)
			s.User("user:0", "Send it. "+c.user)
			s.Output("result:1", Result{Text: page, Tool: "read", Spec: Spec{Trust: label.External}})
			r := Result{Text: c.result, Tool: c.tool, Spec: Spec{Trust: c.trust}}
			if c.trust == label.ToolOutput {
				r.Document = document(t, c.result)
				r.Spec.Certify = []Certify{{Procedure: "lookup", Key: "ann", Field: func(string) bool { return true }, By: func(string) bool { return true }}}
			}
			s.Output("result:2", r)

			values := make([]Value, c.values)
			for i := range values {
				values[i] = Value{Pointer: "/" + c.argument, Kind: strictjson.String, Text: c.value}
			}
			resolved := s.Resolve(NewAct("send_mail", "", Sends), values)
			if !s.Exhausted() || s.work.used() > s.work.budget+maxStep {
				t.Fatalf("%d steps of %d, given up: %t", s.work.used(), s.work.budget, s.Exhausted())
			}
			if last := resolved[len(resolved)-1]; last.Label.Trust != label.External || last.Witness || last.Label.Obligations == 0 || len(last.Offers) > 0 {
				t.Errorf("%+v", last)
			}
			if _, found := s.Sink("nothing in it"); !found || !s.Chosen(Act{}, Resolution{}) {
				t.Error("what is looked at afterwards counts as harmless")
			}

			s.Resolve(NewAct("send_mail", "", Sends), usual()[:1])
			if s.Exhausted() {
				t.Error("the next decision has no steps of its own")
			}
		})
	}
}

// maxStep is more than is charged at once after the end of the steps.
const maxStep = 1 << 20

// TestTextIsTakenInWithoutCopies: a text of short lines is not copied for each of
// them.
func TestTextIsTakenInWithoutCopies(t *testing.T) {
	const lines = 16 << 10
	for _, line := range []string{"\n", "a: b\n", "-----\n", "From: a\n"} {
		text := strings.Repeat(line, lines)
		for name, take := range map[string]func(s *Session){
			"user":   func(*Session) { carve(text) },
			"result": func(s *Session) { s.addCells(0, text) },
		} {
			s := New(now)
			s.add(event{name: "result:1", text: text, out: &output{}})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			take(s)
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 64*uint64(len(text))+4<<20 {
				t.Errorf("%s of %q: %d bytes for %d", name, line, got, len(text))
			}
		}
	}
}

// Whether a listing is whole is told by its lists, and not by how its members are called.
func TestListingIsWhole(t *testing.T) {
	for name, c := range map[string]struct {
		result string
		want   bool
	}{
		"as many as there are":              {`{"total":2,"items":[{"id":1},{"id":2}]}`, true},
		"more than are listed":              {`{"total":50,"items":[{"id":1}]}`, false},
		"a member that is called a number":  {`{"total":50,"items":[{"id":1,"extra":{"99":"x"}}]}`, false},
		"such a number with a sign":         {`{"total":50,"items":[{"id":1}],"+99":"x"}`, false},
		"a total below such a member":       {`{"0":{"total":50},"items":[{"id":1}]}`, false},
		"a total that is no number":         {`{"total":50,"total_label":"NaN","items":[{"id":1}]}`, false},
		"a total of a record":               {`{"items":[{"id":1,"total":50}]}`, true},
		"another page":                      {`{"next_cursor":"c2","items":[{"id":1}]}`, false},
		"no other page":                     {`{"has_more":false,"next_cursor":null,"items":[{"id":1}]}`, true},
		"a list of cursors":                 {`{"next_cursors":["c2"],"items":[{"id":1}]}`, false},
		"the longest of several lists":      {`{"total":3,"tags":["a","b","c"],"items":[{"id":1}]}`, true},
		"nothing but a value, without list": {`"a"`, true},
	} {
		doc, err := strictjson.Parse([]byte(c.result), strictjson.OutputLimits())
		if err != nil {
			t.Fatal(err)
		}
		if got := IsWhole(doc, nil); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What is over the bound of hearsay counts as heard.
func TestHearsayBeyondItsBound(t *testing.T) {
	within, beyond := NewHearsay([]string{"ask bob@corp.example"}), NewHearsay([]string{strings.Repeat("word ", maxHearsay/5), "ask bob@corp.example"})
	for _, c := range []struct {
		of   *Hearsay
		text string
		want bool
	}{
		{within, "bob@corp.example", true}, {within, "ann@corp.example", false}, {beyond, "bob@corp.example", true}, {beyond, "ann@corp.example", true}, {beyond, "hi", false},
	} {
		if got := c.of.Has(c.text); got != c.want {
			t.Errorf("%s: %v", c.text, got)
		}
	}
}

// Results under one id, and names that take up whole pointers, take a time that grows with them: with a square
// of it the test doesn't end.
func TestManyResultsEnd(t *testing.T) {
	s := New(func() time.Time { return time.Time{} })
	const results = 100_000
	for range results {
		s.External("again", "x")
	}
	if _, has := s.names["again~100000"]; !has || len(s.names) != results {
		t.Errorf("%d names", len(s.names))
	}
	s.External("again~2", "x")
	if _, has := s.names["again~2~2"]; !has {
		t.Error("a name that was given is given again")
	}

	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, `,"a%d":"x"`, i)
	}
	doc, err := strictjson.Parse([]byte(`{"`+strings.Repeat("a_", 3000)+`":{`+b.String()[1:]+`}}`), strictjson.OutputLimits())
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if !IsWhole(doc, nil) {
			t.Fatal("the listing is a part")
		}
	}
}
