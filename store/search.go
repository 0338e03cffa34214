package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// Text is looked for in an index of grams, which leads to pieces of logs, and these are
// read: an index of what was said would be as large as the logs. It is built behind the
// writers, and by those who search: an append does nothing for it.

const (
	// maxPiece is how much text of a session's log makes a piece, in bytes. An event is in
	// one piece, however long it is.
	maxPiece = 64 << 10
	// maxBehind bounds the sessions that are looked up at once for what the index lacks.
	maxBehind = 256
	// maxTogetherGrams bounds the grams that are written in one transaction, for which
	// appends wait.
	maxTogetherGrams = 8 << 10
	// indexPause is how long the index rests before a list is asked for again.
	indexPause = 5 * time.Second
)

// textIndex is what is different about the index in the two databases.
type textIndex struct {
	// add writes a piece.
	add func(ctx context.Context, tx querier, p *piece) error
	// match adds a query for the ids of the pieces that have grams.
	match func(q *query, of []gram)
	// forget removes the pieces of a session.
	forget []string
}

// piece is a part of a session's log in the index.
type piece struct {
	session     string
	first, last int64
	grams       grams
}

// full reports whether the piece has more grams than are kept.
func (p *piece) full() bool { return len(p.grams) > maxGrams }

// Index implements [Views]. Several processes may do it at once.
func (s *database) Index(ctx context.Context) error {
	after := ""
	for {
		list, err := s.behind(ctx, after)
		if err != nil || len(list) == 0 {
			return failed("index texts", err)
		}
		after = list[len(list)-1].id

		var ready []piece
		n := 0
		for _, b := range list {
			for b.from < b.length {
				p, err := s.pieceFrom(ctx, b)
				if err != nil {
					return failed("index texts", err)
				}
				if p == nil {
					break // it was pruned just now
				}
				b.from = p.last + 1
				ready, n = append(ready, *p), n+min(len(p.grams), maxGrams)
				if n < maxTogetherGrams {
					continue
				}
				if err := s.indexed(ctx, ready); err != nil {
					return failed("index texts", err)
				}
				ready, n = ready[:0], 0
			}
		}
		if err := s.indexed(ctx, ready); err != nil {
			return failed("index texts", err)
		}
	}
}

// behind is a session whose events from a place on are not in the index.
type behind struct {
	id           string
	from, length int64
}

// behind lists sessions with events that are not in the index, by id.
func (s *database) behind(ctx context.Context, after string) (list []behind, err error) {
	q := &query{}
	q.add("SELECT id, indexed, length FROM sessions WHERE indexed < length AND id > ? ORDER BY id LIMIT ?", after, maxBehind)
	err = s.each(ctx, q, func(rows *sql.Rows) error {
		var b behind
		err := rows.Scan(&b.id, &b.from, &b.length)
		list = append(list, b)
		return err
	})
	return list, err
}

// errEnough ends the reading of rows.
var errEnough = errors.New("that is enough")

// pieceFrom reads the next piece of a session; nil when there is nothing to read.
func (s *database) pieceFrom(ctx context.Context, b behind) (*piece, error) {
	q := &query{}
	q.add("SELECT seq, event FROM events WHERE session = ? AND seq >= ? AND seq < ? ORDER BY seq", b.id, b.from, b.length)
	p, size := &piece{session: b.id, first: b.from, last: b.from - 1, grams: grams{}}, 0
	err := s.each(ctx, q, func(rows *sql.Rows) error {
		var event string
		if err := rows.Scan(&p.last, &event); err != nil {
			return err
		}
		p.grams.add(event)
		if size += len(event); size >= maxPiece {
			return errEnough
		}
		return nil
	})

	switch {
	case err != nil && !errors.Is(err, errEnough):
		return nil, err
	case p.last < p.first:
		return nil, nil
	}
	return p, nil
}

// indexed writes pieces, and that the index has them. It leaves out pieces that another process
// has written meanwhile.
func (s *database) indexed(ctx context.Context, pieces []piece) error {
	if len(pieces) == 0 {
		return nil
	}
	return s.relaxed(ctx, func(ctx context.Context, tx querier) error {
		for i := range pieces {
			p := &pieces[i]
			done, err := tx.ExecContext(ctx, "UPDATE sessions SET indexed = $3 WHERE id = $1 AND indexed = $2 AND pruned IS NULL", p.session, p.first, p.last+1)
			if err != nil {
				return err
			}
			n, err := done.RowsAffected()
			if err != nil {
				return err
			}

			if n == 0 {
				continue
			}
			if err := s.texts.add(ctx, tx, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// saying restricts sessions to those that say a text, or have it in their ids.
func (s *database) saying(ctx context.Context, q *query, text string) error {
	like, err := pattern(text)
	if err != nil {
		return err
	}
	in, err := jsonText(text)
	if err != nil {
		return err
	}
	of := asked(in)
	few, err := s.fewSay(ctx, of)
	if err != nil {
		return err
	}
	var ids []string
	if few {
		if ids, err = s.whoSay(ctx, of, like); err != nil {
			return err
		}
	}

	switch {
	case !few, len(ids) > 2*maxRare:
		// From the last session on, until the page is full: what many say is soon found.
		q.add(" AND (EXISTS (SELECT 1 FROM events e WHERE e.session = sessions.id AND e.event "+s.like+" ? ESCAPE '\\')", like)
		q.add(" OR id "+s.like+" ? ESCAPE '\\')", like)
	case len(ids) == 0:
		q.add(" AND FALSE")
	default:
		q.add(" AND id IN (?", ids[0])
		for _, id := range ids[1:] {
			q.add(", ?", id)
		}
		q.add(")")
	}
	return nil
}

// whoSay returns the sessions that have a text in their logs, where few pieces have its grams, or
// in their ids: more than twice [maxRare] where there may be further ones.
func (s *database) whoSay(ctx context.Context, of []gram, like string) (ids []string, err error) {
	says := "e.event " + s.like + " ? ESCAPE '\\'"
	named, said := &query{}, &query{}
	named.add("SELECT id FROM sessions WHERE id "+s.like+" ? ESCAPE '\\' LIMIT ?", like, 2*maxRare+1)
	said.add("SELECT t.session FROM texts t WHERE t.id IN (")
	s.texts.match(said, of)
	said.add(") AND EXISTS (SELECT 1 FROM events e WHERE e.session = t.session AND e.seq BETWEEN t.first AND t.last AND "+says+")", like)
	said.add(" UNION SELECT b.id FROM sessions b WHERE b.indexed < b.length AND EXISTS (SELECT 1 FROM events e WHERE e.session = b.id AND e.seq >= b.indexed AND "+says+")", like)

	for _, q := range []*query{named, said} {
		err := s.each(ctx, q, func(rows *sql.Rows) error {
			id := ""
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		})
		if err != nil || len(ids) > 2*maxRare {
			return ids, err
		}
	}
	return ids, nil
}

// fewSay reports whether few pieces of logs have the grams of a text, and few sessions are
// behind the index. Without grams, any may have it.
func (s *database) fewSay(ctx context.Context, of []gram) (bool, error) {
	if len(of) == 0 {
		return false, nil
	}
	pieces, sessions := &query{}, &query{}
	pieces.add("SELECT count(*) FROM (SELECT * FROM (")
	s.texts.match(pieces, of)
	pieces.add(") found LIMIT ?) few", maxRare+1)
	sessions.add("SELECT count(*) FROM (SELECT id FROM sessions WHERE indexed < length LIMIT ?) few", maxRare+1)

	total := 0
	for _, q := range []*query{sessions, pieces} {
		err := s.each(ctx, q, func(rows *sql.Rows) error {
			n := 0
			err := rows.Scan(&n)
			total += n
			return err
		})
		if err != nil || total > maxRare {
			return false, err
		}
	}
	return true, nil
}

// sqliteTexts keeps the grams as the words of texts in an FTS5 table, which has no copy of
// them and not their places.
var sqliteTexts = &textIndex{
	add: func(ctx context.Context, tx querier, p *piece) error {
		done, err := tx.ExecContext(ctx, "INSERT INTO texts (session, first, last) VALUES ($1, $2, $3)", p.session, p.first, p.last)
		if err != nil {
			return err
		}
		id, err := done.LastInsertId()
		if err != nil {
			return err
		}
		words := anything
		if !p.full() {
			words = sqliteWords(p.grams.sorted())
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO grams (rowid, words) VALUES ($1, $2)", id, words)
		return err
	},
	match: func(q *query, of []gram) {
		q.add("SELECT rowid FROM grams WHERE grams MATCH ?", "("+sqliteWords(of)+") OR "+anything)
	},
	forget: []string{"DELETE FROM grams WHERE rowid IN (SELECT id FROM texts WHERE session = $1)", "DELETE FROM texts WHERE session = $1"},
}

// anything is the word of pieces that every search reads. It is longer than any number.
const anything = "everything"

// sqliteWords writes grams as words.
func sqliteWords(of []gram) string {
	var b strings.Builder
	for i, g := range of {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(g.word())
	}
	return b.String()
}

// postgresTexts keeps the grams as an array, with an index of what is in it.
var postgresTexts = &textIndex{
	add: func(ctx context.Context, tx querier, p *piece) error {
		var list []gram
		if !p.full() {
			list = p.grams.sorted()
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO texts (session, first, last, grams) VALUES ($1, $2, $3, $4::text::integer[])", p.session, p.first, p.last, postgresArray(list))
		return err
	},
	match: func(q *query, of []gram) {
		q.add("SELECT g.id FROM texts g WHERE g.grams @> ?::text::integer[] UNION ALL SELECT g.id FROM texts g WHERE g.grams = '{}'", postgresArray(of))
	},
	forget: []string{"DELETE FROM texts WHERE session = $1"},
}

// postgresArray writes grams as an array of numbers with a sign.
func postgresArray(of []gram) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, g := range of {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(g.number())
	}
	b.WriteByte('}')
	return b.String()
}
