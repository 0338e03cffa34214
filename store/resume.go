package store

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// LogPlace is the place of an entry in the log. An export goes through places in their order: by
// chain, the store's own first, then by N.
type LogPlace struct {
	Chain string
	N     int64
}

// ErrOtherLog says that an export can't go on from a file, because the store has another
// log, or one that has lost sessions since.
var ErrOtherLog = errors.New("the export can't go on")

// Exported is what a file has of an export that ended early. It keeps some 40 bytes for each
// session that the file's part of the store's own chain names.
type Exported struct {
	// Entries are the whole lines, and Bytes their length. The rest of the file is a part
	// of a line.
	Entries, Bytes int64

	begun     map[[16]byte]bool
	own, last end
}

// end is the last entry of a part of an export.
type end struct {
	LogPlace
	hash Hash
}

// placed is what an export's order needs to know of an entry.
type placed struct {
	Chain   string `json:"chain"`
	N       int64  `json:"n"`
	Kind    Kind   `json:"kind"`
	Session string `json:"session"`
}

// ReadExported reads the beginning of an export, up to its last whole line. It doesn't
// verify it: [VerifyLines] does, when the export is complete.
func ReadExported(r io.Reader) (*Exported, error) {
	e := &Exported{begun: map[[16]byte]bool{}}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 1<<16), maxLine)
	in.Split(wholeLines)

	for in.Scan() {
		var l Line
		var p placed
		err := json.Unmarshal(in.Bytes(), &l)
		if err == nil {
			err = json.Unmarshal(l.Entry, &p)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: it is not a line of an audit log: %w", e.Entries+1, err)
		}

		e.Entries++
		e.Bytes += int64(len(in.Bytes())) + 1
		e.last = end{LogPlace{p.Chain, p.N}, l.Hash}
		if p.Chain == "" {
			e.own = e.last
		}
		if p.Chain == "" && p.Kind == BegunEntry {
			e.begun[named(p.Session)] = true
		}
	}
	return e, in.Err()
}

// wholeLines splits at newlines, and leaves out a last line that has none.
func wholeLines(data []byte, atEOF bool) (int, []byte, error) {
	if n := bytes.IndexByte(data, '\n'); n >= 0 {
		return n + 1, data[:n], nil
	}
	if atEOF {
		return len(data), nil, nil
	}
	return 0, nil, nil
}

func named(session string) [16]byte {
	sum := sha256.Sum256([]byte(session))
	return [16]byte(sum[:16])
}

// Rest yields what comes after the entries of the file. While the file ends in the store's own
// chain, that is all the rest of the log. Later it is the sessions that the file's part of that
// chain names: one that was begun since belongs to the next export.
func (e *Exported) Rest(ctx context.Context, log Audit) iter.Seq2[Line, error] {
	if e.Entries == 0 {
		return log.Export(ctx)
	}
	return func(yield func(Line, error) bool) {
		err := e.whole(ctx, log)
		if err == nil {
			err = after(ctx, log, e.last, func(l Line, p placed) (bool, error) {
				later := e.last.Chain != "" && p.Chain != e.last.Chain && !e.begun[named(p.Chain)]
				return later || yield(l, nil), nil
			})
		}
		if err == nil {
			err = e.whole(ctx, log) // sessions may have been removed meanwhile
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(Line{}, err)
		}
	}
}

// whole reports whether no session was removed since the file's part of the store's own
// chain was written, unless that chain is still to be written itself.
func (e *Exported) whole(ctx context.Context, log Audit) error {
	if e.last.Chain == "" {
		return nil
	}
	err := after(ctx, log, e.own, func(_ Line, p placed) (bool, error) {
		if p.Chain == "" && p.Kind == PrunedEntry {
			return false, fmt.Errorf("%w: sessions have been removed since it began: write it anew", ErrOtherLog)
		}
		return p.Chain == "", nil
	})
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// errStopped says that a function asked for no more entries.
var errStopped = errors.New("stopped")

// after calls a function for the entries after one that the log must have, until it returns
// false.
func after(ctx context.Context, log Audit, last end, each func(Line, placed) (bool, error)) error {
	first := true
	for l, err := range log.ExportFrom(ctx, last.LogPlace) {
		var p placed
		if err == nil {
			err = json.Unmarshal(l.Entry, &p)
		}
		if err != nil {
			return err
		}
		if first {
			first = false
			if (LogPlace{p.Chain, p.N}) != last.LogPlace || l.Hash != last.hash {
				return fmt.Errorf("%w: the store has another entry %d of %q than the file: write it anew, or name the store that it is of", ErrOtherLog, last.N, last.Chain)
			}
			continue
		}

		more, err := each(l, p)
		if err != nil {
			return err
		}
		if !more {
			return errStopped
		}
	}

	if first {
		return fmt.Errorf("%w: the store doesn't have entry %d of %q, the file's last: write it anew, or name the store that it is of", ErrOtherLog, last.N, last.Chain)
	}
	return nil
}
