package guard_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/remit-project/remit/guard"
)

// directory are guards with tests and samples of their own files.
func directory(changes map[string]string) fstest.MapFS {
	files := map[string]string{
		"send_order.yaml":        "tool: send_order\npolicies: [{name: once, require: 'tools.get_order({\"id\": args.id}).status == \"open\"', message: It was sent.}]\n",
		"tests/send_order.yaml":  "tool: send_order\ntests: [{of: once, examples: [{allow: open, args: {id: o1}, given: [get_order]}]}]\n",
		"samples/get_order.json": `{"tool": "get_order", "source": "person", "args": {"id": "o1"}, "result": {"status": "open"}}`,
		".hidden.yaml":           "nothing of ours",
		"notes.txt":              "nothing of ours",
	}
	for name, text := range changes {
		files[name] = text
	}
	out := fstest.MapFS{}
	for name, text := range files {
		if text != "" {
			out[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return out
}

// TestLoadDir reads rules with the tests in files of their own and the samples that those refer
// to.
func TestLoadDir(t *testing.T) {
	files, err := guard.LoadDir(directory(nil))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || len(files[0].Policies[0].Examples) != 1 {
		t.Fatalf("got %+v", files)
	}
	e := files[0].Policies[0].Examples[0]
	if e.Position.File != "tests/send_order.yaml" || len(e.Given) != 1 || string(e.Given[0].Result) != `{"status":"open"}` {
		t.Errorf("got %+v", e)
	}
}

func TestLoadDirSaysWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		changes map[string]string
		want    string
	}{
		"a mistake in the rules":    {map[string]string{"send_order.yaml": "tool: send_order\npolicys: []\n"}, "send_order.yaml:2"},
		"a mistake in the tests":    {map[string]string{"tests/send_order.yaml": "tool: send_order\ntests: [{of: twice, examples: []}]\n"}, `there is no policy "twice"`},
		"tests of a missing sample": {map[string]string{"samples/get_order.json": ""}, `there is no record "get_order"`},
		"a sample without a result": {map[string]string{"samples/get_order.json": `{"tool": "get_order", "args": {}}`}, "samples/get_order.json: the sample lacks"},
		"two samples of one tool":   {map[string]string{"samples/other.json": `{"tool": "get_order", "args": {}, "result": {}}`}, "a sample of get_order already"},
		"no guard files":            {map[string]string{"send_order.yaml": ""}, "no guard files"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := guard.LoadDir(directory(c.changes)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
