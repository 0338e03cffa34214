package policydoc

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	// everyToolFile is the name of the file for every tool, without its extension.
	everyToolFile = "every-tool"
	// maxFileName bounds the length of a file's name without its extension; file systems
	// allow 255 bytes.
	maxFileName = 100
)

// fileName returns the name of a tool's file: the tool's [Key] if it is a valid file name
// and not taken. Otherwise it adds a digest of the key. Names are taken without regard to
// case, since some file systems ignore it.
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
