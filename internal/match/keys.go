package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// The names of an object's members may be values: {"shared_with": {"ann@corp.example": "read"}} says
// with whom a file is shared, as a list of addresses would. The names tell that themselves: all of
// them are addresses of one kind, and no tool calls its members so.

// addressKinds are the kinds that such names may be of, and addressSigns what each has in it.
var addressKinds = []scope.Kind{scope.Email, scope.URL, scope.Phone}

const addressSigns = "@.+"

// keyed is an object with the names of its members.
type keyed struct {
	object string // its pointer
	names  []string
}

// keyedIn returns the objects of a document whose members' names are values.
func keyedIn(leaves []strictjson.Leaf) []keyed {
	leaves = leaves[:min(len(leaves), maxFields)]
	at := map[string]int{}
	var all []keyed
	for i := range leaves {
		if !strings.ContainsAny(leaves[i].Pointer, addressSigns) {
			continue
		}
		for object, name := range members(leaves[i].Pointer) {
			if _, known := at[object]; !known && strings.ContainsAny(name, addressSigns) {
				at[object] = len(all)
				all = append(all, keyed{object: object})
			}
		}
	}
	if all == nil {
		return nil
	}

	for i := range leaves {
		for object, name := range members(leaves[i].Pointer) {
			if k, known := at[object]; known && !slices.Contains(all[k].names[max(0, len(all[k].names)-1):], name) {
				all[k].names = append(all[k].names, name)
			}
		}
	}
	return slices.DeleteFunc(all, func(k keyed) bool { return !slices.ContainsFunc(addressKinds, k.areAll) })
}

// members yields the objects and lists around a leaf, each with the name of the member in it.
func members(pointer string) func(yield func(object, name string) bool) {
	return func(yield func(object, name string) bool) {
		for end := len(pointer); end > 0; {
			slash := strings.LastIndexByte(pointer[:end], '/')
			if !yield(pointer[:slash], strictjson.UnescapeToken(pointer[slash+1:end])) {
				return
			}
			end = slash
		}
	}
}

// areAll reports whether all names are addresses of a kind.
func (k keyed) areAll(kind scope.Kind) bool {
	return !slices.ContainsFunc(k.names, func(name string) bool { return !isOf(name, kind) })
}

// addKeys adds the names that are values as elements of a list that is called as their object.
func (r *Result) addKeys(leaves []strictjson.Leaf, p parts) {
	for _, k := range keyedIn(leaves) {
		record, key := split(k.object)
		if !strings.HasSuffix(k.object, "/"+key) || key == "" {
			continue // nothing says what they are
		}
		record, part, outer := p.home(record)
		for _, name := range k.names {
			if len(r.fields) == maxFields {
				r.partial = true
				return
			}
			f := newField(record, key, name)
			f.within(part, outer)
			r.note(f.name, k.object)
			r.add(f)
		}
	}
}
