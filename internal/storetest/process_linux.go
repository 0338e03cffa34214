package storetest

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// immediate is the signal that ends PostgreSQL without a goodbye.
const immediate = syscall.SIGQUIT

// account is whom the server runs as: itself, or, since it refuses to run as
// root, one of the accounts that are there for it.
func account() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}

	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}

	return nil, fmt.Errorf("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")
}

// unprivileged has a process run as that account, and end when the test does,
// however that ends.
func unprivileged() (*syscall.SysProcAttr, error) {
	c, err := account()
	return &syscall.SysProcAttr{Credential: c, Pdeathsig: immediate}, err
}

// handOver gives a folder to that account.
func handOver(dir string) error {
	c, err := account()
	if err != nil || c == nil {
		return err
	}
	return os.Chown(dir, int(c.Uid), int(c.Gid))
}
