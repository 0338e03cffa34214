package guard

import (
	"regexp"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

// instead says for what CEL's messages complain of what to write, the first that fits: most people, and
// models, write another language first.
var instead = []struct {
	of   func() *regexp.Regexp
	hint string
}{
	{pattern.OnUse(`error at: '= ?'`), "compare with =="},
	{pattern.OnUse(`error at: '=>'`), "write LIST.all(x, CONDITION) or LIST.exists(x, CONDITION)"},
	{pattern.OnUse(`error at: '[&|]|input '(and|or|not)'`), "write && for and, || for or, and ! for not"},
	{pattern.OnUse(`error at: ';`), "leave it out: an expression is one condition, without an end"},
	{pattern.OnUse(`error at: '["']`), "close the quotes of the text"},
	{pattern.OnUse(`input '(is|equals)'`), "compare with == or !="},
	{pattern.OnUse(`input '>' expecting`), "write != for what differs"},
	{pattern.OnUse(`reserved identifier: if`), "write CONDITION ? VALUE : OTHER"},
	{pattern.OnUse(`input '<EOF>'`), "complete it: the other side of a comparison, or a bracket, is missing at the end"},
	{pattern.OnUse(`missing '[\])}]'`), "close the bracket"},
	{pattern.OnUse(`(mismatched|extraneous) input`), "join it to what stands before with an operator (&&, ||, ==, <=, in), or write a function as VALUE.NAME(…)"},
	{pattern.OnUse(`reference to '(None|nil|NULL|undefined)'`), "write null"},
	{pattern.OnUse(`reference to '(True|TRUE)'`), "write true"},
	{pattern.OnUse(`reference to '(False|FALSE)'`), "write false"},
	{pattern.OnUse(`reference to '(len|length|count)'`), "write VALUE.size()"},
	{pattern.OnUse(`reference to '(any|some|every)'`), "write LIST.exists(x, CONDITION) or LIST.all(x, CONDITION)"},
	{pattern.OnUse(`reference to '[^']*'$`), "write args.NAME for an argument of the call, tools.NAME({…}) for a look-up, or declare it under variables"},
	{pattern.OnUse(`overload for 'tools\.`), `write the arguments in braces: tools.NAME({"id": args.id})`},
	{pattern.OnUse(`overload for '_[^']*' applied to '[^']*timestamp[^']*string|overload for '_[^']*' applied to '[^']*string[^']*timestamp`), `make a time of the text: datetime("…")`},
	{pattern.OnUse(`overload for '_`), "give it two values of one kind: string(…), decimal(…) and datetime(…) make others of them"},
	{pattern.OnUse(`expected type 'bool'`), `write what is true or false, such as VALUE == "…" or has(VALUE)`},
	{pattern.OnUse(`'list\(.*does not support field selection`), "a list has no members: write LIST.size(), LIST[0].NAME, or LIST.all(x, x.NAME …)"},
}

// insteadOf returns what to write instead of what a message complains of; "" where that isn't known.
func insteadOf(message string) string {
	for _, i := range instead {
		if i.of().MatchString(message) {
			return i.hint
		}
	}
	return ""
}

// plainly leaves out of a message what could stand there: all that there is.
func plainly(message string) string {
	before, _, _ := strings.Cut(message, " expecting {")
	return before
}
