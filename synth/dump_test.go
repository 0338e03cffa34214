package synth

import (
	"fmt"
	"os"
	"testing"

	"github.com/remit-project/remit/schema"
)

func TestDump(t *testing.T) {
	f := os.Getenv("DUMP")
	if f == "" {
		t.Skip()
	}
	data, err := os.ReadFile(f)
	if err != nil {
		t.Fatal(err)
	}
	c, err := schema.Parse(f, data)
	if err != nil {
		t.Fatal(err)
	}
	file := Contract(c)
	for _, tl := range file.Tools {
		fmt.Printf("## %s: %s  [%s]", tl.Name, tl.Effect, tl.Why)
		if tl.Review != "" {
			fmt.Printf("  REVIEW %s", tl.Review)
		}
		fmt.Printf("  out=%s", tl.Output.Trust)
		if tl.Output.Derived {
			fmt.Print("+derived")
		}
		fmt.Printf(" fields=%d certify=%d\n", len(tl.Output.Fields), len(tl.Output.Certify))
		for _, a := range tl.Args {
			fmt.Printf("    %-30s %-10s %-11s %s %s %s| %s", a.Pattern, a.Role, a.Floor, a.Form, a.Group, fmt.Sprint(a.Allow), a.Why)
			if a.Review != "" {
				fmt.Printf("  REVIEW %s", a.Review)
			}
			fmt.Println()
		}
		if v := tl.Variants; v != nil {
			for _, c := range v.Cases {
				fmt.Printf("    == %s: %s (%d args) %s\n", c.Value, c.Effect, len(c.Args), c.Why)
				for _, a := range c.Args {
					fmt.Printf("        %-26s %-10s %-11s\n", a.Pattern, a.Role, a.Floor)
				}
			}
		}
	}
}
