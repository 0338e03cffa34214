// Count prints the figures of a source tree: its size, its public surface, and how
// well it keeps the rules of the house.
//
//	go run ./internal/house/count [--json | --list | --tighten] [DIRECTORY]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/remit-project/remit/internal/house"
)

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	list := flag.Bool("list", false, "print the places that break a rule; with a package after the directory, only its places")
	tighten := flag.Bool("tighten", false, "rewrite the baseline with what there is")
	flag.Parse()

	if err := run(os.Stdout, *asJSON, *list, *tighten, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, asJSON, list, tighten bool, args []string) error {
	root := "."
	if len(args) > 0 {
		root = args[0]
	}
	source, err := house.Read(root)
	if err != nil {
		return err
	}

	switch {
	case tighten:
		return tightenBaseline(filepath.Join(root, "internal/house/baseline.txt"), source)
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

func tightenBaseline(path string, source *house.Source) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	baseline, err := house.ReadBaseline(string(text))
	if err != nil {
		return err
	}

	tight, err := baseline.Tighten(house.CountFindings(source.Findings()))
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(tight.String()), 0o644)
}
