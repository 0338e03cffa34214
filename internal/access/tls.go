package access

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"
)

// checkEvery is the least time between two looks at the files. A renewed
// certificate comes days before the old one ends.
const checkEvery = 10 * time.Second

// TLSFiles names the files of a server's TLS, in PEM.
type TLSFiles struct {
	// Cert is the certificate with its chain, and Key its private key.
	Cert, Key string
	// ClientCA has the authorities that must have signed the certificate of a
	// client. If it is empty, clients need no certificate.
	ClientCA string
}

// TLSConfig reads the files, and returns a configuration that follows their
// changes. If changed files can't be read, failed gets the error, and the former
// certificates stay in use.
func TLSConfig(f TLSFiles, failed func(error)) (*tls.Config, error) {
	s := &certificates{files: f, failed: failed}
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

// certificates is the configuration that was last read from the files.
type certificates struct {
	files  TLSFiles
	failed func(error)

	mu      sync.Mutex
	checked time.Time
	texts   [3][]byte
	config  *tls.Config
}

// current returns the configuration, after a look at the files if the last one was
// long ago.
func (s *certificates) current() *tls.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.checked) >= checkEvery {
		if err := s.read(now); err != nil {
			s.failed(err)
		}
	}
	return s.config
}

// read reads the files, and replaces the configuration if they have changed.
func (s *certificates) read(now time.Time) error {
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
		return fmt.Errorf("load key pair %s, %s: %w", s.files.Cert, s.files.Key, err)
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}}
	if s.files.ClientCA != "" {
		c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
		if !c.ClientCAs.AppendCertsFromPEM(texts[2]) {
			return fmt.Errorf("%s has no certificate", s.files.ClientCA)
		}
	}
	s.texts, s.config = texts, c
	return nil
}

// ErrNoSubject is returned for a connection without a verified certificate that
// has a subject.
var ErrNoSubject = errors.New("the client's certificate has no subject")

// ClientCertificates identifies clients by their verified certificates.
type ClientCertificates struct{}

// Authenticate returns the principal that the client's certificate identifies,
// "certificate:" and its URI, as workloads have one, or else its distinguished
// name. The error is [ErrNoSubject].
func (ClientCertificates) Authenticate(r *http.Request) (principal string, err error) {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		return "", ErrNoSubject
	}

	leaf := r.TLS.VerifiedChains[0][0]
	if len(leaf.URIs) == 1 {
		return "certificate:" + leaf.URIs[0].String(), nil
	}
	if name := leaf.Subject.String(); name != "" {
		return "certificate:" + name, nil
	}
	return "", ErrNoSubject
}

// Challenge refuses a request that was not accepted.
func (ClientCertificates) Challenge(w http.ResponseWriter, _ error) {
	http.Error(w, ErrNoSubject.Error(), http.StatusForbidden)
}
