package contract_test

import (
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
)

func TestAllowsBelow(t *testing.T) {
	f, err := contract.Load("fs.yaml", []byte(`version: 1
server: fs
tools:
  read:
    effect: read
    args:
      /path: {role: target, floor: USER, form: path, allow: [/srv/notes/**, /etc/hostname, "relative/**", "/**"]}
      /name: {role: target, floor: USER, allow: [/srv/notes/**]}
    output: {trust: EXTERNAL}
`))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := contract.Compile(f, contract.Defaults{Precision: label.L3, Classes: &label.Classes{}, Obligations: &label.ObligationNames{}})
	if err != nil {
		t.Fatal(err)
	}
	variant, ok := tools["read"].Variant("", false)
	if !ok {
		t.Fatal("no variant")
	}
	find := func(pointer string) *contract.Argument {
		a, ok := variant.Match(pointer)
		if !ok {
			t.Fatalf("no %s", pointer)
		}
		return a
	}
	for _, v := range []string{"/srv/notes", "/srv/notes/", "/srv/notes/a.txt", "/srv/notes/a/b c.md", "/srv/notes/é.txt", "/etc/hostname"} {
		if !find("/path").Allows(v) {
			t.Errorf("%q is not allowed", v)
		}
	}
	for _, v := range []string{
		"", "/", "/srv", "/srv/notes2/a", "/srv/notes.txt", "/srv/notes/../secret", "/srv/notes/./a", "/srv/notes//a", "/srv/notes/..", "srv/notes/a",
		"/srv/notes/a\x00.txt", "/srv/notes/%2e%2e/x", `/srv/notes/..\x`, "/srv/notes/$HOME", "/srv/notes/a\u202etxt", "/srv/notes/a\nb", "/srv/notes/\xff",
		" /srv/notes/a", "/srv/notes/`id`", "/srv/notes/a;rm", "relative/x", "/etc/hostname/x", "/etc/passwd", "file:///srv/notes/a",
	} {
		if find("/path").Allows(v) {
			t.Errorf("%q is allowed", v)
		}
	}
	if find("/name").Allows("/srv/notes/a") {
		t.Error("a name that is not a path lies below a directory")
	}
}
