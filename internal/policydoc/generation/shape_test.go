package generation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/schema"
)

func TestShapeOf(t *testing.T) {
	var cards []json.RawMessage
	for i := range 6 {
		cards = append(cards, json.RawMessage(fmt.Sprintf(`{"state": %q, "cards": {"a-%d": {"limit": 5}, "b-%d": {"limit": 1, "note": "x"}}}`, []string{"open", "shut"}[i%2], i, i)))
	}
	for name, c := range map[string]struct {
		samples []json.RawMessage
		want    []string // lines of the description
		refused string   // a value that isn't so, and
		because string
	}{
		"members that all have are required":  {[]json.RawMessage{[]byte(`{"id": "a", "due": "x"}`), []byte(`{"id": "b"}`)}, []string{"- id: string", "- due: string, optional"}, `{"due": "x"}`, `the member "id" is missing`},
		"null is what some have":              {[]json.RawMessage{[]byte(`{"by": null}`), []byte(`{"by": "m"}`)}, []string{"- by: string, or null"}, `{"by": 1}`, "/by: it must be string"},
		"numbers are numbers":                 {[]json.RawMessage{[]byte(`{"n": 1}`)}, []string{"- n: number"}, `{"n": "1"}`, "/n: it must be number"},
		"lists have elements":                 {[]json.RawMessage{[]byte(`{"l": []}`), []byte(`{"l": [{"a": true}, {"a": false, "b": 1}]}`)}, []string{"- l: list of object", "- a: boolean", "- b: number, optional"}, `{"l": [{"b": 1}]}`, `/l/0: the member "a" is missing`},
		"names that differ make a map":        {cards, []string{"- cards: map from names to object", "- limit: number", `- note: string, optional. seen so far: "x"`, `- state: string. seen so far: "open","shut"`}, `{"state": "open", "cards": {"z": {}}}`, `/cards/z: the member "limit" is missing`},
		"names like ids make a map":           {[]json.RawMessage{[]byte(`{"cards": {"gift_card_4711": {"kind": "gift", "balance": 5}}}`)}, []string{"- cards: map from names to object", "- balance: number, optional"}, `{"cards": {"paypal_0815": {"kind": 1}}}`, `/cards/paypal_0815/kind: it must be string`},
		"names like titles make a map":        {[]json.RawMessage{[]byte(`{"Desk Lamp": "17", "Pen": "18"}`)}, []string{"returns: map from names to string"}, `{"Sofa": 1}`, "/Sofa: it must be string"},
		"records of one form make a map":      {[]json.RawMessage{[]byte(`{"first": {"a": 1, "b": 2}, "second": {"a": 3, "b": 4}}`)}, []string{"returns: map from names to object"}, `{"third": {"a": "x"}}`, `/third/a: it must be number`},
		"fields with a number are fields":     {[]json.RawMessage{[]byte(`{"address1": "x", "address2": "y", "zip": "z"}`)}, []string{"- address1: string"}, `{"address1": "x", "zip": "z"}`, `the member "address2" is missing`},
		"a text that is JSON is what it says": {[]json.RawMessage{[]byte(`"{\"id\": 1}"`)}, []string{"- id: number"}, `{}`, `the member "id" is missing`},
		"other texts are texts":               {[]json.RawMessage{[]byte(`"12"`), []byte(`"{"`)}, []string{"returns: string"}, `12`, "it must be string"},
		"what is broken is left out":          {[]json.RawMessage{[]byte(`{`), []byte(`{"id": 1}`)}, []string{"- id: number"}, `{"id": true}`, "/id: it must be number"},
	} {
		t.Run(name, func(t *testing.T) {
			s := shapeOf(c.samples)
			text := prompt.Definition(&schema.Tool{Name: "t", Input: &schema.Node{}, Output: s.node})
			for _, want := range c.want {
				if !strings.Contains(text, want+"\n") {
					t.Errorf("it lacks %q:\n%s", want, text)
				}
			}
			for _, sample := range c.samples {
				if v, err := decode(sample); err == nil {
					if inner, err := decodeText(v); err == nil {
						v = inner
					}
					if mistakes := s.node.Check(json.RawMessage(compact(v)), false); len(mistakes) > 0 {
						t.Errorf("%s isn't as itself: %v", sample, mistakes)
					}
				}
			}
			if got := fmt.Sprint(s.node.Check(json.RawMessage(c.refused), false)); !strings.Contains(got, c.because) {
				t.Errorf("%s: %s", c.refused, got)
			}
		})
	}
	if shapeOf(nil) != nil || shapeOf([]json.RawMessage{[]byte("{")}) != nil {
		t.Error("nothing has a shape")
	}
	long := shapeOf([]json.RawMessage{[]byte(`{"l": [1, 2, 3, 4], "t": "` + strings.Repeat("é", 200) + `"}`)})
	if want := `{"l":[1,2,"…"],"t":"` + strings.Repeat("é", maxSampleText) + `…"}`; long.sample != want {
		t.Errorf("the sample is %s", long.sample)
	}
}

func TestReplace(t *testing.T) {
	doc := `{"a": {"b/c": [1, 2.50, {"d": 12345678901234567890}]}, "e": null}`
	for name, c := range map[string]struct{ at, value, want string }{
		"a member":             {"/e", `"x"`, `{"a":{"b/c":[1,2.50,{"d":12345678901234567890}]},"e":"x"}`},
		"within a list":        {"/a/b~1c/2/d", "0", `{"a":{"b/c":[1,2.50,{"d":0}]},"e":null}`},
		"one more":             {"/a/b~1c/3", "true", `{"a":{"b/c":[1,2.50,{"d":12345678901234567890},true]},"e":null}`},
		"one more, by a dash":  {"/a/b~1c/-", "true", `{"a":{"b/c":[1,2.50,{"d":12345678901234567890},true]},"e":null}`},
		"one less":             {"/a/b~1c/0", "", `{"a":{"b/c":[2.50,{"d":12345678901234567890}]},"e":null}`},
		"a new member":         {"/f", "[]", `{"a":{"b/c":[1,2.50,{"d":12345678901234567890}]},"e":null,"f":[]}`},
		"without a member":     {"/a", "", `{"e":null}`},
		"the whole":            {"", "7", `7`},
		"nothing of the whole": {"", "", "error: the whole result can't be left out"},
		"no pointer":           {"a", "1", `error: "a" is not a JSON pointer`},
		"beyond the list":      {"/a/b~1c/4", "1", `error: /a/b~1c/4: there is no element "4"; there are 3`},
		"a dash to remove":     {"/a/b~1c/-", "", `error: /a/b~1c/-: there is no element "-"`},
		"no element":           {"/a/b~1c/x", "1", `there is no element "x"`},
		"through nothing":      {"/x/y", "1", `there is no "x"; there are a, e`},
		"through a number":     {"/a/b~1c/0/z", "1", `there is nothing within what stands before "z"`},
		"nothing to remove":    {"/x", "", `there is no "x" to leave out`},
	} {
		t.Run(name, func(t *testing.T) {
			var value json.RawMessage
			if c.value != "" {
				value = json.RawMessage(c.value)
			}
			got, err := replace(json.RawMessage(doc), c.at, value)
			text := string(got)
			if err != nil {
				text = "error: " + err.Error()
			}
			if !strings.Contains(text, c.want) {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
}
