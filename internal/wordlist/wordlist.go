// Package wordlist reads the lists of words that the program knows people and services by. They
// are text, so that who knows the language can review them, and are checked when they are read.
package wordlist

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// List is a list of a table of words.
type List struct {
	Name  string
	Words []string
}

// Set returns the words as a set.
func (l *List) Set() Set { return newSet(l.Words) }

// Read reads a table of words: a line for each list, "name: words", which goes on in lines that
// begin with a blank. It refuses lines of another form, a name that comes twice, and a list
// without words or with one word twice.
func Read(table string) ([]List, error) {
	var out []List
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, " \n")
		if line == "" || line[0] == '#' {
			continue
		}

		if line[0] == ' ' && len(out) > 0 {
			last := &out[len(out)-1]
			last.Words = append(last.Words, strings.Fields(line)...)
			continue
		}
		name, words, ok := strings.Cut(line, ": ")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q is not a list: write NAME: words", line)
		}
		if slices.ContainsFunc(out, func(l List) bool { return l.Name == name }) {
			return nil, fmt.Errorf("list %q comes twice", name)
		}
		out = append(out, List{name, strings.Fields(words)})
	}

	for _, l := range out {
		if n := len(l.Set().has); n == 0 || n < len(l.Words) {
			return nil, fmt.Errorf("list %q is empty or has a word twice", l.Name)
		}
	}
	return out, nil
}

// Must returns a table that is part of the program. A mistake in it stops every test. Tables are
// read when they are first used: hooks start the program for every event, and many of these starts
// decide no call.
func Must[T any](table T, err error) T {
	if err != nil {
		panic(err)
	}
	return table
}

// Set is the words of a list.
type Set struct {
	words []string
	has   map[string]bool
}

func newSet(words []string) Set {
	s := Set{words, make(map[string]bool, len(words))}
	for _, w := range words {
		s.has[w] = true
	}
	return s
}

// Has reports whether a word is in the list.
func (s Set) Has(word string) bool { return s.has[word] }

// In reports whether one of the words is in the list.
func (s Set) In(words []string) bool { return slices.ContainsFunc(words, s.Has) }

// Ends reports whether the last of some words is in the list.
func (s Set) Ends(words []string) bool { return len(words) > 0 && s.Has(words[len(words)-1]) }

// Words returns the words, in the order of the table.
func (s Set) Words() []string { return s.words }

// Fill reads a table into a structure whose members are a [Set] each, called as the lists are but
// with a capital letter. It refuses a list without a member, and a member without a list.
func Fill[T any](table string) (*T, error) {
	lists, err := Read(table)
	if err != nil {
		return nil, err
	}

	out := new(T)
	members := reflect.ValueOf(out).Elem()
	for _, l := range lists {
		member := members.FieldByName(strings.ToUpper(l.Name[:1]) + l.Name[1:])
		if !member.IsValid() {
			return nil, fmt.Errorf("list %q is of no member", l.Name)
		}
		member.Set(reflect.ValueOf(l.Set()))
	}
	for i := range members.NumField() {
		if members.Field(i).IsZero() {
			return nil, fmt.Errorf("member %s has no list", members.Type().Field(i).Name)
		}
	}
	return out, nil
}
