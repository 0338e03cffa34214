package strictyaml_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/strictyaml"
)

// members makes a mapping of names and texts in turn.
func members(pairs ...string) *strictyaml.Node {
	n := strictyaml.NewMapping()
	for i := 0; i+1 < len(pairs); i += 2 {
		strictyaml.Set(n, pairs[i], strictyaml.NewText(pairs[i+1]))
	}
	return n
}

const people = `# The people.
list:
  - name: Ann # first
    # In years.
    age: thirty
    pets:
      # A cat.
      - {name: Tom, age: three} # kept
      - {name: Rex, age: five}
  - {name: Bob}
`

// TestDocument puts entries: what says the same keeps its comments, order and
// style, also within a list of what changed.
func TestDocument(t *testing.T) {
	ann := func(age string, pets ...*strictyaml.Node) *strictyaml.Node {
		n := members("name", "Ann", "age", age)
		strictyaml.Set(n, "pets", strictyaml.NewList(pets...))
		return n
	}
	tom, rex := members("name", "Tom", "age", "three"), members("name", "Rex", "age", "six")
	for name, c := range map[string]struct {
		put  *strictyaml.Node
		want *strings.Replacer
	}{
		"the same":                {ann("thirty", tom, members("name", "Rex", "age", "five")), strings.NewReplacer()},
		"another value":           {ann("old", tom, members("name", "Rex", "age", "five")), strings.NewReplacer(`thirty`, `old`)},
		"another value in a list": {ann("thirty", tom, rex), strings.NewReplacer(`five`, `six`)},
		"an entry less":           {ann("thirty", tom), strings.NewReplacer("      - {name: Rex, age: five}\n", "")},
		"another order":           {ann("thirty", members("name", "Rex", "age", "five"), tom), strings.NewReplacer("      # A cat.\n      - {name: Tom, age: three} # kept\n      - {name: Rex, age: five}\n", "      - {name: Rex, age: five}\n      # A cat.\n      - {name: Tom, age: three} # kept\n")},
		"a member less":           {members("name", "Bob"), strings.NewReplacer()},
		"an entry more":           {members("name", "Cid"), strings.NewReplacer("{name: Bob}\n", "{name: Bob}\n  - name: Cid\n")},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := strictyaml.Open("people.yaml", []byte(people))
			if err != nil {
				t.Fatal(err)
			}
			d.Put("list", "name", c.put)
			got, err := d.Marshal()
			if want := c.want.Replace(people); err != nil || string(got) != want {
				t.Errorf("got\n%s, %v, want\n%s", got, err, want)
			}
		})
	}
}

// TestDocumentRemove takes entries out.
func TestDocumentRemove(t *testing.T) {
	d, err := strictyaml.Open("people.yaml", []byte(people))
	if err != nil {
		t.Fatal(err)
	}
	if d.Remove("list", "name", "Cid") || d.Remove("others", "name", "Ann") || !d.Remove("list", "name", "Ann") || d.Remove("list", "name", "Ann") {
		t.Error("an entry is removed once, and others are not")
	}
	if got, err := d.Marshal(); err != nil || string(got) != "# The people.\nlist:\n  - {name: Bob}\n" {
		t.Errorf("got\n%s, %v", got, err)
	}
}
