package hook

import "golang.org/x/sys/unix"

// peerUser returns the user at the other end of a socket.
func peerUser(fd uintptr) (uint32, error) {
	peer, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return peer.Uid, nil
}
