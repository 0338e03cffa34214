package asked

import (
	"regexp"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

// The bounds of what is read of the user's words: beyond them nothing is taken
// for asked.
const (
	// maxPrompt is the longest prompt that is read, in bytes.
	maxPrompt = 16 << 10
	// maxClauses is how many clauses of a prompt are read.
	maxClauses = 256
)

// said is a piece of a prompt: a clause, or a line of a block of code.
type said struct {
	text string
	// code is set where it is in a block, or is all of the prompt.
	code bool
	// dead is set where it doesn't ask for what it says: it forbids it, reports it, or is a
	// question. Loose is set where it may ask for it under conditions.
	dead, loose bool
	// verb is what the clause before asks for, where this one has none.
	verb string
}

var (
	fence = pattern.OnUse("(?s)(?:^|\n)[ \t]*(?:```|~~~)[^\n]*\n(.*?)(?:\n[ \t]*(?:```|~~~)[ \t]*(?:\n|$)|$)")
	// ending is where a sentence ends: not within a name ("a.py", "v1.2").
	ending = pattern.OnUse(`[.!?;]+["'”)]*(?:\s+|$)|\n+`)
	// joint is where a clause ends.
	joint = pattern.OnUse(`(?i)\s*,\s+(?:and\s+)?(?:then\s+)?|\s+(?:and then|and afterwards|and also|and|then|but|followed by|after that|before that)\s+|\s+(?:—|–|-|->|=>)\s+|:\s+`)
	// purpose is where a clause stops saying what is to be done.
	purpose = pattern.OnUse(`(?i)\s+(?:so that|so|because|since|in order to|which|who|as it|as we|as they|for me|for us|for testing|for now|for the|using the|to make|to see|to get|to check|to test|to fix|to start|to be|we don't|thanks|thank you|pls|please)\b.*$`)
	polite  = pattern.OnUse(`(?i)^(?:please|pls|kindly|now|then|also|next|first|second|finally|lastly|ok|okay|yes|yep|yeah|yup|sure|great|good|perfect|fine|cool|nice|thanks|thank you|alright|right|hi|hey|hello|just|simply|quickly|so|well|and|but|again|afterwards|after that|maybe|go ahead|go ahead and|go on and|let'?s|let us|lets|(?:can|could|would|will) (?:you|u|we)(?: please| kindly| just| now| also| quickly)*|you (?:can|may|should|could)|we (?:can|should|need to|have to|must)|i(?:'d| would)? (?:want|need|like)(?: for)?(?: you| us)?(?: to)?|i want to|i need to|need to|want to|time to|your job is to|your task is to|try to|help me(?: to)?|make sure to|be sure to|remember to|don't forget to|do|in the background|from the root|there)(?:[\s,:!.-]+|$)`)
	runs    = pattern.OnUse(`(?i)^(?:run|execute|exec|type|invoke|call|launch|issue|enter|do|try|use|start|perform|start with|begin with|run through)\s+(?:(?:the|this|these|that|following|command|commands|line|lines|a|an|it|with|below|exactly|shell)\s*)*:?\s*`)
	// forbids are words after which a sentence doesn't ask for what it says.
	forbids = pattern.OnUse(`(?i)\b(?:not|never|don'?t|do n[o']t|dont|doesn'?t|didn'?t|won'?t|can'?t|cannot|cant|shouldn'?t|shan'?t|mustn'?t|isn'?t|wasn'?t|no|without|avoid|instead|rather than|stop|refrain|unless|except|excluding|other than|apart from|forbid|forbidden|prohibited|off limits|nobody|none|neither|nor|hold off|leave alone|keep|(?:ask|check with|confirm with|warn) me|before you|myself|by hand|already|later|i(?:'ll| will|'m going to| am going to))\b`)
	// tells are words after which it reports it: another person's words, or the past.
	tells = pattern.OnUse(`(?i)\b(?:says?|said|saying|tells?|told|telling|claims?|claimed|suggests?|suggested|suggestion|recommends?|recommended|according|writes|wrote|written|reads|asks|asked|wants|wanted|instructs?|instructed|advises?|advised|mentions?|mentioned|states|stated|reports?|reported|output|prints?|printed|shows|showed|contains?|means?|meaning|explain|explains|describe|describes|what|why|how|whether|who|whose|does|did|happens?|happened|would happen|ran|was|were|had|failed|fails|error|errors|if i|when i|after i|i ran|i tried|i get|we ran|used to|supposed to|safe|dangerous|difference|document|comment|mention|review|summari[sz]e|translate|quote|print|echo|example|the readme|the docs|the issue|the page|the email|a page|an issue|somebody|someone|they|he|she|which command|which commands)\b`)
	// conditions are words by which it depends on something.
	conditions = pattern.OnUse(`(?i)\b(?:if|when|once|until|after|before|while|unless|as soon as|in case|whenever|later|tomorrow|only)\b`)
	// question is a sentence that asks for something to be done all the same.
	asking = pattern.OnUse(`(?i)^(?:\W*(?:ok|okay|hi|hey|hello|and|so|also|now|please|great|thanks|yes)\W+)*(?:can|could|would|will) (?:you|u|we)\b|\bplease\b`)
	// takesBack are sentences that take back all that the prompt has said so far.
	takesBack = pattern.OnUse(`(?i)(?:^|[\s,;.!—-])(?:never ?mind|scratch that|no,? wait|wait,? no|on second thou?ght|cancel that|forget (?:it|that|about it)|or rather|actually,? (?:no|don'?t|not)|just kidding|don'?t do (?:it|that|this|so)|do not do (?:it|that|this|so)|hold on|strike that)\b`)
)

// pieces reads a prompt.
func pieces(prompt string) []said {
	if len(prompt) > maxPrompt {
		return nil
	}
	prompt = strings.NewReplacer("\r\n", "\n", "’", "'", "‘", "'", "“", `"`, "”", `"`, "\u00a0", " ").Replace(strings.TrimSpace(prompt))

	var out []said
	if whole := unprompted(prompt); !strings.Contains(whole, "\n") && !strings.Contains(whole, "```") {
		out = append(out, said{text: whole, code: true})
	}

	at := 0
	for _, m := range fence().FindAllStringSubmatchIndex(prompt, -1) {
		before := prompt[at:m[0]]
		out = append(out, prose(before)...)
		after := prompt[m[1]:]
		state := introduced(before, after, strings.TrimSpace(prompt[:m[0]]+after) == "")
		out = append(out, block(prompt[m[2]:m[3]], state)...)
		at = m[1]
	}
	out = append(out, prose(prompt[at:])...)
	if len(out) > maxClauses {
		return nil
	}

	if i := lastBack(out); i > 0 {
		for j := range out[:i] {
			out[j].dead = true
		}
	}
	return out
}

// lastBack is the place of the last piece that takes back what comes before it;
// -1 when none does.
func lastBack(all []said) int {
	for i := len(all) - 1; i >= 0; i-- {
		takes := !all[i].code && takesBack().MatchString(all[i].text)
		if takes || all[i].verb == "back" {
			return i
		}
	}
	return -1
}

// mark is what a shell prints before a line that is typed.
var mark = pattern.OnUse(`^\s*(?:\$|%|>|❯|➜|#)\s+`)

func unprompted(line string) string { return mark().ReplaceAllString(line, "") }

// introduced reports whether the words around a block of code ask for what is in it: the sentence
// before it says to run it, or there is nothing else.
func introduced(before, after string, alone bool) said {
	if alone {
		return said{code: true}
	}
	last := prose(before)
	if len(last) == 0 {
		first := prose(after)
		if len(first) == 0 || first[0].dead || objects(after) {
			return said{code: true, dead: true}
		}
		return said{code: true, dead: !runs().MatchString(bare(first[0].text)+" ") && !slices.Contains([]string{"please", "thanks"}, strings.ToLower(first[0].text))}
	}
	l := last[len(last)-1]
	text := bare(strings.TrimRight(l.text, ":. "))
	asks := text == "" || runs().MatchString(text+" ") || strings.HasPrefix(strings.ToLower(l.verb), "run")
	return said{code: true, dead: l.dead || !asks || objects(after), loose: l.loose}
}

// objects reports whether the sentence after a block of code takes it back, or asks about it.
func objects(after string) bool {
	after = strings.TrimSpace(after)
	m := ending().FindStringIndex(after)
	if m == nil {
		return forbids().MatchString(after)
	}
	first := after[:m[0]]
	question := strings.Contains(after[m[0]:m[1]], "?") && !asking().MatchString(first)
	return question || forbids().MatchString(first) || takesBack().MatchString(first)
}

// block reads the lines of a block. Where some have a shell's prompt, the others
// are what commands print.
func block(text string, state said) []said {
	lines := strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n")
	session := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "$ ") })
	var out []said
	for _, l := range lines {
		l = strings.TrimSpace(l)
		output := session && !strings.HasPrefix(l, "$ ")
		if l == "" || output || strings.HasPrefix(l, "#") {
			continue
		}
		state.text = unprompted(l)
		out = append(out, state)
	}
	return out
}

// prose reads sentences.
func prose(text string) []said {
	var out []said
	for at := 0; at < len(text); {
		end, next := len(text), len(text)
		if m := ending().FindStringIndex(text[at:]); m != nil {
			end, next = at+m[0], at+m[1]
		}
		mark := text[end:next]
		if s := strings.TrimSpace(text[at:end]); s != "" {
			out = append(out, sentence(s, strings.Contains(mark, "?"))...)
		}
		at = next
	}
	return out
}

// sentence reads the clauses of a sentence.
func sentence(text string, question bool) []said {
	r := sentenceReader{dead: question && !asking().MatchString(text)}
	if takesBack().MatchString(text) {
		r.out = append(r.out, said{text: text, verb: "back", dead: true})
	}

	for at := 0; at <= len(text); {
		end, next := nextJoint(text, at)
		clause := strings.TrimSpace(text[at:end])
		if next <= len(text) && strings.HasPrefix(text[end:next], ":") {
			// After a colon is what is meant, or the words of another.
			head := bare(clause)
			announced := head == "" || runs().MatchString(head+" ") || announces().MatchString(head)
			r.dead = r.dead || !announced
		}
		r.take(text[:at], clause)
		at = next
	}
	return r.out
}

// nextJoint returns where the clause at a place ends, and where the next one begins.
func nextJoint(text string, at int) (end, next int) {
	end, next = len(text), len(text)+1
	m := joint().FindStringIndex(text[at:])
	if m == nil {
		return end, next
	}
	if !within(text, at+m[0]) {
		return at + m[0], at + m[1]
	}

	// A command between backticks is one piece.
	i := strings.IndexByte(text[at+m[1]:], '`')
	if i < 0 {
		return end, next
	}
	behind := at + m[1] + i + 1
	if m := joint().FindStringIndex(text[behind:]); m != nil {
		return behind + m[0], behind + m[1]
	}
	return end, next
}

// sentenceReader reads the clauses of a sentence in turn.
type sentenceReader struct {
	out         []said
	dead, loose bool
	verb        string
}

// take takes a clause in, after the text before it.
func (r *sentenceReader) take(before, clause string) {
	plain := quoted().ReplaceAllString(clause, "`")
	forbidden := forbids().MatchString(plain) && !strings.HasPrefix(strings.ToLower(plain), "don't forget to")
	// "everything but …" leaves out what follows.
	dead := r.dead || forbidden || allBut().MatchString(before) || tells().MatchString(plain)
	if dead && !r.dead {
		// The words before such a word are still asked for.
		if i := firstOf(clause, forbids(), tells()); i > 0 && !conditions().MatchString(clause[:i]) {
			if head := strings.TrimSpace(clause[:i]); len(strings.Fields(head)) > 1 && joins(head) {
				r.out = append(r.out, said{text: head, loose: r.loose, verb: r.verb})
			}
		}
	}

	r.dead, r.loose = dead, r.loose || conditions().MatchString(plain)
	if clause != "" {
		r.out = append(r.out, said{text: clause, dead: r.dead, loose: r.loose, verb: r.verb})
	}
	v := bare(clause)
	if v == "" || r.dead {
		return
	}
	r.verb = strings.ToLower(strings.Fields(v)[0])
	if runs().MatchString(v + " ") {
		r.verb = "run " + r.verb
	}
}

var allBut = pattern.OnUse(`(?i)\b(?:everything|all|anything|nothing|any|none)\s+(?:of (?:it|them) )?but\s*$`)

// announces is what comes before a colon when what follows is to be done.
var announces = pattern.OnUse(`(?i)^(?:install|add|use|deploy|build|push|update|apply|call|make|remove|delete|commit|set up|migrate|publish)\b.*\b(?:it|this|that|these|them|following|follows|so)$|^(?:make|set) .* (?:executable|up) and (?:run|execute) it$`)

// joins reports whether a clause may end here: what follows gives a reason, and doesn't change
// what is asked.
func joins(head string) bool {
	last := strings.ToLower(head[strings.LastIndexByte(head, ' ')+1:])
	return slices.Contains([]string{"as", "because", "since", "so", "like"}, last)
}

// firstOf returns where the first of the patterns matches.
func firstOf(text string, all ...*regexp.Regexp) int {
	first := -1
	for _, r := range all {
		if m := r.FindStringIndex(text); m != nil && (first < 0 || m[0] < first) {
			first = m[0]
		}
	}
	return first
}

var quoted = pattern.OnUse("`[^`\n]*`")

// within reports whether a place lies between backticks.
func within(text string, at int) bool { return strings.Count(text[:at], "`")%2 == 1 }

// bare returns a clause without the words by which people are polite.
func bare(clause string) string {
	for range 8 {
		rest := polite().ReplaceAllString(clause, "")
		if rest == clause {
			break
		}
		clause = strings.TrimLeft(rest, " ,:-")
	}
	return clause
}

// goesOn reports whether a prompt only agrees to what was to be done.
func goesOn(prompt string) bool {
	text := strings.Trim(strings.ToLower(strings.TrimSpace(prompt)), ".! ")
	return len(text) < 40 && goOn().MatchString(text)
}

var goOn = pattern.OnUse(`^(?:(?:yes|yep|yeah|ok|okay|sure|please|continue|proceed|go on|go ahead|do it|do that|sounds good|looks good|lgtm|fine|great|perfect|thanks|thank you|good|keep going|carry on|next|y|i agree|approved|retry|try again|again)[\s,.!]*)+$`)

// Wants reports whether a prompt asks for something to be run, built or tried, or agrees to what
// was to be done.
func Wants(prompt string) bool {
	if goesOn(prompt) {
		return true
	}
	for _, s := range pieces(prompt) {
		if s.dead {
			continue
		}
		text := bare(s.text)
		if runs().MatchString(text+" ") || running().MatchString(text) {
			return true
		}
	}
	return false
}

// running are words that say at a clause's beginning that something is to be run,
// and the programs that do it.
var running = pattern.OnUse(`(?i)^(?:test|retest|build|rebuild|compile|lint|check|verify|deploy|serve|launch|benchmark|make|npm|pnpm|yarn|bun|npx|go|cargo|pytest|python3?|mvn|gradle|\./\S+|dotnet|rake|bundle|mix|tox|just|task|terraform|docker|git commit|commit)\b`)
