package policydoc

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	// everyToolFile is what the file of policies about every call is called.
	everyToolFile = "every-tool"
	// maxFileName is the length of a file's name without its ending; file systems
	// take 255 bytes.
	maxFileName = 100
)

// fileName is the name of the file of a tool by its [Key]: the tool's own name
// where that can be one. Names that are taken, in lower case, get a mark of the
// tool, since some file systems don't tell upper case from lower.
func fileName(key string, taken map[string]bool) string {
	if key == EveryTool {
		return everyToolFile + ".yaml"
	}
	name := strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
			return c
		case c == '/': // between server and tool
			return '.'
		}
		return '-'
	}, key)
	plain := name == strings.ReplaceAll(key, "/", ".") && len(name) <= maxFileName && !strings.HasPrefix(name, ".") && name != everyToolFile
	if plain && !taken[strings.ToLower(name)+".yaml"] {
		return name + ".yaml"
	}
	sum := sha256.Sum256([]byte(key))
	return strings.TrimLeft(name[:min(len(name), maxFileName)], ".") + "-" + hex.EncodeToString(sum[:4]) + ".yaml"
}
