package pack

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/contract"
)

// Page returns the pack's page of the documentation, in Markdown.
func (p *Pack) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Pack %s\n\n%s\n\n", p.Name, p.About)
	fmt.Fprintf(&b, "Package `%s` (%s), reviewed: %s. Licence %s, [source](%s).\n\n", p.Package, p.Registry, strings.Join(p.Versions, ", "), p.Licence, p.Source)
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	if len(p.Notes) > 0 {
		b.WriteByte('\n')
	}

	b.WriteString("| tool | effect | arguments | result |\n| --- | --- | --- | --- |\n")
	for i := range p.file.Tools {
		t := &p.file.Tools[i]
		effect := string(t.Effect)
		if t.Why != "" {
			effect += ": " + t.Why
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", t.Name, cell(effect), arguments(t.Args), result(&t.Output))
	}
	b.WriteString("\nThis page is made from the pack; [packs](../reference/packs.md) says how packs are used.\n")
	return b.String()
}

// arguments describes arguments, those of one role and floor together.
func arguments(args []contract.Arg) string {
	var order []string
	names := map[string][]string{}
	for i := range args {
		a := &args[i]
		kind := fmt.Sprintf("%s, %s", a.Role, a.Floor)
		if names[kind] == nil {
			order = append(order, kind)
		}
		names[kind] = append(names[kind], "`"+a.Pattern+"`")
	}

	var out []string
	for _, kind := range order {
		out = append(out, kind+": "+strings.Join(names[kind], " "))
	}
	return cell(strings.Join(out, "; "))
}

// result describes what a tool returns.
func result(o *contract.Output) string {
	out := o.Trust.String()
	if o.Derived {
		out += ", never better than the arguments"
	}
	for i, f := range o.Fields {
		sep := " "
		if i == 0 {
			sep = "; TOOL_OUTPUT: "
		}
		out += sep + "`" + f.Pattern + "`"
	}
	for _, c := range o.Certify {
		out += fmt.Sprintf("; `%s` vouches for `%s`, if the user named it", c.By+c.Key, c.Field)
	}
	return cell(out)
}

// cell writes a text into a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
