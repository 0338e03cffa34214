package label

import (
	"math/bits"
	"slices"
	"strings"
)

// A Class is an origin class that every deployment has.
type Class uint8

// The classes that every deployment has. Each tool is another class, by the name
// that [ToolOrigin] gives it.
const (
	// OriginSystem is the deployment's own text.
	OriginSystem Class = iota
	// OriginUser is what the user said.
	OriginUser
	// OriginConfig is a constant of a contract.
	OriginConfig
	// OriginModel is what the model wrote without any source that was found.
	OriginModel
	// OriginUnknown is an unknown source.
	OriginUnknown
	// OriginMore are further sources whose names were not kept. A requirement that
	// forbids any source forbids it.
	OriginMore

	classes
)

var classNames = [classes]string{"system", "user", "config", "model", "unknown", "…"}

// String returns the name of the class, as rules and decisions write it.
func (c Class) String() string {
	if c < classes {
		return classNames[c]
	}
	return "unknown"
}

// ToolOrigin names the class of a tool's results: server.tool, or the tool's own
// name where there is no server. The names of the classes that every deployment has
// are not those of a tool.
func ToolOrigin(server, tool string) string {
	if server == "" && !slices.Contains(classNames[:], tool) {
		return tool
	}
	return server + "." + tool
}

// Origins is a set of origin classes. The zero value is the empty set, and sets
// compare with ==. Sets of tools belong to the [Classes] that they come from.
type Origins struct {
	// bits has the classes that every deployment has, and the first tools. With them
	// alone, a check takes a few nanoseconds.
	bits uint64
	// names are the other classes in ascending order, each closed by a zero byte.
	names string
}

// OriginsOf returns the set of the given classes.
func OriginsOf(classes ...Class) Origins {
	var o Origins
	for _, c := range classes {
		o.bits |= 1 << c
	}
	return o
}

// Empty reports whether there is no class in the set.
func (o Origins) Empty() bool { return o.bits == 0 && len(o.names) == 0 }

// Has reports whether c is in the set.
func (o Origins) Has(c Class) bool { return o.bits&(1<<c) != 0 }

// Union returns the classes that are in o or in p.
func (o Origins) Union(p Origins) Origins {
	o.add(&p)
	return o
}

// add is [Origins.Union] in place.
func (o *Origins) add(p *Origins) {
	o.bits |= p.bits
	if len(p.names) > 0 {
		o.names = unite(o.names, p.names)
	}
}

// Intersect returns the classes that are in o and in p.
func (o Origins) Intersect(p Origins) Origins {
	out := Origins{bits: o.bits & p.bits}
	if len(o.names) > 0 && len(p.names) > 0 {
		out.names = common(o.names, p.names)
	}
	return out
}

// Contains reports whether every class in p is in o.
func (o Origins) Contains(p Origins) bool {
	return o.bits&p.bits == p.bits && covers(o.names, p.names)
}

// unite merges two lists of names. Nearly always one of them has the other, and
// nothing is allocated.
func unite(a, b string) string {
	if len(a) < len(b) {
		a, b = b, a
	}
	if covers(a, b) {
		return a
	}

	var out strings.Builder
	out.Grow(len(a) + len(b))
	for a != "" && b != "" {
		x, y := first(a), first(b)
		out.WriteString(min(x, y))
		if x <= y {
			a = a[len(x):]
		}
		if y <= x {
			b = b[len(y):]
		}
	}
	out.WriteString(a)
	out.WriteString(b)
	return out.String()
}

// common returns the names that both lists have.
func common(a, b string) string {
	if covers(a, b) {
		return b
	}

	var out strings.Builder
	for a != "" && b != "" {
		x, y := first(a), first(b)
		if x == y {
			out.WriteString(x)
		}
		if x <= y {
			a = a[len(x):]
		}
		if y <= x {
			b = b[len(y):]
		}
	}
	return out.String()
}

// covers reports whether a has every name of b.
func covers(a, b string) bool {
	for b != "" {
		y := first(b)
		for a != "" && first(a) < y {
			a = a[len(first(a)):]
		}
		if !strings.HasPrefix(a, y) {
			return false
		}
		a, b = a[len(y):], b[len(y):]
	}
	return true
}

// first returns the first name of a list, with the byte that closes it.
func first(names string) string {
	return names[:strings.IndexByte(names, 0)+1]
}

// Classes are the classes of a deployment: those that every one has, and its tools.
// It is immutable and safe for concurrent use. The zero value has no tools.
type Classes struct {
	tools  map[string]Origins
	bitted []string // the tools that have a bit, in its order
}

// bitsOfTools is how many tools have a bit of their own. The others are kept by name,
// so that there is no limit to them.
const bitsOfTools = 64 - int(classes)

// NewClasses makes the classes of a deployment with tools of the given names.
func NewClasses(tools ...string) *Classes {
	c := &Classes{tools: map[string]Origins{}}
	for _, name := range tools {
		if c.Known(name) {
			continue
		}
		o := named(name)
		if len(c.bitted) < bitsOfTools {
			o = Origins{bits: 1 << (int(classes) + len(c.bitted))}
			c.bitted = append(c.bitted, name)
		}
		c.tools[name] = o
	}
	return c
}

// Known reports whether a name is that of a class that every deployment has, or of a
// tool.
func (c *Classes) Known(name string) bool {
	_, ok := c.tools[name]
	return ok || slices.Contains(classNames[:], name)
}

// Origin returns the set of the named class alone, which need not be a known one.
func (c *Classes) Origin(name string) Origins {
	if o, ok := c.tools[name]; ok {
		return o
	}
	if i := slices.Index(classNames[:], name); i >= 0 {
		return OriginsOf(Class(i))
	}
	return named(name)
}

// named returns the set of a class that has no bit. What can't be written as a name is
// one of [OriginMore].
func named(name string) Origins {
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return OriginsOf(OriginMore)
	}
	return Origins{names: name + "\x00"}
}

// Names lists the classes in a set: those that every deployment has, then tools.
func (c *Classes) Names(o Origins) []string {
	if o.Empty() {
		return nil
	}

	out := make([]string, 0, bits.OnesCount64(o.bits)+strings.Count(o.names, "\x00"))
	for left := o.bits; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		switch {
		case i < int(classes):
			out = append(out, classNames[i])
		case i-int(classes) < len(c.bitted):
			out = append(out, c.bitted[i-int(classes)])
		default:
			out = append(out, OriginMore.String()) // of other classes
		}
	}

	for names := o.names; names != ""; {
		name := first(names)
		out = append(out, name[:len(name)-1])
		names = names[len(name):]
	}
	return out
}
