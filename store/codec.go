package store

import (
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// stored is an event as it is written: every text byte for byte, also where it
// is not text at all, and JSON that came from outside as the text that it was.
// A session that is restored must see exactly what the first one saw.
type stored struct {
	Kind remit.EventKind `json:"kind"`
	Time time.Time       `json:"time"`
	// Took is in microseconds. It and Shadow are of the record, and come before all that others
	// may have written: PostgreSQL reads them as text.
	Took    int64         `json:"took,omitempty"`
	Shadow  bool          `json:"shadow,omitempty"`
	Name    exact         `json:"name,omitempty"`
	Text    exact         `json:"text,omitempty"`
	Call    *storedCall   `json:"call,omitempty"`
	Verdict remit.Verdict `json:"verdict,omitempty"`
	Once    bool          `json:"once,omitempty"`
	Result  *storedResult `json:"result,omitempty"`

	Facts     *guard.Facts     `json:"facts,omitempty"`
	Principal *guard.Principal `json:"principal,omitempty"`
	Scope     exact            `json:"scope,omitempty"`
	Planned   *scope.Planned   `json:"planned,omitempty"`
	Named     *scope.Named     `json:"named,omitempty"`
	Delegated *scope.Delegated `json:"delegated,omitempty"`
	Agreed    []storedAgreed   `json:"agreed,omitempty"`
	Readings  []scope.Reading  `json:"readings,omitempty"`
	// Boot is the run of the machine in which a decision was written; see
	// [Record.Restarted].
	Boot string `json:"boot,omitempty"`
}

type storedCall struct {
	ID        exact `json:"id,omitempty"`
	Server    exact `json:"server,omitempty"`
	Tool      exact `json:"tool,omitempty"`
	Arguments exact `json:"arguments,omitempty"`
	Message   exact `json:"message,omitempty"`
	Beside    exact `json:"beside,omitempty"`
	Past      bool  `json:"past,omitempty"`
	Point     exact `json:"point,omitempty"`
}

type storedAgreed struct {
	Server    exact          `json:"server,omitempty"`
	Tool      exact          `json:"tool,omitempty"`
	Variant   exact          `json:"variant,omitempty"`
	Arguments exact          `json:"arguments,omitempty"`
	Reasons   []remit.Reason `json:"reasons,omitempty"`
}

type storedResult struct {
	Call       exact `json:"call,omitempty"`
	Content    exact `json:"content,omitempty"`
	Structured exact `json:"structured,omitempty"`

	Stored    *remit.Stored `json:"stored,omitempty"`
	Suspended bool          `json:"suspended,omitempty"`
	Failed    *bool         `json:"failed,omitempty"`
}

// exact is a string that keeps its bytes in JSON: what is not UTF-8 is written
// as {"base64": "…"}.
type exact string

// MarshalJSON implements [json.Marshaler].
func (e exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(e)) {
		return strictjson.Encode(string(e))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(e))})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (e *exact) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		*e = exact(s)
		return nil
	}

	var b struct {
		Base64 *[]byte `json:"base64"`
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return err
	}
	if b.Base64 == nil {
		return fmt.Errorf("neither a string nor {\"base64\"}")
	}
	*e = exact(*b.Base64)
	return nil
}

func encodeEvent(r *Record, boot string) ([]byte, error) {
	e := &r.Event
	s := stored{Kind: e.Kind, Time: e.Time.Round(0), Took: max(0, r.Took.Microseconds()), Shadow: r.Shadow, Name: exact(e.Name), Text: exact(e.Text), Verdict: e.Verdict, Once: e.Once, Boot: boot, Facts: e.Facts, Principal: e.Principal,
		Scope: exact(e.Scope), Planned: e.Planned, Named: e.Named, Delegated: e.Delegated, Readings: e.Readings}
	if c := e.Call; c != nil {
		s.Call = &storedCall{exact(c.ID), exact(c.Server), exact(c.Tool), exact(c.Arguments), exact(c.Message), exact(c.Beside), c.Past, exact(c.Point)}
	}
	if r := e.Result; r != nil {
		s.Result = &storedResult{exact(r.Call), exact(r.Content), exact(r.Structured), r.Stored, r.Suspended, r.Failed}
	}
	for _, a := range e.Agreed {
		s.Agreed = append(s.Agreed, storedAgreed{exact(a.Server), exact(a.Tool), exact(a.Variant), exact(a.Arguments), a.Reasons})
	}
	return strictjson.Encode(s)
}

func (r *Record) decode(event string, decision sql.NullString, boot string) error {
	var s stored
	if err := json.Unmarshal([]byte(event), &s); err != nil {
		return err
	}

	r.Restarted = s.Boot != "" && s.Boot != boot
	r.Took, r.Shadow = time.Duration(s.Took)*time.Microsecond, s.Shadow
	r.Event = remit.Event{Kind: s.Kind, Time: s.Time, Name: string(s.Name), Text: string(s.Text), Verdict: s.Verdict, Once: s.Once,
		Facts: s.Facts, Principal: s.Principal, Scope: raw(s.Scope), Planned: s.Planned, Named: s.Named, Delegated: s.Delegated, Readings: s.Readings}
	if c := s.Call; c != nil {
		r.Event.Call = &remit.Call{ID: string(c.ID), Server: string(c.Server), Tool: string(c.Tool), Arguments: raw(c.Arguments),
			Message: string(c.Message), Beside: string(c.Beside), Past: c.Past, Point: string(c.Point)}
	}
	if res := s.Result; res != nil {
		r.Event.Result = &remit.Result{Call: string(res.Call), Content: string(res.Content), Structured: raw(res.Structured), Stored: res.Stored, Suspended: res.Suspended, Failed: res.Failed}
	}
	for _, a := range s.Agreed {
		r.Event.Agreed = append(r.Event.Agreed, remit.Agreed{Server: string(a.Server), Tool: string(a.Tool), Variant: string(a.Variant), Arguments: raw(a.Arguments), Reasons: a.Reasons})
	}

	if !decision.Valid {
		return nil
	}
	r.Decision = new(remit.Decision)
	return json.Unmarshal([]byte(decision.String), r.Decision)
}

func raw(e exact) json.RawMessage {
	if e == "" {
		return nil
	}
	return json.RawMessage(e)
}
