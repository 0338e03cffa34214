package hook

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// checkPeer makes sure that the same user is at the other end.
func checkPeer(c *net.UnixConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	return samePeer(peer.Uid)
}
