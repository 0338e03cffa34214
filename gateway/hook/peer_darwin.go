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
	var peer *unix.Xucred
	var failed error
	err = raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED) })
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	return samePeer(peer.Uid)
}
