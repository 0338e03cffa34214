package match

import (
	"strings"
	"testing"
)

// TestNearly checks which members a guessed name may mean.
func TestNearly(t *testing.T) {
	for _, c := range []struct {
		description, member string
		want                bool
	}{
		{"start", "startsAt", true},
		{"start time", "start", true},
		{"start", "end_time", false},
		{"departure", "departs", true},
		{"arrival", "departs", false},
		{"sender", "from", true},
		{"sender email", "sender", true},
		{"owner email", "ownerMail", true},
		{"owner email", "ownerName", false},
		{"owner", "ownerName", true},
		{"email", "mailAddress", true},
		{"e-mail", "email", true},
		{"amount due", "amount", true},
		{"due date", "due_on", true},
		{"event id", "entryId", true},
		{"visit id", "visitNumber", true},
		{"id", "bookingCode", true},
		{"id", "counterparty_iban", false},
		{"phone number", "petNumber", false},
		{"phone number", "ownerPhone", true},
		{"email", "ownerMail", true},
		{"date", "bookedOn", true},
		{"name", "ownerMail", false},
		{"title", "heading", true},
		{"file name", "filename", true},
		{"price", "stock", false},
		{"id", "memberCount", false},
	} {
		if got := nearly(words(c.description), words(c.member)); got != c.want {
			t.Errorf("%s for %s: %v, want %v", strings.Join(words(c.description), " "), c.member, got, c.want)
		}
	}
}
