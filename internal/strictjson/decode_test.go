package strictjson_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/strictjson"
)

// TestDecode: members are those that the struct names, in lower case, and a mistake says what to write.
func TestDecode(t *testing.T) {
	for text, want := range map[string]string{
		`{"tool": "send"}`:            "",
		`{"TOOL": "send"}`:            `unknown member "TOOL": write names in lower case`,
		`{"tool": "send", "to": "a"}`: `unknown member "to"`,
		`{"tool": 1}`:                 `"tool" is a number, not a string`,
		`["tool"]`:                    "it is not a JSON object",
	} {
		var to struct {
			Tool string `json:"tool"`
		}
		err := strictjson.Decode([]byte(text), &to)
		switch {
		case want == "" && (err != nil || to.Tool != "send"):
			t.Errorf("%s: %v, %+v", text, err, to)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
