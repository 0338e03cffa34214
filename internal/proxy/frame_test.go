package proxy_test

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/proxy"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// framed is a conversation whose system text and tools may be others in every
// request.
type framed struct {
	t       *testing.T
	u       *upstream
	base    string
	dialect string
	log     bytes.Buffer
	header  []string
	turns   []string
	to      string // who gets the mails; bob when empty
	kept    string // the response to go on from, where the provider keeps the history
}

func newFramed(t *testing.T, dialect string, change func(*proxy.Options)) *framed {
	f := &framed{t: t, dialect: dialect, u: newUpstream(t)}
	f.base = newProxy(t, f.u, func(o *proxy.Options) {
		never(o)
		o.Monitor.Reviewed = true // so that the definitions are the deployment's text
		o.Attached = []string{"document"}
		o.Log = slog.New(slog.NewTextHandler(&f.log, nil))
		if change != nil {
			change(o)
		}
	}).URL
	return f
}

// tools are definitions in the form of the dialect.
func (f *framed) tools(names ...string) string {
	var out []string
	for _, name := range names {
		name, more, _ := strings.Cut(name, ": ")
		const schema = `{"type":"object","properties":{"to":{"type":"string","format":"email"},"body":{"type":"string"}}}`
		form := map[string]string{
			"chat":      `{"type":"function","function":{"name":%q,"description":%q,"parameters":` + schema + `}}`,
			"messages":  `{"name":%q,"description":%q,"input_schema":` + schema + `}`,
			"responses": `{"type":"function","name":%q,"description":%q,"parameters":` + schema + `}`,
		}[f.dialect]
		out = append(out, fmt.Sprintf(form, name, "Tool. "+more))
	}
	return "[" + strings.Join(out, ",") + "]"
}

func (f *framed) say(text string) {
	f.turns = append(f.turns, fmt.Sprintf(`{"role":"user","content":%q}`, text))
}

// ask sends the conversation. The model answers with a text, or with a call of a
// tool, as a rule to bob; whether the call goes out is returned.
func (f *framed) ask(system, tools, text, tool string) bool {
	f.t.Helper()
	to := cmp.Or(f.to, "bob@corp.example")
	arguments := fmt.Sprintf(`{"to":%q,"body":"hello"}`, to)
	id := fmt.Sprintf("id%d", len(f.turns))
	var answer, body, said string
	turns := strings.Join(f.turns, ",")
	switch f.dialect {
	case "chat":
		said = fmt.Sprintf(`{"role":"assistant","content":%q}`, text)
		if tool != "" {
			said = calls(id, tool, arguments)
		}
		answer = fmt.Sprintf(`{"id":%q,"choices":[{"index":0,"message":%s,"finish_reason":"stop"}]}`, id, said)
		body = fmt.Sprintf(`{"messages":[{"role":"system","content":%q},%s],"tools":%s}`, system, turns, tools)
	case "messages":
		block := fmt.Sprintf(`{"type":"text","text":%q}`, text)
		if tool != "" {
			block = fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, id, tool, arguments)
		}
		said = fmt.Sprintf(`{"role":"assistant","content":[%s]}`, block)
		answer = fmt.Sprintf(`{"id":%q,"type":"message","role":"assistant","content":[%s],"stop_reason":"end_turn"}`, id, block)
		body = fmt.Sprintf(`{"system":%q,"messages":[%s],"tools":%s}`, system, turns, tools)
	case "responses":
		said = fmt.Sprintf(`{"type":"message","role":"assistant","id":"m%s","content":[{"type":"output_text","text":%q,"annotations":[]}]}`, id, text)
		if tool != "" {
			said = fmt.Sprintf(`{"type":"function_call","id":"f%s","call_id":%q,"name":%q,"arguments":%q}`, id, id, tool, arguments)
		}
		answer = fmt.Sprintf(`{"id":%q,"object":"response","status":"completed","output":[%s]}`, id, said)
		body = fmt.Sprintf(`{"instructions":%q,"input":[%s],"tools":%s}`, system, turns, tools)
		if f.kept != "" {
			body = fmt.Sprintf(`{"instructions":%q,"input":[%s],"tools":%s,"previous_response_id":%q}`, system, f.turns[len(f.turns)-1], tools, f.kept)
		}
	}
	f.u.add(reply{status: 200, kind: "application/json", body: answer})
	resp, got := post(f.t, f.base, dialects[f.dialect].path, body, f.header...)
	if resp.StatusCode != http.StatusOK {
		f.t.Fatalf("%d: %s", resp.StatusCode, got)
	}
	f.turns = append(f.turns, said)
	if f.kept != "" {
		f.kept = id
	}
	return tool != "" && strings.Contains(got, fmt.Sprintf("%q", tool)) && strings.Contains(got, to) && !strings.Contains(got, "held back")
}

// What the model had said is still known when the time in the system prompt, or
// the prompt itself, is another, and when tools come, go, and hand over.
func TestAnotherFrameTaintsNothing(t *testing.T) {
	for dialect := range dialects {
		for name, second := range map[string]struct {
			system string
			tools  []string
		}{
			"the same":                 {"You help. It is 10:00.", []string{"send_email"}},
			"another time":             {"You help. It is 10:01.", []string{"send_email"}},
			"another prompt":           {"You are the mail agent.", []string{"send_email"}},
			"a new tool":               {"You help. It is 10:00.", []string{"send_email", "read_page"}},
			"another order of tools":   {"You help. It is 10:00.", []string{"note", "send_email"}},
			"an agent that hands over": {"You are the mail agent.", []string{"send_email", "other"}},
		} {
			t.Run(dialect+" "+name, func(t *testing.T) {
				f := newFramed(t, dialect, nil)
				first := []string{"send_email"}
				if strings.Contains(name, "order") {
					first = []string{"send_email", "note"}
				} else if strings.Contains(name, "hands over") {
					first = []string{"transfer_to_mail"}
				}
				f.say("Which address do you write to when I say Bob?")
				f.ask("You help. It is 10:00.", f.tools(first...), "I write to bob@corp.example.", "")
				f.say("Good, do that.")
				if !f.ask(second.system, f.tools(second.tools...), "", "send_email") {
					t.Errorf("the call was held back")
				}
				if strings.Contains(f.log.String(), "are not known") {
					t.Errorf("the log has:\n%s", f.log.String())
				}
			})
		}
	}
}

// It is so as well where the provider keeps the history, and where a store keeps
// the session.
func TestAnotherFrameOverAKeptHistory(t *testing.T) {
	talk := func(t *testing.T, f *framed, system string, tools ...string) {
		t.Helper()
		f.say("Which address do you write to when I say Bob?")
		f.ask("It is 10:00.\nYou help.", f.tools("note"), "I write to bob@corp.example.", "")
		f.kept = "id1"
		f.say("Good, do that.")
		if !f.ask(system, f.tools(tools...), "", "send_email") {
			t.Errorf("the call was held back:\n%s", f.log.String())
		}
	}
	t.Run("volatile", func(t *testing.T) {
		talk(t, newFramed(t, "responses", nil), "It is 10:01.\nYou help.", "note", "send_email")
	})
	t.Run("durable", func(t *testing.T) {
		s, err := store.Open(t.Context(), t.TempDir()+"/remit.db", store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		f := newFramed(t, "responses", func(o *proxy.Options) {
			o.Ledger = ledger.New(s, ledger.Options{})
		})
		f.header = []string{"Remit-Session", "run-1"}
		talk(t, f, "It is 10:01.\nYou help.", "send_email")
		var systems []string
		for rec, err := range s.Read(t.Context(), "run-1", 0) {
			if err != nil {
				t.Fatal(err)
			}
			if rec.Event.Kind == remit.SystemEvent {
				systems = append(systems, rec.Event.Text)
			}
		}
		if got, want := fmt.Sprintf("%q", systems), `["It is 10:00.\nYou help." "It is 10:01.\n"]`; got != want {
			t.Errorf("the session has the system texts %s, want %s", got, want)
		}
	})
}

// A named session goes on in a store under another frame, and what a request
// repeats is not added again.
func TestAnotherFrameOfANamedSession(t *testing.T) {
	for dialect := range dialects {
		s, err := store.Open(t.Context(), t.TempDir()+"/remit.db", store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		f := newFramed(t, dialect, func(o *proxy.Options) {
			o.Ledger = ledger.New(s, ledger.Options{})
		})
		f.header = []string{"Remit-Session", "run-1"}
		f.say("Which address do you write to when I say Bob?")
		f.ask("It is 10:00.", f.tools("send_email"), "I write to bob@corp.example.", "")
		f.say("Good, do that.")
		if !f.ask("It is 10:01.", f.tools("note", "send_email"), "", "send_email") {
			t.Errorf("%s: the call was held back:\n%s", dialect, f.log.String())
		}
		// Two system texts, two of the user's, the model's words, and the call.
		if got := length(t, s); got != 6 {
			t.Errorf("%s: the session has %d events, want 6", dialect, got)
		}
	}
}

// What the model had read when it wrote must still be in the conversation, or its words may come
// from anyone: so after material is gone from the system text, or definitions have changed. The
// log says so.
func TestWordsWithoutWhatWasBehindThem(t *testing.T) {
	const document = "You help. <document>Bob has moved to bob@corp.example.</document>"
	for dialect := range dialects {
		for name, test := range map[string]struct {
			system []string
			tools  []string
			accept []string
			want   bool
			log    string
		}{
			"material that is gone":     {[]string{document, "You help."}, []string{"send_email", "send_email"}, nil, false, "the material in the system text was another"},
			"a definition that changed": {[]string{"You help.", "You help."}, []string{"send_email: Bob is bob@corp.example.", "send_email"}, nil, false, "definitions of tools have changed: send_email"},
			"one that may":              {[]string{"You help.", "You help."}, []string{"send_email: It is Monday.", "send_email"}, []string{"send_email"}, true, ""},
			"words that were not said":  {[]string{"You help.", "You help."}, []string{"", "send_email"}, nil, false, "they were not passed on at this place"},
		} {
			t.Run(dialect+" "+name, func(t *testing.T) {
				f := newFramed(t, dialect, func(o *proxy.Options) { o.Accept = test.accept })
				f.say("Which address do you write to when I say Bob?")
				f.ask(test.system[0], f.tools(test.tools[0]), "I write to bob@corp.example.", "")
				if test.tools[0] == "" {
					f.turns[0] = strings.Replace(f.turns[0], "Bob?", "Bob or Eve?", 1)
				}
				f.say("Good, do that.")
				if got := f.ask(test.system[1], f.tools(test.tools[1]), "", "send_email"); got != test.want {
					t.Errorf("the call went out: %t, want %t", got, test.want)
				}
				if !strings.Contains(f.log.String(), test.log) || (test.log == "") == strings.Contains(f.log.String(), "are not known") {
					t.Errorf("want %q in the log:\n%s", test.log, f.log.String())
				}
			})
		}
	}
}

// Tools that only an earlier agent of the conversation was offered apply to its calls in the
// history, but can't be called any more.
func TestToolsOfAnEarlierAgent(t *testing.T) {
	for dialect := range dialects {
		f := newFramed(t, dialect, nil)
		f.say("Mail hello to bob@corp.example.")
		if !f.ask("You mail.", f.tools("send_email"), "", "send_email") {
			t.Errorf("%s: the first agent's call was held back", dialect)
		}
		f.say("And once more.")
		if f.ask("You read.", f.tools("read_page"), "", "send_email") {
			t.Errorf("%s: a tool that is not offered was called", dialect)
		}
	}
}

// Tools of the provider have no names.
func TestAnotherFrameOfProvidersTools(t *testing.T) {
	f := newFramed(t, "responses", nil)
	f.say("Which address do you write to when I say Bob?")
	f.ask("You help.", `[{"type":"image_generation"},{"type":"code_interpreter"}]`, "I write to bob@corp.example.", "")
	f.say("Good, do that.")
	more := strings.Replace(f.tools("send_email"), "[", `[{"type":"image_generation","quality":"high"},`, 1)
	if !f.ask("You help.", more, "", "send_email") {
		t.Errorf("the call was held back:\n%s", f.log.String())
	}
}

// Whose conversation it is still counts.
func TestAnotherFrameOfSomebodyElse(t *testing.T) {
	f := newFramed(t, "messages", nil)
	f.header = []string{"X-Api-Key", "one"}
	f.say("Which address do you write to when I say Bob?")
	f.ask("You help.", f.tools("send_email"), "I write to bob@corp.example.", "")
	f.header = []string{"X-Api-Key", "two"}
	f.say("Good, do that.")
	if f.ask("You help.", f.tools("send_email"), "", "send_email") {
		t.Errorf("what was said to another is known")
	}
}
