package mention

import (
	"strconv"
	"time"
)

// isMoment reports whether a value is a day or a time.
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
