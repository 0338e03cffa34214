package label

import (
	"fmt"
	"math/bits"
	"sync"
)

// Origins is a set of origin classes, one bit each. Sixty-four classes keep a
// check at a few nanoseconds; the exact event and byte range of a value stand
// in its evidence, where they are needed by people and not by the check.
type Origins uint64

// The classes that every deployment has. Classes of tools follow, in the
// order in which a [Classes] meets them.
const (
	// OriginSystem is the deployment's own text.
	OriginSystem Origins = 1 << iota
	// OriginUser is what the user said.
	OriginUser
	// OriginConfig is a constant of a contract.
	OriginConfig
	// OriginModel is what the model wrote without any source that was found.
	OriginModel
	// OriginUnknown is shared by all classes beyond the number that fits: a
	// contract that forbids any of them forbids them all.
	OriginUnknown
)

const firstToolBit = 5

// Classes gives every source of tool results a bit. It is safe for concurrent
// use. The zero value is ready.
type Classes struct {
	mu    sync.RWMutex
	bits  map[string]Origins
	names []string
}

// Origin returns the class of the named source, making it when it is new.
// Names beyond the fifty-nine that fit share [OriginUnknown].
func (c *Classes) Origin(name string) Origins {
	switch name {
	case "system":
		return OriginSystem
	case "user":
		return OriginUser
	case "config":
		return OriginConfig
	case "model":
		return OriginModel
	}
	c.mu.RLock()
	o, ok := c.bits[name]
	c.mu.RUnlock()
	if ok {
		return o
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if o, ok := c.bits[name]; ok {
		return o
	}
	if len(c.names) >= 64-firstToolBit {
		return OriginUnknown
	}
	if c.bits == nil {
		c.bits = map[string]Origins{}
	}
	o = 1 << (firstToolBit + len(c.names))
	c.bits[name] = o
	c.names = append(c.names, name)
	return o
}

// Names lists the classes in a set, fixed ones first.
func (c *Classes) Names(o Origins) []string {
	fixed := [...]string{"system", "user", "config", "model", "unknown"}
	if o == 0 {
		return nil
	}
	out := make([]string, 0, bits.OnesCount64(uint64(o)))
	c.mu.RLock()
	defer c.mu.RUnlock()
	for o != 0 {
		i := bits.TrailingZeros64(uint64(o))
		o &= o - 1
		switch {
		case i < len(fixed):
			out = append(out, fixed[i])
		case i-firstToolBit < len(c.names):
			out = append(out, c.names[i-firstToolBit])
		default:
			out = append(out, fmt.Sprintf("class-%d", i))
		}
	}
	return out
}
