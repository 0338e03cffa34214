package policydoc_test

import (
	"encoding/json"
	"testing"

	"github.com/remit-project/remit/internal/policydoc"
)

func TestSamplesKeepAFewOfManyAlike(t *testing.T) {
	samples := map[string]policydoc.Sample{"get_order": {Args: json.RawMessage(`{"order_id":"o-1"}`), Result: json.RawMessage(`{"items":["i-7"]}`)}}
	for tool, c := range map[string]struct{ result, want string }{
		"a list, of which another sample names one": {
			`[{"item_id":"i-1"},{"item_id":"i-2"},{"item_id":"i-3"},{"item_id":"i-4"},{"item_id":"i-5"},{"item_id":"i-6"},{"item_id":"i-7"}]`,
			`[{"item_id":"i-1"},{"item_id":"i-2"},{"item_id":"i-3"},{"item_id":"i-4"},{"item_id":"i-7"}]`,
		},
		"a map by id": {
			`{"i-9":{"price":1.50},"i-8":{"price":2},"i-7":{"price":3},"i-6":{"price":4},"i-5":{"price":5},"i-4":{"price":6}}`,
			`{"i-4":{"price":6},"i-5":{"price":5},"i-6":{"price":4},"i-7":{"price":3},"i-8":{"price":2}}`,
		},
		"few":              {`[{"item_id": "i-1"}, {"item_id": "i-2"}]`, `[{"item_id": "i-1"}, {"item_id": "i-2"}]`},
		"of several forms": {`[{"a":1},{"b":1},{"c":1},{"d":1},{"e":1}]`, `[{"a":1},{"b":1},{"c":1},{"d":1},{"e":1}]`},
		"no records":       {`["a","b","c","d","e","f"]`, `["a","b","c","d","e","f"]`},
		"a text":           {`"no order"`, `"no order"`},
	} {
		samples["list_items"] = policydoc.Sample{Args: json.RawMessage(`{}`), Result: json.RawMessage(c.result)}
		policydoc.Abridge(samples)
		if got := string(samples["list_items"].Result); got != c.want {
			t.Errorf("%s: %s, want %s", tool, got, c.want)
		}
	}
}
