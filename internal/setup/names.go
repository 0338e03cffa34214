package setup

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/internal/mcp/clients"
)

// serverNames returns the name of each server in contracts: its own name, without
// characters that can't be in names of files and tools, and with a number if two
// servers would have the same.
func serverNames(servers []*clients.Server) map[*clients.Server]string {
	out := map[*clients.Server]string{}
	taken := map[string]bool{}
	for _, s := range servers {
		if g := s.Gateway(); g != nil && g.Flag("--name") != "" {
			out[s] = g.Flag("--name")
			taken[out[s]] = true
		}
	}

	for _, s := range servers {
		if out[s] != "" {
			continue
		}
		base := plainName(s.Name)
		name := base
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		out[s] = name
		taken[name] = true
	}

	return out
}

func plainName(s string) string {
	const most = 48
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case r == '_' && !strings.HasSuffix(b.String(), "_"):
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-") && r != '_':
			b.WriteByte('-')
		}
	}

	name := strings.Trim(b.String(), "-_")
	if len(name) > most {
		name = name[:most]
	}
	if name == "" {
		return "server"
	}
	return name
}
