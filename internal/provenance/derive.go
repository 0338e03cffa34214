package provenance

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/label"
)

// resolveDerived resolves a string that appears nowhere as it is, but that the monitor
// can make from text that does: each derivation is recomputed here, piece by
// piece, and is as good as its worst piece.
func (q *query) resolveDerived() (Resolution, bool) {
	text := q.v.Text
	if !isClean(text) {
		return Resolution{}, false
	}
	for _, try := range [...]func(string) (Resolution, bool){
		q.resolveCaseless, q.resolveComponent, q.resolvePathJoin, q.resolveRenamed, q.resolveGlob, q.resolveList, q.resolveArithmetic,
	} {
		if r, ok := try(text); ok && r.Label.Trust > q.s.Ambient().Trust {
			return r, true
		}
	}
	return Resolution{}, false
}

// resolveCaseless resolves words that the user wrote in another case. Only plain words
// qualify: in paths, commands and identifiers case makes another thing.
func (q *query) resolveCaseless(text string) (Resolution, bool) {
	if !plainWords(text) {
		return Resolution{}, false
	}

	var found []occurrence
	for _, o := range q.s.vouch.find(text, true) {
		if sameButCase(q.s.vouch.sources[o.source].text[o.start:o.end], text) {
			found = append(found, o)
		}
	}
	return q.best(text, found, "case", true)
}

// plainWords reports whether a text is words with the punctuation of sentences, of
// three letters at least.
func plainWords(text string) bool {
	letters := 0
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 0x80 || (atom.IsAlphanumeric(c) && !atom.IsDigit(c)):
			letters++
		case c == '.' && i+1 < len(text) && text[i+1] != ' ':
			return false
		case !atom.IsDigit(c) && strings.IndexByte(" -',.!?&:", c) < 0:
			return false
		}
	}
	return letters >= 3
}

// sameButCase reports whether two texts that differ in case are the same words.
// Where a word has digits, or capitals inside of it, case may tell two
// identifiers apart: "XkZ9w" is not "xkz9w".
func sameButCase(a, b string) bool {
	if len(a) != len(b) {
		return false // a letter that folds to another length
	}
	for start, end := range atom.Words(a) {
		if a[start:end] != b[start:end] && (caseTells(a[start:end]) || caseTells(b[start:end])) {
			return false
		}
	}
	return true
}

// caseTells reports whether a word is more likely an identifier than a word: it
// mixes digits with letters, unless it is a very short one such as "Q3", or
// has a capital after a small letter.
func caseTells(w string) bool {
	lower := false
	for _, r := range w {
		digit := r < utf8.RuneSelf && atom.IsDigit(byte(r))
		if (digit && len(w) > 3) || (lower && unicode.IsUpper(r)) {
			return true
		}
		lower = lower || unicode.IsLower(r)
	}
	return false
}

// resolveComponent resolves one component of something that the user wrote in one
// piece, between slashes: "site" of "acme/site", "77" of ".../pull/77". When
// the component next to it fills another argument of the same call, the user's
// atom was taken apart and nothing was chosen; otherwise the doubt stays as an
// obligation. The key of an assignment ("session=…") counts likewise.
func (q *query) resolveComponent(text string) (Resolution, bool) {
	if len(text) < 2 || strings.ContainsAny(text, "/ \n") {
		return Resolution{}, false
	}
	offset, word := firstWord(text)
	list := q.s.vouch.words[strings.ToLower(word)]
	if word == "" || len(list) > maxPositions {
		return Resolution{}, false
	}

	var best Resolution
	ok := false
	for _, p := range list {
		if !q.s.work.spend(candidateWork + len(text)) {
			return Resolution{}, false
		}
		src := q.s.vouch.sources[p.source].text
		from := int(p.start) - offset
		if !isComponent(src, from, text) {
			continue
		}
		o := q.s.vouch.occurrence(int(p.source), from, from+len(text))
		if q.s.vouch.isNegated(o) {
			continue
		}

		r := Resolution{Label: q.s.vouch.sources[p.source].label, How: "part of the user's", Witness: true,
			Evidence: []label.Evidence{q.s.vouchEvidence(o, len(text))}}
		if !q.isRequestedAt(o) {
			r.Label.Obligations |= label.Unrequested
		}
		if !q.siblingNext(src, from, o.end) {
			r.Label.Obligations |= label.LowInfo
		}
		if !ok || r.Label.Obligations < best.Label.Obligations {
			best, ok = r, true
		}
	}
	return best, ok
}

// orComponent returns the resolution of a value as a component of the user's atom, where
// that has fewer doubts: whatever else is called Acme, "acme/shop" names an owner.
func (q *query) orComponent(r Resolution) Resolution {
	if r.Label.Obligations&label.LowInfo == 0 {
		return r
	}
	c, ok := q.resolveComponent(q.v.Text)
	if !ok || c.Label.Trust < label.User || c.Label.Obligations >= r.Label.Obligations {
		return r
	}
	return c
}

// firstWord returns the first word of a text and where it begins.
func firstWord(text string) (int, string) {
	for start, end := range atom.Words(text) {
		return start, text[start:end]
	}
	return 0, ""
}

// isComponent reports whether src has a text from a place on, as a component of
// something in one piece: next to a slash, or before an equals sign.
func isComponent(src string, from int, text string) bool {
	to := from + len(text)
	if from < 0 || to > len(src) || src[from:to] != text {
		return false
	}

	left := from > 0 && src[from-1] == '/'
	right := to < len(src) && (src[to] == '/' || src[to] == '=')
	return (left || right) && (left || atom.IsBoundedLeft(src, from)) && (right || atom.IsBoundedRight(src, to))
}

// siblingNext reports whether the component before or after src[from:to] is the
// value of another argument.
func (q *query) siblingNext(src string, from, to int) bool {
	var before, after string
	if from > 0 && src[from-1] == '/' {
		start := from - 1
		for start > 0 && src[start-1] != '/' && !atom.IsHardByte(src, start-1) {
			start--
		}
		before = src[start : from-1]
	}

	if to < len(src) && src[to] == '/' {
		end := to + 1
		for end < len(src) && src[end] != '/' && !atom.IsHardByte(src, end) {
			end++
		}
		after = strings.TrimRight(src[to+1:end], ".,!?:")
	}

	if !q.s.work.spend(candidateWork * len(q.siblings)) {
		return false
	}
	for _, v := range q.siblings {
		if v.Pointer != q.v.Pointer && v.Text != "" && (v.Text == before || v.Text == after) {
			return true
		}
	}
	return false
}

// resolvePathJoin resolves a path that is a directory of the user's and, below it,
// names that are vouched for by themselves.
func (q *query) resolvePathJoin(text string) (Resolution, bool) {
	segments, separator, ok := pathSegments(text)
	if !ok {
		return Resolution{}, false
	}

	// The longest directory that the user named.
	for cut := len(segments) - 1; cut >= 1; cut-- {
		dir := strings.Join(segments[:cut], separator)
		if dir == "" {
			break
		}
		base, ok := q.resolveExact(dir)
		if !ok {
			base, ok = q.resolveExact(dir + separator)
		}
		if ok {
			return q.resolveBelow(base, segments[cut:], separator)
		}
	}
	return Resolution{}, false
}

// pathSegments parts a path by its separator: slashes, or else backslashes. It
// refuses a path with both, with empty segments, and with one that leads elsewhere.
func pathSegments(text string) (segments []string, separator string, ok bool) {
	separator = "/"
	if !strings.Contains(text, "/") {
		separator = `\` // C:\Users
	}
	both := separator == "/" && strings.Contains(text, `\`)
	if both || !strings.Contains(text, separator) || strings.Contains(text, separator+separator) || strings.ContainsAny(text, "\n?*") {
		return nil, "", false
	}

	segments = strings.Split(text, separator)
	if len(segments) > maxPieces || contains(segments, "..") || contains(segments, ".") {
		return nil, "", false
	}
	return segments, separator, true
}

// resolveBelow resolves a path by its directory and the names below it.
func (q *query) resolveBelow(directory Resolution, names []string, separator string) (Resolution, bool) {
	directory.How = "path joined"
	if rest, ok := q.resolveExact(strings.Join(names, separator)); ok {
		directory.take(rest)
		return directory, true
	}

	for _, s := range names {
		part, ok := q.resolveText(s)
		if !ok {
			return Resolution{}, false
		}
		directory.take(part)
	}
	return directory, true
}

// directory resolves a directory that is the beginning of a path.
func (q *query) directory(dir string) (Resolution, bool) {
	if dir == "" {
		return Resolution{}, false
	}
	if r, ok := q.resolveExact(dir); ok {
		return r, true
	}
	return q.resolveExact(dir + "/")
}

// plainPath reports whether a path has segments that every program reads alike,
// and none that hides or climbs.
func plainPath(text string) bool {
	if !strings.HasPrefix(text, "/") || strings.ContainsAny(text, "\\\n?*$~%") || strings.Contains(text, "//") {
		return false
	}
	for segment := range strings.SplitSeq(text[1:], "/") {
		if segment == "" || segment[0] == '.' || segment[0] == '-' {
			return false
		}
	}
	return true
}

// resolvePathBelow resolves a path in a folder that the user named, in a call that only
// reads: to ask for a folder is to ask for what is in it.
func (q *query) resolvePathBelow(text string) (Resolution, bool) {
	isPath := q.v.Form == FormPath || contains(q.n.last, "path") || contains(q.n.last, "file")
	if q.act.Effect != Reads || q.act.Tool == "" || !isPath || !plainPath(text) {
		return Resolution{}, false
	}

	for cut := strings.LastIndexByte(text, '/'); cut > 0; cut = strings.LastIndexByte(text[:cut], '/') {
		if folder := text[strings.LastIndexByte(text[:cut], '/')+1 : cut]; strings.Contains(folder, ".") {
			continue // more likely a file
		}
		if _, ok := q.directory(text[:cut]); ok {
			return q.settled("below a folder of the user's", "to ask for a folder is to ask for what is in it"), true
		}
	}
	return Resolution{}, false
}

// resolveNewPath resolves the path of a new file in a folder that the user named for what the
// call makes: "save a summary in /home/ann/notes". The name is the model's, so that it must be
// plain, and be in nothing that others wrote: it would be a file that exists, or one that they
// want written.
func (q *query) resolveNewPath(text string) (Resolution, bool) {
	isPath := q.v.Form == FormPath || contains(q.n.last, "path") || contains(q.n.last, "file")
	changes := q.act.Effect == Writes || q.act.Effect == Destroys
	makes := changes && len(q.act.words) > 0 && requests().tools[q.act.words[0]]&toMake != 0 // "file" is a verb, too
	cut := strings.LastIndexByte(text, '/')
	if !isPath || !makes || cut <= 0 || !plainPath(text) || !plainFileName().MatchString(text[cut+1:]) {
		return Resolution{}, false
	}

	r, ok := q.directory(text[:cut])
	if !ok || r.Label.Obligations != 0 || q.s.isInOthersText(text[cut+1:]) {
		return Resolution{}, false
	}
	r.How = "new in a folder of the user's"
	return r, true
}

// plainFileName is a name of a text or a document, which no program runs or reads as its
// settings.
var plainFileName = pattern.OnUse(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.(?:md|txt|csv|html|pdf|docx|xlsx|odt|rtf|tex|png|jpg|svg)$`)

// maxOthersText bounds how much text of others is searched for the name of a new file, in
// bytes.
const maxOthersText = 1 << 20

// isInOthersText reports whether what others wrote has a text, or is too much to tell.
func (s *Session) isInOthersText(text string) bool {
	left := maxOthersText
	for i := range s.events {
		e := &s.events[i]
		if e.label.Trust >= label.User {
			continue
		}
		left -= len(e.text)
		if left < 0 || !s.work.spend(len(e.text)/bytesAStep) || strings.Contains(e.text, text) {
			return true
		}
	}
	return false
}

// bytesAStep is how many bytes are searched in the time of one step.
const bytesAStep = 16

// resolveRenamed resolves a path that has the folder of another argument's path, and a
// name of the user's: "rename /srv/a.txt to b.txt".
func (q *query) resolveRenamed(text string) (Resolution, bool) {
	cut := strings.LastIndexByte(text, '/')
	if cut <= 0 || !plainPath(text) {
		return Resolution{}, false
	}
	for _, v := range q.siblings {
		if v.Pointer == q.v.Pointer || strings.LastIndexByte(v.Text, '/') != cut || v.Text[:cut] != text[:cut] {
			continue
		}
		r, ok := q.resolveExact(v.Text)
		name, named := q.resolveExact(text[cut+1:])
		if !ok || !named {
			continue
		}
		r.How = "path joined"
		r.take(name)
		return r, true
	}
	return Resolution{}, false
}

// resolveGlob resolves a pattern for all files with an ending that the user named: "*.tmp"
// for "all .tmp files".
func (q *query) resolveGlob(text string) (Resolution, bool) {
	ending, ok := strings.CutPrefix(text, "*.")
	if !ok || ending == "" || strings.ContainsAny(ending, "*?[{/ ") {
		return Resolution{}, false
	}
	r, ok := q.resolveExact("." + ending)
	if !ok {
		return Resolution{}, false
	}
	r.How = "pattern of an ending"
	r.Label.Obligations &^= label.LowInfo
	return r, true
}

// resolveList resolves a list in one string: every item vouched for as a whole. A
// list of addresses is as good as its items; of other items, the order and the
// choice remain in doubt, as an obligation.
func (q *query) resolveList(text string) (Resolution, bool) {
	separators := ",;\n"
	if !strings.ContainsAny(text, separators) {
		return Resolution{}, false
	}
	items := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) })
	if len(items) < 2 || len(items) > maxPieces {
		return Resolution{}, false
	}

	r := Resolution{Label: label.Identity(), How: "joined", Witness: true}
	lines := !strings.ContainsAny(text, ",;@")
	for _, item := range items {
		item = strings.Trim(item, " \t")
		if lines {
			// The bullets of a list.
			item = strings.TrimLeft(item, "-*• ")
		}
		if len(item) < 2 {
			return Resolution{}, false
		}
		part, ok := q.resolveText(item)
		if !ok {
			return Resolution{}, false
		}
		if _, mail := mailKey(item); !mail {
			part.Label.Obligations |= label.LowInfo
		}
		r.take(part)
	}
	return r, true
}
