package mention

import (
	"strconv"
	"time"

	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// spells reports whether the text has a day, a time or a number, however people write
// it: 1988-02-11 as "February 11, 1988", 1250.5 as "$1,250.50".
func (t Text) spells(value string) bool {
	kind := strictjson.String
	switch {
	case isNumber(value):
		kind = strictjson.Number
	case !isMoment(value):
		return false
	}

	s := provenance.New(nil)
	s.External("others", "-") // what the text doesn't have is not its author's
	s.User("said", t.raw)
	resolved := s.Resolve(provenance.Act{}, []provenance.Value{{Pointer: "/value", Kind: kind, Text: value, Brief: true}})
	return len(resolved) == 1 && resolved[0].Label.Trust >= label.User
}

func isMoment(value string) bool {
	if value == "" || value[0] < '0' || value[0] > '9' {
		return false // as most are, and each layout begins with a digit
	}
	for _, layout := range [...]string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "15:04", "15:04:05"} {
		if _, err := time.Parse(layout, value); err == nil {
			return true
		}
	}
	return false
}

// isNumber reports whether a value is a number of a size that people say. Longer ones
// are codes.
func isNumber(value string) bool {
	const most = 8
	if len(value) > most {
		return false
	}
	_, err := strconv.ParseFloat(value, 64)
	return err == nil
}
