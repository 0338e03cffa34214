package strictjson_test

import (
	"fmt"

	"github.com/remit-project/remit/internal/strictjson"
)

// A text that two parsers may read differently is refused. The canonical form, which
// was checked, is what to forward.
func ExampleParse() {
	_, err := strictjson.Parse([]byte(`{"to": "ann@corp.example", "to": "eve@relay.example"}`), strictjson.DefaultLimits())
	fmt.Println(err)
	doc, err := strictjson.Parse([]byte(`{ "to": "\u0061nn@corp.example", "copies": 1e0 }`), strictjson.DefaultLimits())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", doc.Canonical())
	for _, leaf := range doc.Leaves() {
		fmt.Println(leaf.Pointer, leaf.Kind, leaf.Text)
	}
	// Output:
	// JSON at byte 27, in "/to": the member name "to" appears twice in one object: keep one of the two
	// {"to":"ann@corp.example","copies":1e0}
	// /to string ann@corp.example
	// /copies number 1e0
}
