package display

// Paint colours text for a terminal, or leaves it as it is if false. A colour is
// never the only carrier of a meaning.
type Paint bool

// SGR puts text between the escape sequence with a code and the one that ends it.
func (p Paint) SGR(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Bold prints text in bold.
func (p Paint) Bold(s string) string { return p.SGR("1", s) }

// Dim prints text that matters less than the text around it.
func (p Paint) Dim(s string) string { return p.SGR("2", s) }

// Underline prints text underlined.
func (p Paint) Underline(s string) string { return p.SGR("4", s) }

// Good prints text about a success, in green.
func (p Paint) Good(s string) string { return p.SGR("32", s) }

// Warn prints text about a doubt, in yellow.
func (p Paint) Warn(s string) string { return p.SGR("33", s) }

// Bad prints text about a failure, in red.
func (p Paint) Bad(s string) string { return p.SGR("31", s) }
