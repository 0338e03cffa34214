// Count prints the figures of a source tree: its size, its public surface, and how
// well it keeps the rules of the house.
//
//	go run ./internal/house/count [--json | --list] [DIRECTORY]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/remit-project/remit/internal/house"
)

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	list := flag.Bool("list", false, "print the places that break a rule; with a package after the directory, only its places")
	flag.Parse()

	if err := run(os.Stdout, *asJSON, *list, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, asJSON, list bool, args []string) error {
	root := "."
	if len(args) > 0 {
		root = args[0]
	}
	source, err := house.Read(root)
	if err != nil {
		return err
	}

	switch {
	case list:
		listFindings(w, source, args)
	case asJSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(source.Figures())
	default:
		source.Figures().Write(w)
	}
	return nil
}

func listFindings(w io.Writer, source *house.Source, args []string) {
	for _, f := range source.Findings() {
		if len(args) < 2 || f.Package == strings.Trim(args[1], "./") {
			fmt.Fprintf(w, "%s:%d: %s\n", f.File, f.Line, f.Message())
		}
	}
}
