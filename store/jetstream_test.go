package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/remit-project/remit/internal/storetest"
	"github.com/remit-project/remit/store"
)

// TestStreamAddresses refuses addresses that say something else than they seem to, and
// shows no password.
func TestStreamAddresses(t *testing.T) {
	server := storetest.StartJetStream(t, false)
	there := server.Stream()
	foreign := there + "-foreign"
	create(t, foreign)
	for name, c := range map[string]struct{ address, want string }{
		"no server":           {"nats://user:secret@127.0.0.1:1/x", "open store in the stream x"},
		"not an address":      {"nats://user:secret@[/x", "can't be read"},
		"an odd name":         {there + ".x", "a name has letters"},
		"an unknown setting":  {there + "?copies=3", `"copies"`},
		"no replicas":         {there + "?replicas=0", "from 1 to 5"},
		"too many replicas":   {there + "?replicas=3", "replicas"}, // than there are servers
		"another's stream":    {foreign, "not a store of remit's"},
		"no credentials file": {there + "?credentials=/nowhere", "nowhere"},
	} {
		st, err := store.Open(t.Context(), c.address, store.Options{})
		if err == nil || st != nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, %v; want an error with %q", name, st, err, c.want)
		}
	}
	if _, err := store.Open(t.Context(), there, store.Options{Existing: true}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a stream that isn't there: %v", err)
	}
}

// api asks the server of a store for something about its stream.
func api(t *testing.T, address, what, request string) {
	t.Helper()
	i := strings.LastIndexByte(address, '/')
	nc, err := nats.Connect(address[:i])
	must(t, err)
	defer nc.Close()
	m, err := nc.RequestWithContext(t.Context(), "$JS.API.STREAM."+what+"."+address[i+1:], []byte(request))
	must(t, err)
	var answer struct{ Error json.RawMessage }
	must(t, json.Unmarshal(m.Data, &answer))
	if answer.Error != nil {
		t.Fatalf("%s: %s", what, answer.Error)
	}
}

func create(t *testing.T, address string) {
	t.Helper()
	name := address[strings.LastIndexByte(address, '/')+1:]
	api(t, address, "CREATE", fmt.Sprintf(`{"name":%q,"subjects":["%s.>"]}`, name, name))
}

// TestStreamTampering changes a stream behind the store's back: verification names it, and
// a session with a hole isn't read.
func TestStreamTampering(t *testing.T) {
	server := storetest.StartJetStream(t, false)
	for name, c := range map[string]struct {
		filter string
		keep   int
		want   string
		unread bool
	}{
		"a session removed":           {"s.YQ", 0, "the session is missing", false},
		"a session's beginning":       {"s.YQ", 1, "entry 0 was expected here", true},
		"the own chain removed":       {"own", 0, "is not in the log", false},
		"the own chain's beginning":   {"own", 1, "entry 0 was expected here", false},
		"what doesn't belong to logs": {"b", 0, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			address := server.Stream()
			st, err := store.Open(t.Context(), address, store.Options{})
			must(t, err)
			defer func() { must(t, st.Close()) }()
			must(t, st.Append(t.Context(), "a", 0, said("one")))
			must(t, st.Append(t.Context(), "b", 0, said("one")))
			must(t, st.Append(t.Context(), "a", 1, said("two")))
			head, err := st.Head(t.Context())
			must(t, err)

			stream := address[strings.LastIndexByte(address, '/')+1:]
			api(t, address, "PURGE", fmt.Sprintf(`{"filter":"%s.%s","keep":%d}`, stream, c.filter, c.keep))
			report, err := st.Verify(t.Context(), head.Hash)
			must(t, err)
			if report.OK() != (c.want == "") || !strings.Contains(fmt.Sprint(report.Problems), c.want) {
				t.Errorf("got %v, want %q", report.Problems, c.want)
			}
			var broken error
			for _, err := range st.Read(t.Context(), "a", 0) {
				broken = err
			}
			if errors.Is(broken, store.ErrCorrupt) != c.unread {
				t.Errorf("the session is read with %v", broken)
			}
		})
	}
}
