package access

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/strictyaml"
)

const (
	// maxLife bounds how long people stay signed in without asking their provider again.
	maxLife = 24 * time.Hour
	// minRecheck keeps the provider from being asked at every page.
	minRecheck = time.Minute
	// maxSecret bounds a client's secret, in bytes.
	maxSecret = 4 << 10
)

// OpenSignIn reads a file that says how people sign in, and the secret that it names.
func OpenSignIn(name string) (SignIn, error) {
	data, err := readPrivate(name, maxFile)
	if err != nil {
		return SignIn{}, err
	}
	c, secret, err := parseSignIn(name, data)
	if err != nil || secret == "" {
		return c, err
	}

	if !filepath.IsAbs(secret) {
		secret = filepath.Join(filepath.Dir(name), secret)
	}
	if data, err = readPrivate(secret, maxSecret); err != nil {
		return c, fmt.Errorf("the client's secret: %w", err)
	}
	if c.Secret = strings.TrimSpace(string(data)); c.Secret == "" {
		return c, fmt.Errorf("the client's secret: %s is empty", secret)
	}
	return c, nil
}

// readPrivate reads a file that other users can't write.
func readPrivate(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkPrivate(name, info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s is longer than %d bytes", name, most)
	}
	return data, err
}

// parseSignIn reads the text of the file, and the name of the file with the secret. The
// error is of type [strictyaml.Errors].
func parseSignIn(name string, data []byte) (c SignIn, secret string, err error) {
	c.Roles = map[Role][]string{}

	err = strictyaml.Read(name, data, strictyaml.Format{
		MaxSize: maxFile, MaxList: maxClaims, TooLarge: "the file says which provider people sign in by", Empty: "write version: 1 first, and the issuer",
	}, func(r *strictyaml.Reader, root *strictyaml.Node) {
		version := ""
		had := r.Mapping(root, "the file", strictyaml.Keys{
			"version": r.Text("version", &version), "issuer": r.Text("issuer", &c.Issuer), "client": r.Text("client", &c.Client),
			"secret": r.Text("secret", &secret), "address": r.Text("address", &c.Address), "scopes": r.Texts("scopes", &c.Scopes),
			"name": r.Text("name", &c.Name), "life": r.Duration("life", &c.Life), "recheck": r.Duration("recheck", &c.Recheck),
			"roles": func(n *strictyaml.Node) { c.readRoles(r, n) },
		})
		if had["version"] == nil || version != "1" {
			r.Fail(root, "write 'version: 1' first", "the version is missing or not known")
		}

		for _, key := range []string{"issuer", "client", "address", "roles"} {
			if had[key] == nil {
				r.Fail(root, "docs/reference/console.md has an example", "the file has no %s", key)
			}
		}
		for key, address := range map[string]string{"issuer": c.Issuer, "address": c.Address} {
			if n := had[key]; n != nil && checkWeb(address) != nil {
				r.Fail(n, "write it as https://HOST/PATH; http is for the loopback interface", "the %s is not a safe web address", key)
			}
		}
		if n := had["address"]; n != nil && !strings.HasSuffix(c.Address, "/") {
			r.Fail(n, "write it as https://HOST/console/", "the address has no slash at its end")
		}
		if n := had["life"]; n != nil && c.Life > maxLife {
			r.Fail(n, "write 12h", "people stay signed in for at most %s", maxLife)
		}
		if n := had["recheck"]; n != nil && (c.Recheck < minRecheck || c.Recheck > maxLife) {
			r.Fail(n, "write 1h", "the provider is asked about roles again after %s at least, and %s at most", minRecheck, maxLife)
		}
	})
	return c, secret, err
}

// readRoles reads who gets which role.
func (c *SignIn) readRoles(r *strictyaml.Reader, n *strictyaml.Node) {
	keys := strictyaml.Keys{"claim": r.Text("claim", &c.Claim)}
	for _, role := range roles() {
		keys[string(role)] = func(n *strictyaml.Node) {
			var list []string
			r.Texts(string(role), &list)(n)
			c.Roles[role] = list
		}
	}
	had := r.Mapping(n, "roles", keys)
	if had["claim"] == nil || c.Claim == "" {
		r.Fail(n, "write claim: groups, or what the provider has", "roles don't name the claim that they are read from")
	}
	if len(had) < 2 {
		r.Fail(n, "write look: [VALUE]", "nobody gets a role")
	}
}
