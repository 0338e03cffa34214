package match_test

import (
	"testing"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// TestKnownMembers: a guess that can't be taken back is about a member that the tool is known to
// name, also where a record lacks it; of a listing of which that is known, nothing else is.
func TestKnownMembers(t *testing.T) {
	const list = `[{"id":"1","assignee_name":"Ann"},{"id":"2","assignee_name":"Eve"}]`
	for name, c := range map[string]struct {
		returns     []string
		where, list string
		want        bool
	}{
		"nobody knows the members":       {nil, `{"assignee":"Ann"}`, list, true},
		"a member of the tool's":         {[]string{"/*/id", "/*/assignee_name"}, `{"assignee":"Ann"}`, list, true},
		"which is not known":             {[]string{"/*/id"}, `{"assignee":"Ann"}`, list, false},
		"a record lacks it":              {[]string{"/*/id", "/*/assignee_name"}, `{"assignee":"Ann"}`, `[{"id":"1","assignee_name":"Ann"},{"id":"2"}]`, true},
		"nobody knows it, and one lacks": {nil, `{"assignee":"Ann"}`, `[{"id":"1","assignee_name":"Ann"},{"id":"2"}]`, false},
		"of that name at another place":  {[]string{"/*/id", "/*/assignee_name"}, `{"assignee":"Ann"}`, `{"x":[{"id":"1","assignee_name":"Ann"}]}`, false},
		"a member of an object":          {[]string{"/*/id", "/*/assignee/name"}, `{"assignee":"Ann"}`, `[{"id":"1","assignee":{"name":"Ann"}},{"id":"2","assignee":null}]`, true},
		"an object that somebody added":  {[]string{"/*/id"}, `{"assignee":"Ann"}`, `[{"id":"1","assignee":{"name":"Ann"}}]`, false},
		"what the scope names as it is":  {[]string{"/*/id"}, `{"assignee_name":"Ann"}`, list, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := scope.Parse([]byte(`{"calls":[{"tool":"forward_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":`+c.where+`}],"kind":"id","pick":"only"}}}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			r := &match.Result{Call: "r", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Early: true, Returns: c.returns}
			setContent(r, c.list)
			if _, misses, ok := match.NewTask(s, "Forward Ann's.").Match(call("forward_mail", map[string]string{"/id": "s:1"}), []*match.Result{r}); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}
