package document

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSentencesEndWhereAReaderWouldStop(t *testing.T) {
	// A bar marks the end of a sentence.
	for name, want := range map[string]string{
		"plain":                       "Ask first.| Then book.| Is it paid?| Yes!| Go on.",
		"that is, for example":        "Some fares, e.g. Basic, are final.| Others, i.e. Flex, are not.",
		"titles":                      "Mr. Smith and Dr. Jones agree.| They pay.",
		"number":                      "See No. 5 of the list.| It applies.",
		"no as a word":                "May it be refunded?| No.| The agent refuses.",
		"company in a name":           "Acme Inc. Customer Service answers.",
		"company at the end":          "This is a policy of Acme Inc.| The agent follows it.",
		"country in a name":           "Flights in the U.S. Virgin Islands count.",
		"country at the end":          "It holds in the U.S.| If abroad, ask.",
		"time of day":                 "Call before 5 p.m. Eastern.| Later calls wait.",
		"time of day at the end":      "Call before 5 p.m.| Otherwise wait.",
		"decimals":                    "The fee is 2.50 dollars.| The rate is 3.5 %.",
		"price at the end":            "It costs $100.| Bags cost $50.",
		"sum first":                   "Refunds have a limit.| $100 is the most.",
		"version":                     "Version 2.1.3 holds.| Version 2.2 doesn't.",
		"ellipsis goes on":            "Wait ... then go on.| And so on… and so on.",
		"ellipsis ends":               "Wait...| The agent goes on.",
		"closing quote":               `Say "no."| Then stop.`,
		"sentences in a quotation":    "Say 'You are being transferred. Please hold on.' to the user.| Then stop.",
		"in double marks":             `Say "Stop. Wait." and wait.| Then go on.`,
		"in typographic marks":        "Say “Stop. Wait.” and wait.| Then go on.",
		"an apostrophe is not a mark": "Take the users' bags.| They don't pay.| It's the users' wish.",
		"a mark that nobody closes":   "Say 'stop at once.| Then wait.",
		"quote goes on":               `Say "stop!" and hang up.`,
		"typographic quote":           "Say “no.”| Then stop.",
		"bracket at the end":          "Refuse it (see above).| Then stop.",
		"sentences in brackets":       "Refuse it (Never pay. Never book.) and stop.| Then leave.",
		"open bracket":                "Refuse a) and stop.| Then (leave.| And go.",
		"numbered heading":            "3.1 Refunds are paid.| They take a week.",
		"numbered with a point":       "3.1. Refunds are paid.| 4. Bags are free.",
		"letter as a number":          "A. First this.| B. Then that.",
		"initials":                    "Ask J. Smith first.| Then book.",
		"plan":                        "Use plan B.| The agent knows it.",
		"months":                      "It ends on Dec. 5 each year.| In Dec.| Nobody travels.",
		"sections":                    "See Sec. 4 and Art. IV of it.| That is all.",
		"semicolons":                  "It may be paid; changed; or cancelled.| Not more.",
		"colon":                       "Payment: one card at most.| Two are refused.",
		"address":                     "Write to help@example.com.| Or see www.example.com.| Done.",
		"lower case goes on":          "The file is called policy. txt and so on.",
		"not English":                 "Bitte zuerst fragen.| Über Preise sprechen wir nicht.",
		"and so on":                   "Bags, hats, etc. are free.| Bags, hats, etc.| The rest costs.",
		"star at the end":             "*Not here.*| There.",
		"question, exclamation mark":  "Really?!| Yes.",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(want, "|", "")
			var got []string
			start := 0
			for _, end := range boundaries(text) {
				got = append(got, text[start:end])
				start = end + 1
			}
			if diff := cmp.Diff(strings.Split(want, "| "), got); diff != "" {
				t.Errorf("sentences (-want +got):\n%s", diff)
			}
		})
	}
}

// prose draws text of words, signs and white space as people, and others, write it.
func prose() *rapid.Generator[string] {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"The", "agent", "may", "e.g.", "i.e.", "U.S.", "No.", "5", "$100.", "3.1", "3.1.", "Inc.", "...", "…", "(see", "above).",
			`"no."`, "“stop!”", "ﬁne", "don’t", "a–b", "Refund:", "a;", "?", ".", "–", "²", "1.", "|", "é", "e\u0301", "日本。", "Dr.", "*x*", "½"}),
		rapid.StringN(1, 6, 20),
	)
	space := rapid.SampledFrom([]string{" ", " ", " ", "  ", "\n", "\t", "\u00A0"})
	return rapid.Custom(func(t *rapid.T) string {
		var out strings.Builder
		for range rapid.IntRange(1, 20).Draw(t, "words") {
			out.WriteString(word.Draw(t, "word"))
			out.WriteString(space.Draw(t, "space"))
		}
		return out.String()
	})
}

func TestSentencesOfABlockAreItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := prose().Draw(t, "text")
		b := newBuilder(&Document{})
		b.paragraph(0, piece{text: text})
		var got []string
		for _, s := range b.finish().Sentences {
			got = append(got, s.Text)
		}
		if want := clean([]piece{{text: text}}).text; strings.Join(got, " ") != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
