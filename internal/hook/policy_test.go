package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
)

// TestGeneralAndOwnPolicies: a file for a tool of every agent stands beside one for the same tool of one
// agent, and both hold there. Two of the same kind are a mistake.
func TestGeneralAndOwnPolicies(t *testing.T) {
	const rule = "policies: [{name: NAME, require: 'false', message: m}]\n"
	general, own := "tool: Write\n"+strings.Replace(rule, "NAME", "all", 1), "tool: Write\nserver: claude-code\n"+strings.Replace(rule, "NAME", "own", 1)
	for name, c := range map[string]struct {
		files []string
		right bool
	}{
		"both":                {[]string{general, own}, true},
		"the other way round": {[]string{own, general}, true},
		"two for all":         {[]string{general, general}, false},
		"two of one agent":    {[]string{own, own}, false},
	} {
		dir := t.TempDir()
		for i, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".yaml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := (Settings{Policies: dir}).Check(); (err == nil) != c.right {
			t.Errorf("%s: %v", name, err)
		}
		if !c.right {
			continue
		}

		var all, both int
		for _, f := range eachServer(loaded(t, c.files), nil) {
			all += len(f.Policies)
		}
		for _, f := range eachServer(loaded(t, c.files), shipped(t)) {
			if f.Server == "claude-code" {
				both += len(f.Policies)
			}
		}
		if all != 2 || both != 2 {
			t.Errorf("%s: %d policies, and %d of the agent", name, all, both)
		}
	}
}

func loaded(t *testing.T, texts []string) []*guard.File {
	t.Helper()
	var out []*guard.File
	for _, text := range texts {
		f, err := guard.Load("a.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

func shipped(t *testing.T) []*contract.File {
	t.Helper()
	var out []*contract.File
	for _, a := range Agents() {
		data, err := a.Contracts()
		if err != nil {
			t.Fatal(err)
		}
		f, err := contract.Load(a.Name, data)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}
