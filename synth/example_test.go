package synth_test

import (
	"fmt"
	"log"

	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// A contract is made from what a server says about its tools.
func ExampleContract() {
	tools, err := schema.Parse("mail", []byte(`{"tools": [{"name": "send_email", "description": "Sends an e-mail.",
		"inputSchema": {"type": "object", "properties": {"to": {"type": "string", "format": "email"}, "body": {"type": "string"}}}}]}`))
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range synth.Contract(tools).Tools {
		fmt.Println(t.Name, t.Effect)
		for _, a := range t.Args {
			fmt.Println(a.Pattern, a.Role, a.Floor)
		}
	}
	// Output:
	// send_email egress
	// /to target USER
	// /body content EXTERNAL
}
