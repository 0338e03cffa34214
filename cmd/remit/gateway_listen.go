package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/config"
	"github.com/remit-project/remit/internal/oauth"
	"github.com/remit-project/remit/internal/tlsfiles"
)

// listenOn serves the gateway where the configuration says, to whom it says.
func listenOn(ctx context.Context, f *config.File, g *running, log *slog.Logger) error {
	on := f.Listen
	o := mcp.HTTP{Token: on.Token, Hosts: on.Hosts, Origins: on.Origins, MetaKey: f.MetaKey, Idle: f.Idle, Ready: g.ready}
	scheme := "http"
	if on.TLS != nil {
		scheme = "https"
		var err error
		o.TLS, err = tlsfiles.Config(*on.TLS, func(err error) { log.Warn("new certificates could not be read, and the old ones stay", "error", err) })
		if err != nil {
			return hint.Wrap(err, "correct listen.tls")
		}
		if on.TLS.ClientCA != "" {
			o.Auth = certificates{}
		}
	}
	var resource *oauth.Resource
	if on.OAuth != nil {
		var err error
		if resource, err = oauth.New(*on.OAuth); err != nil {
			return hint.Wrap(err, "correct listen.oauth")
		}
		o.Auth = tokens{resource, on.OAuth.Issuer}
	}
	h := mcp.NewHandler(g.Gateway, o)
	if resource != nil {
		h.Handle(resource.Register)
	}
	l, err := net.Listen("tcp", on.Address)
	if err != nil {
		return hint.Wrap(err, "choose another listen.address")
	}
	log.Info("listening", "url", scheme+"://"+l.Addr().String()+"/mcp")
	return h.Serve(ctx, l)
}

// tokens are principals by their access tokens: subjects of an issuer.
type tokens struct {
	*oauth.Resource
	issuer string
}

// Authenticate implements [mcp.Authenticator].
func (t tokens) Authenticate(r *http.Request) (string, error) {
	subject, err := t.Resource.Authenticate(r)
	if err != nil {
		return "", err
	}
	return t.issuer + "#" + subject, nil
}

// certificates are principals by their certificates.
type certificates struct{}

// Authenticate implements [mcp.Authenticator].
func (certificates) Authenticate(r *http.Request) (string, error) {
	name, err := tlsfiles.Subject(r.TLS)
	if err != nil {
		return "", fmt.Errorf("the client is not known: %w", err)
	}
	return "certificate:" + name, nil
}

// Challenge implements [mcp.Authenticator].
func (certificates) Challenge(w http.ResponseWriter, _ error) {
	http.Error(w, "the client's certificate names nobody", http.StatusForbidden)
}
