// Package tlsfiles makes the TLS of servers that are called from other machines,
// with certificates from files that may change while the server runs.
package tlsfiles

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// checkEvery is how often the files are looked at, at most: renewed certificates
// have days to be taken up.
const checkEvery = 10 * time.Second

// Files are the files of a server's TLS, in PEM.
type Files struct {
	// Cert is the certificate with its chain, Key its private key.
	Cert, Key string
	// ClientCA, when set, are the authorities whose certificates clients must
	// show.
	ClientCA string
}

// Config reads the files and returns a configuration that follows them. A change
// that can't be read is told to failed, and the former certificates stay.
func Config(f Files, failed func(error)) (*tls.Config, error) {
	s := &source{files: f, failed: failed}
	if err := s.read(time.Now()); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return s.current(), nil
		},
	}, nil
}

// source is what the files say.
type source struct {
	files  Files
	failed func(error)

	mu      sync.Mutex
	checked time.Time
	texts   [3][]byte
	config  *tls.Config
}

// current returns the configuration of the files as they are.
func (s *source) current() *tls.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.checked) >= checkEvery {
		if err := s.read(now); err != nil {
			s.failed(err)
		}
	}
	return s.config
}

// read reads the files and makes the configuration anew if they have changed.
func (s *source) read(now time.Time) error {
	s.checked = now
	var texts [3][]byte
	for i, name := range [...]string{s.files.Cert, s.files.Key, s.files.ClientCA} {
		if name == "" {
			continue
		}
		var err error
		if texts[i], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	same := s.config != nil
	for i := range texts {
		same = same && bytes.Equal(texts[i], s.texts[i])
	}
	if same {
		return nil
	}
	cert, err := tls.X509KeyPair(texts[0], texts[1])
	if err != nil {
		return fmt.Errorf("%s and %s are no certificate with its key: %w", s.files.Cert, s.files.Key, err)
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}}
	if s.files.ClientCA != "" {
		c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
		if !c.ClientCAs.AppendCertsFromPEM(texts[2]) {
			return fmt.Errorf("%s holds no certificate", s.files.ClientCA)
		}
	}
	s.texts, s.config = texts, c
	return nil
}

// ErrNoSubject is returned for a certificate that names nobody.
var ErrNoSubject = errors.New("the client's certificate names nobody")

// Subject returns whom a client's verified certificate names: its URI, as
// workloads have one, or else its distinguished name.
func Subject(state *tls.ConnectionState) (string, error) {
	if state == nil || len(state.VerifiedChains) == 0 {
		return "", ErrNoSubject
	}
	leaf := state.VerifiedChains[0][0]
	if len(leaf.URIs) == 1 {
		return leaf.URIs[0].String(), nil
	}
	if name := leaf.Subject.String(); name != "" {
		return name, nil
	}
	return "", ErrNoSubject
}
