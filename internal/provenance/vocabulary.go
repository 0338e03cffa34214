package provenance

import (
	_ "embed"
	"sync"

	"github.com/remit-project/remit/internal/wordlist"
)

// wordLists are classes of words: words.txt says what each is for.
type wordLists struct {
	// In the names of arguments, tools and fields.
	QuantityWords, MoneyWords, PercentNames, ShareWords, RightNames, MethodNames, FlagFiller wordlist.Set
	NameWords, Memberships, Envelope, AmountNames, OneLineNames, SentAlongNames, ShownNames  wordlist.Set
	FilterNames, LimitNames, OffsetNames, MoreNames, IdentifierNames, VerbatimNames          wordlist.Set
	NetworkNames, MomentNames, TotalNames, Generic, FileExtensions                           wordlist.Set

	// In sentences.
	Starters, Addressing, Possessives, AsRight, OfRight, RolesSaid, Picking, Determiners   wordlist.Set
	Answering, LightVerbs, VagueVerbs, Fronting, Correcting, HostWords, Running, Saying    wordlist.Set
	BeforeQuantity, Computing, Permitted, Everybody, Universal, People, States, Rights     wordlist.Set
	BeforeTime, Making, Wanting, Actors, Uncounted, Destining, RecipientWords, SourceWords wordlist.Set
	SmallOr, AnswerWords, BeforeRight, Negations, Harmless, Verdicts, VerdictNegations     wordlist.Set
	VerdictVerbs, VerdictFiller, Firsts, Seconds, Thirds, Fourths, Fifths                  wordlist.Set

	// In queries.
	QueryFunctions, QueryChanges wordlist.Set
}

//go:embed words.txt
var wordTable string

// vocabulary has the words of each class.
var vocabulary = sync.OnceValue(func() *wordLists { return wordlist.Must(wordlist.Fill[wordLists](wordTable)) })
