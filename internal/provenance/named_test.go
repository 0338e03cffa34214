package provenance

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/label"
)

// The records of a directory are named by what they are called, each by its own name and by no
// other's.
func TestTheUserNamesRecordsOfADirectory(t *testing.T) {
	const channels = `[{"id":"C01","name":"general"},{"id":"C02","name":"engineering"},{"id":"C03","name":"releases"},{"id":"C04","name":"finance"},{"id":"C05","name":"finance"},{"id":"C06","name":"follow-up"},{"id":"C07","name":"bl-staging"}]`
	for _, c := range []struct {
		name, user, procedure string
		named                 string
	}{
		{"a word that is marked", "Post this in #releases.", "directory", "C03"},
		{"one thing of a kind", "Summarize the engineering channel.", "directory", "C02"},
		{"somebody whom something is told", "Tell engineering that it is done.", "directory", "C02"},
		{"two, each by its name", "Copy #releases to #general.", "directory", "C01 C03"},
		{"two of one name", "Post this in #finance.", "directory", ""},
		{"two of one name, and another", "Copy #finance to #general.", "directory", "C01"},
		{"a word by chance", "Write some general words on the weather.", "directory", ""},
		{"joined words", "Pause bl-staging.", "directory", "C07"},
		{"joined words behind a kind", "Delete the channel bl-staging of the shop.", "directory", "C07"},
		{"joined words before a noun", "Prepare follow-up questions on it.", "directory", ""},
		{"joined words that are ruled out", "Pause everything, but not bl-staging.", "directory", ""},
		{"others may add records: joined words", "Pause bl-staging.", "lookup", ""},
		{"ruled out", "Tell everybody, but not the engineering channel.", "directory", ""},
		{"none", "Post this.", "directory", ""},
		{"others may add records: one", "Post this in #releases.", "lookup", "C03"},
		{"others may add records: two", "Copy #releases to #general.", "lookup", ""},
		{"others may add records: an ordinary word", "Summarize the engineering channel.", "lookup", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := after(c.user, "A page.")
			s.Output("result:2", Result{Text: channels, Document: document(t, channels), Tool: "list_channels", Spec: Spec{
				Trust: label.ToolOutput,
				Certify: []Certify{{Procedure: c.procedure, Roles: label.RolesOf(label.Target), Max: label.User,
					Field: func(p string) bool { return strings.HasSuffix(p, "/id") }, By: func(p string) bool { return strings.HasSuffix(p, "/name") }}},
			}})
			var got []string
			for _, id := range []string{"C01", "C02", "C03", "C04", "C05", "C06", "C07"} {
				if r := one(s, "post_message", "channel_id", id); len(r.Offers) > 0 {
					got = append(got, id)
				}
			}
			if strings.Join(got, " ") != c.named {
				t.Errorf("named %v, want %q", got, c.named)
			}
		})
	}
}
