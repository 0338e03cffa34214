package sighting_test

import (
	"context"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/sighting"
)

const contracts = `version: 1
server: mail
tools:
  list_messages:
    effect: read
    args: {/folder: {role: selector, floor: EXTERNAL}}
    output: {trust: EXTERNAL}
  read_file:
    effect: read
    args: {/path: {role: selector, floor: EXTERNAL}}
    output: {trust: EXTERNAL}
  delete_message:
    effect: destructive
    args: {/message_id: {role: selector, floor: USER}}
    output: {trust: TOOL_OUTPUT}
  write_file:
    effect: destructive
    args: {/path: {role: target, floor: USER, form: path}, /content: {role: content}}
    output: {trust: TOOL_OUTPUT}
`

const inbox = `{"messages":[{"id":"m-101","from":"ann@corp.example","subject":"Lunch"},{"id":"m-102","from":"bob@corp.example","subject":"Contract, signed","body":"Dear Ann …","tags":["x"]}]}`

// session is a session with its decisions, as the stores of enforcement points
// have them.
type session struct {
	*remit.Session
	made map[string]*remit.Decision
}

func (s *session) Text(_ context.Context, origin string) (string, bool, error) {
	text, ok := s.Session.Text(origin)
	return text, ok, nil
}

func (s *session) Last(_ context.Context, call string) (*remit.Decision, error) {
	if d := s.made[call]; d != nil {
		return d, nil
	}
	return nil, remit.ErrUnknownCall
}

func (s *session) call(t *testing.T, id, tool, arguments, result string, structured bool) *remit.Decision {
	t.Helper()
	d, err := s.Decide(t.Context(), remit.Call{ID: id, Server: "mail", Tool: tool, Arguments: []byte(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	s.made[id] = d
	if result == "" {
		return d
	}
	r := remit.Result{Call: id, Content: result}
	if structured {
		r.Structured = []byte(result)
	}
	if err := s.Result(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return d
}

func begin(t *testing.T) *session {
	t.Helper()
	f, err := contract.Load("mail.yaml", []byte(contracts))
	if err != nil {
		t.Fatal(err)
	}
	m, err := remit.New(remit.Options{Contracts: []*contract.File{f}, UnseenUser: true})
	if err != nil {
		t.Fatal(err)
	}
	return &session{m.Session("s"), map[string]*remit.Decision{}}
}

// An identifier is shown with the record that it names and the tool that
// returned it, whether the result was structured or JSON in a text, and whatever is in the
// call's id.
func TestRecords(t *testing.T) {
	for name, test := range map[string]struct {
		id         string
		structured bool
	}{
		"structured": {"c1", true}, "text": {"c1", false},
		"known by its place": {"list_messages#1", true}, "text, by its place": {"list_messages#1", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t)
			s.call(t, test.id, "list_messages", `{"folder":"inbox"}`, inbox, test.structured)
			d := s.call(t, "c2", "delete_message", `{"message_id":"m-102"}`, "", false)
			places, err := sighting.Of(t.Context(), s, d)
			if err != nil || len(places) == 0 {
				t.Fatalf("%v, %v", places, err)
			}
			p := places[0]
			if p.Tool != "list_messages" || p.Path != "/message_id" {
				t.Errorf("the place is %+v", p)
			}
			var members []string
			for _, m := range p.Record {
				members = append(members, m.Name+"="+m.Value)
			}
			if got := strings.Join(members, ";"); got != "from=bob@corp.example;subject=Contract, signed;body=Dear Ann …" {
				t.Errorf("the record is %s", got)
			}
		})
	}
}

// What a path has in common with other paths doesn't show where it is from.
func TestPiecesThatTellNothing(t *testing.T) {
	s := begin(t)
	s.call(t, "c1", "read_file", `{"path":"/home/ann/notes/a.md"}`, "See /home/ann/notes/n2.md and research.", false)
	d := s.call(t, "c2", "write_file", `{"path":"/home/ann/notes/n9.md","content":"research"}`, "", false)
	places, err := sighting.Of(t.Context(), s, d)
	if err != nil || len(places) > 0 {
		t.Errorf("%+v, %v", places, err)
	}
	d = s.call(t, "c3", "write_file", `{"path":"/home/ann/notes/n2.md","content":"x"}`, "", false)
	places, err = sighting.Of(t.Context(), s, d)
	if err != nil || len(places) == 0 || places[0].Tool != "read_file" || !strings.HasSuffix(places[0].Before, "See ") {
		t.Errorf("%+v, %v", places, err)
	}
}

// A value that the model itself wrote into an earlier call is shown with that call's tool,
// and not as if the tool had returned it.
func TestWrittenByTheModel(t *testing.T) {
	s := begin(t)
	s.call(t, "c1", "read_file", `{"path":"/srv/deploy.sh"}`, "Nothing.", false)
	d := s.call(t, "c2", "write_file", `{"path":"/srv/deploy.sh","content":"x"}`, "", false)
	places, err := sighting.Of(t.Context(), s, d)
	if err != nil || len(places) != 1 || !places[0].Written || places[0].Tool != "read_file" || places[0].Record != nil {
		t.Errorf("%+v, %v", places, err)
	}
}

// A directory that a long path has in common with another one is not a source of it.
func TestDirectoriesInCommon(t *testing.T) {
	s := begin(t)
	const folder = "/home/ann/documents/projects/apollo/reports/quarterly/"
	s.call(t, "c1", "read_file", `{"path":"/x"}`, "The last one is "+folder+"q1.md, it says.", false)
	d := s.call(t, "c2", "write_file", `{"path":"`+folder+`q2.md","content":"x"}`, "", false)
	if places, err := sighting.Of(t.Context(), s, d); err != nil || len(places) > 0 {
		t.Errorf("%+v, %v", places, err)
	}
	d = s.call(t, "c3", "write_file", `{"path":"`+folder+`q1.md","content":"x"}`, "", false)
	if places, err := sighting.Of(t.Context(), s, d); err != nil || len(places) == 0 {
		t.Errorf("the path as a whole is a source: %+v, %v", places, err)
	}
}
