package guard_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
)

// TestInstead: what CEL doesn't take is told with its place and with what to write.
func TestInstead(t *testing.T) {
	for require, want := range map[string]struct {
		column int
		hint   string
	}{
		`args.total = 3`:                              {18, "=="},
		`args.total === 3`:                            {20, "=="},
		`args.total <> 3`:                             {19, "!="},
		`args.total > 3 and args.total < 4`:           {22, "&&"},
		`args.total > 3 & true`:                       {22, "&&"},
		`args.total > 3;`:                             {21, "without an end"},
		`args.note is null`:                           {17, "== or !="},
		`args.customer contains "a"`:                  {21, "VALUE.NAME(…)"},
		`if args.total > 3 then true`:                 {7, "CONDITION ? VALUE : OTHER"},
		`args.total >`:                                {19, "the other side"},
		`(args.total > 3`:                             {22, "close the bracket"},
		`args.customer == 'a"`:                        {24, "close the quotes"},
		`args.items.all(i => i.sku == "a")`:           {24, "all(x, CONDITION)"},
		`args.items.any(i, i.sku == "a")`:             {21, "exists(x, CONDITION)"},
		`len(args.items) > 3`:                         {10, "size()"},
		`args.items.size > 3`:                         {17, "LIST.size()"},
		`args.total != nil`:                           {21, "null"},
		`True`:                                        {7, "write true"},
		`total > 3`:                                   {7, "args.NAME"},
		`args.customer > 3`:                           {21, "one kind"},
		`args.items.all(i, i.sku)`:                    {26, "true or false"},
		`now > "2026-01-01"`:                          {11, "datetime("},
		`tools.get_stock("a").left > 2`:               {22, "in braces"},
		`args.customer.startswith("a") == args.total`: {31, ""}, // CEL says itself which is meant
	} {
		_, err := compiled(t, shop(t), "tool: order\npolicies:\n  - name: p\n    require: |-\n      "+require+"\n    message: m\n")
		var mistakes guard.Errors
		if !errors.As(err, &mistakes) {
			t.Errorf("%s: %v", require, err)
			continue
		}
		if m := mistakes[0]; m.Position.Line != 5 || m.Position.Column != want.column || !strings.Contains(m.Hint, want.hint) || strings.Contains(m.Message, "NUM_FLOAT") {
			t.Errorf("%s: %d:%d: %s (%s), want %d and %q", require, m.Position.Line, m.Position.Column, m.Message, m.Hint, want.column, want.hint)
		}
	}
}
