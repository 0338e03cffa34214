package doctor

import (
	"fmt"
	"os"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

var clientReference = pattern.OnUse(`\$\{([^}]*)\}`)

// expandText replaces references as clients do: variables of the environment, and
// the directories of the project and of the user.
func expandText(text string) (string, error) {
	var failed error
	out := clientReference().ReplaceAllStringFunc(text, func(r string) string {
		name := strings.TrimPrefix(r[2:len(r)-1], "env:")
		name, otherwise, hasDefault := strings.Cut(name, ":-")
		var v string
		var err error
		switch {
		case name == "workspaceFolder":
			v, err = os.Getwd()
		case name == "userHome":
			v, err = os.UserHomeDir()
		default:
			v = os.Getenv(name)
			if v == "" && !hasDefault {
				err = fmt.Errorf("only the client knows the value of %s", r)
			}
		}
		if err != nil && failed == nil {
			failed = err
		}
		if v == "" {
			return otherwise
		}
		return v
	})

	return out, failed
}
