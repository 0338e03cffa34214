package setup

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

// launchers are programs that start others. A server is not named after them.
var launchers = pattern.OnUse(`^(npx|npm|pnpm|yarn|bunx|bun|deno|uvx|uv|pipx|node|tsx|ts-node|python[0-9.]*|pypy[0-9.]*|docker|podman|nerdctl|go|sh|bash|zsh|env|cmd|sudo|nice|timeout|remit)$`)

// commandsOf are the commands of launchers that come before what they start.
var commandsOf = []string{"run", "exec", "tool", "x", "dlx", "start", "container", "/c"}

// withoutValue are the flags of docker run that have no value after them: all others there have.
var withoutValue = []string{"-i", "-t", "-it", "-ti", "-d", "-P", "--rm", "--init", "--interactive", "--tty", "--detach", "--privileged", "--read-only", "--no-healthcheck", "--publish-all", "--quiet", "-q"}

// withValue are the flags of other launchers that have one, which is not what they
// start.
var withValue = []string{"--from", "--with", "--with-editable", "--directory", "--project", "--python", "--package", "-p", "--prefix", "--env-file", "--index-url", "--spec", "-u", "-C", "--cwd", "--require", "-r", "--import", "--loader"}

// common are names that many programs have.
var common = []string{"index", "main", "__main__", "server", "mcp", "mcp-server", "mcp_server", "cli", "app", "start", "run", "stdio",
	"build", "dist", "src", "lib", "bin", "out", "esm", "cjs", "node_modules", "venv", ".venv", "latest"}

// CommandName returns a name for the server that a command starts: that of the
// program or the package, or of the folder that it is in if many have that name.
func CommandName(command []string) string {
	what := started(command)
	segments := strings.FieldsFunc(what, func(r rune) bool { return r == '/' || r == '\\' })
	for _, s := range slices.Backward(segments) {
		if name := distinctive(s); name != "" && !slices.Contains(common, strings.ToLower(name)) {
			return name
		}
	}
	for _, s := range slices.Backward(segments) {
		if name := distinctive(s); name != "" {
			return name
		}
	}
	return "server"
}

// started returns what a command starts: the first argument that is neither a launcher nor meant
// for one.
func started(command []string) string {
	container, value, named := false, false, command[0]
	for i, arg := range command {
		base := strings.TrimSuffix(filepath.Base(arg), ".exe")
		switch {
		case value:
			value, named = false, arg
		case strings.HasPrefix(arg, "-"):
			known := slices.Contains(withValue, arg)
			if container {
				known = !slices.Contains(withoutValue, arg)
			}
			value = known && !strings.Contains(arg, "=")
		case launchers().MatchString(base) && i+1 < len(command):
			container = base == "docker" || base == "podman" || base == "nerdctl"
		case slices.Contains(commandsOf, arg):

		case strings.Contains(arg, "=") && !strings.ContainsAny(arg, "/@"): // a variable for env
		default:
			return arg
		}
	}
	return named // what a flag names is all that there is
}

// distinctive returns a part of a path or of a package's name without its version
// and its ending, and without the word server.
func distinctive(s string) string {
	s, _, _ = strings.Cut(strings.TrimLeft(s, "@."), "@") // a version
	s, _, _ = strings.Cut(s, ":")                         // a tag
	for _, ext := range []string{".js", ".mjs", ".cjs", ".ts", ".py", ".git", ".exe"} {
		s = strings.TrimSuffix(s, ext)
	}
	for _, prefix := range []string{"mcp-server-", "server-"} {
		if rest := strings.TrimPrefix(s, prefix); rest != "" {
			s = rest
		}
	}
	return plainServer(s)
}

// plainServer returns s without characters that can't be in the names of tools and
// files.
func plainServer(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("-_.", r) || isLetterOrDigit(r) {
			b.WriteRune(r)
		}
	}
	return strings.Trim(b.String(), "-_.")
}

func isLetterOrDigit(r rune) bool {
	lower := 'a' <= r && r <= 'z'
	upper := 'A' <= r && r <= 'Z'
	digit := '0' <= r && r <= '9'
	return lower || upper || digit
}
