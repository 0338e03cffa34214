package pdf

import (
	"math"
	"strings"
)

// color is red, green and blue from 0 to 1; unclear is one that isn't known.
type color struct {
	r, g, b float64
	unclear bool
}

var white = color{1, 1, 1, false}

// maxContrast is how far two colours may be apart and still not be told apart by a
// reader.
const maxContrast = 0.1

func (c color) like(o color) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= maxContrast }
	return !c.unclear && !o.unclear && near(c.r, o.r) && near(c.g, o.g) && near(c.b, o.b)
}

// space is a colour space, as far as its colours can be worked out.
type space struct {
	// components is how many numbers a colour has: 1 grey, 3 RGB, 4 CMYK.
	components int
	// ink says that 1 is full of colour, as in separations, and not light.
	ink bool
	// unclear says that its colours aren't worked out.
	unclear bool
}

func (s space) color(n []float64) color {
	if s.unclear || len(n) != s.components {
		return color{unclear: true}
	}
	for i := range n {
		n[i] = math.Min(1, math.Max(0, n[i]))
	}
	switch s.components {
	case 1:
		if s.ink {
			n[0] = 1 - n[0]
		}
		return color{n[0], n[0], n[0], false}
	case 3:
		return color{n[0], n[1], n[2], false}
	case 4:
		return color{(1 - n[0]) * (1 - n[3]), (1 - n[1]) * (1 - n[3]), (1 - n[2]) * (1 - n[3]), false}
	}
	return color{unclear: true}
}

// colours sets a colour, and reports whether the operator does.
func (i *interpreter) colours(op operator, operands []object, n []float64) bool {
	set := func(space *space, c *color, components int) {
		*space = spaceOf(components)
		*c = space.color(n)
	}

	s := &i.state
	switch op {
	case "g":
		set(&s.fill, &s.ink, 1)
	case "G":
		set(&s.stroke, &s.line, 1)
	case "rg":
		set(&s.fill, &s.ink, 3)
	case "RG":
		set(&s.stroke, &s.line, 3)
	case "k":
		set(&s.fill, &s.ink, 4)
	case "K":
		set(&s.stroke, &s.line, 4)
	case "cs", "CS":
		space := space{unclear: true}
		if len(operands) == 1 {
			space = i.space(operands[0])
		}
		if op == "cs" {
			s.fill, s.ink = space, color{}
		} else {
			s.stroke, s.line = space, color{}
		}
	case "sc", "scn":
		s.ink = s.fill.color(n)
	case "SC", "SCN":
		s.line = s.stroke.color(n)
	default:
		return false
	}

	return true
}

func spaceOf(components int) space { return space{components: components} }

// space reads a colour space.
func (i *interpreter) space(o object) space {
	if named, ok := o.(name); ok {
		switch named {
		case "DeviceGray", "CalGray":
			return spaceOf(1)
		case "DeviceRGB", "CalRGB":
			return spaceOf(3)
		case "DeviceCMYK":
			return spaceOf(4)
		}
		o = i.f.dict(i.resources["ColorSpace"])[named]
		if again, ok := i.f.resolve(o).(name); ok && again != named && strings.HasPrefix(string(again), "Device") {
			return i.space(again)
		}
	}

	list, _ := i.f.resolve(o).(array)
	if len(list) < 2 {
		return space{unclear: true}
	}

	switch i.f.resolve(list[0]) {
	case name("CalGray"):
		return spaceOf(1)
	case name("CalRGB"):
		return spaceOf(3)
	case name("ICCBased"):
		if n, ok := i.f.resolve(i.f.dict(list[1])["N"]).(float64); ok {
			return spaceOf(int(n))
		}
	case name("Separation"):
		return space{components: 1, ink: true}
	}
	return space{unclear: true}
}
