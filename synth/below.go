package synth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
)

// Below lets a tool read the files below directories that the deployment gave to its
// server. The user doesn't have to name a file for that: the deployment meant the files
// to be read, and the results are labelled. Calls that change anything still need the
// user's word for where.
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

// Directories returns the directories below which generated contracts let a server read; none for
// nil.
func Directories(f *contract.File) []string {
	if f == nil {
		return nil
	}
	var out []string
	for i := range f.Tools {
		for _, a := range f.Tools[i].Args {
			for _, v := range a.Allow {
				dir, ok := strings.CutSuffix(v, "/**")
				if ok && a.Form == contract.Path && strings.HasPrefix(dir, "/") && !slices.Contains(out, dir) {
					out = append(out, dir)
				}
			}
		}
	}
	return out
}
