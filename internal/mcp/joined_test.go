package mcp

import "testing"

func TestJoined(t *testing.T) {
	for _, c := range []struct{ name, all, page, want string }{
		{"the first", "", `{"tools":[1]}`, `{"tools":[1]}`},
		{"items after items", `{"tools":[{"a":12345678901234567890}],"x":1}`, `{"tools":[2, 3],"y":1}`, `{"tools":[{"a":12345678901234567890},2, 3],"x":1}`},
		{"none before", `{"tools":[ ]}`, `{"tools":[2]}`, `{"tools":[2]}`},
		{"none after", `{"tools":[1]}`, `{"tools": [ ] }`, `{"tools":[1]}`},
		{"no list", `{"tools":[1]}`, `{"tool":[2]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var all []byte
			if c.all != "" {
				all = []byte(c.all)
			}
			got, err := joined(all, []byte(c.page), "tools")
			if string(got) != c.want || (err != nil) != (c.want == "") {
				t.Errorf("%s, %v; want %s", got, err, c.want)
			}
		})
	}
}
