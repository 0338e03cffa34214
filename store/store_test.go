package store_test

import (
	"path/filepath"
	"testing"

	"github.com/remit-project/remit/internal/storetest"
)

func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) string { return filepath.Join(t.TempDir(), "a b?#%", "remit.db") })
}

func TestPostgres(t *testing.T) {
	server := storetest.StartPostgres(t)
	storetest.Run(t, func(t *testing.T) string { return server.Database(t) })
}

func TestJetStream(t *testing.T) {
	server := storetest.StartJetStream(t, false)
	storetest.Run(t, func(*testing.T) string { return server.Stream() })
}
