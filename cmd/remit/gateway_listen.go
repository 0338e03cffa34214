package main

import (
	"context"
	"log/slog"
	"net"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/config"
)

// listenOn serves the gateway on the address of the configuration, to the callers
// that it names.
func listenOn(ctx context.Context, f *config.File, g *running, log *slog.Logger) error {
	on := f.Listen
	o := mcp.HTTP{Token: on.Token, Hosts: on.Hosts, Origins: on.Origins, MetaKey: f.MetaKey, Idle: f.Idle, Ready: g.ready}
	scheme := "http"
	if on.TLS != nil {
		scheme = "https"
		var err error
		o.TLS, err = access.TLSConfig(*on.TLS, func(err error) {
			log.Warn("reading changed certificates failed; the old ones stay in use", "error", err)
		})
		if err != nil {
			return hint.Wrap(err, "correct listen.tls")
		}
		if on.TLS.ClientCA != "" {
			o.Auth = access.ClientCertificates{}
		}
	}

	var resource *access.ResourceServer
	if on.OAuth != nil {
		var err error
		if resource, err = access.NewResourceServer(*on.OAuth); err != nil {
			return hint.Wrap(err, "correct listen.oauth")
		}
		o.Auth = resource
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
