package synth

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/contract"
)

// Below lets a tool read what lies below directories that the deployment gave to
// its server. Nobody has to name a file for that: who started the server for a
// directory meant its files to be read, and what comes back is labelled. Calls
// that change anything still need somebody's word for where.
func Below(t *contract.Tool, directories []string) {
	if t.Effect != contract.Read || t.Variants != nil {
		return
	}
	for i := range t.Args {
		a := &t.Args[i]
		if a.Form != contract.Path || !a.Role.AuthorityBearing() {
			continue
		}
		for _, dir := range directories {
			if !strings.HasPrefix(dir, "/") || dir == "/" {
				continue
			}
			a.Allow = append(a.Allow, strings.TrimSuffix(dir, "/")+"/**")
		}
		if len(a.Allow) > 0 {
			a.Why = strings.TrimPrefix(fmt.Sprintf("%s; the server was started for what it may read", a.Why), "; ")
		}
	}
}
