package document

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/remit-project/remit/internal/pattern"
)

// style is what decides whether a page's text can be seen, as far as it is
// inherited.
type style struct {
	// hidden says why nothing within is shown, whatever its own style says.
	hidden string
	// invisible can be taken back within.
	invisible         bool
	tiny              bool
	color, background color
}

var visible = style{color: black, background: white}

// hides says why text in this style can't be seen, "" when it can.
func (s style) hides() string {
	switch {
	case s.hidden != "":
		return s.hidden
	case s.invisible:
		return "its style makes it invisible"
	case s.tiny:
		return "its letters are too small to read"
	case s.color.like(s.background):
		return "it has the colour of its background"
	}
	return ""
}

// unshown are elements that a browser leaves out.
var unshown = map[atom.Atom]string{
	atom.Template: "it is in a template, which isn't shown",
	atom.Noscript: "it is for browsers without scripts alone",
	atom.Iframe:   "it is for browsers without frames alone",
	atom.Noframes: "it is for browsers without frames alone",
	atom.Noembed:  "it is for browsers without plug-ins alone",
	atom.Object:   "it is for browsers without plug-ins alone",
	atom.Audio:    "it is for browsers without sound alone",
	atom.Video:    "it is for browsers without videos alone",
	atom.Canvas:   "it is for browsers without graphics alone",
	atom.Datalist: "it is a list of suggestions, which isn't shown",
	atom.Rp:       "it is for browsers without ruby text alone",
	atom.S:        "it is struck out",
	atom.Strike:   "it is struck out",
	atom.Del:      "it is struck out",
}

// within returns the style of an element inside an element of style s.
func (s style) within(n *html.Node, sheet styleSheet) style {
	if why := unshown[n.DataAtom]; why != "" && s.hidden == "" {
		s.hidden = why
	}

	declared := sheet.of(n)
	for _, a := range n.Attr {
		value := strings.ToLower(strings.TrimSpace(a.Val))
		switch a.Key {
		case "hidden":
			s.hide("its element has the attribute hidden")
		case "aria-hidden":
			if value == "true" {
				s.hide("its element is hidden from screen readers (aria-hidden)")
			}
		case "bgcolor":
			declared = append(declared, declaration{"background-color", value})
		case "color", "text":
			if n.DataAtom == atom.Font || n.DataAtom == atom.Body {
				declared = append(declared, declaration{"color", value})
			}
		}
	}

	for _, a := range n.Attr {
		if a.Key == "style" {
			declared = append(declared, declarations(a.Val)...)
		}
	}

	s.apply(declared)
	return s
}

func (s *style) hide(why string) {
	if s.hidden == "" {
		s.hidden = why
	}
}

// apply takes declarations into account, in their order.
func (s *style) apply(declared []declaration) {
	var b box
	for _, d := range declared {
		s.applyOne(d)
		b.apply(d)
	}

	if b.out {
		s.hide("its style moves it off the page")
	}
	if b.clipped && b.empty {
		s.hide("its style leaves no room for it")
	}
}

// applyOne applies a declaration about how text looks, and whether it is shown at all.
func (s *style) applyOne(d declaration) {
	n, isLength := length(d.value)
	switch d.property {
	case "display":
		if d.value == "none" {
			s.hide("its style doesn't display it")
		}
	case "content-visibility", "visibility":
		s.invisible = d.value == "hidden" || d.value == "collapse"
	case "opacity":
		faint := isLength && n < leastOpacity
		if faint || strings.HasPrefix(d.value, "0%") {
			s.hide("it is transparent")
		}
	case "font-size":
		if isLength {
			s.tiny = n < leastSize
		}
	case "font":
		s.applyFont(d.value)

	case "color":
		if c, ok := parseColor(d.value); ok {
			s.color = c
		}
	case "background", "background-color":
		for part := range strings.FieldsSeq(strings.ReplaceAll(d.value, ", ", ",")) {
			if c, ok := parseColor(part); ok && c.alpha {
				s.background = c
			}
		}
	case "clip", "clip-path", "transform":
		if nowhere().MatchString(strings.ReplaceAll(d.value, " ", "")) {
			s.hide("its style leaves nothing of it")
		}
	}
}

// applyFont applies the size of a font declaration, which has a unit.
func (s *style) applyFont(value string) {
	for part := range strings.FieldsSeq(value) {
		size, _, _ := strings.Cut(part, "/")
		if n, ok := length(size); ok && strings.Trim(size, "0123456789.") != "" {
			s.tiny = n < leastSize
		}
	}
}

// box is what declarations say of the place of text: off the page, or without room.
type box struct{ out, clipped, empty bool }

func (b *box) apply(d declaration) {
	n, isLength := length(d.value)
	switch d.property {
	case "text-indent", "left", "top", "right", "bottom", "margin-left", "margin-top":
		b.out = b.out || (isLength && n < -farAway)
	case "overflow", "overflow-x", "overflow-y":
		b.clipped = d.value == "hidden" || d.value == "clip"
	case "height", "width", "max-height", "max-width":
		b.empty = b.empty || (isLength && n <= 1)
	}
}

const (
	// leastOpacity is less than what can be read on any screen.
	leastOpacity = 0.1
	// leastSize is the smallest size of letters, in pixels or points, that a person can read.
	leastSize = 2
	// farAway is how many pixels out of its place text isn't on the page.
	farAway = 500
)

var (
	nowhere = pattern.OnUse(`^rect\((0|0px|1px)?(,?(0|0px|1px|auto))*\)|inset\((100|50)%|scale[xy]?\(0|circle\(0`)
	number  = pattern.OnUse(`^(-?\d*\.?\d+)(px|pt|em|rem|ex|ch|vw|vh|in|cm|mm|pc|%)?$`)
)

// length returns a length in pixels, about; numbers without a unit are as they are.
func length(value string) (float64, bool) {
	m := number().FindStringSubmatch(value)
	if m == nil {
		return 0, false
	}

	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, false
	}

	switch m[2] {
	case "em", "rem", "ex", "ch", "pc", "vw", "vh":
		n *= 16
	case "in":
		n *= 96
	case "cm", "mm":
		n *= 4
	case "%":
		n *= 0.16
	}
	return n, true
}
