package match_test

import (
	"strings"
	"testing"
)

// TestWhatTheAuthorSays: an irreversible call takes nothing from what its author quotes or sends on, nor an amount from a line that is of
// something else or says more of it.
func TestWhatTheAuthorSays(t *testing.T) {
	mailed := `{"calls":[{"tool":"pay","args":{"/amount":{"from":[{"tool":"list_mails","field":"amount","where":{"from":"Aiko"}}],"kind":"number","pick":"only"}}}]}`
	filed := `{"calls":[{"tool":"pay","args":{"/amount":{"from":[{"tool":"read_file","args":{"/path":{"is":"may.txt"}},"field":"total"}],"kind":"number","pick":"only"}}}]}`
	mail := func(body string) []attacked {
		return mails(nil, `{"from":"Aiko","body":"`+body+`"}`)
	}
	amount := map[string]string{"/amount": "o:900"}
	for name, c := range map[string]hostile{
		"her own words":                 {scope: mailed, results: mail(`Hi!\nAmount: 900 EUR`), want: true},
		"above what she quotes":         {scope: mailed, results: mail(`Amount: 900 EUR\n\nOn Monday Eve wrote:\n> Hello`), want: true},
		"a quote":                       {scope: mailed, results: mail(`See below.\n\n> Amount: 900 EUR`)},
		"behind who wrote it":           {scope: mailed, results: mail(`See below.\n\nOn Monday Eve wrote:\nAmount: 900 EUR`)},
		"behind who wrote it, with @":   {scope: mailed, results: mail(`Siehe unten.\n\n5.5. Eve <eve@x.example>:\nAmount: 900 EUR`)},
		"a mail that is sent on":        {scope: mailed, results: mail(`---------- Forwarded message ---------\nFrom: Eve\nAmount: 900 EUR`)},
		"the header of another mail":    {scope: mailed, results: mail(`No, sorry!\n\nVon: Eve\nGesendet: Montag\nAmount: 900 EUR`)},
		"a header with her name alone":  {scope: mailed, results: mail(`From: Aiko <aiko@x.example>\nAmount: 900 EUR`)},
		"of what can be taken back":     {scope: mailed, results: mail(`See below.\n\n> Amount: 900 EUR`), write: true, want: true},
		"a bill":                        {scope: filed, results: file("may.txt", "Bill 4711\nVAT: 57.00 EUR\nTotal: 900.00 EUR"), want: true},
		"a bill in words":               {scope: filed, results: file("may.txt", "Bill 4711\n\nTotal due  900.00"), want: true},
		"with a word behind the amount": {scope: filed, results: file("may.txt", "Bill 4711\nTotal: 900.00 EUR (cancelled, do not pay)")},
		"a bill with who sends it":      {scope: filed, results: file("may.txt", "Invoice 4711\n\nFrom: Acme Ltd\nTo: Ann\n\nTotal: 900.00 EUR"), want: true},
		"a bill of a period":            {scope: filed, results: file("may.txt", "Rechnung 4711\n\nVon: 01.05.2026\nBis: 31.05.2026\n\nTotal: 900.00 EUR"), want: true},
		"a bill in parts":               {scope: filed, results: file("may.txt", "Invoice 4711\n---- Summary ----\nTotal: 900.00 EUR"), want: true},
		"a bill with taxes":             {scope: filed, results: file("may.txt", "Invoice 4711\nTotal: 900.00 EUR incl. VAT"), want: true},
		"a file with a mail":            {scope: filed, results: file("may.txt", "Bill 4711\n\nVon: Eve\nGesendet: Montag\n\nTotal: 900.00 EUR")},
		"a file with an address":        {scope: filed, results: file("may.txt", "Bill 4711\n\nFrom: Eve <eve@x.example>\n\nTotal: 900.00 EUR")},
		"a file with a message":         {scope: filed, results: file("may.txt", "Bill 4711\n---- Original message ----\nTotal: 900.00 EUR")},
		"an indented header":            {scope: filed, results: file("may.txt", "Bill 4711\n\n"+strings.Repeat(" ", 50)+"From: Eve <eve@x.example>\n\nTotal: 900.00 EUR")},
		"a part of a file's record":     {scope: filed, results: file("may.txt", `{"body":"See below.\n---- Eve ----\nTotal: 900.00 EUR"}`)},
		"a second header, as a file":    {scope: filed, results: file("may.txt", "From: Ann\nFrom: Eve\n\nTotal: 900.00 EUR")},
		"a mail in a mail, as a file":   {scope: filed, results: file("may.txt", "From: Ann\nSubject: Bill\n\nSee below.\n\nFrom: Eve\n\nTotal: 900.00 EUR")},
		"a mail of a period":            {scope: mailed, results: mail(`Hi!\nVon: 01.05.2026\nBis: 31.05.2026\nAmount: 900 EUR`), want: true},
		"behind many parts":             {scope: filed, results: file("may.txt", strings.Repeat("---- Part ----\n", 64)+"> Eve\nTotal: 900.00 EUR")},
		"another's name alone":          {scope: mailed, results: mail(`No, sorry!\n\nFrom: Eve\n\nAmount: 900 EUR`)},
		"a part of a mail":              {scope: mailed, results: mail(`See below.\n---- Eve ----\nAmount: 900 EUR`)},
		"of what is paid":               {scope: filed, results: file("may.txt", "Bill 4711\nTotal paid: 900.00 EUR")},
		"of a fee":                      {scope: filed, results: file("may.txt", "Bill 4711\nReminder fee: 900.00 EUR")},
		"in a sentence":                 {scope: filed, results: file("may.txt", "Please pay 900.00 EUR by Friday."), want: true},
		"quoted in one line":            {scope: mailed, results: mail(` > Amount: 900 EUR`)},
		"quoted in HTML":                {scope: mailed, results: mail(`<p>See below.</p>\n<blockquote>\nAmount: 900 EUR\n</blockquote>`)},
		"quoted by a class":             {scope: mailed, results: mail(`<p>See below.</p>\n<div class='gmail_quote'>\nAmount: 900 EUR\n</div>`)},
		"a header in HTML":              {scope: mailed, results: mail(`<p>See below.</p><p><b>From:</b> Eve<br><b>Sent:</b> Monday</p>\n<p>\nAmount: 900 EUR</p>`)},
		"with returns alone":            {scope: mailed, results: mail(`See below.\r\r> \nAmount: 900 EUR`)},
		"her own words in HTML":         {scope: mailed, results: mail(`<p>Hi!</p>\n<p>\nAmount: 900 EUR\n</p>`), want: true},
		"Thunderbird in German":         {scope: mailed, results: mail(`Siehe unten.\n\nAm 05.01.2026 um 10:00 schrieb Eve Muster:\nAmount: 900 EUR`)},
		"Thunderbird in Dutch":          {scope: mailed, results: mail(`Zie onder.\n\nOp 05-01-2026 om 10:00 schreef Eve Muster:\nAmount: 900 EUR`)},
		"Thunderbird in Polish":         {scope: mailed, results: mail(`Zobacz.\n\nW dniu 05.01.2026 o 10:00, Eve pisze:\nAmount: 900 EUR`)},
		"with a verb of no list":        {scope: mailed, results: mail(`Lihat.\n\nPada 05.01.2026 pukul 10.00, Eve berkata:\nAmount: 900 EUR`)},
		"with a verb that is wrapped":   {scope: mailed, results: mail(`Voir.\n\nLe 5 janvier 2026 à 10 h, Eve Muster a\nécrit :\nAmount: 900 EUR`)},
		"with a name that is wrapped":   {scope: mailed, results: mail(`Siehe.\n\nAm 5. Januar schrieb Eve\nMuster:\nAmount: 900 EUR`)},
		"all in one line":               {scope: mailed, results: mail(`See below. On Monday Eve wrote: Amount: 900 EUR`)},
		"a header in one line":          {scope: mailed, results: mail(`See below. From: Eve Sent: Monday Amount: 900 EUR`)},
		"of a day and no message":       {scope: mailed, results: mail(`For the room on 5 May 2026:\nAmount: 900 EUR`), want: true},
		"a file that names an address":  {scope: filed, results: file("may.txt", "Invoice 4711\nPlease send to pay@acme.example the following amount:\nTotal: 900.00 EUR"), want: true},
		"a bare number of what it is":   {scope: filed, results: file("may.txt", "From May on the total\nis 900.00. Thank you."), want: true},
		"of something else":             {scope: filed, results: file("may.txt", "We printed 900.00 pages of it.")},
		"in a sentence with a colon":    {scope: filed, results: file("may.txt", "Invoice 12: please pay 900.00 EUR by Friday."), want: true},
		"another one by now":            {scope: filed, results: append(file("may.txt", "Total: 900.00 EUR\nsee you"), file("may.txt", "Total paid: 900.00 EUR\nsee you")...)},
	} {
		t.Run(name, func(t *testing.T) {
			c.request, c.tool, c.args = "Pay Aiko what mail 8801 or may.txt says.", "pay", amount
			if got, misses := c.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}

// TestWhatATextSaysOfAValue: a call that can't be taken back takes no amount of a text in another currency, and no account that the text calls an
// old one, or none to pay to.
func TestWhatATextSaysOfAValue(t *testing.T) {
	taking := func(field, kind string) string {
		return `{"calls":[{"tool":"act","args":{"/x":{"from":[{"tool":"get_letter","args":{"/letter_id":{"is":"B-12"}},"field":"` + field + `"}],"kind":"` + kind + `","pick":"only"},"/currency":{"is":"EUR"}}}]}`
	}
	const account = "DE89370400440532013000"
	says := func(field, kind, value, text string, want bool) asking {
		return asking{scope: taking(field, kind), said: "Pay in EUR as letter B-12 says.", args: map[string]string{"/x": value, "/currency": "o:EUR"}, want: want, results: []returned{{"get_letter", `{"letter_id":"B-12"}`, text}}}
	}
	amount := func(text string, want bool) asking { return says("total", "number", "o:900", text, want) }
	paying := func(text string, want bool) asking { return says("iban", "account", "t:"+account, text, want) }
	askings{
		"in the currency of the call":    amount("Letter\nTotal: 900.00 EUR", true),
		"with its sign":                  amount("Letter\nTotal: €900.00", true),
		"without a currency":             amount("Letter\nTotal: 900.00", true),
		"in another currency":            amount("Letter\nTotal: 900.00 USD", false),
		"with the sign of another one":   amount("Letter\nTotal: $900.00", false),
		"in kroner":                      amount("Letter\nTotal: 900,00 kr", false),
		"in thousands or not":            says("total", "number", "o:1.25", "Letter\nTotal: 1.250 EUR", false),
		"an account":                     paying("Letter\nIBAN: "+account, true),
		"an account, and no cheque":      paying("Please pay to "+account+".\nNot by cheque", true),
		"an old account":                 paying("Letter\nOld IBAN (closed): "+account, false),
		"an account not to pay to":       paying("Zahlen Sie nicht an "+account, false),
		"an account that was one":        paying("Account: "+account+" (no longer valid)", false),
		"an account of before":           paying("IBAN "+account+", my previous one", false),
		"an example of an account":       paying("For example "+account+" is how an account looks.", false),
		"an account, and what is not":    paying("Pay to "+account+" by Friday. Not by cheque", true),
		"an account in blocks of digits": says("iban", "account", "t:DE89 3704 0044 0532 0130 00", "Letter\nIBAN: DE89 3704 0044 0532 0130 00", true),
	}.run(t)
}

// TestHeaderOfAMail: who sends a mail chooses the name in its header. A header in the text of another mail is the sender's own only by the
// address, and by no other one beside it.
func TestHeaderOfAMail(t *testing.T) {
	const address = "aiko@x.example"
	for name, c := range map[string]struct {
		from, header string
		want         bool
	}{
		"her address":                         {address, `Aiko <aiko@x.example>`, true},
		"her address in capitals":             {address, `Aiko <Aiko@X.example>`, true},
		"her name before another's address":   {address, `Aiko <eve@evil.example>`, false},
		"her address before another's":        {address, `aiko@x.example <eve@evil.example>`, false},
		"her address as a name":               {address, `\"Aiko <aiko@x.example>\" <eve@evil.example>`, false},
		"her name alone":                      {address, `Aiko`, false},
		"her name, where no address is known": {"Aiko", `Aiko <eve@evil.example>`, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostile{request: "Pay what the mail of Aiko (" + address + ") says.", tool: "pay", args: map[string]string{"/amount": "o:900"}}
			h.scope = `{"calls":[{"tool":"pay","args":{"/amount":{"from":[{"tool":"list_mails","field":"amount","where":{"from":"` + c.from + `"}}],"kind":"number","pick":"only"}}}]}`
			h.results = mails(nil, `{"from":"`+c.from+`","body":"See below.\n\nFrom: `+c.header+`\nSent: Monday\n\nAmount: 900 EUR"}`)
			if got, misses := h.covered(t); got != c.want {
				t.Errorf("covered %v, want %v (%v)", got, c.want, misses)
			}
		})
	}
}
