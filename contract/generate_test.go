package contract_test

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"pgregory.net/rapid"
)

// anyText draws texts that are hard on a file format: quotes, line breaks,
// control characters, words that YAML has types for, and everything else.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"", "null", "~", "true", "off", "1.0", "0x1F", "2026-11-21", "- a", "a: b", "a:b", "#c", "x #c", "{a", "[a", "*a", "&a", "!a",
			"|", ">", "%", "@", "`", "'", "\"", "\\", " lead", "trail ", "two\nlines", "tab\t", "cr\r", "\u0085", "\u2028", "\ufeff", "\x00", "\U0001F600", "\U000E0001",
			"name 'recipients', format email", "<<", "? a", "a,b", "---", "...", "=",
		}),
	)
}

func some() *rapid.Generator[string] {
	return anyText().Filter(func(s string) bool { return s != "" && len(s) < 500 })
}

func words() *rapid.Generator[[]string] {
	return rapid.Custom(func(t *rapid.T) []string {
		list := rapid.SliceOfN(anyText(), 0, 3).Draw(t, "words")
		if len(list) == 0 {
			return nil
		}
		return list
	})
}

func procedures() *rapid.Generator[[]string] {
	return rapid.Custom(func(t *rapid.T) []string {
		list := rapid.SliceOfN(rapid.SampledFrom([]string{"allowlist", "directory", "lookup", "source", "validation", "confirm"}), 0, 3).Draw(t, "procedures")
		if len(list) == 0 {
			return nil
		}
		return list
	})
}

// pattern draws a valid pattern of an argument.
func pattern() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		p := ""
		for range rapid.IntRange(1, 4).Draw(t, "segments") {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				p += "/*"
			default:
				p += "/" + escape(anyText().Filter(func(s string) bool { return len(s) < 300 }).Draw(t, "name"))
			}
		}
		if rapid.Bool().Draw(t, "deep") {
			p += "/**"
		}
		return p
	})
}

func escape(s string) string {
	out := ""
	for _, r := range s {
		switch r {
		case '~':
			out += "~0"
		case '/':
			out += "~1"
		case '*':
			out += "~2"
		default:
			out += string(r)
		}
	}
	return out
}

func trust() *rapid.Generator[label.Trust] {
	return rapid.SampledFrom([]label.Trust{label.External, label.ToolOutput, label.User, label.Trusted})
}

func mode() *rapid.Generator[contract.Mode] {
	return rapid.SampledFrom([]contract.Mode{"", contract.Off, contract.Ask, contract.Deny})
}

func args() *rapid.Generator[[]contract.Arg] {
	return rapid.Custom(func(t *rapid.T) []contract.Arg {
		var out []contract.Arg
		for _, p := range rapid.SliceOfNDistinct(pattern(), 0, 4, rapid.ID[string]).Draw(t, "patterns") {
			out = append(out, contract.Arg{
				Pattern:   p,
				Role:      rapid.SampledFrom(label.Roles()).Draw(t, "role"),
				Floor:     trust().Draw(t, "floor"),
				Form:      rapid.SampledFrom([]contract.Form{"", contract.URL, contract.Address, contract.Path, contract.Shell, contract.SQL}).Draw(t, "form"),
				Forbidden: words().Draw(t, "forbidden"),
				Require:   words().Draw(t, "require"),
				Allow:     words().Draw(t, "allow"),
				Discharge: procedures().Draw(t, "discharge"),
				Group:     anyText().Draw(t, "group"),
				Why:       anyText().Draw(t, "why"),
				Review:    anyText().Draw(t, "review"),
			})
		}
		return out
	})
}

func output() *rapid.Generator[contract.Output] {
	return rapid.Custom(func(t *rapid.T) contract.Output {
		o := contract.Output{
			Trust:   trust().Draw(t, "trust"),
			Derived: rapid.Bool().Draw(t, "derived"),
			Returns: rapid.SampledFrom([][]string{nil, {"/id"}, {"/orders/*/name", "/a b/c"}, {"/a", "/b", "/c", "/d", "/e/*/f"}}).Draw(t, "returns"),
			Shapes:  rapid.SampledFrom([][]string{nil, {"- id: service\n  name: others"}, {"| id | имя |\n|---|---|\n| service | others |", "Name: others\nId: service"}}).Draw(t, "shapes"),
			Format:  rapid.SampledFrom([]contract.OutputFormat{"", contract.FormatText, contract.FormatYAML, contract.FormatLines}).Draw(t, "format"),
			Settled: rapid.Bool().Draw(t, "settled"),
			Review:  anyText().Draw(t, "review"),
		}
		for _, p := range rapid.SliceOfNDistinct(pattern(), 0, 6, rapid.ID[string]).Draw(t, "fields") {
			o.Fields = append(o.Fields, contract.Field{Pattern: p, Trust: trust().Draw(t, "field trust")})
		}
		for range rapid.IntRange(0, 2).Draw(t, "certify") {
			o.Certify = append(o.Certify, contract.Certify{
				Procedure: rapid.SampledFrom([]string{"directory", "lookup", "source"}).Draw(t, "procedure"),
				Key:       pattern().Draw(t, "key"),
				By:        rapid.SampledFrom([]string{"", "/a/*/b"}).Draw(t, "by"),
				KeyFloor:  trust().Draw(t, "key floor"),
				Field:     pattern().Draw(t, "field"),
				Unique:    rapid.Bool().Draw(t, "unique"),
				Exact:     rapid.Bool().Draw(t, "exact"),
				Made:      rapid.Bool().Draw(t, "made"),
				Of:        rapid.SampledFrom([][]string{nil, {"page"}}).Draw(t, "of"),
				Roles:     rapid.SliceOfN(rapid.SampledFrom(label.Roles()), 1, 3).Draw(t, "roles"),
				Max:       trust().Draw(t, "max"),
			})
		}
		return o
	})
}

// file draws any contract file that Load accepts.
func file() *rapid.Generator[*contract.File] {
	return rapid.Custom(func(t *rapid.T) *contract.File {
		f := &contract.File{
			Version:     contract.Version,
			Server:      some().Draw(t, "server"),
			Fingerprint: anyText().Draw(t, "fingerprint"),
			Precision:   rapid.SampledFrom([]label.Precision{label.PrecisionUnset, label.L0, label.L3}).Draw(t, "precision"),
			Unprovoked:  mode().Draw(t, "unprovoked"),
			Sinks:       mode().Draw(t, "sinks"),
		}
		effect := rapid.SampledFrom(contract.Effects())
		for _, name := range rapid.SliceOfNDistinct(some(), 0, 3, rapid.ID[string]).Draw(t, "tools") {
			tool := contract.Tool{
				Name:        name,
				Effect:      effect.Draw(t, "effect"),
				Fingerprint: anyText().Draw(t, "tool fingerprint"),
				Precision:   rapid.SampledFrom([]label.Precision{label.PrecisionUnset, label.L1, label.L2}).Draw(t, "precision"),
				Unprovoked:  mode().Draw(t, "unprovoked"),
				Sinks:       mode().Draw(t, "sinks"),
				Why:         anyText().Draw(t, "why"),
				Review:      anyText().Draw(t, "review"),
				Args:        args().Draw(t, "args"),
				Output:      output().Draw(t, "output"),
			}
			if rapid.Bool().Draw(t, "is approved") {
				tool.Approved = rapid.SliceOfN(approved(), 1, 2).Draw(t, "approved")
			}
			if rapid.Bool().Draw(t, "is unwrapped") {
				tool.Unwrap = &contract.Unwrap{Tool: "/tool", Arguments: "/" + escape(some().Draw(t, "arguments")), Server: rapid.SampledFrom([]string{"", "/server"}).Draw(t, "server")}
			} else if rapid.Bool().Draw(t, "has variants") {
				v := &contract.Variants{Argument: "/method"}
				for _, value := range rapid.SliceOfNDistinct(anyText(), 1, 3, rapid.ID[string]).Draw(t, "cases") {
					c := contract.Case{
						Value:      value,
						Effect:     rapid.SampledFrom(append(contract.Effects(), "")).Draw(t, "effect"),
						Unprovoked: mode().Draw(t, "unprovoked"),
						Args:       args().Draw(t, "args"),
						Why:        anyText().Draw(t, "why"),
						Review:     anyText().Draw(t, "review"),
					}
					if rapid.Bool().Draw(t, "has output") {
						o := output().Draw(t, "output")
						c.Output = &o
					}
					v.Cases = append(v.Cases, c)
				}
				if rapid.Bool().Draw(t, "has default") {
					v.Default = v.Cases[0].Value
				}
				tool.Variants = v
			}
			f.Tools = append(f.Tools, tool)
		}
		return f
	})
}

// approved makes calls that are allowed for always.
func approved() *rapid.Generator[contract.Approved] {
	return rapid.Custom(func(t *rapid.T) contract.Approved {
		out := contract.Approved{}
		for _, name := range rapid.SliceOfNDistinct(some(), 1, 3, rapid.ID[string]).Draw(t, "arguments") {
			out["/"+escape(name)] = anyText().Draw(t, "value")
		}
		return out
	})
}

// clear removes what a file doesn't say: the positions of its parts.
func clear(f *contract.File) *contract.File {
	f.Position = contract.Position{}
	clearArgs := func(args []contract.Arg) {
		for i := range args {
			args[i].Position = contract.Position{}
		}
	}
	clearOutput := func(o *contract.Output) {
		o.Position = contract.Position{}
		for i := range o.Fields {
			o.Fields[i].Position = contract.Position{}
		}
		for i := range o.Certify {
			o.Certify[i].Position = contract.Position{}
		}
	}
	for i := range f.Tools {
		t := &f.Tools[i]
		t.Position = contract.Position{}
		if t.Unwrap != nil {
			t.Unwrap.Position = contract.Position{}
		}
		clearArgs(t.Args)
		clearOutput(&t.Output)
		if t.Variants != nil {
			t.Variants.Position = contract.Position{}
			for j := range t.Variants.Cases {
				c := &t.Variants.Cases[j]
				c.Position = contract.Position{}
				clearArgs(c.Args)
				if c.Output != nil {
					clearOutput(c.Output)
				}
			}
		}
	}
	return f
}

// load loads a file that must be right.
func load(t interface{ Fatal(...any) }, text string) *contract.File {
	f, err := contract.Load("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(fmt.Sprintf("%s\n%s", err, text))
	}
	return f
}

// numbered repeats a text, with "%" standing for the number.
func numbered(text string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "%", fmt.Sprint(i)))
	}
	return b.String()
}
