package hook_test

import (
	"path/filepath"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

func (c *conversation) writes(name string) remit.Verdict {
	c.t.Helper()
	input := map[string]any{"file_path": filepath.Join(c.dir, name), "content": "x"}
	id, a := c.proposes("Write", input)
	if a.Verdict == remit.Allow {
		c.returns(id, "Write", input, "ok")
	}
	return a.Verdict
}

func (c *conversation) runs(line string) remit.Verdict {
	c.t.Helper()
	id, a := c.proposes("Bash", bash(line))
	if a.Verdict == remit.Allow {
		c.returns(id, "Bash", bash(line), "ok")
	}
	return a.Verdict
}

// What was written under the influence of a page is not run without the user's
// word; what was written without is.
func TestBuildAfterWrite(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(c *conversation)
		line string
		want remit.Verdict
	}{
		"nothing written":          {func(c *conversation) { c.reads("x") }, "go test ./...", remit.Allow},
		"written before the page":  {func(c *conversation) { c.writes("a.go"); c.reads("x") }, "go test ./...", remit.Allow},
		"written after the page":   {func(c *conversation) { c.reads("x"); c.writes("a.go") }, "go test ./...", remit.Ask},
		"text for people":          {func(c *conversation) { c.reads("x"); c.writes("a.md") }, "go test ./...", remit.Allow},
		"only looked at":           {func(c *conversation) { c.reads("x"); c.writes("a.go") }, "git diff && cat a.go", remit.Allow},
		"written by a line":        {func(c *conversation) { c.reads("x"); c.runs("echo x > a.go") }, "go test ./...", remit.Ask},
		"in the same line":         {func(c *conversation) { c.reads("x") }, "echo x > a.py && pytest", remit.Ask},
		"in the same, all local":   {func(c *conversation) {}, "sed -i s/a/b/ a.py && pytest", remit.Allow},
		"no page, plain code":      {func(c *conversation) { c.writes("a.go") }, "go test ./...", remit.Allow},
		"no page, what builds run": {func(c *conversation) { c.writes("Makefile") }, "make", remit.Ask},
		"the user's word":          {func(c *conversation) { c.reads("x"); c.writes("a.go"); c.says("now run the tests") }, "go test ./...", remit.Allow},
		"the user's word before":   {func(c *conversation) { c.reads("x"); c.says("run the tests"); c.writes("a.go") }, "go test ./...", remit.Ask},
		"the user's other word":    {func(c *conversation) { c.reads("x"); c.writes("a.go"); c.says("don't run the tests") }, "go test ./...", remit.Ask},
		"another page since": {func(c *conversation) {
			c.reads("x")
			c.writes("a.go")
			c.says("run it")
			c.reads("y")
			c.writes("b.go")
		}, "go test ./...", remit.Ask},
		"a commit without hooks":    {func(c *conversation) { c.reads("x"); c.writes("a.go") }, "git add -A && git commit -m x", remit.Allow},
		"what the user asked for":   {func(c *conversation) { c.says("run python a.py"); c.reads("x"); c.writes("a.py") }, "python a.py", remit.Ask},
		"asked for after the write": {func(c *conversation) { c.reads("x"); c.writes("a.py"); c.says("run python a.py") }, "python a.py", remit.Allow},
		"its own output":            {func(c *conversation) { c.reads("x") }, "go test ./... > out.go", remit.Allow},
	} {
		t.Run(name, func(t *testing.T) {
			c := converse(t)
			git(t, c.dir, "init", "-q")
			test.do(c)
			if v := c.runs(test.line); v != test.want {
				t.Errorf("%s: %s", test.line, v)
			}
		})
	}
}

// A commit that runs hooks runs what was written.
func TestCommitRunsHooks(t *testing.T) {
	c := converse(t)
	git(t, c.dir, "init", "-q")
	git(t, c.dir, "config", "core.hooksPath", "tools/at-commit")
	c.reads("x")
	c.writes("a.py")
	if v := c.runs("git commit -m x"); v != remit.Ask {
		t.Errorf("%s", v)
	}
}

// A person's yes holds until something from outside is read again.
func TestYesToABuild(t *testing.T) {
	c := converse(t)
	c.reads("x")
	c.writes("a.go")
	id, a := c.proposes("Bash", bash("go test ./..."))
	if a.Verdict != remit.Ask {
		t.Fatalf("%+v", a)
	}
	c.returns(id, "Bash", bash("go test ./..."), "ok")
	c.writes("b.go")
	if v := c.runs("go vet ./..."); v != remit.Allow {
		t.Errorf("after a yes: %s", v)
	}
	c.reads("y")
	c.writes("c.go")
	if v := c.runs("go vet ./..."); v != remit.Ask {
		t.Errorf("after another page: %s", v)
	}
}

// A daemon that starts again knows what was written, and what was said.
func TestHistorySurvives(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "remit.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c := converse(t)
	c.service = newServiceOver(t, s, t.TempDir())
	c.reads("x")
	c.says("Delete the file a.py.")
	c.writes("a.go")
	c.service = newServiceOver(t, s, t.TempDir())
	if v := c.runs("go test ./..."); v != remit.Ask {
		t.Errorf("the build: %s", v)
	}
	if v := c.runs("rm a.py"); v != remit.Allow {
		t.Errorf("what was asked for: %s", v)
	}
}
