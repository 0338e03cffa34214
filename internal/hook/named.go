package hook

import (
	"path/filepath"
	"strings"

	"github.com/remit-project/remit/internal/shell"
)

// Named returns the settings that a hook's command line names, as [Agent.Command] writes them: what is
// read of files, of an agent that works in a directory.
func (h Hook) Named(dir string) Settings {
	var s Settings
	line, err := shell.Read(h.Command)
	if err != nil || len(line.Commands) == 0 {
		return s
	}

	flags := map[string]*string{"--contracts": &s.Contracts, "--policies": &s.Policies}
	words := line.Commands[0].Words
	for i, w := range words {
		name, value, joined := strings.Cut(w.Text, "=")
		if !joined && i+1 < len(words) {
			value = words[i+1].Text
		}

		into := flags[name]
		if into == nil || value == "" {
			continue
		}
		if *into = value; !filepath.IsAbs(value) {
			*into = filepath.Join(dir, value)
		}
	}
	return s
}
