package match_test

import (
	"slices"
	"testing"
)

// TestCodeAmongOthers: an id speaks against a call also where a member has it among others, in a link or parted; one in a longer id doesn't. In the
// place of an id, a condition is met by anything but another id.
func TestCodeAmongOthers(t *testing.T) {
	const (
		unless = `{"calls":[{"tool":"forward_mail","unless":[{"tool":"read_file","where":{"mail_id":"s1"}}],"args":{"/id":{"is":"s1"}}}]}`
		except = `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"mail_id"}],"kind":"id","pick":"all","except":[{"tool":"read_file","field":"mail_id"}]}}}]}`
	)
	compared := []string{"s2", "s12", "xs1", "s1", "S1", "s1;s2", "s2, s1", "s 1", "/mails/s1", "s1-s4"}
	for text, want := range map[string]bool{
		"s2": true, "s12": true, "xs1": true,
		"s1": false, "S1": false, "s1;s2": false, "s2, s1": false, "s 1": false, "/mails/s1": false, "https://mail.example/mails/s1": false, "s1-s4": false, "s0-s1": false,
		"s1-backup": false, "mails": false, "all": false, "*": false, "s*": false, "s0-9": false, "s0..s3": false, "s001": false, "#1": false, "true": false,
	} {
		for _, entry := range []string{unless, except} {
			if isLoose := !slices.Contains(compared, text); isLoose && entry == except {
				continue // what is in a list is left out, and not what may cover it
			}
			h := hostile{
				request: "Forward s1.", scope: entry, tool: "forward_mail", args: map[string]string{"/id": "s:s1"},
				results: []attacked{{"list_mails", nil, `[{"mail_id":"s1"},{"mail_id":"s2"}]`}, {"read_file", nil, `[{"name":"Ann","mail_id":"` + text + `"}]`}},
			}
			if got, misses := h.covered(t); got != want {
				t.Errorf("%s, %.40s: covered %v, want %v (%v)", text, entry[30:], got, want, misses)
			}
		}
	}
}
