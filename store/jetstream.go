package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// streamName is the stream of an address that names none.
	streamName = "remit"
	// streamVersion is what the messages of a stream are like. It changes with them.
	streamVersion = 1
	// maxStreamReplicas is how many copies of a stream servers keep, at most.
	maxStreamReplicas = 5
	// streamPoll is how often a waiting question looks for an answer although it heard
	// of none: announcements are lost with a connection.
	streamPoll = 2 * time.Second
	// streamConnect bounds how long a connection may take to be made.
	streamConnect = 5 * time.Second
	// streamPing is how often a server must show that it is there, twice in a row at most
	// not.
	streamPing = 5 * time.Second
	// maxRemembered bounds the rows that a process remembers; what is forgotten is read
	// again.
	maxRemembered = 8192
	// maxTurns bounds how often a transaction is tried. Each failure is progress of
	// another one.
	maxTurns = 200
)

// jetStream is a [Store] over one stream of NATS JetStream. The messages on a session's
// subject are its log: each is one transaction, has the audit entries of that, and is
// published only if the one before is the one that it was made for. Lists and counts are
// read from a [mirror].
type jetStream struct {
	questions
	stream *stream
	mirror *mirror

	// own is held by writers to the store's own chain, and low by those that lower labels: within
	// a process they wait for each other, instead of failing each other.
	own, low sync.Mutex

	mu   sync.Mutex
	rows map[string]*streamRow
	// heard is the subscription to the answers of other replicas, made when a caller
	// first waits.
	heard *nats.Subscription
}

// isStream reports whether a store's name is the address of a NATS server.
func isStream(name string) bool {
	return strings.HasPrefix(name, "nats://") || strings.HasPrefix(name, "tls://")
}

// streamAddress is what the address of a stream says.
type streamAddress struct {
	servers  string
	name     string
	replicas int
	options  []nats.Option
}

// readStreamAddress reads nats://USER:PASSWORD@HOST:PORT,HOST:PORT/STREAM?replicas=3. An
// error never shows the password.
func readStreamAddress(address string) (*streamAddress, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address can't be read: write nats://HOST:PORT/STREAM")
	}
	a := &streamAddress{name: strings.Trim(u.Path, "/"), replicas: 1, options: []nats.Option{
		nats.Name("remit"), nats.MaxReconnects(-1), nats.ReconnectWait(streamRetry), nats.Timeout(streamConnect),
		nats.PingInterval(streamPing), nats.MaxPingsOutstanding(2),
		// A message that can't be sent fails at once. The caller sends it again, because it knows
		// whether it still should be sent.
		nats.ReconnectBufSize(-1),
	}}
	if a.name == "" {
		a.name = streamName
	}
	if strings.Trim(a.name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return nil, fmt.Errorf("the stream %q: a name has letters, digits, - and _", a.name)
	}

	for key, values := range u.Query() {
		value := values[len(values)-1]
		switch key {
		case "replicas":
			if a.replicas, err = strconv.Atoi(value); err != nil || a.replicas < 1 || a.replicas > maxStreamReplicas {
				return nil, fmt.Errorf("replicas=%s: write a number from 1 to %d", value, maxStreamReplicas)
			}
		case "credentials":
			a.options = append(a.options, nats.UserCredentials(value))
		case "ca":
			a.options = append(a.options, nats.RootCAs(value))
		default:
			return nil, fmt.Errorf("%q: there are replicas, credentials and ca", key)
		}
	}
	if user := u.User; user != nil {
		if password, ok := user.Password(); ok {
			a.options = append(a.options, nats.UserInfo(user.Username(), password))
		} else {
			a.options = append(a.options, nats.Token(user.Username()))
		}
	}

	var servers []string
	for host := range strings.SplitSeq(u.Host, ",") {
		servers = append(servers, u.Scheme+"://"+host)
	}
	a.servers = strings.Join(servers, ",")
	return a, nil
}

// openStream opens a store in a stream.
func openStream(ctx context.Context, address string, common questions, o Options) (Store, error) {
	a, err := readStreamAddress(address)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	fail := func(err error) (Store, error) {
		return nil, fmt.Errorf("open store in the stream %s: %w", a.name, err)
	}
	nc, err := nats.Connect(a.servers, a.options...)
	if err != nil {
		return fail(err)
	}

	s := &jetStream{questions: common, rows: map[string]*streamRow{}}
	s.stream = &stream{nc: nc, name: a.name, batches: make(chan struct{}, maxStreamBatches),
		part: int(min(nc.MaxPayload()*3/4, maxStreamPart))} // the rest is for headers
	s.poll, s.find, s.settle, s.listen = streamPoll, s.approval, s.settleQuestion, s.hear
	s.mirror = &mirror{stream: s.stream, common: common}
	if err := s.prepare(ctx, a, o); err != nil {
		nc.Close()
		return fail(err)
	}
	return s, nil
}

// streamConfig is what a stream of a store is like.
type streamConfig struct {
	Name     string            `json:"name"`
	Subjects []string          `json:"subjects"`
	Storage  string            `json:"storage"`
	Discard  string            `json:"discard"`
	Replicas int               `json:"num_replicas"`
	Direct   bool              `json:"allow_direct"`
	Rollup   bool              `json:"allow_rollup_hdrs"`
	Lives    bool              `json:"allow_msg_ttl"`
	Atomic   bool              `json:"allow_atomic"`
	Keep     bool              `json:"deny_delete"`
	Metadata map[string]string `json:"metadata"`
}

// prepare makes the stream where it isn't there, and refuses one that isn't a store.
func (s *jetStream) prepare(ctx context.Context, a *streamAddress, o Options) error {
	var info struct {
		Config streamConfig `json:"config"`
	}
	err := s.stream.api(ctx, "INFO", struct{}{}, &info)
	var missing *apiError
	if errors.As(err, &missing) && missing.Number == errStreamNotFound {
		if o.Existing {
			return fmt.Errorf("there is no such stream: %w", ErrNotFound)
		}
		err = s.stream.api(ctx, "CREATE", streamConfig{Name: a.name, Subjects: []string{a.name + ".>"}, Storage: "file", Discard: "new", Replicas: a.replicas,
			Direct: true, Rollup: true, Lives: true, Atomic: true, Keep: true, Metadata: map[string]string{"remit": strconv.Itoa(streamVersion)}}, &info)
	}
	if err != nil {
		return err
	}

	c := info.Config
	version, err := strconv.Atoi(c.Metadata["remit"])
	switch {
	case err != nil:
		return errors.New("it is not a store of remit's: name another stream")
	case version > streamVersion:
		return fmt.Errorf("%w (its messages are of version %d, and this program knows %d)", errNewer, version, streamVersion)
	case c.Storage != "file" || !c.Direct || !c.Rollup || !c.Lives || !c.Atomic:
		return errors.New("the stream lacks what a store needs: NATS 2.12 or later, in files, with allow_direct, allow_rollup_hdrs, allow_msg_ttl and allow_atomic")
	}
	_, err = s.stream.barrier(ctx) // it can be written, and from now on has the mark
	return err
}

// Close ends the store.
func (s *jetStream) Close() error {
	s.hub.wakeAll()
	s.stream.nc.Close()
	return s.mirror.close()
}

// settled returns where settled questions are announced, beside the stream.
func (s *jetStream) settled() string { return s.stream.name + "-settled" }

// hear begins to hear of other replicas' answers.
func (s *jetStream) hear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.heard == nil {
		// An error costs time only: who waits also looks by itself.
		s.heard, _ = s.stream.nc.Subscribe(s.settled(), func(m *nats.Msg) { s.hub.wake(string(m.Data)) })
	}
}

// streamRow is the state of a session after a message on its subject, or that of the
// store's own chain.
type streamRow struct {
	row
	endedAt   int64
	principal string
	// open are the unsettled questions, with their expiries.
	open map[string]int64
	// purging are the sessions whose messages are being removed, in the own chain's row.
	purging []string
	// noted is the message up to which the own chain names the heads of sessions, in its row.
	noted uint64
	// by is the transaction that left it so.
	by string
	// at is the sequence of the message.
	at uint64
}

// writtenRow is a [streamRow] as a message has it.
type writtenRow struct {
	Length    int64            `json:"length,omitempty"`
	Entries   int64            `json:"entries"`
	Head      Hash             `json:"head"`
	Begun     int64            `json:"begun,omitempty"`
	Active    int64            `json:"active"`
	Pruned    int64            `json:"pruned,omitempty"`
	Ended     int64            `json:"ended,omitempty"`
	Principal string           `json:"principal,omitempty"`
	Open      map[string]int64 `json:"open,omitempty"`
	Purging   []string         `json:"purging,omitempty"`
	Noted     uint64           `json:"noted,omitempty"`
	By        string           `json:"by,omitempty"`
}

func (r *streamRow) encode() (string, error) {
	data, err := json.Marshal(writtenRow{r.length, r.entries, r.head, r.begun, r.active, r.pruned, r.endedAt, r.principal, r.open, r.purging, r.noted, r.by})
	return string(data), err
}

// readRow reads the row of a message on the subject of a session, or of the own chain.
func readRow(in *incoming, id string) (*streamRow, error) {
	var w writtenRow
	if err := json.Unmarshal([]byte(in.row), &w); err != nil {
		return nil, fmt.Errorf("%w: the row of message %d: %w", ErrCorrupt, in.seq, err)
	}
	r := &streamRow{endedAt: w.Ended, principal: w.Principal, open: w.Open, purging: w.Purging, noted: w.Noted, by: w.By, at: in.seq}
	r.row = row{id: id, length: w.Length, entries: w.Entries, begun: w.Begun, active: w.Active, pruned: w.Pruned, ended: w.Ended != 0, head: w.Head}
	return r, nil
}

// copy returns what a transaction changes.
func (r *streamRow) copy() *streamRow {
	out := *r
	out.open = map[string]int64{}
	for id, expires := range r.open {
		out.open[id] = expires
	}
	out.purging = slices.Clone(r.purging)
	return &out
}

func (r *streamRow) info() SessionInfo {
	i := SessionInfo{ID: r.id, Length: r.length, Begun: fromMicros(r.begun), Active: fromMicros(r.active), Principal: r.principal}
	if r.ended {
		i.Ended = fromMicros(r.endedAt)
	}
	return i
}
