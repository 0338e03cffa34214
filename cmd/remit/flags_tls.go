package main

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
)

// tlsFlags name the files of a server's TLS.
type tlsFlags struct {
	Cert     string `name:"tls-cert" placeholder:"FILE" help:"The server's certificate with its chain, in PEM. It is read again when it changes."`
	Key      string `name:"tls-key" placeholder:"FILE" help:"Its private key, in PEM."`
	ClientCA string `name:"tls-client-ca" placeholder:"FILE" help:"The authorities whose certificates callers must show, in PEM."`
}

// listen listens on an address, and returns the URL by which callers reach it.
func (f tlsFlags) listen(address string, log *slog.Logger) (net.Listener, string, error) {
	complete := f.Cert != "" && f.Key != ""
	if !complete && f != (tlsFlags{}) {
		return nil, "", command.UsageError(errors.New("TLS needs --tls-cert and --tls-key"))
	}
	var config *tls.Config
	if f.Cert != "" {
		var err error
		config, err = access.TLSConfig(access.TLSFiles(f), func(err error) {
			log.Warn("reading changed certificates failed; the old ones stay in use", "error", err)
		})
		if err != nil {
			return nil, "", hint.Wrap(err, "correct --tls-cert, --tls-key and --tls-client-ca")
		}
	}

	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, "", hint.Wrap(err, "choose another address with --listen HOST:PORT")
	}
	if config == nil {
		return l, "http://" + l.Addr().String(), nil
	}
	return tls.NewListener(l, config), "https://" + l.Addr().String(), nil
}
