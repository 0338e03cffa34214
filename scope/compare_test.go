package scope_test

import "testing"

// TestSlashOfASite: the link of a site is the same with the slash of its empty path, and nothing else is.
func TestSlashOfASite(t *testing.T) {
	for _, c := range []struct {
		said, called string
		want         bool
	}{
		{"https://corp.example", "https://corp.example/", true},
		{"https://corp.example/", "https://corp.example", true},
		{"http://corp.example:8080", "http://corp.example:8080/", true},
		{"https://corp.example", "https://corp.example//", false},
		{"https://corp.example", "https://corp.example.", false},
		{"https://corp.example", "http://corp.example/", false},
		{"https://corp.example/may", "https://corp.example/may/", false},
		{"https://corp.example?q=1", "https://corp.example?q=1/", false},
		{"https://corp.example#a", "https://corp.example#a/", false},
		{"https://ann@corp.example", "https://ann@corp.example/", false},
		{"https://", "https:///", false},
		{"file://notes", "file://notes/", false},
		{"/notes", "/notes/", false},
	} {
		h := hostile{
			request: "Post it at " + c.said, scope: `{"calls":[{"tool":"pay","args":{"/account":{"is":"` + c.said + `"}}}]}`,
			tool: "pay", args: map[string]string{"/account": "t:" + c.called},
		}
		if ok, misses := h.covered(t); ok != c.want {
			t.Errorf("%s for %s: covered %v, want %v (%v)", c.called, c.said, ok, c.want, misses)
		}
	}
}
