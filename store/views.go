package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
)

// maxCounts bounds the rows of one tally: a hundred tools over a month of days.
const maxCounts = 10_000

// maxRare is how many sessions may have decisions of a filter for them to be found from
// these.
const maxRare = 2000

// query is a statement that is put together of parts, each with its parameters.
type query struct {
	text strings.Builder
	args []any
}

// add adds a part, in which every ? is the next parameter.
func (q *query) add(part string, args ...any) {
	for _, a := range args {
		before, after, _ := strings.Cut(part, "?")
		q.args = append(q.args, a)
		fmt.Fprintf(&q.text, "%s$%d", before, len(q.args))
		part = after
	}
	q.text.WriteString(part)
}

// of restricts the sessions that have the id of a column to those of some.
func (q *query) of(w Whose, column string) {
	if !w.Everybody {
		q.add(" AND "+column+" IN (SELECT id FROM sessions WHERE principal = ?)", w.Principal)
	}
}

// jsonText returns a text as it is in JSON, without the quotes: as decisions has it.
func jsonText(s string) (string, error) {
	data, err := strictjson.Encode(s)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(data))
	return text[1 : len(text)-1], nil
}

// plainText is the reverse of jsonText.
func plainText(s string) (out string, err error) {
	err = json.Unmarshal([]byte(`"`+s+`"`), &out)
	return out, err
}

// pattern returns what LIKE takes for logs with a text, with a backslash as its escape.
func pattern(text string) (string, error) {
	text, err := jsonText(text)
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%", err
}

// Find implements [Views].
func (s *database) Find(ctx context.Context, f Filter, limit int) ([]Found, error) {
	if len(f.Text) > MaxSearch || !utf8.ValidString(f.Text+f.Server+f.Tool) {
		return nil, fmt.Errorf("find sessions: %w: search for text of at most %d bytes", ErrInvalid, MaxSearch)
	}

	if err := s.list(ctx); err != nil {
		return nil, failed("find sessions", err)
	}
	s.indexer.wake(s.Index)
	q := &query{}
	q.add(selectInfo + "id <> '' AND pruned IS NULL")
	if !f.Everybody {
		q.add(" AND principal = ?", f.Principal)
	}
	if f.Owner != "" {
		q.add(" AND principal = ?", f.Owner)
	}
	if !f.Since.IsZero() {
		q.add(" AND active >= ?", micros(f.Since))
	}
	if f.After != nil {
		q.add(" AND active <= ? AND (active < ? OR id > ?)", micros(f.After.Active), micros(f.After.Active), f.After.ID)
	}

	if err := s.decided(ctx, q, f); err != nil {
		return nil, failed("find sessions", err)
	}
	q.add(" ORDER BY active DESC, id LIMIT ?", page(limit))
	list, err := infos(ctx, s.read, q.text.String(), q.args...)
	if err != nil || len(list) == 0 {
		return nil, failed("find sessions", err)
	}
	out, err := s.tallied(ctx, list)
	return out, failed("find sessions", err)
}

// matching adds the conditions of a filter on a decision d.
func (q *query) matching(f Filter) error {
	for _, c := range []struct{ column, value string }{{"server", f.Server}, {"tool", f.Tool}, {"verdict", string(f.Verdict)}} {
		if c.value == "" {
			continue
		}
		value, err := jsonText(c.value)
		if err != nil {
			return err
		}
		q.add(" AND d."+c.column+" = ?", value)
	}
	if f.Shadow {
		q.add(" AND d.shadow = 1 AND d.verdict <> 'allow'")
	}
	return nil
}

// rare reports whether few sessions have decisions of a filter: then the sessions are found
// from the decisions, and not the decisions from session after session.
func (s *database) rare(ctx context.Context, f Filter) (bool, error) {
	q := &query{}
	q.add("SELECT count(*) FROM (SELECT DISTINCT d.session FROM decisions d WHERE 1 = 1")
	if err := q.matching(f); err != nil {
		return false, err
	}
	q.add(" LIMIT ?) few", maxRare+1)
	n := 0
	err := s.each(ctx, q, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n <= maxRare, err
}

// decided restricts sessions to those with the decisions and the text of a filter.
func (s *database) decided(ctx context.Context, q *query, f Filter) error {
	if f.Shadow || f.Server+f.Tool+string(f.Verdict) != "" {
		rare, err := s.rare(ctx, f)
		if err != nil {
			return err
		}
		if rare {
			q.add(" AND id IN (SELECT d.session FROM decisions d WHERE 1 = 1")
		} else {
			q.add(" AND EXISTS (SELECT 1 FROM decisions d WHERE d.session = sessions.id")
		}
		if err := q.matching(f); err != nil {
			return err
		}
		q.add(")")
	}

	if f.Text != "" {
		return s.saying(ctx, q, f.Text)
	}
	return nil
}

// tallied adds the verdicts of a page of sessions.
func (s *database) tallied(ctx context.Context, list []SessionInfo) ([]Found, error) {
	out, at := make([]Found, len(list)), map[string]int{}
	q := &query{}
	q.add("SELECT session, verdict, shadow, count(*) FROM decisions WHERE session IN (")
	for i, info := range list {
		out[i].SessionInfo, at[info.ID] = info, i
		if i > 0 {
			q.add(", ")
		}
		q.add("?", info.ID)
	}

	q.add(") GROUP BY session, verdict, shadow")
	err := s.each(ctx, q, func(rows *sql.Rows) error {
		var session, verdict string
		shadow, n := 0, 0
		if err := rows.Scan(&session, &verdict, &shadow, &n); err != nil {
			return err
		}
		f := &out[at[session]]
		switch v := remit.Verdict(verdict); {
		case v == remit.Allow:
			f.Allowed += n
		case shadow == 1:
			f.Shadow += n
		case v == remit.Ask:
			f.Asked += n
		case v == remit.Deny:
			f.Denied += n
		}
		return nil
	})
	return out, err
}

// each calls a function for each row that a query has.
func (s *database) each(ctx context.Context, q *query, row func(*sql.Rows) error) error {
	rows, err := s.read.QueryContext(ctx, q.text.String(), q.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// records reads records of a query for seq, event and decision, as long as those before have
// less than a number of bytes.
func (s *database) records(ctx context.Context, q *query, most int) (list []Record, err error) {
	size := 0
	err = s.each(ctx, q, func(rows *sql.Rows) error {
		if size >= most {
			return errEnough
		}
		var r Record
		var event string
		var decision sql.NullString
		if err := rows.Scan(&r.Seq, &event, &decision); err != nil {
			return err
		}
		size += len(event) + len(decision.String)

		if err := r.decode(event, decision, s.boot); err != nil {
			return fmt.Errorf("%w: event %d: %w", ErrCorrupt, r.Seq, err)
		}
		list = append(list, r)
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return list, err
}

// Turns implements [Views].
func (s *database) Turns(ctx context.Context, session string, before int64, limit int) ([]Record, error) {
	if err := checkID("session id", session); err != nil {
		return nil, err
	}
	const user = `{"kind":"user"`
	q := &query{}
	q.add("SELECT seq, event, decision FROM events WHERE session = ? AND seq < ? AND substr(event, 1, ?) = ? ORDER BY seq DESC LIMIT ?", session, before, len(user), user, page(limit))
	list, err := s.records(ctx, q, math.MaxInt)
	return list, failed(fmt.Sprintf("turns of session %q", session), err)
}

// Stopped implements [Views].
func (s *database) Stopped(ctx context.Context, w Whose, since time.Time, limit int) ([]Record, error) {
	if err := s.list(ctx); err != nil {
		return nil, failed("list stopped calls", err)
	}
	q := &query{}
	q.add("SELECT e.seq, e.event, e.decision FROM decisions d JOIN events e ON e.session = d.session AND e.seq = d.seq WHERE d.verdict <> 'allow' AND d.at >= ?", micros(since))
	q.of(w, "d.session")
	q.add(" ORDER BY d.at DESC LIMIT ?", page(limit))
	list, err := s.records(ctx, q, MaxStopped)
	return list, failed("list stopped calls", err)
}

// Tally implements [Views].
func (s *database) Tally(ctx context.Context, w Whose, since time.Time, step time.Duration) (list []Count, err error) {
	if step < time.Second {
		return nil, fmt.Errorf("count decisions: %w: steps of less than a second", ErrInvalid)
	}
	if err := s.list(ctx); err != nil {
		return nil, failed("count decisions", err)
	}
	wide := step.Microseconds()
	q := &query{}
	q.add("SELECT server, tool, verdict, confirms, shadow, (at - ?) / ?, count(*) FROM decisions WHERE at >= ?", micros(since), wide, micros(since))
	q.of(w, "session")
	q.add(" GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 6, 1, 2, 3, 4, 5 LIMIT ?", maxCounts)

	err = s.each(ctx, q, func(rows *sql.Rows) error {
		var c Count
		var server, tool, verdict string
		confirms, shadow, at := 0, 0, int64(0)
		if err := rows.Scan(&server, &tool, &verdict, &confirms, &shadow, &at, &c.N); err != nil {
			return err
		}
		var bad, worse error
		c.Server, bad = plainText(server)
		c.Tool, worse = plainText(tool)
		c.Verdict, c.Confirms, c.Shadow, c.Step = remit.Verdict(verdict), confirms == 1, shadow == 1, fromMicros(micros(since)+at*wide)
		list = append(list, c)
		return errors.Join(bad, worse)
	})
	return list, failed("count decisions", err)
}

// Took implements [Views].
func (s *database) Took(ctx context.Context, w Whose, since time.Time, limit int) (list []time.Duration, err error) {
	if limit <= 0 || limit > MaxTimes {
		limit = MaxTimes
	}
	if err := s.list(ctx); err != nil {
		return nil, failed("list times of decisions", err)
	}
	q := &query{}
	q.add("SELECT took FROM decisions WHERE at >= ? AND took > 0", micros(since))
	q.of(w, "session")
	q.add(" ORDER BY at DESC LIMIT ?", limit)

	err = s.each(ctx, q, func(rows *sql.Rows) error {
		n := int64(0)
		err := rows.Scan(&n)
		list = append(list, time.Duration(n)*time.Microsecond)
		return err
	})
	return list, failed("list times of decisions", err)
}

// Verified implements [Views].
func (s *database) Verified(ctx context.Context) (v Verification, err error) {
	at, head := int64(0), ""
	err = one(ctx, s.read, "SELECT at, entries, sessions, problems, chained, head FROM verified WHERE one = 1", nil, &at, &v.Entries, &v.Sessions, &v.Problems, &v.Head.Entries, &head)
	if err == nil && head != "" { // what checked it may have been an earlier version
		err = v.Head.Hash.UnmarshalText([]byte(head))
	}
	v.At = fromMicros(at)
	return v, failed("the last verification", err)
}

// Waits implements [Views].
func (s *database) Waits(ctx context.Context, w Whose, since time.Time, limit int) (list []Waited, err error) {
	q := &query{}
	q.add("SELECT state, created, settled FROM approvals WHERE settled IS NOT NULL AND created >= ?", micros(since))
	q.of(w, "session")
	q.add(" ORDER BY created DESC LIMIT ?", page(limit))

	err = s.each(ctx, q, func(rows *sql.Rows) error {
		var state string
		var created, settled int64
		if err := rows.Scan(&state, &created, &settled); err != nil {
			return err
		}
		list = append(list, Waited{State(state), fromMicros(created), fromMicros(settled)})
		return nil
	})
	return list, failed("list answers", err)
}
