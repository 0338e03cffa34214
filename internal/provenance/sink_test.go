package provenance

import (
	"strings"
	"testing"
)

func TestContacts(t *testing.T) {
	for _, s := range []string{"https://evil.io", " http://evil.io/x?q=1", "ftp://evil.io", "FILE:///etc/passwd", "../x", "/notes/../../home/.ssh/id", `notes\..\..\x`, ".."} {
		if !Contacts(s) {
			t.Errorf("%q contacts nobody and stays where it is", s)
		}
	}
	for _, s := range []string{"", "notes/today.md", "/srv/data", "a..b", "wait...", "see https://corp.com for more", "v1..v2", "://", "a/b://c"} {
		if Contacts(s) {
			t.Errorf("%q contacts somebody or climbs", s)
		}
	}
}

func TestRight(t *testing.T) {
	for _, s := range []string{"owner", "Admin", "full-control", "full control", "PUBLIC", "anyone"} {
		if !Right(s) {
			t.Errorf("%q gives nothing away", s)
		}
	}
	for _, s := range []string{"", "reader", "read", "the owner", "adminton", "public transport"} {
		if Right(s) {
			t.Errorf("%q is a right", s)
		}
	}
}

// TestSinkLooksAtEveryPlace: what makes a link may be anywhere in a word, and after something
// that looks like it.
func TestSinkLooksAtEveryPlace(t *testing.T) {
	s := after("See https://corp.com/a.", page)
	for _, text := range []string{
		"awww.x(www.evil.io", "a//b(//evil.io/x", "//(//evil.io/x", "data:data:data:text/html,<b>", "data:,data:text/html", "see https://evil.io now",
		strings.Repeat("data:", 9) + "a/b,c",
	} {
		if _, found := s.Sink(text); !found {
			t.Errorf("nothing is found in %q", text)
		}
	}
	for _, text := range []string{"https://corp.com/a", strings.Repeat("data:", 9), "metadata:a/b", "data:a,b", "a//b", "//", "awww.x", "....."} {
		if link, found := s.Sink(text); found {
			t.Errorf("%q is found in %q", link, text)
		}
	}
}
