package access_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/internal/access"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func grantOf(t *testing.T, name string, expires time.Time, scopes ...access.Scope) (string, access.Grant) {
	t.Helper()
	token, hash := access.NewToken()
	return token, access.Grant{Principal: access.Principal{Name: name, Scopes: scopes}, Hash: hash, Expires: expires}
}

func write(t *testing.T, name string, grants ...access.Grant) {
	t.Helper()
	var text []byte
	for _, g := range grants {
		var err error
		if text, err = access.AddToken(name, text, g); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tokens.yaml")
	ann, annGrant := grantOf(t, `ann: "x" # y`, time.Time{}, access.EventsWrite, access.DecisionsWrite)
	bob, bobGrant := grantOf(t, "bob", noon, access.AuditRead)
	write(t, name, annGrant, bobGrant)
	now := noon.Add(-time.Second)
	f, err := access.OpenTokens(name, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Find(ann)
	if err != nil || cmp.Diff(*got, annGrant.Principal) != "" || !got.May(access.EventsWrite) || got.May(access.AuditRead) {
		t.Errorf("ann's token is %+v, %v", got, err)
	}
	if got, err := f.Find(bob); err != nil || got.Name != "bob" {
		t.Errorf("bob's token is %+v, %v", got, err)
	}
	now = noon
	for name, token := range map[string]string{"expired": bob, "nobody's": ann + "x", "the hash itself": annGrant.Hash.String(), "in another case": strings.ToUpper(ann), "none": ""} {
		if got, err := f.Find(token); !errors.Is(err, access.ErrUnknownToken) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	// A token that is taken out ends at once, and one that is added begins.
	eve, eveGrant := grantOf(t, "eve", time.Time{})
	write(t, name, eveGrant)
	if _, err := f.Find(ann); !errors.Is(err, access.ErrUnknownToken) {
		t.Errorf("a token that was taken out: %v", err)
	}
	if _, err := f.Find(eve); err != nil {
		t.Errorf("a token that was added: %v", err)
	}
	// A file that can't be read lets no one in.
	if err := os.WriteFile(name, []byte("version: 1\ntokens: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Find(eve); err == nil || errors.Is(err, access.ErrUnknownToken) {
		t.Errorf("a broken file: %v", err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Find(eve); err == nil {
		t.Error("a removed file: the token is good")
	}
}

func TestMistakes(t *testing.T) {
	hash := strings.Repeat("0", 64)
	for name, c := range map[string]struct{ text, want string }{
		"nothing":          {"", "remit token new adds a token"},
		"no version":       {"tokens: []", "write 'version: 1' first"},
		"another version":  {"version: 2\ntokens: []", "write 'version: 1' first"},
		"an unknown key":   {"version: 1\ntoken: []", `no key "token"`},
		"no scopes":        {"version: 1\ntokens: [{principal: a, sha256: " + hash + "}]", "the token has no scopes"},
		"an unknown scope": {"version: 1\ntokens: [{principal: a, sha256: " + hash + ", scopes: [event:write]}]", "events:write"},
		"no hash":          {"version: 1\ntokens: [{principal: a, sha256: secret, scopes: []}]", "64 hexadecimal digits"},
		"no name":          {"version: 1\ntokens: [{principal: '', sha256: " + hash + ", scopes: []}]", "name can't be used"},
		"no time":          {"version: 1\ntokens: [{principal: a, sha256: " + hash + ", scopes: [], expires: soon}]", "expires must be a time"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := access.ParseTokens("tokens.yaml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestAdd(t *testing.T) {
	_, g := grantOf(t, "ann", noon, access.EventsWrite)
	const text = "version: 1 # mine\ntokens: # of two\n  # the first\n  - {principal: bob, sha256: 0000000000000000000000000000000000000000000000000000000000000000, scopes: []}"
	got, err := access.AddToken("tokens.yaml", []byte(text), g)
	if err != nil || !strings.HasPrefix(string(got), text+"\n") {
		t.Fatalf("got %s, %v", got, err)
	}
	list, err := access.ParseTokens("tokens.yaml", got)
	if err != nil || len(list) != 2 || cmp.Diff(list[1], g) != "" {
		t.Errorf("got %+v, %v", list, err)
	}
	if got, err := access.AddToken("tokens.yaml", []byte("tokens:\n- {principal: bob, sha256: 0000000000000000000000000000000000000000000000000000000000000000, scopes: []}\nversion: 1\n"), g); err == nil {
		t.Errorf("got %s", got)
	}
}

// FuzzParse: no text makes the reader panic, and what it accepts can be used.
func FuzzParse(f *testing.F) {
	_, hash := access.NewToken()
	f.Add([]byte("version: 1\ntokens:\n" + (&access.Grant{Principal: access.Principal{Name: "a", Scopes: access.Scopes()}, Hash: hash, Expires: noon}).Entry()))
	f.Add([]byte("version: 1\ntokens: [{principal: a, scopes: *x}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		grants, err := access.ParseTokens("tokens.yaml", data)
		if err != nil && grants != nil {
			t.Fatalf("got %v with %v", grants, err)
		}
		for _, g := range grants {
			if g.Name == "" {
				t.Fatalf("accepted %+v", g)
			}
			for _, s := range g.Scopes {
				if s.UnmarshalText([]byte(s)) != nil {
					t.Fatalf("accepted the scope %q", s)
				}
			}
		}
	})
}

// A file that others may write lets no one in, also when only its mode changes while it is in
// use.
func TestFileThatOthersMayWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tokens.yaml")
	token, hash := access.NewToken()
	g := access.Grant{Principal: access.Principal{Name: "ann", Scopes: access.Scopes()}, Hash: hash}
	data, err := access.AddToken(name, nil, g)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := access.OpenTokens(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o600, 0o602, 0o620, 0o644} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		_, err := f.Find(token)
		if refused := mode&0o022 != 0; (err != nil) != refused || errors.Is(err, access.ErrUnknownToken) {
			t.Errorf("%o: %v", mode, err)
		}
	}
}
