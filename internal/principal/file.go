package principal

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

	"github.com/remit-project/remit/internal/strictyaml"
)

const (
	// maxFile bounds a file of tokens, and maxGrants its tokens: each request
	// is compared with all of them.
	maxFile   = 1 << 20
	maxGrants = 1000
	// maxName bounds a principal's name, in bytes.
	maxName = 256
)

// Parse reads a file of tokens. The error is of type [strictyaml.Errors].
func Parse(name string, data []byte) ([]Grant, error) {
	var grants []Grant
	err := strictyaml.Read(name, data, strictyaml.Format{
		MaxSize: maxFile, TooLarge: "a file of tokens holds their hashes and scopes, and nothing else",
		Empty: "remit token new adds a token",
	}, func(r *strictyaml.Reader, root *strictyaml.Node) {
		version := ""
		had := r.Mapping(root, "the file of tokens", strictyaml.Keys{
			"version": r.Text("version", &version),
			"tokens": func(n *strictyaml.Node) {
				r.List(n, "tokens", func(n *strictyaml.Node) {
					if len(grants) == maxGrants {
						r.Fail(n, "remove those that expired", "there are more than %d tokens", maxGrants)
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
	if had["principal"] != nil && (g.Name == "" || len(g.Name) > maxName || strings.ContainsFunc(g.Name, unprintable)) {
		r.Fail(had["principal"], "write a short name", "the principal's name can't be used")
	}
	return g
}

func unprintable(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }

// File is a file of tokens that is read again whenever it has changed, so that
// a token which is taken out of it ends at once.
type File struct {
	name string
	now  func() time.Time

	mu     sync.Mutex
	read   os.FileInfo
	grants []Grant
}

// Open reads a file of tokens. The clock is [time.Now] when nil.
func Open(name string, now func() time.Time) (*File, error) {
	if now == nil {
		now = time.Now
	}
	f := &File{name: name, now: now}
	_, err := f.current()
	return f, err
}

// current returns the tokens as the file has them now.
func (f *File) current() ([]Grant, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.name)
	if err != nil {
		return nil, err
	}
	if err := private(f.name, info); err != nil {
		f.read = nil
		return nil, err
	}
	if f.read != nil && os.SameFile(f.read, info) && f.read.ModTime().Equal(info.ModTime()) && f.read.Size() == info.Size() {
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
	grants, err := Parse(f.name, data)
	if err != nil {
		return nil, err
	}
	f.grants, f.read = grants, info
	return grants, nil
}

// private reports why others than its owner could put a token into a file.
func private(name string, file os.FileInfo) error {
	if runtime.GOOS == "windows" {
		return nil // the bits say nothing there
	}
	const others = 0o022
	if file.Mode().Perm()&others != 0 {
		return fmt.Errorf("%s: others may write it, and make themselves tokens: chmod 600 %s", name, name)
	}
	dir, err := os.Stat(filepath.Dir(name))
	if err != nil {
		return err
	}
	if dir.Mode().Perm()&0o002 != 0 && dir.Mode()&os.ModeSticky == 0 {
		return fmt.Errorf("%s: others may write its directory, and put another file in its place: chmod 700 %s", name, filepath.Dir(name))
	}
	return nil
}

// Find returns whose a token is. The error is [ErrUnknown], or says that the
// file can't be read, and then nobody may call.
func (f *File) Find(token string) (*Principal, error) {
	grants, err := f.current()
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	shown := sha256.Sum256([]byte(token))
	var found *Grant
	for i := range grants {
		// All are compared, and each in constant time, so that the time tells
		// nothing about any of them.
		if subtle.ConstantTimeCompare(shown[:], grants[i].Hash[:]) == 1 {
			found = &grants[i]
		}
	}
	if found == nil || !found.Expires.IsZero() && !f.now().Before(found.Expires) {
		return nil, ErrUnknown
	}
	return &found.Principal, nil
}

// Entry is a token as a line of the file.
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

// Add returns the text of a file with one more token; that of a new file when
// there is no text. The rest stays as people wrote it.
func Add(name string, data []byte, g Grant) ([]byte, error) {
	if len(strings.TrimSpace(string(data))) == 0 {
		data = []byte("# Tokens of remit serve, by their hashes. Take one out to end it.\nversion: 1\ntokens:\n")
	}
	text := string(data)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text += g.Entry()
	before, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	after, err := Parse(name, []byte(text))
	if err != nil || len(after) != len(before)+1 {
		return nil, fmt.Errorf("%s: a token can't be added at its end: make the list of tokens the last thing in it, one a line", name)
	}
	return []byte(text), nil
}

// ErrNoToken is returned by [Remove] for a file that doesn't have the token.
var ErrNoToken = errors.New("there is no such token")

// Remove returns the text of a file without the tokens that a function picks, and
// what they were. The rest stays as people wrote it.
func Remove(name string, data []byte, pick func(Grant) bool) ([]byte, []Grant, error) {
	before, err := Parse(name, data)
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
		from, to := entry(lines, g.Hash.String())
		lines = slices.Delete(lines, from, to)
	}
	if len(gone) == 0 {
		return nil, nil, fmt.Errorf("%s: %w", name, ErrNoToken)
	}
	// Whatever the file looked like: it says this now, or is left alone.
	text := []byte(strings.Join(lines, ""))
	after, err := Parse(name, text)
	if err != nil || !slices.EqualFunc(after, left, func(a, b Grant) bool { return a.Entry() == b.Entry() }) {
		return nil, nil, fmt.Errorf("%s: the token can't be taken out by itself: write one token a line, or take it out by hand", name)
	}
	return text, gone, nil
}

// entry finds the lines of the list element that names a hash.
func entry(lines []string, hash string) (from, to int) {
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
