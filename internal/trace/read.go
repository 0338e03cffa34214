package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
)

// MaxSession is the largest session that the reader takes, in bytes of JSON:
// far more than a model's context holds, and still a size that fits in memory
// several times.
const MaxSession = 64 << 20

// Error is something in a recording that the reader does not understand.
type Error struct {
	// Line is the line of the source, from 1.
	Line int
	// Message says what is wrong, Hint what to write instead.
	Message, Hint string
}

// Error implements error, as "line N: message; hint".
func (e *Error) Error() string {
	if e.Hint == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Message)
	}
	return fmt.Sprintf("line %d: %s; %s", e.Line, e.Message, e.Hint)
}

// Read yields the sessions of a recording, one at a time, so that a file of
// any length needs the memory of its largest session. Sessions in other forms than
// Remit's own come at the end, because several documents may belong to one; 256 MiB
// of them are held at once. Compression is found by
// content. After an error nothing more is yielded.
func Read(r io.Reader) iter.Seq2[*Session, error] {
	return func(yield func(*Session, error) bool) {
		in, err := plain(r)
		if err != nil {
			yield(nil, err)
			return
		}
		s := splitter{in: in, line: 1, max: MaxSession}
		var others gatherer
		for {
			doc, line, err := s.next()
			if errors.Is(err, io.EOF) {
				others.sessions(yield)
				return
			}
			session, err := readDocument(&others, doc, line, err)
			if err != nil {
				yield(nil, err)
				return
			}
			if session != nil && !yield(session, nil) {
				return
			}
		}
	}
}

// readDocument reads one document. It returns no session for a document of another form,
// which is part of one: others puts those together.
func readDocument(others *gatherer, doc []byte, line int, err error) (*Session, error) {
	if err != nil {
		return nil, err
	}

	top, err := decode(doc, line)
	if err != nil {
		return nil, err
	}
	how := formOf(top)
	if how == nil {
		return parseSession(doc, top, line)
	}

	all, err := how(top, line)
	if err != nil {
		return nil, err
	}
	return nil, others.take(all, len(doc))
}

// plain undoes gzip compression where there is one.
func plain(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	magic, err := in.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return in, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("the file starts like gzip but isn't: %w", err)
	}
	return bufio.NewReaderSize(z, 1<<16), nil
}

// splitter cuts a stream into JSON objects by counting braces outside strings.
// Whether each is valid is for the parser to say; the splitter only has to end
// each where a valid one would, in one pass and bounded memory.
type splitter struct {
	in   *bufio.Reader
	line int
	max  int
	// listed is set within a list that holds the documents.
	listed bool
}

// next returns the next object and the line on which it starts.
func (s *splitter) next() (doc []byte, line int, err error) {
	c, err := s.begin()
	if err != nil {
		return nil, 0, err
	}

	start := s.line
	if c != '{' {
		return nil, 0, &Error{start, fmt.Sprintf("a session starts with '{', not with %q", c), `write one object a session: {"id": "…", "tools": […], "messages": […]}`}
	}
	doc = append(doc, c)

	depth, inString, escaped := 1, false, false
	for depth > 0 {
		if c, err = s.in.ReadByte(); err != nil {
			if errors.Is(err, io.EOF) {
				err = &Error{start, "the session that starts here is not complete", "check that the file was written to its end"}
			}
			return nil, 0, err
		}
		if len(doc) >= s.max {
			return nil, 0, &Error{start, fmt.Sprintf("the session that starts here is larger than %d MiB", s.max>>20), "split it, or leave out what the model didn't see"}
		}
		doc = append(doc, c)

		switch {
		case c == '\n':
			if inString {
				return nil, 0, &Error{s.line, "a string is not closed on its line", `close it with a quote, and write line breaks inside strings as \n`}
			}
			s.line++
		case escaped:
			escaped = false
		case inString:
			escaped = c == '\\'
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return doc, start, nil
}

// begin returns the first byte of the next document. Exporters write one list of all; its
// brackets and commas are not part of a document.
func (s *splitter) begin() (byte, error) {
	for {
		c, err := s.skipSpace()
		switch {
		case err != nil:
			return 0, err
		case c == '[' && !s.listed:
			s.listed = true
		case c == ',' && s.listed:
		case c == ']' && s.listed:
			s.listed = false
		default:
			return c, nil
		}
	}
}

func (s *splitter) skipSpace() (byte, error) {
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			s.line++
		case ' ', '\t', '\r':
		default:
			return c, nil
		}
	}
}
