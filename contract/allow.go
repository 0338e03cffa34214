package contract

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/strictyaml"
)

// Allowance is a value that a person allowed for always, in one argument of one
// tool.
type Allowance struct {
	Tool string
	// Variant is the value of the tool's verb argument; empty where nothing
	// splits the tool.
	Variant string
	// Pointer is the argument's JSON pointer, Value its whole text.
	Pointer, Value string
}

// ErrNotAllowable is returned for values that no allowlist can hold.
var ErrNotAllowable = errors.New("the value can't be allowed for always")

// Allow returns a copy of the file in which the value is on the allowlist of its
// argument. Nothing wider is: where the entry of the argument is also that of
// others, by a pattern or because variants share it, the argument gets an entry
// of its own, the same but for the value.
func (f *File) Allow(a Allowance) (*File, error) {
	out, _, err := f.allow(a)
	return out, err
}

// addition says how a file was changed to allow a value.
type addition struct {
	// pattern is that of the entry; fresh is set when there was none by it, and
	// none when it had the value already.
	pattern     string
	fresh, none bool
	entry       Arg
}

func (f *File) allow(a Allowance) (*File, addition, error) {
	out := f.Clone()
	i := slices.IndexFunc(out.Tools, func(t Tool) bool { return t.Name == a.Tool })
	if i < 0 {
		return nil, addition{}, fmt.Errorf("the contract has no tool %q", strictyaml.Clip(a.Tool))
	}
	args, bound, pattern, err := out.Tools[i].allowing(a)
	if err != nil {
		return nil, addition{}, err
	}
	if j := slices.IndexFunc(*args, func(x Arg) bool { return x.Pattern == pattern }); j >= 0 {
		own := &(*args)[j]
		had := slices.Contains(own.Allow, a.Value)
		if !had {
			own.Allow = append([]string{a.Value}, own.Allow...)
		}
		return out, addition{pattern: pattern, none: had, entry: *own}, nil
	}
	own := cloneArgs([]Arg{*bound})[0]
	own.Pattern, own.Allow = pattern, append([]string{a.Value}, own.Allow...)
	*args = append([]Arg{own}, *args...)
	return out, addition{pattern: pattern, fresh: true, entry: own}, nil
}

// allowing finds the entry that is applied to an argument, the list in which
// an entry for this argument alone has its place, and the pattern of that.
func (t *Tool) allowing(a Allowance) (args *[]Arg, entry *Arg, pattern string, err error) {
	// The classes and obligations that entries name are of no concern here.
	c, err := compileTool(&File{}, t, Scope{Precision: label.L3, Classes: &label.Classes{}, Obligations: &label.ObligationNames{}})
	if err != nil {
		return nil, nil, "", err
	}
	args = &t.Args
	variant := c.whole
	if t.Variants != nil {
		var ok bool
		if variant, ok = c.variants[a.Variant]; !ok {
			return nil, nil, "", fmt.Errorf("tool %q has no variant %q", strictyaml.Clip(t.Name), strictyaml.Clip(a.Variant))
		}
		i := slices.IndexFunc(t.Variants.Cases, func(k Case) bool { return k.Value == a.Variant })
		args = &t.Variants.Cases[i].Args
	}
	bound, ok := variant.Match(a.Pointer)
	switch {
	case !ok:
		return nil, nil, "", fmt.Errorf("tool %q has no argument %s", strictyaml.Clip(t.Name), strictyaml.Clip(a.Pointer))
	case bound.Role == label.Credential:
		return nil, nil, "", fmt.Errorf("%w: it is a credential, and the file would tell it", ErrNotAllowable)
	case bound.Form == Path && strings.HasSuffix(a.Value, "/**"):
		return nil, nil, "", fmt.Errorf("%w: the file would read it as all that is below a directory", ErrNotAllowable)
	}
	return args, bound.Arg, exact(bound.Pattern, a.Pointer), nil
}

// exact narrows a pattern to one argument: what it leaves open is as in the
// pointer, but for places in lists, which say nothing about a value.
func exact(pattern, pointer string) string {
	open := strings.Split(pattern, "/")
	segments := strings.Split(pointer, "/")
	for i, s := range segments {
		if i < len(open) && open[i] != "*" && open[i] != "**" {
			segments[i] = open[i]
			continue
		}
		if n, err := strconv.Atoi(s); err == nil && len(s) <= maxIndex && n >= 0 {
			segments[i] = "*"
			continue
		}
		segments[i] = strings.ReplaceAll(s, "*", "~2")
	}
	return strings.Join(segments, "/")
}

// maxIndex is the length of a number that is taken for a place in a list.
const maxIndex = 4

// AllowIn is [File.Allow] for the text of a contract file. Everything else in the
// text stays as people wrote it: comments, order, layout. Name stands in errors.
func AllowIn(name string, data []byte, a Allowance) ([]byte, error) {
	f, err := Load(name, data)
	if err != nil {
		return nil, err
	}
	want, add, err := f.allow(a)
	if err != nil {
		return nil, err
	}
	if add.none {
		return data, nil
	}
	wanted, err := want.Marshal()
	if err != nil {
		return nil, err
	}
	root, err := strictyaml.Parse(data)
	if err != nil {
		return nil, err
	}
	e := &edit{data: data}
	if err := e.allow(root, a, add); err != nil {
		return nil, fmt.Errorf("%s: %w: write it there by hand", name, err)
	}
	// An edit that reads in another way than it was meant is none.
	edited, err := Load(name, e.data)
	if err != nil {
		return nil, fmt.Errorf("%s is written in a way that can't be edited: write the value there by hand: %w", name, err)
	}
	if got, err := edited.Marshal(); err != nil || string(got) != string(wanted) {
		return nil, fmt.Errorf("%s is written in a way that can't be edited: write the value there by hand", name)
	}
	return e.data, nil
}
