package synth

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/label"
)

// floorCase is an argument of a tool and the floor that it needs. Others are the
// tool's arguments beside it.
type floorCase struct {
	name, tool, description, arg string
	others                       []string
	roles                        []label.Role
	floor                        label.Trust
}

func checkFloors(t *testing.T, cases []floorCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tool := Contract(one(t, c.tool, c.description, append([]string{c.arg}, c.others...)...)).Tools[0]
			name, _, _ := strings.Cut(c.arg, ": ")
			a := find(tool.Args, "/"+name)
			right := len(c.roles) == 0
			for _, r := range c.roles {
				right = right || a.Role == r
			}
			if !right || a.Floor != c.floor {
				t.Errorf("%s of %s (%s) is %s %s, want %v %s: %s", name, c.tool, tool.Effect, a.Role, a.Floor, c.roles, c.floor, a.Why)
			}
		})
	}
}

// TestIdentifiersOfLooks has ids of things that are called like a look: an order
// is no sort order, a position no place on a screen.
func TestIdentifiersOfLooks(t *testing.T) {
	object, look := []label.Role{label.Selector, label.Target}, []label.Role{label.Control}
	checkFloors(t, []floorCase{
		{"an order", "cancel_order", "Cancels an order", "order_id", nil, object, label.ToolOutput},
		{"an order in camel case", "refundOrder", "Refunds an order", "orderId", nil, object, label.ToolOutput},
		{"an order by its number", "cancel_order", "", "order_number", nil, object, label.ToolOutput},
		{"a position", "close_position", "Closes a trading position", "position_id", nil, object, label.ToolOutput},
		{"a view", "update_view", "Updates a view", "view_id", nil, object, label.ToolOutput},
		{"a step", "retry_step", "", "step_id", nil, object, label.User},
		{"a sort order", "list_orders", "Lists orders", "sort_key", nil, look, label.External},
		{"what is sorted by", "update_list", "", "order_by", nil, look, label.External},
		{"a colour", "create_label", "Create a label", "color_id", nil, look, label.External},
		{"a language", "create_page", "Create a page", "language_code", nil, look, label.External},
	})
}
