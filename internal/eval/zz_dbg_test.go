package eval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/schema"
	"go.yaml.in/yaml/v4"
)

func TestZZ(t *testing.T) {
	for _, name := range filepath.SplitList(os.Getenv("ZZ")) {
		dir := "../../eval/packs/" + name
		file := dir + "/sessions.yaml"
		if os.Getenv("SES") != "" {
			file = os.Getenv("SES")
		}
		data, _ := os.ReadFile(file)
		var s packSessions
		if err := yaml.Load(data, &s); err != nil {
			t.Fatal(err)
		}
		data, _ = os.ReadFile(dir + "/tools.json")
		c, err := schema.Parse(dir, data)
		if err != nil {
			t.Fatal(err)
		}
		c.Server = s.Server
		p, _ := pack.Select(name, nil)
		f := p.Contract(c)
		m, err := remit.New(remit.Options{Contracts: []*contract.File{f}, Tools: []*schema.Catalogue{c}, ReviewedDefinitions: p.Reviewed(c), Now: func() time.Time { return packNow }})
		if err != nil {
			t.Fatal(err)
		}
		list := s.Tasks
		if os.Getenv("ATT") != "" {
			list = s.Attacks
		}
		for _, task := range list {
			ds, err := s.session(context.Background(), m, task)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(task.User, task.Why)
			for _, d := range ds {
				fmt.Println("   ", d.Verdict, d.Tool)
				for _, r := range d.Reasons {
					fmt.Printf("        %+v\n", r)
				}
			}
		}
	}
}
