package match

import (
	_ "embed"
	"sync"

	"github.com/remit-project/remit/internal/wordlist"
)

// words.txt says what each list is.
type lists struct {
	Origins, Containers, Asides, Lengths, Limits, Offsets, Settings, Pieces, Apiece, Weekdays, LegalForms, FormsBefore, Parties,
	Schemes, Degrees, Counting, Failures, Outcomes, Well, Tallies, Remarks, Bodies, Files, Money, Forwards, Backwards,
	Creating, Undoing, Envelopes, Existing, People, Units, Furthers, Others, Nexts, Finished, UnitSigns, UnitsAndMore, Updating, Turning, Answers, Page, Pages, DenyingSigns, Unlisted, Skips, Firsts, Sides, OutOf, Around, NameParticles, Counts, Amounts, Numbered,
	Current, Wrappers, NameParts, Anybody, Orders, Besides, Included, Senses, Beginnings, Past, Searched, LookUps, Upper,
	Lower, Wholes, Excluding, WholeNames, Filled, Bare, Caps, Details, General, Differing, InAll, MailHolders, LinkHolders,
	AccountHolders, PhoneHolders, Titles, Notes, Common, Wrapping, Computing, NoSuperlatives, Extents, Denying, Examples, InPart, Everything, Relating, Subunits, Durations, Begins, Closes, Sums, Totals, Determiners,
	WholeAmounts, Additions, Optional, Fillers, Measuring, Sizing, OfCurrency, Measures, Bases, Intervals, Ratings, Highest, Codes, Flows, States,
	Days, Ranges, Clocks, Agreed, Dated, Lives, Particles, Placeholders, CatchAlls, Scales, Exponents, Ratios, Pricings, Rates, Modes, Endings, NoNames, Honorifics, PlainNames, Lasting,
	OfReading, OfUse, Returned, Places, Samples, Listing, Mails, Confirming, Trials, Writing, Eithers, Unreal, Settled, Asof, Filters, Offered, WritingSigns, SenderHeaders, OtherHeaders, Coins, Quantities, Taxes, Succeeded, Valid, Absolute, Reliable, Unreliable, Done, Prolonged wordlist.Set
}

//go:embed words.txt
var wordTable string

// lexicon has the words by which calls are held to scopes.
var lexicon = sync.OnceValue(func() *lists { return wordlist.Must(wordlist.Fill[lists](wordTable)) })
