package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// A page of a listing is no listing: the cheapest of it may be the cheapest of those who pay to be on the first page.

// saysMore reports whether a result says beside its records that there are more of them.
func (r *Result) saysMore() bool {
	elements := map[string]bool{}
	for _, record := range r.inOrder {
		if place := elementOf(record); place != "" {
			elements[place] = true
		}
	}
	return len(elements) > 0 && slices.ContainsFunc(r.fields, func(f field) bool {
		counts := func() bool {
			return (f.countsMore(len(elements)) && r.isAround(f.record)) || (f.countsOwn(len(elements), r))
		}
		return !isListed(f.record) && (f.saysMore(len(elements)) || counts())
	})
}

// saysMore reports whether a field beside so many records says that there are more of them.
func (f *field) saysMore(listed int) bool {
	if f.null || f.text == "" || f.text == "0" || len(f.key) == 0 {
		return false
	}
	last := f.key[len(f.key)-1]
	if f.text == "false" {
		return lexicon().Ends.In(f.key)
	}
	if f.key[0] == "total" && lexicon().Counts.Has(last) {
		n, err := whole(f.text)
		return err == nil && n > listed
	}
	name := slices.Concat(words(f.record), f.part, f.key)
	further := lexicon().Furthers.In(name) && (lexicon().Nexts.Has(last) || lexicon().Counts.Has(last))
	return further || lexicon().Others.In(f.key)
}

// countsMore reports whether a field of an object around so many records counts more of them, or more pages than one.
func (f *field) countsMore(listed int) bool {
	n, ok := number(f.text)
	if !ok || len(f.key) == 0 {
		return false
	}
	of, err := whole(n)
	if isWhole := quantity(n).IsInt(); err != nil || !isWhole {
		return false
	}

	name, last, bare := slices.Concat(words(f.record), f.part, f.key), f.key[len(f.key)-1], len(f.key) == 1
	switch {
	case last == "pages", slices.Contains(f.key, "page") && lexicon().Numbered.In(f.key):
		return of > 1
	case last == "page" && (bare || lexicon().Current.In(f.key)):
		return of > 1
	case isLimit(f.key) && (bare || lexicon().Wrappers.Has(f.key[0])) && !lexicon().Amounts.In(f.key):
		return of == listed || (of > listed && lexicon().Extents.Has(last))
	case lexicon().Extents.Has(last) && (bare || lexicon().Numbered.In(f.key) || f.key[0] == "nb"):
		return of > listed
	case lexicon().Amounts.In(f.key) && (bare || lexicon().Numbered.In(f.key)), lexicon().Amounts.In(name) && last == "value":
		return of > listed
	}
	return false
}

// countsOwn reports whether a field counts more of what a result lists than are in it, by the list's own name: totalOrders, order_count.
func (f *field) countsOwn(listed int, r *Result) bool {
	n, err := whole(f.text)
	if len(f.key) < 2 || !f.numeric || err != nil || n <= listed {
		return false
	}
	isCount := func(w string) bool { return lexicon().Numbered.Has(w) || lexicon().Counts.Has(w) || w == "nb" }
	isOwn := func(w string) bool {
		return telling(w) && slices.ContainsFunc(r.inOrder, func(record string) bool {
			list := words(strings.TrimPrefix(listOf(record), f.record))
			return isListed(record) && slices.ContainsFunc(list, func(own string) bool { return sameWord(own, w) })
		})
	}
	return slices.ContainsFunc(f.key, isCount) && slices.ContainsFunc(f.key, func(w string) bool { return isOwn(w) || w == "total" })
}

// isAround reports whether an object is nothing but what a server puts around a list.
func (r *Result) isAround(pointer string) bool {
	isOther := func(w string) bool { return !lexicon().Wrappers.Has(w) && !lexicon().Extents.Has(w) }
	name := words(strictjson.UnescapeToken(pointer[strings.LastIndexByte(pointer, '/')+1:]))
	if slices.ContainsFunc(name, func(w string) bool { return isOther(w) && !lexicon().Containers.Has(w) }) {
		return false
	}
	return !slices.ContainsFunc(r.records[pointer], func(i int) bool {
		f := &r.fields[i]
		return !f.null && slices.ContainsFunc(slices.Concat(f.part, f.key), isOther)
	})
}
