package store_test

import (
	"os"
	"strings"
	"testing"

	"github.com/remit-project/remit/store"
)

// TestWrongAddresses: an address that can't be read is an error without its password, and never a
// file of that name.
func TestWrongAddresses(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, address := range []string{
		"POSTGRES://u:s3cr3t@127.0.0.1:1/db",
		"postgres:/u:s3cr3t@127.0.0.1:1/db",
		"mysql://u:s3cr3t@127.0.0.1:1/db",
		"host=127.0.0.1 user=u password=s3cr3t",
		"postgres://u:and@s3cr3t@127.0.0.1:1/db",
		"postgres://u:and/s3cr3t@127.0.0.1:1/db",
		"postgres://u:%zzs3cr3t@127.0.0.1:1/db",
		"postgres://u@127.0.0.1:1/db?password=s3cr3t&sslmode=none",
		"nats://u:%zzs3cr3t@127.0.0.1:1/remit",
	} {
		st, err := store.Open(t.Context(), address, store.Options{})
		switch {
		case err == nil:
			t.Errorf("%s is opened", address)
			must(t, st.Close())
		case strings.Contains(err.Error(), "s3cr3t"):
			t.Errorf("the password is in the error: %v", err)
		}
	}

	made, err := os.ReadDir(".")
	must(t, err)
	if len(made) > 0 {
		t.Errorf("%s was made", made[0].Name())
	}
	st, err := store.Open(t.Context(), "sqlite:host=1", store.Options{})
	must(t, err)
	must(t, st.Close())
}
