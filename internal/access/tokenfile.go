package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/strictyaml"
)

const (
	// maxFile bounds a token file, in bytes.
	maxFile = 1 << 20
	// maxGrants bounds the tokens of a file: each request is compared with all.
	maxGrants = 1000
	// maxName bounds a principal's name, in bytes.
	maxName = 256
)

// ParseTokens reads the text of a token file. The error is of type
// [strictyaml.Errors].
func ParseTokens(name string, data []byte) ([]Grant, error) {
	var grants []Grant
	err := strictyaml.Read(name, data, strictyaml.Format{
		MaxSize: maxFile, TooLarge: "a token file has only the hashes and scopes of tokens",
		Empty: "remit token new adds a token",
	}, func(r *strictyaml.Reader, root *strictyaml.Node) {
		version := ""
		had := r.Mapping(root, "the token file", strictyaml.Keys{
			"version": r.Text("version", &version),
			"tokens": func(n *strictyaml.Node) {
				r.List(n, "tokens", func(n *strictyaml.Node) {
					if len(grants) == maxGrants {
						r.Fail(n, "remove those that have expired", "there are more than %d tokens", maxGrants)
						return
					}
					grants = append(grants, grant(r, n))
				})
			},
		})
		if had["version"] == nil || version != "1" {
			r.Fail(root, "write 'version: 1' first", "the version is missing or not known")
		}
	})
	if err != nil {
		return nil, err
	}

	return grants, nil
}

func grant(r *strictyaml.Reader, n *strictyaml.Node) Grant {
	var g Grant
	known := make([]string, 0, len(Scopes()))
	for _, s := range Scopes() {
		known = append(known, string(s))
	}

	had := r.Mapping(n, "a token", strictyaml.Keys{
		"principal": r.Text("principal", &g.Name),
		"sha256": func(n *strictyaml.Node) {
			if g.Hash.UnmarshalText([]byte(n.Value)) != nil {
				r.Fail(n, "remit token new makes it", "sha256 must be 64 hexadecimal digits")
			}
		},
		"scopes": func(n *strictyaml.Node) {
			r.List(n, "scopes", func(n *strictyaml.Node) {
				var s Scope
				r.Word("scope", known, &s)(n)
				g.Scopes = append(g.Scopes, s)
			})
		},
		"expires": func(n *strictyaml.Node) {
			var err error
			if g.Expires, err = time.Parse(time.RFC3339, n.Value); err != nil {
				r.Fail(n, "write it as 2027-03-31T00:00:00Z", "expires must be a time")
			}
		},
	})

	for _, key := range []string{"principal", "sha256", "scopes"} {
		if had[key] == nil {
			r.Fail(n, "remit token new writes whole entries", "the token has no %s", key)
		}
	}
	if had["principal"] != nil && !isPrincipalName(g.Name) {
		r.Fail(had["principal"], "write a short name", "the principal's name can't be used")
	}
	return g
}

// isPrincipalName reports whether a name is short and printable.
func isPrincipalName(name string) bool {
	unprintable := func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }
	return name != "" && len(name) <= maxName && !strings.ContainsFunc(name, unprintable)
}

// TokenFile is a file of tokens. It is read again whenever it has changed, so that
// a token that is removed from it isn't accepted from the next request on.
type TokenFile struct {
	name string
	now  func() time.Time

	mu     sync.Mutex
	read   os.FileInfo
	grants []Grant
}

// OpenTokens reads a token file. If now is nil, the clock is [time.Now].
func OpenTokens(name string, now func() time.Time) (*TokenFile, error) {
	if now == nil {
		now = time.Now
	}
	f := &TokenFile{name: name, now: now}
	_, err := f.current()
	return f, err
}

// current returns the tokens in the file, as it is now.
func (f *TokenFile) current() ([]Grant, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	info, err := os.Stat(f.name)
	if err != nil {
		return nil, err
	}
	if err := checkPrivate(f.name, info); err != nil {
		f.read = nil
		return nil, err
	}
	unchanged := f.read != nil && os.SameFile(f.read, info) && f.read.ModTime().Equal(info.ModTime()) && f.read.Size() == info.Size()
	if unchanged {
		return f.grants, nil
	}

	f.read = nil
	file, err := os.Open(f.name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, err
	}
	grants, err := ParseTokens(f.name, data)
	if err != nil {
		return nil, err
	}
	f.grants, f.read = grants, info
	return grants, nil
}

// checkPrivate returns an error if users other than the owner could put a token
// into a file.
func checkPrivate(name string, file os.FileInfo) error {
	if runtime.GOOS == "windows" {
		return nil // where permission bits mean nothing
	}

	const groupOrOthers, others = 0o022, 0o002
	if file.Mode().Perm()&groupOrOthers != 0 {
		return fmt.Errorf("%s: other users may write it, and so make themselves tokens: chmod 600 %s", name, name)
	}
	dir, err := os.Stat(filepath.Dir(name))
	if err != nil {
		return err
	}
	if dir.Mode().Perm()&others != 0 && dir.Mode()&os.ModeSticky == 0 {
		return fmt.Errorf("%s: other users may write its directory, and so replace the file: chmod 700 %s", name, filepath.Dir(name))
	}
	return nil
}

// Find returns the principal of a token. The error is [ErrUnknownToken], or says
// that the file can't be read, in which case no caller is accepted.
func (f *TokenFile) Find(token string) (*Principal, error) {
	grants, err := f.current()
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}

	shown := sha256.Sum256([]byte(token))
	var found *Grant
	for i := range grants {
		// Every token is compared, in constant time, so that the time of a request
		// doesn't depend on the tokens.
		if subtle.ConstantTimeCompare(shown[:], grants[i].Hash[:]) == 1 {
			found = &grants[i]
		}
	}

	if found == nil || found.expired(f.now()) {
		return nil, ErrUnknownToken
	}
	return &found.Principal, nil
}

// expired reports whether the token isn't accepted any more at a time.
func (g *Grant) expired(now time.Time) bool {
	return !g.Expires.IsZero() && !now.Before(g.Expires)
}

// Entry returns the line of a token file that has the token.
func (g *Grant) Entry() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  - {principal: %q, sha256: %s, scopes: [", g.Name, g.Hash)
	for i, s := range g.Scopes {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", s)
	}
	b.WriteString("]")
	if !g.Expires.IsZero() {
		fmt.Fprintf(&b, ", expires: %q", g.Expires.UTC().Format(time.RFC3339))
	}
	b.WriteString("}\n")
	return b.String()
}

// AddToken returns the text of a token file with one more token, or of a new file
// if data is empty. The rest stays as people wrote it.
func AddToken(name string, data []byte, g Grant) ([]byte, error) {
	if len(strings.TrimSpace(string(data))) == 0 {
		data = []byte("# Hashes of the tokens of remit serve. Remove one to revoke it.\nversion: 1\ntokens:\n")
	}
	text := string(data)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text += g.Entry()

	before, err := ParseTokens(name, data)
	if err != nil {
		return nil, err
	}
	after, err := ParseTokens(name, []byte(text))
	if err != nil || len(after) != len(before)+1 {
		return nil, fmt.Errorf("%s: can't add a token at the end: make the list of tokens the last part of the file, one token a line", name)
	}
	return []byte(text), nil
}

// ErrNoSuchToken is returned by [RemoveTokens] for a file that doesn't have the
// token.
var ErrNoSuchToken = errors.New("there is no such token")

// RemoveTokens returns the text of a token file without the tokens that pick
// selects, and these tokens. The rest stays as people wrote it.
func RemoveTokens(name string, data []byte, pick func(Grant) bool) ([]byte, []Grant, error) {
	before, err := ParseTokens(name, data)
	if err != nil {
		return nil, nil, err
	}

	var gone, left []Grant
	lines := strings.SplitAfter(string(data), "\n")
	for _, g := range before {
		if !pick(g) {
			left = append(left, g)
			continue
		}
		gone = append(gone, g)
		from, to := entryLines(lines, g.Hash.String())
		lines = slices.Delete(lines, from, to)
	}

	if len(gone) == 0 {
		return nil, nil, fmt.Errorf("%s: %w", name, ErrNoSuchToken)
	}

	// Whatever the file looked like, it has exactly the other tokens now, or stays.
	text := []byte(strings.Join(lines, ""))
	after, err := ParseTokens(name, text)
	if err != nil || !slices.EqualFunc(after, left, func(a, b Grant) bool { return a.Entry() == b.Entry() }) {
		return nil, nil, fmt.Errorf("%s: can't remove the token alone: write one token a line, or remove it by hand", name)
	}
	return text, gone, nil
}

// entryLines returns the range of lines of the list element that has a hash.
func entryLines(lines []string, hash string) (from, to int) {
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(strings.ToLower(l), strings.ToLower(hash)) })
	if at < 0 {
		return 0, 0
	}
	indent := func(l string) int { return len(l) - len(strings.TrimLeft(l, " ")) }
	for from = at; from > 0 && !strings.HasPrefix(strings.TrimLeft(lines[from], " "), "- "); from-- {
	}
	for to = from + 1; to < len(lines) && strings.TrimSpace(lines[to]) != "" && indent(lines[to]) > indent(lines[from]); to++ {
	}
	return from, to
}
