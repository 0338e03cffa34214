package provenance

import "testing"

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
