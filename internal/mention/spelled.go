package mention

import (
	"strconv"
	"strings"
	"time"
)

// isMoment reports whether a value is a day or a time.
func isMoment(value string) bool {
	if value == "" || value[0] < '0' || value[0] > '9' || !strings.ContainsAny(value, "-:") {
		return false // as most are: each layout begins with a digit, and has one of the signs
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
