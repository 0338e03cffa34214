package strictjson

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// EscapeToken writes a member name as a reference token of a JSON pointer (RFC 6901).
func EscapeToken(name string) string {
	return string(jsontext.Pointer("").AppendToken(name)[1:])
}

// UnescapeToken returns the member name that a reference token denotes.
func UnescapeToken(token string) string {
	if strings.IndexByte(token, '~') < 0 && strings.IndexByte(token, '/') < 0 {
		return token
	}
	return jsontext.Pointer("/" + token).LastToken()
}

// IsIndex reports whether a reference token may be the index of an element. So may the name of a member: see
// [Leaf.IsIndex].
func IsIndex(token string) bool {
	for i := range len(token) {
		if token[i] < '0' || token[i] > '9' {
			return false
		}
	}
	return token != ""
}
