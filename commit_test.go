package remit_test

import (
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
)

var errGivenUp = errors.New("given up")

// TestAProposalThatIsGivenUpLeavesNoTrace gives up proposals between the steps of a
// session: every decision is what it is in a session without them.
func TestAProposalThatIsGivenUpLeavesNoTrace(t *testing.T) {
	run := func(givenUp int) []*remit.Decision {
		s := archive(t, 3, "", `session.calls().size() < 2`).Session("s")
		var out []*remit.Decision
		for _, c := range []remit.Call{toolCall("", "hr", "q", "x"), toolCall("", "hr", "q", "y"), toolCall("", "note", "text", "x"), toolCall("", "gone", "q", "x")} {
			for range givenUp {
				_, err := s.DecideRecorded(context.Background(), c, nil, func(p *remit.Proposal) error {
					if p.Decision().Call == "" {
						t.Error("a proposal has no call id")
					}
					return errGivenUp
				})
				if !errors.Is(err, errGivenUp) {
					t.Fatal(err)
				}
			}
			out = append(out, decideCall(t, s, c))
			returns(t, s, remit.Result{Call: out[len(out)-1].Call, Content: "Number 712347 is red."})
		}
		return out
	}
	want := run(0)
	for i, id := range []string{"c1", "c2", "c3", "c4"} {
		if want[i].Call != id {
			t.Errorf("call %d has the id %q", i+1, want[i].Call)
		}
	}
	if diff := cmp.Diff(want, run(2)); diff != "" {
		t.Errorf("decisions (-without +with proposals given up):\n%s", diff)
	}
}

// TestADecisionOfAnotherSession: a decision that was recorded doesn't count in a
// session that went on meanwhile.
func TestADecisionOfAnotherSession(t *testing.T) {
	s := archive(t, 3, "", `session.calls().size() < 2`).Session("s")
	c := toolCall("c", "hr", "q", "x")
	_, err := s.DecideRecorded(context.Background(), c, nil, func(*remit.Proposal) error {
		s.User("Stop.")
		return nil
	})
	if !errors.Is(err, remit.ErrChanged) {
		t.Errorf("err %v", err)
	}
	if err := s.Awaits("c"); !errors.Is(err, remit.ErrUnknownCall) {
		t.Errorf("the session knows of the call: %v", err)
	}
}

// TestDecidingChangesNothing decides every call of a session twice before it is
// committed: both times alike, and the session is the same to its last byte.
func TestDecidingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := open(t, switchboard)
		for _, s := range anySession(6).Draw(t, "session") {
			if s.arguments != "" {
				before := digest(o.Session)
				first, second := o.givenUp(s), o.givenUp(s)
				if diff := cmp.Diff(first, second); diff != "" {
					t.Fatalf("decided again (-first +second):\n%s", diff)
				}
				if digest(o.Session) != before {
					t.Fatalf("deciding %s %s changed the session", s.kind, s.arguments)
				}
			}
			o.play(s)
		}
	})
}

// givenUp returns the decision on a step's call, which the session doesn't take.
func (o *office) givenUp(s step) (d *remit.Decision) {
	o.tb.Helper()
	c := remit.Call{ID: s.id, Tool: s.kind, Arguments: json.RawMessage(s.arguments)}
	_, err := o.DecideRecorded(context.Background(), c, nil, func(p *remit.Proposal) error {
		d = p.Decision()
		return errGivenUp
	})
	if !errors.Is(err, errGivenUp) {
		o.tb.Fatal(err)
	}
	return d
}

var digestSeed = maphash.MakeSeed()

// digest is a hash of all that a value leads to, monitors and functions left out.
func digest(v any) uint64 {
	d := digester{}
	d.add(reflect.ValueOf(v))
	return d.sum
}

type digester struct {
	sum  uint64
	seen map[uintptr]bool
}

func (d *digester) mix(x uint64) { d.sum = (d.sum^x)*0x9E3779B97F4A7C15 + d.sum>>29 }

func (d *digester) add(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*remit.Monitor]() || d.seen[v.Pointer()] {
			return
		}
		if d.seen == nil {
			d.seen = map[uintptr]bool{}
		}
		d.seen[v.Pointer()] = true
		d.add(v.Elem())
	case reflect.Interface:
		if !v.IsNil() {
			d.add(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			// The buffers of an index mean nothing to the next call, and its steps are
			// counted for tests.
			if name := v.Type().Field(i).Name; name != "scratch" && name != "steps" {
				d.add(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		d.mix(uint64(v.Len()))
		for i := range v.Len() {
			d.add(v.Index(i))
		}
	case reflect.Map:
		var all uint64
		for entries := v.MapRange(); entries.Next(); {
			entry := digester{seen: map[uintptr]bool{}}
			entry.add(entries.Key())
			entry.add(entries.Value())
			all += entry.sum
		}
		d.mix(all)
	case reflect.String:
		d.mix(maphash.String(digestSeed, v.String()))
	case reflect.Bool:
		if v.Bool() {
			d.mix(1)
		}
		d.mix(2)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.mix(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		d.mix(v.Uint())
	case reflect.Float32, reflect.Float64:
		d.mix(uint64(v.Float()))
	}
}

// counting is a reader or judge that calls back.
type counting struct {
	calls int
	each  func(n int)
	paid  string
}

func (c *counting) Read(context.Context, string, string, json.RawMessage) (*guard.Result, error) {
	c.called()
	return guard.ResultOf(json.RawMessage(`{"paid": ` + c.paid + `}`)), nil
}

func (c *counting) Judge(context.Context, guard.Question, *guard.History) (bool, string, error) {
	c.called()
	return true, "yes", nil
}

func (c *counting) called() {
	c.calls++
	if c.each != nil {
		c.each(c.calls)
	}
}

func guarded(t tb, c *counting, rules string) *remit.Session {
	o := (&shop{}).options(t, rules)
	o.Reader, o.Judge = c, c
	m, err := remit.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m.Session("s")
}

// TestASlowLookUpHoldsNoSession: while a rule waits for a look-up, the session takes
// what is said and returned, and decides calls that need none.
func TestASlowLookUpHoldsNoSession(t *testing.T) {
	entered, release := make(chan bool), make(chan bool)
	s := guarded(t, &counting{paid: "10", each: func(int) { entered <- true; <-release }}, refundRules)
	s.User("Refund 9 for order o1.")
	decided := make(chan *remit.Decision)
	go func() {
		d, err := s.Decide(context.Background(), refund("slow", "9"))
		if err != nil {
			t.Error(err)
		}
		decided <- d
	}()

	<-entered
	s.User("Hello!")
	if text, ok := s.Text("user:1"); !ok || text != "Hello!" {
		t.Errorf("text %q, %v", text, ok)
	}
	if d := decideCall(t, s, toolCall("quick", "send", "text", "x")); d.Verdict != remit.Allow {
		t.Errorf("decided %s", rulesOf(d))
	}
	if err := s.Result(t.Context(), remit.Result{Call: "quick", Content: "sent"}); err != nil {
		t.Error(err)
	}
	release <- true
	if d := <-decided; d.Verdict != remit.Allow {
		t.Errorf("decided %s", rulesOf(d))
	}
}

// TestLookUpsOfASessionThatWentOn: what a rule asks may depend on the session, which
// goes on while the answers come. It is decided as it is in the end, by answers about
// that, and not at all when there is no end.
func TestLookUpsOfASessionThatWentOn(t *testing.T) {
	const counted = `tool: refund
policies:
  - name: paid
    require: 'args.amount <= tools.get_order({"id": string(session.calls("send").size())}).paid'
    message: Too much.
`
	const judged = `tool: refund
policies:
  - name: wanted
    require: judge("Does the user want a refund?")
    message: It is not wanted.
`
	for name, c := range map[string]struct {
		rules string
		goes  func(s *remit.Session, n int)
		calls int
		want  string
	}{
		"nothing happens":      {judged, func(*remit.Session, int) {}, 1, "allow"},
		"something was said":   {judged, func(s *remit.Session, n int) { says1(s, n, 1) }, 2, "allow"},
		"said, and not asked":  {refundRules, func(s *remit.Session, n int) { says1(s, n, 1) }, 1, "allow"},
		"another look-up":      {counted, func(s *remit.Session, n int) { sends(t, s, n, 1) }, 2, "allow"},
		"always another":       {counted, func(s *remit.Session, n int) { sends(t, s, n, 100) }, 8, "deny; guard-failed paid"},
		"it never stops":       {judged, func(s *remit.Session, n int) { says1(s, n, 100) }, 8, "ask; policy-violation wanted"},
		"the call itself runs": {refundRules, func(s *remit.Session, _ int) { decideCall(t, s, refund("c", `"x"`)) }, 1, "deny; repeated-id "},
	} {
		t.Run(name, func(t *testing.T) {
			asked := &counting{paid: "10"}
			s := guarded(t, asked, c.rules)
			asked.each = func(n int) { c.goes(s, n) }
			d := decideCall(t, s, refund("c", "9"))
			if got := rulesOf(d); got != c.want || asked.calls != c.calls {
				t.Errorf("%s after %d answers, want %s after %d", got, asked.calls, c.want, c.calls)
			}
		})
	}
}

func says1(s *remit.Session, n, most int) {
	if n <= most {
		s.User("One more thing.")
	}
}

func sends(t tb, s *remit.Session, n, most int) {
	if n <= most {
		decideCall(t, s, toolCall("", "send", "text", "x"))
	}
}

// TestADecisionThatIsBrokenOff: when the context ends during a look-up there is no
// decision, and the session knows nothing of the call.
func TestADecisionThatIsBrokenOff(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := guarded(t, &counting{paid: "10", each: func(int) { cancel() }}, refundRules)
	before := digest(s)
	if _, err := s.Decide(ctx, refund("c", "9")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if digest(s) != before {
		t.Error("the session changed")
	}
}

// TestOneReadingOfTheClock: a decision happens at one time.
func TestOneReadingOfTheClock(t *testing.T) {
	read := 0
	o := (&shop{paid: "5000"}).options(t, refundRules)
	o.Now = func() time.Time {
		read++
		return time.Date(2026, 3, 1, 9, 0, read, 0, time.UTC)
	}
	m, err := remit.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Session("s")
	s.User("Refund o1 tomorrow.")
	read = 0
	decideCall(t, s, refund("c", "2000"))
	if read != 1 {
		t.Errorf("a decision read the clock %d times", read)
	}
	if _, err := s.Confirm(t.Context(), "c"); err != nil || read != 2 {
		t.Errorf("a confirmation read the clock %d times: %v", read-1, err)
	}
}
