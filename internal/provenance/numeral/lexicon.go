package numeral

import (
	_ "embed"
	"sync"

	"github.com/remit-project/remit/internal/wordlist"
)

//go:embed words.txt
var wordTable string

// lists are the words next to numbers: see words.txt.
type lists struct {
	English, German, French, Spanish, Italian, Portuguese, Dutch                     wordlist.Set // that identify a language
	Labels, SmallConnectives, Modifiers, Fractions, Filler, OrdinaryElsewhere        wordlist.Set
	Units, PercentWords, CurrencyWords, MinorWords, CurrencyPrefixes, DottedCurrency wordlist.Set
}

var lexicon = sync.OnceValue(func() *lists { return wordlist.Must(wordlist.Fill[lists](wordTable)) })
