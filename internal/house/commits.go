package house

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var subjectForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_./-]*(, [a-z0-9][a-z0-9_./-]*)*: (\S+)( .*)?$`)

// CheckSubject checks the subject of a commit: "package: imperative lower-case".
func CheckSubject(subject string) error {
	if strings.HasPrefix(subject, "Merge ") || strings.HasPrefix(subject, "Revert ") {
		return nil
	}
	m := subjectForm.FindStringSubmatch(subject)
	if m == nil {
		return fmt.Errorf("%q: write package: imperative lower-case", subject)
	}

	word := m[2]
	switch {
	case word != strings.ToLower(word):
		return fmt.Errorf("%q: begin with a lower-case verb after the package", subject)
	case strings.HasSuffix(subject, "."):
		return fmt.Errorf("%q: leave out the full stop", subject)
	case !isImperative(word):
		return fmt.Errorf("%q: begin with a verb in the imperative instead of %q", subject, word)
	}
	return nil
}

// noVerbs begin subjects that say what there is instead of what a commit does.
var noVerbs = strings.Fields(`
	a an the this that these those it its they their he she we our you your i my
	what which who whom whose where when why how whether whatever whoever
	no not nothing nobody every each all both any some somebody something several many
	one two three four five six seven eight nine ten first second other another
	new more less better of from in on at to for with without by as and or but if`)

// imperatives are verbs that end like other forms.
var imperatives = strings.Fields(`
	access address assess bless bypass canvas compress cross discuss dismiss dress express focus guess
	miss pass press process progress suppress toss discus
	bring fling ping ring string swing wring
	bed embed exceed feed heed need proceed seed shed shred speed succeed weed wed`)

func isImperative(word string) bool {
	word = strings.TrimRight(word, ",;:")
	if slices.Contains(noVerbs, word) {
		return false
	}

	inflected := strings.HasSuffix(word, "s") || strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "ing")
	return !inflected || slices.Contains(imperatives, word)
}
