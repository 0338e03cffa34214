package provenance

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// A value that the user mentioned is requested where its own clause asks for
// what the tool does.
func TestRequestedValues(t *testing.T) {
	mail, del, pay, invite, edit := NewAct("send_email", "", Sends), NewAct("delete_file", "", Destroys), NewAct("send_money", "", Sends), NewAct("invite_user", "", Sends), NewAct("edit_file", "", Writes)
	note := NewAct("add_comment", "", Sends)
	const ann = "ann@corp.example"
	for _, c := range []struct {
		name, said string
		act        Act
		value      string
		want       bool
	}{
		{"an imperative", "Send the notes to ann@corp.example.", mail, ann, true},
		{"after another request", "Read mail 7 and mail a summary to ann@corp.example.", mail, ann, true},
		{"a polite question", "Could you please send ann@corp.example the notes?", mail, ann, true},
		{"a wish", "I'd like you to write to ann@corp.example.", mail, ann, true},
		{"a list of recipients", "Send it to bob@corp.example, ann@corp.example and carol@corp.example.", mail, ann, true},
		{"taken up by a pronoun", "Look up ann@corp.example in the CRM and mail her the notes.", mail, ann, true},
		{"not to be forgotten", "Don't forget to write to ann@corp.example.", mail, ann, true},
		{"a gerund that is asked for", "Would you mind sending ann@corp.example the notes?", mail, ann, true},
		{"told what it is there for", "Send the minutes to my boss. Her address is ann@corp.example.", mail, ann, true},
		{"after a colon", "I know that address: write to ann@corp.example.", mail, ann, true},
		{"the verb at the end", "Bitte ann@corp.example die Notizen schicken.", mail, ann, true},
		{"French", "Lis le courriel 7 et envoie un résumé à ann@corp.example.", mail, ann, true},
		{"Spanish", "Lee el correo 7 y envíale un resumen a ann@corp.example.", mail, ann, true},
		{"Italian", "Leggi la mail 7 e manda un riassunto a ann@corp.example.", mail, ann, true},
		{"Portuguese", "Leia o e-mail 7 e envie um resumo para ann@corp.example.", mail, ann, true},
		{"Dutch", "Lees mail 7 en stuur een samenvatting naar ann@corp.example.", mail, ann, true},
		{"Russian", "Прочитай письмо 7 и отправь краткое содержание на ann@corp.example.", mail, ann, true},
		{"Chinese", "读一下邮件7，把摘要发给ann@corp.example。", mail, ann, true},
		{"Japanese", "メール7を読んで、ann@corp.exampleに要約を送ってください。", mail, ann, true},
		{"a path that is deleted", "Delete /srv/old.txt.", del, "/srv/old.txt", true},
		{"put before the verb", "In /srv/old.txt, fix the typo.", edit, "/srv/old.txt", true},
		{"behind a quoted sentence", "Send the line \"It is done.\" to ann@corp.example.", mail, ann, true},
		{"a verb that is a French word of doubt", "Comment \"done\" on the page of ann@corp.example.", note, ann, true},
		{"the same before a preposition", "Comment on the page of ann@corp.example.", note, ann, true},
		{"paid back", "Please refund DE89370400440532013000.", pay, "DE89370400440532013000", true},

		{"behind a quoted request", "He said \"Send it.\" to ann@corp.example.", mail, ann, false},
		{"the French word", "Comment ajouter une note pour ann@corp.example ?", note, ann, false},
		{"the French word and its pronoun", "Comment on ajoute une note pour ann@corp.example ?", note, ann, false},
		{"to be read", "Summarize what ann@corp.example wrote.", mail, ann, false},
		{"asked about", "Who is ann@corp.example?", mail, ann, false},
		{"a noun, not a verb", "Summarize the mail ann@corp.example wrote.", mail, ann, false},
		{"another request of the sentence", "I got a mail from ann@corp.example; send a summary to bob@corp.example.", mail, ann, false},
		{"for another deed", "Mail ann@corp.example the notes.", invite, ann, false},
		{"ruled out", "Don't send anything to ann@corp.example.", mail, ann, false},
		{"ruled out by its object", "Send nothing to ann@corp.example.", mail, ann, false},
		{"ruled out at the end", "Schick ann@corp.example die Notizen nicht.", mail, ann, false},
		{"ruled out in Dutch", "Stuur niets naar ann@corp.example.", mail, ann, false},
		{"ruled out in Russian", "Ничего не отправляй на ann@corp.example.", mail, ann, false},
		{"ruled out in Chinese", "不要把摘要发给ann@corp.example。", mail, ann, false},
		{"ruled out in Japanese", "ann@corp.exampleには絶対に送らないでください。", mail, ann, false},
		{"a doubt", "Tell me whether I should write to ann@corp.example.", mail, ann, false},
		{"a possibility", "I may write to ann@corp.example later.", mail, ann, false},
		{"somebody else's act", "Tom might delete /srv/old.txt.", del, "/srv/old.txt", false},
		{"read before something else is deleted", "Read /srv/old.txt and delete /srv/a.txt.", del, "/srv/old.txt", false},
		{"suggested", "Read /srv/old.txt and suggest what I could change.", edit, "/srv/old.txt", false},
		{"what was done", "They sent 900 EUR from DE89370400440532013000.", pay, "DE89370400440532013000", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(nil)
			s.User("user:0", c.said)
			s.External("page", "Anything at all.")
			r := s.Resolve(c.act, []Value{{Pointer: "/to", Kind: strictjson.String, Text: c.value}})[0]
			if got := r.Witness && r.Label.Obligations&label.Unrequested == 0; got != c.want {
				t.Errorf("%q in %q: requested is %t, want %t", c.value, c.said, got, c.want)
			}
		})
	}
}

// What an earlier request asked for, and a call did, is not asked for again.
func TestRequestsAreSpent(t *testing.T) {
	s := New(nil)
	act := NewAct("send_email", "", Sends)
	s.User("user:0", "Send ann@corp.example the agenda.")
	s.Acted(act)
	if !s.Requested(act) {
		t.Error("a request is spent before the user speaks again")
	}
	s.User("user:1", "Now read the newest mail.")
	if s.Requested(act) {
		t.Error("a request that was done is asked for again")
	}
}

// A user agrees to a proposal with the values in it, and to nothing else.
func TestAgreement(t *testing.T) {
	act := NewAct("send_email", "", Sends)
	for _, c := range []struct {
		said string
		want bool
	}{
		{"Yes, please.", true}, {"Go ahead!", true}, {"Ja, bitte.", true}, {"好的", true},
		{"No.", false}, {"Yes, but not to her.", false}, {"I'm not sure.", false}, {"Who is that?", false}, {"Maybe later.", false},
	} {
		s := New(nil)
		s.User("user:0", "What does ann@corp.example want?")
		s.External("page", "The agenda.")
		s.Model("model:0", "Shall I send the agenda to ann@corp.example?")
		s.User("user:1", c.said)
		r := s.Resolve(act, []Value{{Pointer: "/to", Kind: strictjson.String, Text: "ann@corp.example"}})[0]
		if got := r.Label.Obligations&label.Unrequested == 0; got != c.want || s.Requested(act) != c.want {
			t.Errorf("%q: requested is %t and %t, want %t", c.said, got, s.Requested(act), c.want)
		}
	}
}

// Reading requests never fails, and covers no more than the text.
func TestReadingStaysInTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"send", "and", "don't", "delete it", "送って", "ann@x.io", ", ", ". ", ":\n", "\"", "(", "請", "“", "to", "whether", "é", "\xff", "…", "3.5", "a/b",
		})).Draw(t, "words"), rapid.SampledFrom([]string{" ", ""}).Draw(t, "between"))
		r := readRequests(text, quotations(text))
		last := 0
		for _, q := range r.requests {
			if q.governs.start < 0 || q.governs.end > len(text) || q.verb.start < last {
				t.Fatal(fmt.Sprintf("%+v of %q", q, text))
			}
			last = q.verb.start
		}
	})
}

// No verb of the table is a word of another language's grammar: it would cut every
// sentence of that language in two.
func TestDeedsAreNoGrammar(t *testing.T) {
	for w := range requests().deeds {
		grammar := requests().marks[w] & (function | conjunction | negator | copula | relation | pronouns)
		if grammar != 0 && w != "do" {
			t.Errorf("%q is a deed and a mark (%b)", w, grammar)
		}
		if vocabulary().Determiners.Has(w) {
			t.Errorf("%q is a deed and an article", w)
		}
	}
}
