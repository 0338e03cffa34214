// Package superlative has the words by which a criterion says which one of several values is
// meant, and those that leave some out: a scope is refused by the same words by which its
// criteria are read.
package superlative

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/remit-project/remit/internal/scalar"
	"github.com/remit-project/remit/internal/wordlist"
)

// Order is a criterion that a program can check: the words for it, the members that it is about,
// and whether the largest value is meant.
type Order struct {
	Words   []string
	Members []string
	Largest bool
}

//go:embed words.txt
var wordTable string

type lists struct{ Spans, Restricting wordlist.Set }

var lexicon = sync.OnceValue(func() *lists { return wordlist.Must(wordlist.Fill[lists](wordTable)) })

var orders = []Order{
	{[]string{"newest", "latest", "last", "recent", "recently"},
		[]string{"date", "time", "timestamp", "created", "updated", "modified", "received", "sent", "start", "ts", "year"}, true},
	{[]string{"oldest", "earliest", "first"},
		[]string{"date", "time", "timestamp", "created", "updated", "modified", "received", "sent", "start", "due", "ts", "departs", "leaves", "year"}, false},
	{[]string{"next", "soonest", "upcoming"}, []string{"date", "time", "start", "due", "departs", "leaves"}, false},
	{[]string{"largest", "biggest"}, []string{"size", "bytes", "length", "area", "count", "amount", "members", "total"}, true},
	{[]string{"smallest"}, []string{"size", "bytes", "length", "area", "count", "amount", "members", "total"}, false},
	{[]string{"cheapest"}, []string{"price", "cost", "fare", "fee", "rate", "total", "amount"}, false},
	{[]string{"lowest"}, []string{"price", "cost", "fare", "fee", "rate", "total", "amount", "rating", "score", "stars"}, false},
	{[]string{"expensive"}, []string{"price", "cost", "fare", "fee", "rate", "total", "amount"}, true},
	{[]string{"highest"}, []string{"price", "cost", "fare", "fee", "rate", "rating", "score", "stars", "total", "amount"}, true},
	{[]string{"best"}, []string{"rating", "score", "stars"}, true},
	{[]string{"shortest"}, []string{"duration", "length", "time", "distance"}, false},
	{[]string{"fastest", "quickest"}, []string{"duration", "time"}, false},
	{[]string{"nearest", "closest"}, []string{"distance"}, false},
	{[]string{"farthest", "furthest"}, []string{"distance"}, true},
	{[]string{"heaviest"}, []string{"weight", "mass"}, true},
	{[]string{"lightest"}, []string{"weight", "mass"}, false},
	{[]string{"youngest"}, []string{"date", "born", "birth", "birthdate", "birthday"}, true},
	{[]string{"longest"}, []string{"duration", "length", "distance"}, true},
	{[]string{"most"}, []string{"count", "members", "users", "votes", "likes", "stars"}, true},
	{[]string{"fewest"}, []string{"count", "members", "users", "votes", "likes", "stars"}, false},
}

// Of returns the order that a word names; nil for another word.
func Of(word string) *Order {
	i := slices.IndexFunc(orders, func(o Order) bool { return slices.Contains(o.Words, word) })
	if i < 0 {
		return nil
	}
	return &orders[i]
}

var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}

// Ordinal returns the place in a list that a word names ("the second in the list"); 0 for another
// word.
func Ordinal(word string) int { return ordinals[word] }

// IsSpan reports whether the word before is not a superlative: the last month, the next week, the
// first name.
func IsSpan(word string) bool { return lexicon().Spans.Has(word) }

// IsRestricting reports whether a word of a criterion leaves values out. What is meant by it, a
// listing of all values doesn't say.
func IsRestricting(word string) bool { return lexicon().Restricting.Has(word) }

// Restricts reports whether a criterion leaves out some of all values.
func Restricts(criterion string) bool {
	words := scalar.Words(criterion)
	for i, w := range words {
		isSpan := i+1 < len(words) && IsSpan(words[i+1])
		if Ordinal(w) > 0 || IsRestricting(w) || (Of(w) != nil && !isSpan) {
			return true
		}
	}
	return false
}
