package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/llm/llmtest"
)

// The page of a plan names each call and value in words, marks what reaches far, and says
// what was left out.
func TestScopePlan(t *testing.T) {
	const answer = `{"reading":"Delete the old files,\nand tell Ann.","calls":[
		{"call":"list","tool":"list_files","times":3,"args":[{"at":"/folder","is":["inbox","/inbox"]}]},
		{"call":"delete","tool":"delete_file","times":"each","args":[{"at":"/file_id","from":[{"call":"list","field":"file_id","where":[]}],"kind":"id","pick":"all","by":""}]},
		{"call":"tell","tool":"send_mail","times":1,"group":"","if":[{"call":"list","field":"","where":[{"field":"size","above":100}]}],"unless":[],"args":[{"at":"/to","is":["ann@corp.example"]},{"at":"/text","any":true}]},
		{"call":"post","tool":"send_mail","times":1,"args":[{"at":"/to","is":["boss@evil.example"]}]}],
		"delegates":[]}`
	s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply { return llmtest.Reply{Text: answer} })
	t.Setenv("OPENAI_API_KEY", llmtest.Key)
	tools := filepath.Join(t.TempDir(), "files.json")
	const defined = `[
		{"name": "list_files", "inputSchema": {"type": "object", "properties": {"folder": {"type": "string"}}}},
		{"name": "delete_file", "inputSchema": {"type": "object", "properties": {"file_id": {"type": "string"}}}},
		{"name": "send_mail", "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}, "text": {"type": "string"}}}}]`
	if err := os.WriteFile(tools, []byte(defined), 0o600); err != nil {
		t.Fatal(err)
	}
	plan := func(flags ...string) (string, string) {
		t.Helper()
		var out, errs bytes.Buffer
		args := append([]string{"scope", "plan", "--tools", tools, "--planner", "openai:m", "--planner-url", s.URL() + "/v1", "--now", "2031-05-07T09:00:00Z"}, flags...)
		if code := run(append(args, "Delete what is in inbox. If something is larger than 100, tell ann@corp.example."), strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		return out.String(), errs.String()
	}

	page, _ := plan()
	const want = `The planner reads: Delete the old files, and tell Ann.

may read with list_files, up to 3 times
  /folder  "inbox" or "/inbox"
may DESTROY with delete_file, once for each value
  /file_id  ANY id in "file_id" of the result of list_files (folder "inbox" or
            "/inbox")
  wide: as often as its sources have values
  wide: /file_id may be ANY of a whole listing
may send out with send_mail, once
  /text  anything
  /to    "ann@corp.example"
  if there is something in the result of list_files (folder "inbox" or
  "/inbox"), where size is above "100"
`
	if !strings.HasPrefix(page, want) {
		t.Errorf("got\n%s\nwant\n%s", page, want)
	}
	if !strings.Contains(page, `left out, wrong twice: /calls/3: "/to": "boss@evil.example" stands`) {
		t.Error(page)
	}

	text, tokens := plan("--json")
	if !strings.HasPrefix(text, `{"calls":[{`) || strings.Contains(text, "evil") || !strings.Contains(tokens, "tokens of input") {
		t.Errorf("%s\n%s", text, tokens)
	}
}
