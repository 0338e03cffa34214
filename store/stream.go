package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// The settings of JetStream.
const (
	// streamWait bounds a request to the servers, and how long one is sent again
	// while no server leads the stream: an election takes some seconds. A server that
	// doesn't answer is an error, on which no call is let through.
	streamWait = 10 * time.Second
	// streamRetry is how long a request waits before it is sent again.
	streamRetry = 50 * time.Millisecond
	// streamBehind is how long a look waits before it asks again, where the server that
	// answered has not yet applied what this process knows of.
	streamBehind = 2 * time.Millisecond
	// maxStreamBehind is after how many looks what isn't there counts as lost.
	maxStreamBehind = int(streamWait / streamBehind)
	// maxStreamParts bounds the messages of one transaction; servers take a thousand.
	maxStreamParts = 1000
	// maxStreamBatches bounds the transactions of several messages that one process has
	// under way. A server takes fifty of all processes.
	maxStreamBatches = 8
	// maxStreamPart bounds the payload of a message where a server takes more: others
	// wait for it on the same connection.
	maxStreamPart = 4 << 20
	// streamPage and streamPageBytes bound what is read at a time.
	streamPage      = 500
	streamPageBytes = 8 << 20
)

// The headers of messages that are ours. The others are the protocol's.
const (
	rowHeader   = "Remit-Row"   // what a subject's state is after the message
	partsHeader = "Remit-Parts" // on the last message of several that are one: how many
	moreHeader  = "Remit-More"  // on the others of them
)

// errMoved is returned by publish when a subject has other messages than were expected. One
// of them may be what was to be published: while the lead passes from one server to
// another, both take a message, and the one that can't write it may answer first.
var errMoved = errors.New("the subject has moved on")

// stream is a JetStream stream as the store uses it: transactions of several messages,
// the last message of a subject, and all messages in order.
type stream struct {
	nc   *nats.Conn
	name string
	// part is the payload of one message, at most.
	part int
	// seen is the last sequence that this process knows of. No look is answered from an
	// older state.
	seen    atomic.Uint64
	batches chan struct{}
}

// outgoing is one message of a transaction, of any length.
type outgoing struct {
	subject string
	// expected is the sequence of the subject's last message, 0 for none; nil when any
	// will do.
	expected *uint64
	row      string
	life     time.Duration
	data     []byte
	// seq is where the message is, once it is published.
	seq uint64
}

// incoming is a message that was read, put together from its parts.
type incoming struct {
	subject string
	seq     uint64
	row     string
	data    []byte
}

// apiError is an error that a server answers with.
type apiError struct {
	Code        int    `json:"code"`
	Number      int    `json:"err_code"`
	Description string `json:"description"`
}

func (e *apiError) Error() string { return "JetStream: " + e.Description }

// The numbers of errors that are told apart.
const (
	errStreamNotFound   = 10059
	errWrongSequence    = 10071
	errSequenceInFlight = 10164
	errBatchIncomplete  = 10176
	errBatchesInFlight  = 10210
)

// again reports whether a request was not carried out and may be at another time.
func again(err error) bool {
	var e *apiError
	if errors.As(err, &e) {
		return e.Number == errBatchIncomplete || e.Number == errBatchesInFlight || e.Code == 503
	}
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrReconnectBufExceeded) || errors.Is(err, nats.ErrConnectionReconnecting)
}

// pause waits before the next try; an error when the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d/2 + mathrand.N(d))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// patiently tries until something else than "again" comes of it, or the time is over.
func (s *stream) patiently(ctx context.Context, try func(context.Context) error) error {
	limit, cancel := context.WithTimeout(ctx, streamWait)
	defer cancel()

	for {
		err := try(limit)
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			// The server may be cut off from the others: another one is asked next time.
			_ = s.nc.ForceReconnect() // it fails when the connection is made again already, or closed
			return fmt.Errorf("no answer within %s: %w", streamWait, err)
		}
		if !again(err) {
			return err
		}
		if pause(limit, streamRetry) != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			_ = s.nc.ForceReconnect()
			return fmt.Errorf("no server leads the stream %s: %w", s.name, err)
		}
	}
}

// api asks a server for something, and reads its answer into out.
func (s *stream) api(ctx context.Context, what string, request, out any) error {
	data, err := json.Marshal(request)
	if err != nil {
		return err
	}
	return s.patiently(ctx, func(ctx context.Context) error {
		return ask(ctx, s.nc, &nats.Msg{Subject: "$JS.API.STREAM." + what + "." + s.name, Data: data}, out)
	})
}

// ask sends a message and reads the answer, in which an error may be.
func ask(ctx context.Context, nc *nats.Conn, m *nats.Msg, out any) error {
	answer, err := nc.RequestMsgWithContext(ctx, m)
	if err != nil {
		return err
	}
	var failure struct {
		Error *apiError `json:"error"`
	}
	if err := json.Unmarshal(answer.Data, &failure); err != nil {
		return fmt.Errorf("an answer of JetStream can't be read: %w", err)
	}
	if failure.Error != nil {
		return failure.Error
	}
	return json.Unmarshal(answer.Data, out)
}

// see notes that the stream has come as far as a sequence.
func (s *stream) see(seq uint64) {
	for {
		known := s.seen.Load()
		if seq <= known || s.seen.CompareAndSwap(known, seq) {
			return
		}
	}
}

// messages cuts what is to be published into messages of the protocol.
func (s *stream) messages(list []*outgoing) ([]*nats.Msg, error) {
	var out []*nats.Msg
	for _, o := range list {
		parts := max(1, (len(o.data)+s.part-1)/s.part)
		for i := range parts {
			m := nats.NewMsg(o.subject)
			m.Data = o.data[i*s.part : min((i+1)*s.part, len(o.data))]
			if i == 0 && o.expected != nil {
				m.Header.Set("Nats-Expected-Last-Subject-Sequence", strconv.FormatUint(*o.expected, 10))
			}
			if o.life > 0 {
				m.Header.Set("Nats-TTL", o.life.String())
			}
			if i < parts-1 {
				m.Header[moreHeader] = []string{"1"}
			} else {
				if o.row != "" {
					m.Header[rowHeader] = []string{o.row}
				}
				if parts > 1 {
					m.Header[partsHeader] = []string{strconv.Itoa(parts)}
				}
			}
			out = append(out, m)
		}
		o.seq = uint64(len(out)) // within the transaction; publish adds where it begins
	}

	if len(out) > maxStreamParts {
		return nil, fmt.Errorf("%w: %d messages at once are more than %d", ErrInvalid, len(out), maxStreamParts)
	}
	return out, nil
}

// publish writes messages, all or none, and returns when a majority of the stream's
// servers has them. It returns errMoved when a subject is not as expected.
func (s *stream) publish(ctx context.Context, list ...*outgoing) error {
	msgs, err := s.messages(list)
	if err != nil {
		return err
	}
	if len(msgs) > 1 {
		select {
		case s.batches <- struct{}{}:
			defer func() { <-s.batches }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}

	var ack struct {
		Seq uint64 `json:"seq"`
	}
	err = s.patiently(ctx, func(ctx context.Context) error { return s.send(ctx, msgs, &ack) })
	var e *apiError
	if errors.As(err, &e) && (e.Number == errWrongSequence || e.Number == errSequenceInFlight) {
		return errMoved
	}
	if err != nil {
		return err
	}

	s.see(ack.Seq)
	for _, o := range list {
		o.seq += ack.Seq - uint64(len(msgs))
	}
	return nil
}

// send sends the messages of one transaction once.
func (s *stream) send(ctx context.Context, msgs []*nats.Msg, ack any) error {
	if len(msgs) > 1 {
		id := rand.Text()
		for i, m := range msgs {
			m.Header.Set("Nats-Batch-Id", id)
			m.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i+1))
		}
		msgs[len(msgs)-1].Header.Set("Nats-Batch-Commit", "1")
	}
	for _, m := range msgs[:len(msgs)-1] {
		if err := s.nc.PublishMsg(m); err != nil {
			return err
		}
	}
	return ask(ctx, s.nc, msgs[len(msgs)-1], ack)
}

// barrier returns a sequence that the stream has now: what was written before it was
// called is before it.
func (s *stream) barrier(ctx context.Context) (uint64, error) {
	m := nats.NewMsg(s.subject("b"))
	m.Header.Set("Nats-Rollup", "sub") // only the last one is kept
	var ack struct {
		Seq uint64 `json:"seq"`
	}
	err := s.patiently(ctx, func(ctx context.Context) error { return ask(ctx, s.nc, m, &ack) })
	if err == nil {
		s.see(ack.Seq)
	}
	return ack.Seq, err
}

// subject names a subject of the stream.
func (s *stream) subject(tokens ...string) string {
	out := s.name
	for _, t := range tokens {
		out += "." + t
	}
	return out
}

// found is what one request for messages brought.
type found struct {
	msgs []*nats.Msg
	// upTo is the sequence that the server had reached, where it says so.
	upTo uint64
}

// get asks a server for messages. Any server that has the stream answers.
func (s *stream) get(ctx context.Context, request any) (page found, err error) {
	data, err := json.Marshal(request)
	if err != nil {
		return page, err
	}
	err = s.patiently(ctx, func(ctx context.Context) error {
		page, err = s.collect(ctx, data)
		return err
	})
	return page, err
}

func (s *stream) collect(ctx context.Context, request []byte) (page found, err error) {
	inbox := s.nc.NewInbox()
	sub, err := s.nc.SubscribeSync(inbox)
	if err != nil {
		return page, err
	}
	defer func() { _ = sub.Unsubscribe() }() // it fails when the connection ended, and the subscription with it
	if err := s.nc.PublishRequest("$JS.API.DIRECT.GET."+s.name, inbox, request); err != nil {
		return page, err
	}

	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return page, err
		}
		switch status := m.Header.Get("Status"); status {
		case "":
			page.msgs = append(page.msgs, m)
		case "204": // the end
			page.upTo, _ = strconv.ParseUint(m.Header.Get("Nats-UpTo-Sequence"), 10, 64) // 0 where it isn't said
			return page, nil
		case "404":
			return page, nil
		case "503":
			return page, nats.ErrNoResponders
		default:
			return page, fmt.Errorf("JetStream: %s %s", status, m.Header.Get("Description"))
		}
	}
}

// last returns the last messages of subjects, those that there are. The subjects may
// have wildcards. The answer is not older than what this process knows of.
func (s *stream) last(ctx context.Context, subjects ...string) (map[string]*incoming, error) {
	// The mark of barrier is always there, so that there always is an answer that says
	// how far the server has come.
	request := map[string]any{"multi_last": append([]string{s.subject("b")}, subjects...)}
	page, err := s.fresh(ctx, request)
	if err != nil {
		return nil, err
	}

	list := map[string]*incoming{}
	for _, m := range page.msgs {
		in, err := s.whole(ctx, m)
		if err != nil {
			return nil, err
		}
		list[in.subject] = in
	}
	return list, nil
}

// fresh asks until a server answers that has come as far as this process knows.
func (s *stream) fresh(ctx context.Context, request any) (found, error) {
	want := s.seen.Load()
	limit, cancel := context.WithTimeout(ctx, streamWait)
	defer cancel()
	for {
		page, err := s.get(limit, request)
		if err != nil || page.upTo >= want {
			s.see(page.upTo)
			return page, err
		}
		if err := pause(limit, streamBehind); err != nil {
			return page, fmt.Errorf("the servers that answer are behind: %w", err)
		}
	}
}

// whole puts the message together whose last part is given.
func (s *stream) whole(ctx context.Context, m *nats.Msg) (*incoming, error) {
	in, parts, err := read(m)
	if err != nil || parts == 1 {
		return in, err
	}
	var whole *incoming
	err = s.scan(ctx, in.subject, in.seq-uint64(parts)+1, in.seq, func(i *incoming) error {
		whole = i
		return nil
	})
	if err == nil && (whole == nil || whole.seq != in.seq) {
		err = fmt.Errorf("%w: parts of message %d are missing", ErrCorrupt, in.seq)
	}
	return whole, err
}

// read reads a message, or the last of the parts of one.
func read(m *nats.Msg) (in *incoming, parts int, err error) {
	seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: a message has no sequence: %w", ErrCorrupt, err)
	}
	in = &incoming{subject: m.Header.Get("Nats-Subject"), seq: seq, data: m.Data}
	if row := m.Header[rowHeader]; len(row) == 1 {
		in.row = row[0]
	}
	parts = 1
	if p := m.Header[partsHeader]; len(p) == 1 {
		if parts, err = strconv.Atoi(p[0]); err != nil || parts < 2 || uint64(parts) > seq {
			return nil, 0, fmt.Errorf("%w: message %d has %q parts", ErrCorrupt, seq, p[0])
		}
	}
	return in, parts, nil
}

// scan yields the messages on a subject, which may have wildcards, from one sequence to
// another, where the last one must be. A message of several parts is yielded where its last part
// is.
func (s *stream) scan(ctx context.Context, subject string, from, to uint64, yield func(*incoming) error) error {
	var parts []*nats.Msg // on their way to be one message
	for behind := 0; from <= to; {
		page, err := s.get(ctx, map[string]any{"seq": from, "next_by_subj": subject, "batch": streamPage, "max_bytes": streamPageBytes})
		if err != nil {
			return err
		}
		if len(page.msgs) == 0 { // the server that answered is behind
			if behind++; behind == maxStreamBehind {
				return fmt.Errorf("%w: message %d is missing", ErrCorrupt, to)
			}
			if err := pause(ctx, streamBehind); err != nil {
				return err
			}
			continue
		}

		behind = 0
		for _, m := range page.msgs {
			in, n, err := read(m)
			if err != nil {
				return err
			}
			if in.seq > to {
				return nil
			}
			from, parts = in.seq+1, append(parts, m)
			if m.Header[moreHeader] != nil {
				continue
			}
			one, err := joined(parts, in, n)
			if err != nil {
				return err
			}
			if err := yield(one); err != nil {
				return err
			}
			parts = parts[:0]
		}
	}
	return nil
}

// joined puts parts, of which the last has just been read, together to one message.
func joined(parts []*nats.Msg, in *incoming, n int) (*incoming, error) {
	if len(parts) != n {
		return nil, fmt.Errorf("%w: message %d has %d parts, and %d are there", ErrCorrupt, in.seq, n, len(parts))
	}
	if n == 1 {
		return in, nil
	}
	var data []byte
	for _, m := range parts {
		data = append(data, m.Data...)
	}
	return &incoming{subject: in.subject, seq: in.seq, row: in.row, data: data}, nil
}
