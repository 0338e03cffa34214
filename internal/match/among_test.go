package match_test

import "testing"

// TestCodeAmongOthers: an id speaks against a call also where a member has it among others, in a link or parted; one in a longer id doesn't.
func TestCodeAmongOthers(t *testing.T) {
	const (
		unless = `{"calls":[{"tool":"forward_mail","unless":[{"tool":"read_file","where":{"mail_id":"s1"}}],"args":{"/id":{"is":"s1"}}}]}`
		except = `{"calls":[{"tool":"forward_mail","times":"each","args":{"/id":{"from":[{"tool":"list_mails","field":"mail_id"}],"kind":"id","pick":"all","except":[{"tool":"read_file","field":"mail_id"}]}}}]}`
	)
	for text, want := range map[string]bool{
		"s2": true, "s12": true, "s1-backup": true, "xs1": true, "mails": true,
		"s1": false, "S1": false, "s1;s2": false, "s2, s1": false, "s 1": false, "/mails/s1": false, "https://mail.example/mails/s1": false, "s1-s4": false, "s0-s1": false,
	} {
		for _, entry := range []string{unless, except} {
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
