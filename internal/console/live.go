package console

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/sse"
	"github.com/remit-project/remit/store"
)

const (
	// maxShownWaiting is how many questions the inbox shows.
	maxShownWaiting = 200
)

// live counts the streams and wakes them after a write of this process.
type live struct {
	*sse.Streams
	mu    sync.Mutex
	woken chan struct{}
}

func newLive() *live { return &live{Streams: sse.NewStreams(), woken: make(chan struct{})} }

// next returns a channel that is closed at the next wake.
func (l *live) next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.woken
}

func (l *live) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.woken)
	l.woken = make(chan struct{})
}

// topic names what a page shows changes of: "inbox", "sessions", or a session or a question
// with its id. Ids are encoded, since others choose those of sessions.
func topic(kind, id string) string {
	return kind + ":" + base64.RawURLEncoding.EncodeToString([]byte(id))
}

// version returns a short text that changes when what a topic shows does.
func (v *visit) version(ctx context.Context, topic string) (string, error) {
	state, err := v.stateOf(ctx, topic)
	return versionOf(state), err
}

func versionOf(state string) string {
	sum := sha256.Sum256([]byte(state))
	return hex.EncodeToString(sum[:8])
}

// stateOf returns what a topic shows, as far as changes of it are noticed.
func (v *visit) stateOf(ctx context.Context, topic string) (string, error) {
	kind, encoded, _ := strings.Cut(topic, ":")
	id, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return "", errNoPage
	}
	needs := map[string]access.Scope{"inbox": access.ApprovalsRead, "question": access.ApprovalsRead, "sessions": access.SessionsRead, "session": access.SessionsRead}
	if !v.who.May(needs[kind]) {
		return "", errScope
	}

	s := v.c.o.Store
	switch kind {
	case "inbox":
		list, err := s.PendingOf(ctx, v.whose(), store.Turn{}, maxShownWaiting)
		var ids strings.Builder
		for i := range list {
			ids.WriteString(list[i].ID + " ")
		}
		return ids.String(), err
	case "question":
		a, err := v.approval(ctx, string(id))
		return string(a.State), err
	case "sessions":
		list, err := s.Find(ctx, store.Filter{Whose: v.whose()}, 1)
		if err != nil || len(list) == 0 {
			return "", err
		}
		return fmt.Sprint(list[0].ID, list[0].Length, list[0].Active.UnixMicro()), nil
	}
	info, err := v.reach(ctx, string(id))
	return fmt.Sprint(info.Length, info.Ended.IsZero()), err
}

// maxTopics bounds the topics of one stream: a page has two.
const maxTopics = 4

// follow sends the name of a topic whenever what it shows has changed.
func (c *Console) follow(w http.ResponseWriter, v *visit) {
	topics := v.URL.Query()["topic"]
	leave, ok := c.live.Enter(v.who.Name)
	if !ok || len(topics) > maxTopics {
		http.Error(w, "too many streams", http.StatusTooManyRequests)
		return
	}
	defer leave()

	control := http.NewResponseController(w)
	write := func(f func() error) error {
		if err := f(); err != nil {
			return err
		}
		return control.Flush()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if write(func() error { _, err := io.WriteString(w, "retry: 1000\n\n"); return err }) != nil {
		return
	}

	looking, beating := time.NewTicker(sse.LookTime), time.NewTicker(sse.Heartbeat)
	defer looking.Stop()
	defer beating.Stop()
	seen := map[string]string{}
	for {
		woken := c.live.next()
		for _, topic := range topics {
			now, err := v.version(v.Context(), topic)
			if err != nil {
				return // the reader comes back
			}
			if before, ok := seen[topic]; ok && before == now {
				continue
			}
			seen[topic] = now
			if write(func() error { return sse.Write(w, sse.Event{Name: "state", Data: []byte(now + " " + topic)}) }) != nil {
				return
			}
		}
		if !c.await(v, woken, looking.C, beating.C, func() error {
			return write(func() error { _, err := io.WriteString(w, ":\n\n"); return err })
		}) {
			return
		}
	}
}

// await returns true when there may be something new, and false when the stream ends.
func (c *Console) await(v *visit, woken <-chan struct{}, looking, beating <-chan time.Time, beat func() error) bool {
	for {
		select {
		case <-woken:
			return true
		case <-looking:
			return c.still(v)
		case <-beating:
			if beat() != nil {
				return false
			}
		case <-v.Context().Done():
			return false
		case <-c.stopping.Done():
			return false
		}
	}
}

// still reports whether the person is signed in: who has signed out, or whose token was
// revoked, sees nothing more.
func (c *Console) still(v *visit) bool {
	l, err := c.find(v.Request)
	if err != nil || l == nil {
		return false
	}
	v.who = &l.who
	return true
}
