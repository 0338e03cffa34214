package config

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/access"
)

func (l *loader) listen(n *node) *Listen {
	out := &Listen{}
	had := l.Mapping(n, "listen", keys{
		"address": l.text("address", &out.Address),
		"token":   l.expand("token", &out.Token),
		"hosts":   l.Texts("hosts", &out.Hosts),
		"origins": l.Texts("origins", &out.Origins),
		"tls":     func(n *node) { out.TLS = l.tls(n) },
		"oauth":   func(n *node) { out.OAuth = l.oauth(n) },
	})

	if had["token"] != nil && had["oauth"] != nil {
		l.Fail(had["oauth"], "keep one of them", "clients can't show both a token of their own and an access token")
	}
	if had["address"] == nil {
		l.Fail(n, "write 'address: 127.0.0.1:7676'", "listen needs an address")
		return out
	}
	if out.Address == "" {
		return out
	}

	host, port, err := net.SplitHostPort(out.Address)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		l.Fail(had["address"], "write host:port, as 127.0.0.1:7676", "the address %q can't be listened on", out.Address)
		return out
	}
	if t := had["token"]; t != nil && out.Token != "" && len(out.Token) < minToken {
		l.Fail(t, "make a random one, as with 'openssl rand -base64 24'", "the token has less than %d characters", minToken)
	}
	certified := out.TLS != nil && out.TLS.ClientCA != ""
	known := had["token"] != nil || out.OAuth != nil || certified
	if !loopback(host) && !known {
		l.Fail(had["address"], "write 'token: ${REMIT_TOKEN}', oauth or tls.client_ca beside it, or listen on 127.0.0.1", "the address %q can be reached from outside, and nothing says who may call", out.Address)
	}

	for _, o := range out.Origins {
		if u, err := url.Parse(o); err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" {
			l.Fail(had["origins"], "write it as https://console.example", "%q is not an origin", o)
		}
	}
	return out
}

func (l *loader) tls(n *node) *access.TLSFiles {
	out := &access.TLSFiles{}
	had := l.Mapping(n, "tls", keys{
		"cert":      l.path("cert", &out.Cert),
		"key":       l.path("key", &out.Key),
		"client_ca": l.path("client_ca", &out.ClientCA),
	})
	if had["cert"] == nil || had["key"] == nil {
		l.Fail(n, "write {cert: server.pem, key: server.key}", "tls needs a certificate and its key")
	}
	return out
}

func (l *loader) oauth(n *node) *access.OAuth {
	out := &access.OAuth{}
	had := l.Mapping(n, "oauth", keys{
		"issuer":   l.text("issuer", &out.Issuer),
		"resource": l.text("resource", &out.Resource),
		"jwks":     l.text("jwks", &out.JWKS),
		"scopes":   l.Texts("scopes", &out.Scopes),
	})
	for name, value := range map[string]string{"issuer": out.Issuer, "resource": out.Resource, "jwks": out.JWKS} {
		switch {
		case had[name] == nil && name != "jwks":
			l.Fail(n, "write {issuer: https://login.example, resource: https://gate.example/mcp}", "oauth needs the %s", name)
		case had[name] != nil:
			l.url(had[name], value)
		}
	}

	for _, s := range out.Scopes {
		if s == "" || strings.ContainsAny(s, " \"\\") {
			l.Fail(had["scopes"], "write them as [remit]", "%q is not a scope", s)
		}
	}
	return out
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}
