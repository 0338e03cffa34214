package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// A page of a listing is no listing: the cheapest of it may be the cheapest of those who pay to be on the first page.

// The names beside a list that say whether there is more of it, and how much there is in all.
var (
	others = strings.Fields("cursor truncated incomplete continuation continue remaining")
	nexts  = strings.Fields("next more token page offset link url marker href available exist")
	ends   = strings.Fields("last complete done final")
	counts = strings.Fields("count results items records hits matches entries elements rows documents")
)

// The names of an object around a list that say how much there is of it, how many pages, and which of these it is.
var (
	amounts  = strings.Fields("total found count hits matches results")
	numbered = strings.Fields("total last count num number max")
	current  = strings.Fields("current number no")
)

// wrappers are the words for what a server puts around a list, which repeat what was asked for or tell of the answer. What has another
// member is a thing: the total of a bill is an amount.
var wrappers = strings.Fields("total found count hits matches results elements items entries num number of max current has is more next previous prev first last cursor truncated " +
	"page pages per size limit offset skip start links link meta metadata pagination paging info response request query q search term filter filters sort sorted " +
	"status ok success error errors message code kind object took ms elapsed version self href url value relation token continuation remaining complete done")

// saysMore reports whether a result says beside its records that there are more of them.
func (r *Result) saysMore() bool {
	elements := map[string]bool{}
	for _, record := range r.inOrder {
		if place := elementOf(record); place != "" {
			elements[place] = true
		}
	}
	return len(elements) > 0 && slices.ContainsFunc(r.fields, func(f field) bool {
		return !isListed(f.record) && (f.saysMore(len(elements)) || (f.countsMore(len(elements)) && r.isAround(f.record)))
	})
}

// saysMore reports whether a field beside so many records says that there are more of them.
func (f *field) saysMore(listed int) bool {
	if f.null || f.text == "" || f.text == "0" || len(f.key) == 0 {
		return false
	}
	last := f.key[len(f.key)-1]
	if f.text == "false" {
		return oneOf(f.key, ends)
	}
	if f.key[0] == "total" && slices.Contains(counts, last) {
		n, err := whole(f.text)
		return err == nil && n > listed
	}
	name := slices.Concat(words(f.record), f.part, f.key)
	further := oneOf(name, nexts[:2]) && (slices.Contains(nexts, last) || slices.Contains(counts, last))
	return further || oneOf(f.key, others)
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
	case last == "pages", slices.Contains(f.key, "page") && oneOf(f.key, numbered):
		return of > 1
	case last == "page" && (bare || oneOf(f.key, current)):
		return of > 1
	case oneOf(f.key, amounts) && (bare || oneOf(f.key, numbered)), oneOf(name, amounts) && last == "value":
		return of > listed
	}
	return false
}

// isAround reports whether an object is nothing but what a server puts around a list.
func (r *Result) isAround(pointer string) bool {
	isOther := func(w string) bool { return !slices.Contains(wrappers, w) }
	name := words(strictjson.UnescapeToken(pointer[strings.LastIndexByte(pointer, '/')+1:]))
	if slices.ContainsFunc(name, func(w string) bool { return isOther(w) && !slices.Contains(containers, w) }) {
		return false
	}
	return !slices.ContainsFunc(r.records[pointer], func(i int) bool {
		f := &r.fields[i]
		return !f.null && slices.ContainsFunc(slices.Concat(f.part, f.key), isOther)
	})
}
