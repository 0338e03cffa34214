package match_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/scope"
)

// effects are those of the mailbox: what it does can't be taken back.
func effects(string, string) (reads, irreversible bool) { return false, true }

func nobody(string, string) bool { return false }

// mailLists are results of list_mails, the last one last.
func mailLists(texts ...string) []*match.Result {
	var out []*match.Result
	for i, text := range texts {
		r := &match.Result{Call: fmt.Sprintf("r%d", i), Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Early: true}
		setContent(r, text)
		out = append(out, r)
	}
	return out
}

func taskFor(t interface {
	Helper()
	Fatal(...any)
}, request, text string,
) *match.Task {
	t.Helper()
	s, refused, err := scope.Parse([]byte(text), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	return match.NewTask(s, request)
}

// TestLateNames: a name that no record has means the member that the planner says once the records are there. It is the tool's
// member, by what all records have, and what is looked for goes on being held to it.
func TestLateNames(t *testing.T) {
	const (
		mine, evil = "DE89370400440532013000", "GB33BUKB20201555555555"
		request    = "Pay Ann Lee what she asks for, unless it is disputed, and forward the cheapest one that isn't Bob's."
		paying     = `{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"zorb","where":{"blip":"Ann Lee"}}],"kind":"account","pick":"only"}}}]}`
		both       = `[{"payout_iban":"` + mine + `","creditor":"Ann Lee"},{"payout_iban":"` + evil + `","creditor":"Eve"}]`
		ours       = `[{"konto":"` + mine + `","wer":"Ann Lee"},{"konto":"` + evil + `","wer":"Eve"}]`
	)
	account := func(a string) map[string]string { return map[string]string{"/account": "t:" + a} }
	id := func(id string) map[string]string {
		return map[string]string{"/id": "s:" + id, "/to": "u:ann@corp.example"}
	}
	forward := func(rest string) string {
		return `{"calls":[{"tool":"forward_mail","times":"each","args":{"/to":{"is":"ann@corp.example"},"/id":{"from":[{"tool":"list_mails","field":"zorb"}],"kind":"id",` + rest + `}}}]}`
	}
	says := func(pairs ...string) (out []scope.Meant) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, scope.Meant{Guess: pairs[i], Member: pairs[i+1]})
		}
		return out
	}
	known := says("zorb", "payout_iban", "blip", "creditor")

	for name, c := range map[string]struct {
		scope string
		texts []string
		names []scope.Meant
		tool  string
		args  map[string]string
		write bool // the call can be taken back
		want  bool
	}{
		"nobody said":                                     {paying, []string{both}, nil, "pay", account(mine), false, false},
		"a member in other words":                         {paying, []string{both}, known, "pay", account(mine), false, true},
		"the value of another record":                     {paying, []string{both}, known, "pay", account(evil), false, false},
		"the value alone is named":                        {paying, []string{both}, says("zorb", "payout_iban"), "pay", account(mine), false, false},
		"a member in another language":                    {paying, []string{ours}, says("zorb", "konto", "blip", "wer"), "pay", account(mine), false, true},
		"one of two that hold accounts, by no word":       {paying, []string{`[{"konto":"` + mine + `","wer":"Ann Lee","alt":"` + evil + `"}]`}, says("zorb", "konto", "blip", "wer"), "pay", account(mine), false, false},
		"a condition on a key that one record has":        {paying, []string{`[{"payout_iban":"` + mine + `"},{"payout_iban":"` + evil + `","creditor":"Ann Lee"}]`}, known, "pay", account(evil), false, false},
		"a member that is spelt in two ways":              {paying, []string{`[{"payout_iban":"` + mine + `","payoutIban":"` + evil + `","creditor":"Ann Lee"}]`}, known, "pay", account(mine), false, false},
		"an address with a word before the name":          {strings.ReplaceAll(paying, "zorb", "iban"), []string{both}, says("iban", "payout_iban", "blip", "creditor"), "pay", account(mine), false, false},
		"an earlier listing has the name":                 {paying, []string{`[{"zorb":"` + mine + `","blip":"Ann Lee"}]`, both}, known, "pay", account(evil), false, false},
		"a later listing has the name":                    {paying, []string{both, `[{"zorb":"` + evil + `","blip":"Eve","payout_iban":"` + mine + `","creditor":"Ann Lee"}]`}, known, "pay", account(mine), false, false},
		"a later listing lacks the member":                {paying, []string{both, `[{"creditor":"Ann Lee","amount":5}]`}, known, "pay", account(mine), false, false},
		"an empty listing says nothing":                   {paying, []string{`[]`, both}, known, "pay", account(mine), false, true},
		"a name that the records have":                    {`{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"iban"}],"kind":"account","pick":"only"}}}]}`, []string{`[{"iban":"` + mine + `","second_iban":"` + evil + `"}]`}, says("iban", "second_iban"), "pay", account(evil), false, false},
		"the same, which goes on meaning what it says":    {`{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"iban"}],"kind":"account","pick":"only"}}}]}`, []string{`[{"iban":"` + mine + `","second_iban":"` + evil + `"}]`}, says("iban", "second_iban"), "pay", account(mine), false, true},
		"what speaks against the call":                    {`{"calls":[{"tool":"pay","unless":[{"tool":"list_mails","where":{"blip":"yes"}}],"args":{"/account":{"is":"` + mine + `"}}}]}`, []string{`[{"payout_iban":"` + mine + `","disputed":"no"}]`}, says("blip", "disputed"), "pay", account(mine), false, false},
		"what is left out":                                {forward(`"pick":"all","except":[{"tool":"list_mails","field":"zorb","where":{"blip":"Bob"}}]`), []string{`[{"slug":"k1","wer":"Ann"},{"slug":"k2","wer":"Bob"}]`}, says("zorb", "slug", "blip", "wer"), "forward_mail", id("k1"), true, true},
		"one that is left out":                            {forward(`"pick":"all","except":[{"tool":"list_mails","field":"zorb","where":{"blip":"Bob"}}]`), []string{`[{"slug":"k1","wer":"Ann"},{"slug":"k2","wer":"Bob"}]`}, says("zorb", "slug", "blip", "wer"), "forward_mail", id("k2"), true, false},
		"what is left out is called so nowhere":           {forward(`"pick":"all","except":[{"tool":"list_mails","field":"zorb","where":{"blip":"Bob"}}]`), []string{`[{"slug":"k1","wer":"Ann"},{"slug":"k2","wer":"Eve"}]`}, says("zorb", "slug", "blip", "wer"), "forward_mail", id("k1"), true, false},
		"a choice":                                        {forward(`"pick":"choice","by":"cheapest by price"`), []string{`[{"slug":"k1","cena":7},{"slug":"k2","cena":5}]`}, says("zorb", "slug", "cheapest by price", "cena"), "forward_mail", id("k2"), false, true},
		"another one":                                     {forward(`"pick":"choice","by":"cheapest by price"`), []string{`[{"slug":"k1","cena":7},{"slug":"k2","cena":5}]`}, says("zorb", "slug", "cheapest by price", "cena"), "forward_mail", id("k1"), false, false},
		"a choice by a member that the records have":      {forward(`"pick":"choice","by":"cheapest by price"`), []string{`[{"slug":"k1","cena":7,"price":1},{"slug":"k2","cena":5,"price":2}]`}, says("zorb", "slug", "cheapest by price", "cena"), "forward_mail", id("k2"), false, false},
		"a member that another condition is on":           {strings.ReplaceAll(paying, `"blip":"Ann Lee"`, `"blip":{"below":20},"zone":{"is":"6"}`), []string{`[{"payout_iban":"` + mine + `","zone":6}]`}, says("zorb", "payout_iban", "blip", "zone"), "pay", account(mine), false, false},
		"two conditions on one name":                      {strings.ReplaceAll(paying, `"blip":"Ann Lee"`, `"blip":{"after":"2026-05-01","before":"2026-05-20"}`), []string{`[{"payout_iban":"` + mine + `","inOn":"2026-05-09"},{"payout_iban":"` + evil + `","inOn":"2026-06-09"}]`}, says("zorb", "payout_iban", "blip", "inOn"), "pay", account(mine), false, true},
		"of which the record meets one":                   {strings.ReplaceAll(paying, `"blip":"Ann Lee"`, `"blip":{"after":"2026-05-01","before":"2026-05-20"}`), []string{`[{"payout_iban":"` + mine + `","inOn":"2026-05-09"},{"payout_iban":"` + evil + `","inOn":"2026-06-09"}]`}, says("zorb", "payout_iban", "blip", "inOn"), "pay", account(evil), false, false},
		"an id of what is listed, as what tells it apart": {strings.ReplaceAll(forward(`"pick":"all"`), "zorb", "mail id"), []string{`[{"ref":"M-71","at":"2026-05-01"},{"ref":"M-72","at":"2026-05-02"}]`}, says("mail id", "ref"), "forward_mail", id("M-72"), false, true},
		"beside another code":                             {strings.ReplaceAll(forward(`"pick":"all"`), "zorb", "mail id"), []string{`[{"ref":"M-71","uid":"X1"},{"ref":"M-72","uid":"X2"}]`}, says("mail id", "ref"), "forward_mail", id("M-72"), false, false},
		"beside its own number":                           {strings.ReplaceAll(forward(`"pick":"all"`), "zorb", "mail id"), []string{`[{"ref":"M-71","mail":"7001"},{"ref":"M-72","mail":"7002"}]`}, says("mail id", "ref"), "forward_mail", id("M-72"), false, false},
		"the code of somebody":                            {strings.ReplaceAll(forward(`"pick":"all"`), "zorb", "mail id"), []string{`[{"customer_ref":"M-71"},{"customer_ref":"M-72"}]`}, says("mail id", "customer_ref"), "forward_mail", id("M-72"), false, false},
		"no total that is no more than a guess":           {strings.NewReplacer("/account", "/amount", `"account"`, `"number"`, "blip", "wer").Replace(paying), []string{`[{"estimated_total":60,"wer":"Ann Lee"}]`}, says("zorb", "estimated_total"), "pay", map[string]string{"/amount": "c:60"}, false, false},
		"a choice by a word that a member has":            {forward(`"pick":"choice","by":"cheapest by fee"`), []string{`[{"zorb":"k1","cleaning_fee":9,"cena":1},{"zorb":"k2","cleaning_fee":5,"cena":2}]`}, says("fee", "cena"), "forward_mail", id("k1"), false, false},
		"a choice by a date, of what has a time":          {forward(`"pick":"choice","by":"latest by date"`), []string{`[{"zorb":"k1","sent_at":"2026-01-01","cena":"2026-01-09"},{"zorb":"k2","sent_at":"2026-01-02","cena":"2026-01-02"}]`}, says("date", "cena"), "forward_mail", id("k1"), false, false},
		"an id of something else":                         {strings.NewReplacer("zorb", "invoice id", "forward_mail", "settle").Replace(forward(`"pick":"all"`)), []string{`[{"ref":"M-71"},{"ref":"M-72"}]`}, says("invoice id", "ref"), "settle", id("M-72"), false, false},
		"a choice by a name that a condition has, too":    {strings.ReplaceAll(forward(`"pick":"choice","by":"latest by blip"`), `"field":"zorb"`, `"field":"zorb","where":{"blip":{"before":"2026-06-01"}}`), []string{`[{"slug":"k1","inOn":"2026-05-01"},{"slug":"k2","inOn":"2026-05-07"},{"slug":"k3","inOn":"2026-06-07"}]`}, says("zorb", "slug", "blip", "inOn"), "forward_mail", id("k2"), false, true},
		"another one by it":                               {strings.ReplaceAll(forward(`"pick":"choice","by":"latest by blip"`), `"field":"zorb"`, `"field":"zorb","where":{"blip":{"before":"2026-06-01"}}`), []string{`[{"slug":"k1","inOn":"2026-05-01"},{"slug":"k2","inOn":"2026-05-07"},{"slug":"k3","inOn":"2026-06-07"}]`}, says("zorb", "slug", "blip", "inOn"), "forward_mail", id("k1"), false, false},
		"a member that others fill":                       {forward(`"pick":"all"`), []string{`[{"note":"alpha"},{"note":"beta"}]`}, says("zorb", "note"), "forward_mail", id("beta"), false, false},
		"a member of something else":                      {forward(`"pick":"all"`), []string{`[{"previous_slug":"alpha"},{"previous_slug":"beta"}]`}, says("zorb", "previous_slug"), "forward_mail", id("beta"), false, false},
		"a key that one record has":                       {forward(`"pick":"all"`), []string{`[{"slug":"alpha","k":1},{"k":2}]`}, says("zorb", "slug"), "forward_mail", id("alpha"), true, false},
		"a name that is a sentence":                       {forward(`"pick":"all"`), []string{`[{"use this slug now":"alpha"},{"use this slug now":"beta"}]`}, says("zorb", "use this slug now"), "forward_mail", id("alpha"), true, false},
		"a key in an object of a single thing":            {forward(`"pick":"all"`), []string{`{"k":1,"custom":{"slug":"alpha"}}`}, says("zorb", "custom_slug"), "forward_mail", id("alpha"), true, false},
		"the same of several":                             {forward(`"pick":"all"`), []string{`[{"k":1,"custom":{"slug":"alpha"}},{"k":1,"custom":{"slug":"beta"}}]`}, says("zorb", "custom_slug"), "forward_mail", id("alpha"), true, true},
		"ids that are words of their own":                 {forward(`"pick":"all"`), []string{`[{"slug":"alpha"},{"slug":"beta"}]`}, says("zorb", "slug"), "forward_mail", id("beta"), false, true},
		"ids that several records have":                   {forward(`"pick":"all"`), []string{`[{"slug":"alpha"},{"slug":"alpha"}]`}, says("zorb", "slug"), "forward_mail", id("alpha"), false, false},
		"what people write, as an id":                     {forward(`"pick":"all"`), []string{`[{"greeting":"hello you"},{"greeting":"alpha"}]`}, says("zorb", "greeting"), "forward_mail", id("alpha"), false, false},
		"the same, of a call that can be taken back":      {forward(`"pick":"all"`), []string{`[{"greeting":"hello you"},{"greeting":"alpha"}]`}, says("zorb", "greeting"), "forward_mail", id("alpha"), true, true},
		"a value that is no member's, whatever is said":   {forward(`"pick":"all"`), []string{`[{"slug":"alpha"},{"slug":"beta"}]`}, says("zorb", "slug"), "forward_mail", id("gamma"), true, false},
		"a name that means a member of another tool's":    {strings.ReplaceAll(paying, "list_mails", "read_file"), []string{both}, known, "pay", account(mine), false, false},
		"an argument that nothing was said of is no name": {paying, []string{both}, append(known, scope.Meant{Guess: "/account", Member: "creditor"}), "pay", account(evil), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			task := taskFor(t, request, c.scope)
			task.Name("mailbox", "list_mails", c.names)
			p := call(c.tool, c.args)
			p.Irreversible = !c.write
			if _, misses, ok := task.Match(p, mailLists(c.texts...)); ok != c.want {
				t.Errorf("covered: %v, want %v (%v)", ok, c.want, misses)
			}
		})
	}
}

// TestLateNamesOfTwoServers: what a scope without a server takes from tools of one name has one name in all of their results, and no
// server says by its own what another one's records mean.
func TestLateNamesOfTwoServers(t *testing.T) {
	const mine, evil = "DE89370400440532013000", "GB33BUKB20201555555555"
	task := taskFor(t, "Pay Ann Lee.", `{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"zorb","where":{"name":"Ann Lee"}}],"kind":"account","pick":"only"}}}]}`)
	results := mailLists(`[{"zorb":"`+mine+`","konto":"`+evil+`","name":"Ann Lee"}]`, `[{"konto":"`+evil+`","name":"Eve"}]`)
	results[1].Server = "other"
	task.Name("other", "list_mails", []scope.Meant{{Guess: "zorb", Member: "konto"}})
	for account, want := range map[string]bool{mine: true, evil: false} {
		if _, misses, ok := task.Match(call("pay", map[string]string{"/account": "t:" + account}), results); ok != want {
			t.Errorf("%s is covered: %v, want %v (%v)", account, ok, want, misses)
		}
	}
}

// TestLateNamesOfTexts: a text that is read as fields for a call has its names, whether or not another call was decided before.
func TestLateNamesOfTexts(t *testing.T) {
	const mine, evil = "DE89370400440532013000", "GB33BUKB20201555555555"
	for name, isBefore := range map[string]bool{"at once": false, "after a call without": true} {
		task := taskFor(t, "Pay Ann Lee.", `{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"zorb","where":{"name":"Ann Lee"}}],"kind":"account","pick":"all"}}}]}`)
		task.Name("mailbox", "list_mails", []scope.Meant{{Guess: "zorb", Member: "konto"}})
		results := mailLists(`[{"konto":"`+evil+`","name":"Ann Lee"}]`, `[]`)
		text := &match.Result{Call: "r1", Server: "mailbox", Tool: "list_mails", Covered: true, Read: true, Early: true}
		text.SetContent("- konto: "+evil+"\n  name: Ann Lee\n  zorb: "+mine+"\n- konto: "+evil+"\n  name: Bob\n  zorb: "+evil+"\n", nil)
		text.SetAppearance(serialized.Trust{Closed: true}, nil)
		results[1] = text

		p := call("pay", map[string]string{"/account": "t:" + evil})
		if isBefore {
			task.Match(p, results)
		}
		p.Assumed = []scope.Reading{*text.Appearance()}
		if _, _, ok := task.Match(p, results); ok {
			t.Errorf("%s: another member's value is covered", name)
		}
	}
}

// TestLateNamesGiveNoCallBack: a call for each of several is for one of each, before a name is said and after it.
func TestLateNamesGiveNoCallBack(t *testing.T) {
	task := taskFor(t, "Forward all to ann@corp.example.", `{"calls":[{"tool":"forward_mail","times":"each","args":{"/to":{"is":"ann@corp.example"},"/id":{"from":[{"tool":"list_mails","field":"slug","where":{"blip":"x"}},{"tool":"list_mails","field":"slug"}],"kind":"id","pick":"all"}}}]}`)
	results := mailLists(`[{"slug":"alpha","note":"x","wer":"x"},{"slug":"beta","note":"x","wer":"x"}]`)
	p := call("forward_mail", map[string]string{"/id": "s:alpha", "/to": "u:ann@corp.example"})
	p.Call = "c1"
	cover, misses, ok := task.Match(p, results)
	if !ok {
		t.Fatal(misses)
	}
	task.Spend(cover)
	task.Name("mailbox", "list_mails", []scope.Meant{{Guess: "blip", Member: "wer"}})
	p.Call = "c2"
	if _, _, ok := task.Match(p, results); ok {
		t.Error("the same call is covered again")
	}
}

// TestMembersThatAreOffered: a planner is shown the names that all records have and that programs give to members, and no value.
func TestMembersThatAreOffered(t *testing.T) {
	long := strings.Repeat("a", scope.MaxMemberName+1)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"names of all records":         {`[{"soil_moisture":1,"Next date":"x","größe":2},{"größe":2,"soil_moisture":1,"Next date":"y"}]`, []string{"soil_moisture", "Next date", "größe"}},
		"a key of one record":          {`[{"a1":1},{"a1":1,"pay_to_eve":"x"}]`, []string{"a1"}},
		"sentences and signs":          {`[{"a":1,"use this one now":1,"a:b":1,"<b>":1,"x\ny":1,"":1}]`, []string{"a"}},
		"ids and days":                 {`[{"a":1,"u_10293":1,"2026-01-04":1,"eve@evil.example":1}]`, []string{"a"}},
		"a long name":                  {`[{"a":1,"` + long + `":1}]`, []string{"a"}},
		"two spellings of one name":    {`[{"b":1,"Status":1,"status":1}]`, []string{"b"}},
		"objects in several records":   {`[{"b":1,"price":{"net":1}},{"b":1,"price":{"net":2}}]`, []string{"b", "price_net"}},
		"an object in a single record": {`{"b":1,"people":{"eve":1}}`, []string{"b"}},
		"elements of a list in it":     {`{"b":1,"rows":[{"c":1},{"c":2,"d":1}]}`, []string{"b", "c"}},
		"nothing but values":           {`["a","b"]`, nil},
		"no records":                   {`[]`, nil},
		"a text":                       {"zorb is what you want", nil},
	} {
		t.Run(name, func(t *testing.T) {
			task := taskFor(t, "x", `{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"zorb"}],"kind":"name","pick":"only"}}}]}`)
			open, ok := task.Unnamed(mailLists(c.text), "", nobody, effects)
			if ok != (c.want != nil) || !slices.Equal(open.Members, c.want) {
				t.Errorf("offered %q, want %q", open.Members, c.want)
			}
		})
	}

	var many []string
	for i := range 2 * scope.MaxMembers {
		many = append(many, fmt.Sprintf(`"m%c%c":1`, 'a'+i/26, 'a'+i%26))
	}
	task := taskFor(t, "x", `{"calls":[{"tool":"pay","args":{"/account":{"from":[{"tool":"list_mails","field":"zorb"}],"kind":"name","pick":"only"}}}]}`)
	if open, _ := task.Unnamed(mailLists("[{"+strings.Join(many, ",")+"}]"), "", nobody, effects); len(open.Members) != scope.MaxMembers {
		t.Errorf("%d members are offered", len(open.Members))
	}
}

// TestNamesThatAreAskedAbout: those that no record has, with what the scope has them for; once for a tool.
func TestNamesThatAreAskedAbout(t *testing.T) {
	// The title is the subject, in the words of the user.
	const text = `{"calls":[{"tool":"forward_mail","if":[{"tool":"list_mails","where":{"blip":["open","new"]}}],"unless":[{"tool":"list_mails","where":{"quux":"x"}}],"args":{
		"/to":{"from":[{"tool":"list_mails","field":"sender"}],"kind":"email","pick":"only"},
		"/id":{"from":[{"tool":"list_mails","field":"zorb","or":["blorb"],"where":{"title":"Rent"}}],"kind":"id","pick":"choice","by":"cheapest"}}}]}`
	results := mailLists(`[{"from":"ann@corp.example","subject":"Rent","k":1},{"from":"bob@corp.example","subject":"Rent","k":2}]`)
	open, ok := taskFor(t, "Forward the Rent.", text).Unnamed(results, "", nobody, effects)
	want := []scope.Guess{
		{Name: "blip", Uses: []string{"a condition on the records: is open or new"}},
		{Name: "zorb", Uses: []string{"the value (id) for /id of forward_mail"}},
		{Name: "cheapest", Uses: []string{"the member by which /id of forward_mail is chosen"}},
	}
	got, _ := json.Marshal(open.Guesses)
	if wanted, _ := json.Marshal(want); !ok || string(got) != string(wanted) {
		t.Errorf("asked about %s", got)
	}

	for name, c := range map[string]struct {
		of      string
		isKnown func(string, string) bool
	}{
		"entries for another tool":      {"pay", nobody},
		"a tool that was asked about":   {"", func(_, tool string) bool { return tool == "list_mails" }},
		"the same, for the entry's own": {"forward_mail", func(_, tool string) bool { return tool == "list_mails" }},
	} {
		if _, ok := taskFor(t, "x", text).Unnamed(results, c.of, c.isKnown, effects); ok {
			t.Errorf("%s: asked about", name)
		}
	}
}

// TestALateNameIsAMember draws records whose every value an attacker may have written, with the attacker's keys in one of them, and
// an answer that says anything: a call that is covered has the value of a member that was offered, in a record that meets the
// condition by another one. Where the value's name doesn't count, it is one by the guess, as in a scope that is written so.
func TestALateNameIsAMember(t *testing.T) {
	members := []string{"payee", "konto", "slug", "contact_mail", "memo"}
	keys := []string{"pay_to_eve", "verified_mail", "zorb2", "mail"}
	values := []string{"ann@corp.example", "eve@evil.example", "Ann Lee", "zorb", "slug: eve@evil.example", "k1", ""}

	rapid.Check(t, func(t *rapid.T) {
		var records listing
		for range rapid.IntRange(1, 3).Draw(t, "records") {
			r := map[string]any{}
			for _, m := range members {
				r[m] = rapid.SampledFrom(values).Draw(t, "value of "+m)
			}
			records = append(records, r)
		}
		if rapid.Bool().Draw(t, "forges") && len(records) > 1 {
			records[0][rapid.SampledFrom(keys).Draw(t, "key")] = rapid.SampledFrom(values).Draw(t, "forged")
		}
		of, where := rapid.SampledFrom(append(keys, members...)).Draw(t, "zorb"), rapid.SampledFrom(append(keys, members...)).Draw(t, "blip")
		pick, kind := rapid.SampledFrom([]string{"only", "all"}).Draw(t, "pick"), rapid.SampledFrom([]string{"id", "email", "name"}).Draw(t, "kind")
		proposed := rapid.SampledFrom(values[:6]).Draw(t, "proposed")

		text, err := json.Marshal(records)
		if err != nil {
			t.Fatal(err)
		}
		written := func(zorb, blip string) *match.Task {
			return taskFor(t, "Write to Ann Lee.", fmt.Sprintf(`{"calls":[{"tool":"forward_mail","args":{"/to":{"from":[{"tool":"list_mails","field":%q,"where":{%q:"Ann Lee"}}],"kind":%q,"pick":%q}}}]}`, zorb, blip, kind, pick))
		}
		task := written("zorb", "blip")
		results := mailLists(string(text))
		open, _ := task.Unnamed(results, "", nobody, effects)
		p := call("forward_mail", map[string]string{"/to": "t:" + proposed})
		p.Irreversible = rapid.Bool().Draw(t, "irreversible")
		if _, _, ok := task.Match(p, results); ok {
			t.Skip("covered without a name")
		}
		task.Name("mailbox", "list_mails", []scope.Meant{{Guess: "zorb", Member: of}, {Guess: "blip", Member: where}})
		cover, _, ok := task.Match(p, results)
		if !ok {
			return
		}
		isThere := slices.Contains(records.having(of, where, "Ann Lee"), proposed) && slices.Contains(open.Members, of)
		if isNamed := slices.Contains(cover.Names, scope.Meant{Guess: "zorb", Member: of}); !isNamed { // the guess counts, as in a scope that has it
			_, _, isThere = written("zorb", where).Match(p, results)
		}
		isMet := slices.Contains(cover.Names, scope.Meant{Guess: "blip", Member: where}) && slices.Contains(open.Members, where)
		if !isMet || !isThere {
			t.Fatalf("%s is covered as %s where %s is Ann Lee, of %s", proposed, of, where, text)
		}
	})
}

// TestNamesThatResolveStay draws answers about names that the records have: they change nothing.
func TestNamesThatResolveStay(t *testing.T) {
	members := []string{"id", "from", "subject", "state", "reply_to"}
	values := []string{"ann@corp.example", "eve@evil.example", "Ann", "open", "m1", "m2"}
	rapid.Check(t, func(t *rapid.T) {
		var records listing
		for range rapid.IntRange(1, 3).Draw(t, "records") {
			r := map[string]any{}
			for _, m := range members {
				r[m] = rapid.SampledFrom(values).Draw(t, "value of "+m)
			}
			records = append(records, r)
		}
		text, err := json.Marshal(records)
		if err != nil {
			t.Fatal(err)
		}
		field, state := rapid.SampledFrom([]string{"from", "sender", "sender email"}).Draw(t, "field"), rapid.SampledFrom([]string{"state", "subject"}).Draw(t, "condition")
		written := `{"calls":[{"tool":"forward_mail","args":{"/to":{"from":[{"tool":"list_mails","field":"` + field + `","where":{"` + state + `":"open"}}],"kind":"email","pick":"all"}}}]}`
		task, named := taskFor(t, "Write to the open ones.", written), taskFor(t, "Write to the open ones.", written)
		for _, guess := range []string{field, state} {
			named.Name("mailbox", "list_mails", []scope.Meant{{Guess: guess, Member: rapid.SampledFrom(members).Draw(t, guess)}})
		}

		p := call("forward_mail", map[string]string{"/to": "t:" + rapid.SampledFrom(values).Draw(t, "proposed")})
		p.Irreversible = rapid.Bool().Draw(t, "irreversible")
		_, want, covered := task.Match(p, mailLists(string(text)))
		_, got, ok := named.Match(p, mailLists(string(text)))
		if ok != covered || !slices.Equal(got, want) {
			t.Fatalf("covered: %v and %v (%v, %v) by %s", covered, ok, want, got, text)
		}
	})
}
