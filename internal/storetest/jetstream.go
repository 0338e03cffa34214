package storetest

import (
	"fmt"
	"sync/atomic"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"
)

// JetStream is a NATS server of a test's own, within the test's process.
type JetStream struct {
	server *natsserver.Server
	last   atomic.Int64
}

// StartJetStream starts a server, which ends with the test. It waits for the disk only
// where it is told to.
func StartJetStream(tb testing.TB, sync bool) *JetStream {
	tb.Helper()
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, JetStream: true, StoreDir: tb.TempDir(), SyncAlways: sync, NoSigs: true, NoLog: true})
	if err != nil {
		tb.Fatal(err)
	}
	s.Start()
	tb.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(startBound) {
		tb.Fatal("the NATS server does not start")
	}
	return &JetStream{server: s}
}

// Stream returns the address of a stream that isn't there yet.
func (j *JetStream) Stream() string {
	return fmt.Sprintf("%s/test%d", j.server.ClientURL(), j.last.Add(1))
}
