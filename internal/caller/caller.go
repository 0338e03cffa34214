// Package caller says who may call a server of Remit over HTTP at all, before
// any token is looked at. A page in a browser can make any name lead to the
// loopback interface, and send requests there in its reader's name.
package caller

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
	ErrHost = errors.New("this server is not called by that name")
	// ErrOrigin is returned for a request of a web page that may not call.
	ErrOrigin = errors.New("pages of that origin may not call")
)

// Policy says by what names, and from which pages, a server is called. The zero
// value is that of a server on the loopback interface, which no page may call.
type Policy struct {
	// Hosts are the server's names beside those of the loopback interface.
	Hosts []string
	// Origins are the web pages that may call, as https://console.example. A
	// request without an origin comes from no page.
	Origins []string
}

// Check returns [ErrHost] or [ErrOrigin] for a request that must be refused.
func (p Policy) Check(r *http.Request) error {
	if !p.host(r.Host) {
		return ErrHost
	}
	if o := r.Header.Values("Origin"); len(o) > 0 && (len(o) > 1 || !slices.Contains(p.Origins, o[0])) {
		return ErrOrigin
	}
	return nil
}

func (p Policy) host(host string) bool {
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
	return slices.ContainsFunc(p.Hosts, func(ok string) bool {
		return strings.EqualFold(ok, host) || strings.EqualFold(ok, name)
	})
}
