package label_test

import (
	"fmt"

	"github.com/remit-project/remit/label"
)

// What went into a value decides what it is worth, and its role what that must
// be.
func ExampleCheck() {
	user := label.Label{Origins: label.OriginsOf(label.OriginUser), Trust: label.User}
	page := label.Label{Origins: label.OriginsOf(label.OriginUnknown), Trust: label.External}
	mixed := label.Merge(user, page)
	target := label.Requirement{Role: label.Target, Floor: label.User}
	fmt.Println(mixed.Trust)
	fmt.Println(label.Check(user, target, 0).None(), label.Check(mixed, target, 0).None())
	// Output:
	// EXTERNAL
	// true false
}
