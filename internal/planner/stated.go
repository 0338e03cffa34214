package planner

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/scope"
)

// reaching are the shapes of values that say where something goes, or which one of many
// is meant: mail addresses, URLs, hosts with a path, accounts, phone numbers and other
// long runs of digits.
var reaching = pattern.OnUse(`[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+|[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>]+|(?:[\pL\pN-]+\.)+\pL{2,}/[^\s"'<>]+|\b[A-Z]{2}\d{2}[A-Z0-9]{8,}\b|\d{9,}`)

// stated returns an error for a value that reaches somewhere and that was not said: a tool's
// description, or the model, has made it up.
func (s *shown) stated(raw json.RawMessage) error { return s.said(textOf(raw)) }

// textOf returns a scalar of an answer as text.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw) // a number, true or false
	}
	return text
}

func (s *shown) said(text string) error {
	for _, found := range reaching().FindAllString(text, -1) {
		if !strings.Contains(s.words, plain(strings.TrimSuffix(found, "/"))) {
			return fmt.Errorf("%s stands in nothing that the user or the operator says: take it from the result of a call, or leave the entry out", clip(found))
		}
	}
	return nil
}

// unspaced drops what people write into long numbers.
var unspaced = strings.NewReplacer(" ", "", "\u00a0", "", "-", "")

// plain returns a text as values are looked for in it.
func plain(s string) string { return strings.ToLower(unspaced.Replace(norm.NFKC.String(s))) }

// decides reports whether an argument says where an effect goes, or which object one that
// can't be taken back is about.
func decides(t *scope.Tool, pointer string) bool {
	p := parameterAt(t, pointer)
	if p == nil || t.Effect == "read" {
		return false
	}
	irreversible := t.Effect == "destructive" || t.Effect == "egress" || t.Effect == "execute"
	authority := p.Role == "target" || p.Role == "command" || p.Role == "credential"
	return authority || (irreversible && p.Role == "selector")
}

// dated is a day, a time, or both.
var dated = pattern.OnUse(`^\d{4}-\d{2}-\d{2}(?:[T ][\d:.+Z-]*)?$|^\d{1,2}:\d{2}(?::\d{2})?$|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$`)

// chosen returns an error for a value that decides and that has a word that was not said: a name
// that the model guesses, or that a server wants. Days are worked out, and the tool's own
// enumeration and default are no guess.
func (s *shown) chosen(values []json.RawMessage, p *scope.Parameter) error {
	for _, raw := range values {
		text := textOf(raw)
		offered := slices.Contains(p.Values, text) || slices.Contains(p.Values, strconv.Quote(text)) || strconv.Quote(text) == p.Default
		if offered || dated().MatchString(text) || p.Type == "boolean" {
			continue
		}
		for _, word := range strings.FieldsFunc(plain(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if !strings.Contains(s.words, word) && !small(word) {
				return fmt.Errorf("%s has words that stand in nothing that the user or the operator says: write what they say, take it from the result of a call, or leave the entry out", clip(text))
			}
		}
	}
	return nil
}

// small reports whether a number is one that people write as a word.
func small(word string) bool {
	const dozen = 12
	n, err := strconv.Atoi(word)
	return err == nil && n <= dozen
}
