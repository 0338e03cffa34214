package judge

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictjson"
)

const (
	// maxEntry bounds one entry of the conversation, and maxConversation all of
	// them, in bytes: some tens of thousands of tokens, which every current model
	// takes and reads within the time that a rule has.
	maxEntry        = 16 << 10
	maxConversation = 128 << 10
)

// The writers of entries that are not events of their own.
const (
	byCall   guard.EntryKind = "call"
	byResult guard.EntryKind = "result"
)

// entry is one message, call or result of a conversation.
type entry struct {
	Number int             `json:"n"`
	By     guard.EntryKind `json:"by"`
	Text   string          `json:"text"`
	Cut    bool            `json:"cut,omitempty"`
}

// conversation is the part of a session that the judge reads.
type conversation struct {
	entries []entry
	// whole is set where nothing relevant to the question was left out.
	whole bool
}

// read returns the newest entries of a session that fit, oldest first. With a speaker
// it leaves out all but the words of user and assistant: text that a judge doesn't read
// can't persuade it.
func read(s *guard.History, speaker guard.EntryKind) conversation {
	c := conversation{whole: true}
	room := maxConversation
	for _, e := range slices.Backward(s.Entries) {
		for _, one := range entriesOf(e) {
			if speaker != "" && one.By != guard.UserEntry && one.By != guard.AssistantEntry {
				continue
			}
			if len(one.Text) > maxEntry {
				one.Text, one.Cut, c.whole = cut(one.Text, maxEntry), true, false
			}
			if room -= len(one.Text); room < 0 {
				c.whole = false
				break
			}
			c.entries = append(c.entries, one)
		}
		if room < 0 {
			break
		}
	}

	slices.Reverse(c.entries)
	for i := range c.entries {
		c.entries[i].Number = i + 1
	}
	return c
}

// entriesOf returns the entries of one event, the last first.
func entriesOf(e guard.Entry) []entry {
	switch {
	case e.Kind == guard.DeniedEntry:
		return nil // it did nothing
	case e.Call == nil:
		return []entry{{By: e.Kind, Text: e.Text}}
	}
	call := entry{By: byCall, Text: e.Call.Tool + " " + string(e.Call.Arguments)}
	if e.Call.Result == nil {
		return []entry{call}
	}
	text := e.Call.Result.Content
	if text == "" {
		text = string(e.Call.Result.Structured)
	}
	return []entry{{By: byResult, Text: text}, call}
}

// cut shortens a text at a character's boundary.
func cut(s string, most int) string {
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// spoke reports whether the speaker said anything. Without a speaker, it reports whether
// there is any entry.
func (c conversation) spoke(speaker guard.EntryKind) bool {
	return slices.ContainsFunc(c.entries, func(e entry) bool { return speaker == "" || e.By == speaker })
}

// prompt puts the question around the conversation. Each entry is one line of
// JSON, so that no text can look like the end of its entry.
func (c conversation) prompt(q guard.Question) (string, error) {
	question, err := strictjson.Encode(q.Text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The question: %s\n", question)
	if q.Speaker != "" {
		fmt.Fprintf(&b, "Only entries by the %s are evidence.\n", q.Speaker)
	}

	if q.Call != "" {
		call, err := strictjson.Encode(q.Call)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "The call that waits for the answer: %s\n", call)
	}
	if c.whole {
		b.WriteString("The conversation:\n")
	} else {
		b.WriteString("The conversation, of which not everything is here:\n")
	}
	for _, e := range c.entries {
		text, err := strictjson.Encode(e)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	fmt.Fprintf(&b, "That was the conversation. The question again: %s", question)
	return b.String(), nil
}

// says reports whether words appear in a text, and not within longer ones. White space
// doesn't matter, since models change it.
func says(text, words string) bool {
	text, words = spaced(text), spaced(words)
	if words == "" {
		return false
	}

	for from := 0; ; {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(words):])
		first, size := utf8.DecodeRuneInString(words)
		last, _ := utf8.DecodeLastRuneInString(words)
		if !(letter(before) && letter(first)) && !(letter(last) && letter(after)) {
			return true
		}
		from = i + size
	}
}

func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
