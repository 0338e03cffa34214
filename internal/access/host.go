package access

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

var (
	// ErrHost is returned for a request that names another server.
	ErrHost = errors.New("the host name is not one of this server's")
	// ErrOrigin is returned for a request of a web page that may not call.
	ErrOrigin = errors.New("web pages of that origin may not call this server")
)

// Hosts lists the names by which a server may be called, and the web pages that
// may call it. The zero value is for a server on the loopback interface that no
// page may call.
//
// A web page can make any name resolve to the loopback interface, and send
// requests there on behalf of its reader. So these names are checked before any
// token is.
type Hosts struct {
	// Names are the server's names beside those of the loopback interface.
	Names []string
	// Origins are the web pages that may call, such as https://console.example. A
	// request without an origin doesn't come from a page.
	Origins []string
}

// Check returns [ErrHost] or [ErrOrigin] for a request that must be refused.
func (h Hosts) Check(r *http.Request) error {
	if err := h.CheckName(r); err != nil {
		return err
	}
	switch origins := r.Header.Values("Origin"); len(origins) {
	case 0:
		return nil
	case 1:
		if slices.Contains(h.Origins, origins[0]) {
			return nil
		}
	}
	return ErrOrigin
}

// CheckName returns [ErrHost] for a request that names another server, whatever page it
// comes from: for a server that knows its own pages in another way.
func (h Hosts) CheckName(r *http.Request) error {
	if !h.allowsName(r.Host) {
		return ErrHost
	}
	return nil
}

// CheckScrape is [Hosts.Check] for a page of metrics, which is also asked for by the
// server's address: what collects metrics finds servers by that. No page can make a name of
// its own of a number.
func (h Hosts) CheckScrape(r *http.Request) error {
	name := r.Host
	if n, _, err := net.SplitHostPort(name); err == nil {
		name = n
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err != nil {
		return h.Check(r)
	}
	if len(r.Header.Values("Origin")) > 0 {
		return ErrOrigin
	}
	return nil
}

// allowsName reports whether a server may be called by a host name, which may
// have a port.
func (h Hosts) allowsName(host string) bool {
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if name == "localhost" {
		return true
	}
	if a, err := netip.ParseAddr(name); err == nil && a.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(h.Names, func(ok string) bool {
		return strings.EqualFold(ok, host) || strings.EqualFold(ok, name)
	})
}
