package synth

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/remit-project/remit/schema"
)

func TestDebug(t *testing.T) {
	f, arg := os.Getenv("DUMP"), os.Getenv("ARG")
	if arg == "" {
		t.Skip()
	}
	var c *schema.Catalogue
	if strings.HasSuffix(f, ".txt") {
		c, _ = readKinds(t, f)
	} else {
		data, _ := os.ReadFile(f)
		c, _ = schema.Parse(f, data)
	}
	name, pat, _ := strings.Cut(arg, " ")
	for i := range c.Tools {
		if c.Tools[i].Name == name {
			tl := analyse(&c.Tools[i], c)
			fmt.Println(tl.verb, tl.manner, tl.effect, tl.object, tl.acted, tl.why)
			p := tl.placeAt(pat)
			fmt.Println(p.words)
			for _, e := range tl.all(p) {
				fmt.Println("  ", e.weight, e.concept, e.why)
			}
			fmt.Printf("%+v\n", tl.judge(p))
		}
	}
}
