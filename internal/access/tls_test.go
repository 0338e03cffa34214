package access_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remit-project/remit/internal/access"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "CA"}, NotBefore: begin, NotAfter: end,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{cert, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
}

// The certificates hold whatever the clock of a test says.
var begin, end = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)

func (a *authority) sign(t *testing.T, serial int64, name pkix.Name, uris ...*url.URL) (cert, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: name, URIs: uris, DNSNames: []string{"gate.example"}, NotBefore: begin, NotAfter: end,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &k.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// meet makes a handshake and returns what each side knows of the other.
func meet(t *testing.T, server *tls.Config, a *authority, client ...tls.Certificate) (of, at tls.ConnectionState, err error) {
	t.Helper()
	c, s := net.Pipe()
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	front, back := tls.Client(c, &tls.Config{RootCAs: roots, ServerName: "gate.example", Certificates: client}), tls.Server(s, server)
	failed := make(chan error, 1)
	go func() {
		err := back.Handshake()
		if err != nil {
			s.Close()
		}
		failed <- err
	}()
	err = front.Handshake()
	// The server's verdict on the client comes after the client's end.
	go func() { _, _ = front.Read(make([]byte, 1)) }()
	err = errors.Join(err, <-failed)
	c.Close()
	s.Close()
	return front.ConnectionState(), back.ConnectionState(), err
}

// A renewed certificate is taken up while the server runs, and one that can't be
// read is not.
func TestRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, a := t.TempDir(), newAuthority(t)
		f := access.TLSFiles{Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
		renew := func(serial int64) {
			cert, key := a.sign(t, serial, pkix.Name{CommonName: "gate"})
			writeFile(t, f.Cert, cert)
			writeFile(t, f.Key, key)
		}
		renew(1)
		var failed []error
		config, err := access.TLSConfig(f, func(err error) { failed = append(failed, err) })
		if err != nil {
			t.Fatal(err)
		}
		shows := func(want int64) {
			t.Helper()
			state, _, err := meet(t, config, a)
			if err != nil {
				t.Fatal(err)
			}
			if got := state.PeerCertificates[0].SerialNumber.Int64(); got != want {
				t.Errorf("the server shows certificate %d, not %d", got, want)
			}
		}
		shows(1)
		renew(2)
		time.Sleep(time.Minute)
		shows(2)
		writeFile(t, f.Cert, []byte("half a"))
		time.Sleep(time.Minute)
		shows(2)
		if len(failed) == 0 || !strings.Contains(failed[0].Error(), "load key pair") {
			t.Errorf("reported %v", failed)
		}
		renew(3)
		time.Sleep(time.Minute)
		shows(3)
	})
}

// Where clients must show certificates, only those of the authority are let in,
// and are known by what it says of them.
func TestClients(t *testing.T) {
	dir, a := t.TempDir(), newAuthority(t)
	f := access.TLSFiles{Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem"), ClientCA: filepath.Join(dir, "ca.pem")}
	cert, key := a.sign(t, 1, pkix.Name{CommonName: "gate"})
	writeFile(t, f.Cert, cert)
	writeFile(t, f.Key, key)
	writeFile(t, f.ClientCA, a.pem)
	config, err := access.TLSConfig(f, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	pair := func(by *authority, name pkix.Name, uris ...*url.URL) []tls.Certificate {
		cert, key := by.sign(t, 7, name, uris...)
		p, err := tls.X509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		return []tls.Certificate{p}
	}
	for name, test := range map[string]struct {
		certs []tls.Certificate
		want  string
	}{
		"by name":              {pair(a, pkix.Name{CommonName: "ann", Organization: []string{"corp"}}), "certificate:CN=ann,O=corp"},
		"by URI":               {pair(a, pkix.Name{CommonName: "x"}, &url.URL{Scheme: "spiffe", Host: "corp.example", Path: "/agent"}), "certificate:spiffe://corp.example/agent"},
		"nobody":               {pair(a, pkix.Name{}), ""},
		"of another authority": {pair(newAuthority(t), pkix.Name{CommonName: "ann"}), "error"},
		"without any":          {nil, "error"},
	} {
		t.Run(name, func(t *testing.T) {
			_, state, err := meet(t, config, a, test.certs...)
			if test.want == "error" {
				if err == nil {
					t.Error("it was let in")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := access.ClientCertificates{}.Authenticate(&http.Request{TLS: &state})
			if got != test.want || (err != nil) != (test.want == "") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// Files that hold something else are a mistake at the start.
func TestTLSMistakes(t *testing.T) {
	dir, a := t.TempDir(), newAuthority(t)
	cert, key := a.sign(t, 1, pkix.Name{CommonName: "gate"})
	good, other, ca := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), filepath.Join(dir, "ca.pem")
	writeFile(t, good, cert)
	writeFile(t, other, key)
	writeFile(t, ca, []byte("nothing"))
	for name, f := range map[string]access.TLSFiles{
		"no file":        {Cert: filepath.Join(dir, "none"), Key: other},
		"the wrong way":  {Cert: other, Key: good},
		"no authorities": {Cert: good, Key: other, ClientCA: ca},
	} {
		t.Run(name, func(t *testing.T) {
			if c, err := access.TLSConfig(f, func(error) {}); err == nil {
				t.Errorf("got %v", c)
			}
		})
	}
}
