package strictyaml

import (
	"strings"

	"github.com/remit-project/remit/internal/display"
)

// Clip shortens text from a file for a message.
func Clip(s string) string { return display.Clip(s, 80) }

// Suggest returns the known word that was probably meant, or "".
func Suggest(word string, known []string) string {
	if len(word) > 64 {
		return ""
	}
	best, distance := "", 3
	for _, k := range known {
		if strings.EqualFold(word, k) {
			return k
		}
		// A third of a word may be wrong, or it is another word.
		if d := editDistance(strings.ToLower(word), strings.ToLower(k)); d < distance && 3*d <= len(k)+1 {
			best, distance = k, d
		}
	}
	return best
}

// DidYouMean makes a hint of a suggestion and of what may be written at all.
func DidYouMean(word string, known []string) string {
	all, meant := "write "+Listing(known, " or "), Suggest(word, known)
	switch {
	case meant == "":
		return all
	case len(known) == 1:
		return "did you mean " + meant + "?"
	}
	return "did you mean " + meant + "? (" + all + ")"
}

// Listing joins words as a sentence does, with the last word for "and" or "or",
// spaces included.
func Listing(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}

// editDistance returns the number of bytes to insert, delete, replace or swap with their
// neighbour to make b of a.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		last[j] = j
	}

	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}

	return last[len(b)]
}
