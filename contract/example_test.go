package contract_test

import (
	"fmt"
	"log"

	"github.com/remit-project/remit/contract"
)

// Mistakes come all at once, each with its place and what to write instead.
func ExampleLoad() {
	_, err := contract.Load("mail.yaml", []byte(`version: 1
server: mail
tools:
  send:
    effect: egres
    args: {/to: {role: target, flor: USER}}
`))
	fmt.Println(err)
	// Output:
	// mail.yaml:5:13: unknown effect "egres"; did you mean egress? (write read, write, destructive, execute or egress)
	// mail.yaml:6:32: an argument has no key "flor"; did you mean floor? (write allow, discharge, floor, forbidden, form, group, require, review, role or why)
}

// What may be allowed now that was not before is marked.
func ExampleDiff() {
	load := func(floor string) *contract.File {
		f, err := contract.Load("mail.yaml", fmt.Appendf(nil, "{version: 1, server: mail, tools: {send: {effect: egress, args: {/to: {role: target, floor: %s}}}}}", floor))
		if err != nil {
			log.Fatal(err)
		}
		return f
	}
	for _, c := range contract.Diff(load("USER"), load("TOOL_OUTPUT")) {
		fmt.Println(c)
	}
	// Output:
	// ! send args /to floor: USER → TOOL_OUTPUT
}
