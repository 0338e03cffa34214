package document

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/remit-project/remit/internal/pattern"
)

// A declaration is a property of CSS with its value, both in lower case.
type declaration struct{ property, value string }

// declarations reads the inside of a style attribute or of a rule.
func declarations(text string) []declaration {
	var out []declaration
	for part := range strings.SplitSeq(cssComment().ReplaceAllString(text, ""), ";") {
		property, value, ok := strings.Cut(part, ":")
		if !ok {
			continue
		}
		value = strings.ToLower(strings.TrimSpace(value))
		value = strings.TrimSpace(strings.TrimSuffix(value, "!important"))
		out = append(out, declaration{strings.ToLower(strings.TrimSpace(property)), value})
	}
	return out
}

// styleSheet has the declarations for tags, classes (".name") and ids ("#name").
// Of a selector that says more, its last name counts, so that what is hidden
// somewhere is taken for hidden everywhere: that is reported, never lost.
type styleSheet map[string][]declaration

var (
	cssComment = pattern.OnUse(`(?s)/\*.*?\*/`)
	cssRule    = pattern.OnUse(`([^{}]*)\{([^{}]*)\}`)
	cssNames   = pattern.OnUse(`[.#]?[\w-]+`)
	cssPseudo  = pattern.OnUse(`::?[\w-]+(\([^)]*\))?|\[[^\]]*\]`)
)

// sheets reads the style sheets in a page.
func sheets(root *html.Node) styleSheet {
	sheet := styleSheet{}
	for n := range root.Descendants() {
		if n.DataAtom != atom.Style || n.FirstChild == nil {
			continue
		}

		for _, rule := range cssRule().FindAllStringSubmatch(cssComment().ReplaceAllString(n.FirstChild.Data, ""), -1) {
			declared := declarations(rule[2])
			for selector := range strings.SplitSeq(rule[1], ",") {
				// Pseudo-elements and states are not the element.
				if strings.Contains(selector, ":") {
					continue
				}
				names := cssNames().FindAllString(cssPseudo().ReplaceAllString(selector, ""), -1)
				if len(names) > 0 {
					sheet.add(names[len(names)-1], declared)
				}
			}
		}
	}

	return sheet
}

// add adds declarations; of those about one property the last counts, so that
// there are never many.
func (sheet styleSheet) add(name string, declared []declaration) {
	for _, d := range declared {
		list := slices.DeleteFunc(sheet[name], func(old declaration) bool { return old.property == d.property })
		if len(list) < maxDeclared {
			sheet[name] = append(list, d)
		}
	}
}

// maxDeclared is how many properties a style sheet may set for a name.
const maxDeclared = 100

// of returns the declarations for an element.
func (sheet styleSheet) of(n *html.Node) []declaration {
	if len(sheet) == 0 {
		return nil
	}
	out := append([]declaration(nil), sheet[n.Data]...)
	for _, a := range n.Attr {
		switch a.Key {
		case "class":
			for class := range strings.FieldsSeq(a.Val) {
				out = append(out, sheet["."+class]...)
			}
		case "id":
			out = append(out, sheet["#"+a.Val]...)
		}
	}
	return out
}

// color is a colour, from 0 to 255; alpha is false for one that can't be seen.
type color struct {
	r, g, b int
	alpha   bool
}

var (
	black = color{0, 0, 0, true}
	white = color{255, 255, 255, true}
)

// maxContrast is how far two colours may be apart, per part of 255, and still not
// be told apart by a reader.
const maxContrast = 24

// like reports whether text of this colour can't be seen on a background.
func (c color) like(background color) bool {
	near := func(a, b int) bool { return max(a-b, b-a) <= maxContrast }
	alike := near(c.r, background.r) && near(c.g, background.g) && near(c.b, background.b)
	return !c.alpha || alike
}

var (
	cssHex     = pattern.OnUse(`^#?([0-9a-f]{3,8})$`)
	cssRGB     = pattern.OnUse(`^rgba?\(([\d.%,/ ]+)\)$`)
	cssDivider = pattern.OnUse(`[,/ ]+`)
	// cssNamed are the names of the colours that are used to hide text, and of
	// those that it is hidden on.
	cssNamed = map[string]color{
		"white": white, "snow": white, "ivory": white, "ghostwhite": white, "whitesmoke": {245, 245, 245, true}, "floralwhite": white,
		"mintcream": white, "azure": white, "black": black, "transparent": {},
		"red": {255, 0, 0, true}, "blue": {0, 0, 255, true}, "navy": {0, 0, 128, true}, "green": {0, 128, 0, true},
		"yellow": {255, 255, 0, true}, "gray": {128, 128, 128, true}, "grey": {128, 128, 128, true}, "silver": {192, 192, 192, true},
		"lightgray": {211, 211, 211, true}, "lightgrey": {211, 211, 211, true}, "darkgray": {169, 169, 169, true}, "darkgrey": {169, 169, 169, true},
		"orange": {255, 165, 0, true}, "purple": {128, 0, 128, true}, "maroon": {128, 0, 0, true}, "teal": {0, 128, 128, true},
	}
)

// parseColor reads a colour.
func parseColor(value string) (color, bool) {
	if c, ok := cssNamed[value]; ok {
		return c, true
	}

	if m := cssHex().FindStringSubmatch(value); m != nil {
		return hexColor(m[1])
	}

	m := cssRGB().FindStringSubmatch(value)
	if m == nil {
		return color{}, false
	}
	parts := cssDivider().Split(strings.TrimSpace(m[1]), -1)
	if len(parts) < 3 {
		return color{}, false
	}

	var n [4]float64
	n[3] = 1
	for i, part := range parts[:min(len(parts), 4)] {
		percent := strings.HasSuffix(part, "%")
		v, err := strconv.ParseFloat(strings.TrimSuffix(part, "%"), 64)
		if err != nil {
			return color{}, false
		}

		if percent && i < 3 {
			v *= 2.55
		} else if percent {
			v /= 100
		}
		n[i] = v
	}

	return color{int(n[0]), int(n[1]), int(n[2]), n[3] >= leastOpacity}, true
}

// hexColor reads three, four, six or eight hexadecimal digits.
func hexColor(digits string) (color, bool) {
	if len(digits) < 5 {
		var long strings.Builder
		for _, d := range digits {
			long.WriteRune(d)
			long.WriteRune(d)
		}
		digits = long.String()
	}

	if len(digits) != 6 && len(digits) != 8 {
		return color{}, false
	}
	n, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return color{}, false
	}

	alpha := true
	if len(digits) == 8 {
		alpha = float64(n&0xFF)/255 >= leastOpacity
		n >>= 8
	}
	return color{int(n >> 16), int(n >> 8 & 0xFF), int(n & 0xFF), alpha}, true
}
