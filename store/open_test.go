package store_test

import (
	"os"
	"path/filepath"
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

// TestLostFile: nothing is written into a file that was removed or replaced, as it is lost with the process.
func TestLostFile(t *testing.T) {
	for name, replaced := range map[string]bool{"removed": false, "replaced": true} {
		file := filepath.Join(t.TempDir(), "remit.db")
		st, err := store.Open(t.Context(), file, store.Options{})
		must(t, err)
		note := func() error { return st.Note(t.Context(), store.Note{About: "x"}) }
		lost := func(err error) bool { return err != nil && strings.Contains(err.Error(), "is not there any more") }
		must(t, note())

		must(t, os.Rename(file, file+".away"))
		if replaced {
			must(t, os.WriteFile(file, nil, 0o600))
		}
		if err := note(); !lost(err) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := st.Session(t.Context(), "none"); !lost(err) {
			t.Errorf("%s: the store is said to be there: %v", name, err)
		}
		must(t, os.Rename(file+".away", file))
		must(t, note())
		must(t, st.Close())
	}
}
