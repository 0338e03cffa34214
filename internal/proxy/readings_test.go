package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/doortest"
	"github.com/remit-project/remit/internal/proxy"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

const fileTools = `[{"type":"function","function":{"name":"find_files","description":"Finds files.","parameters":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}}},` +
	`{"type":"function","function":{"name":"rename_file","description":"Renames a file.","parameters":{"type":"object","properties":{"file_id":{"type":"string"},"name":{"type":"string"}},"required":["file_id","name"]}}}]`

// TestOneQuestionForAFormat: a person who agrees in the queue to how a tool writes is not asked
// again in the session, after a restart neither, and is for a record that isn't the one named.
func TestOneQuestionForAFormat(t *testing.T) {
	st, err := store.Open(t.Context(), t.TempDir()+"/remit.db", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	person := &doortest.Agreeing{Store: st}
	keep := func(o *proxy.Options) {
		never(o)
		o.Monitor.Reviewed, o.Monitor.Planner, o.Monitor.Scopes = true, doortest.Filer{}, scope.ModeBound
		o.Ledger, o.Approver = ledger.New(st, ledger.Options{}), &ledger.Queue{Approvals: person}
	}

	c := &talk{t: t, u: newUpstream(t), header: []string{"Remit-Session", "run-1"}, tools: fileTools}
	for i, turn := range []struct {
		name, first, second string
		rename              string
		questions           int // so far
	}{
		{"Budget", "Budget", "Notes", "f-1", 1},
		{"Thesis", "Thesis", "Essay", "f-1", 1},
		{"Letter", "Letter", "Poem", "f-1", 1},
		{"Poem", "Letter", "Poem", "f-1", 2},
	} {
		c.base = newProxy(t, c.u, keep).URL // as after a restart
		c.say("user", "Find and rename the file "+turn.name)
		find := fmt.Sprint("find", i)
		c.want(c.ask(calls(find, "find_files", fmt.Sprintf(`{"query":%q}`, turn.name))), true)
		c.result(find, fmt.Sprintf("results:\n  - id: f-1\n    name: %s\n    owner: me\n  - id: f-2\n    name: %s\n    owner: me\n", turn.first, turn.second))
		rename := fmt.Sprint("rename", i)
		c.want(c.ask(calls(rename, "rename_file", `{"file_id":"`+turn.rename+`","name":"x"}`)), true)
		c.result(rename, "renamed")
		c.ask(said("Done."))
		if len(person.Asked) != turn.questions {
			t.Fatalf("%s: %d questions, want %d: %q", turn.name, len(person.Asked), turn.questions, person.Asked)
		}
	}
	if !strings.Contains(person.Asked[0], `answered as YAML with 2 records`) || !strings.Contains(person.Asked[0], `"reads":[{`) {
		t.Errorf("the question doesn't say what it is about: %s", person.Asked[0])
	}
}
