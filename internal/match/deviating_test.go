package match_test

import (
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/match"
)

// TestNotSo: for what can't be taken back, a text that has the words of a condition may say the contrary, or name somebody else.
func TestNotSo(t *testing.T) {
	state, name := acted(`{"status":{"contains":"approved"}}`, "only", ""), acted(`{"recipient":{"contains":"Lea Vogt"}}`, "only", "")
	list := func(member, text string) []returned {
		return events(`[{"id":"e1","` + member + `":"` + text + `"},{"id":"e2","` + member + `":"x"}]`)
	}
	is := map[string]string{"/id": "s:e1"}
	askings{
		"approved":                     {scope: state, args: is, results: list("status", "approved by Ann"), want: true},
		"not so":                       {scope: state, args: is, results: list("status", "not approved")},
		"no longer":                    {scope: state, args: is, results: list("status", "no longer approved")},
		"not yet":                      {scope: state, args: is, results: list("status", "to be approved by Ann")},
		"for what can be taken back":   {scope: state, args: is, results: list("status", "not approved"), reversible: true, want: true},
		"nobody did":                   {scope: state, args: is, results: list("status", "approved by nobody")},
		"till a day":                   {scope: state, args: is, results: list("status", "approved until yesterday")},
		"crossed out":                  {scope: state, args: is, results: list("status", "~approved~")},
		"with a sign of what's banned": {scope: state, args: is, results: list("status", "approved \u20e0")},
		"with a cross":                 {scope: state, args: is, results: list("status", "approved ❌")},
		"with a check mark":            {scope: state, args: is, results: list("status", "approved ✅"), want: true},
		"of none":                      {scope: state, args: is, results: list("status", "0 approved")},
		"as a switch that is off":      {scope: state, args: is, results: list("status", "approved=0")},
		"taken back in one word":       {scope: acted(`{"zhuangtai":{"contains":"付款"}}`, "only", ""), args: is, results: list("zhuangtai", "付款已作废")},
		"the same, as the user said":   {scope: acted(`{"zhuangtai":{"contains":"付款"}}`, "only", ""), said: "已付款", args: is, results: list("zhuangtai", "已付款"), want: true},
		"the second of the name":       {scope: name, args: is, results: list("recipient", "Lea Vogt II")},
		"with a number":                {scope: name, args: is, results: list("recipient", "Lea Vogt 2")},
		"or somebody else":             {scope: name, args: is, results: list("recipient", "Lea Vogt/Bo")},
		"passed on":                    {scope: name, args: is, results: list("recipient", "Lea Vogt → Bo")},
		"a handle":                     {scope: name, args: is, results: list("recipient", "@Lea Vogt")},
		"taken back":                   {scope: state, args: is, results: list("status", "approved (revoked)")},
		"failed to be":                 {scope: state, args: is, results: list("status", "failed to be approved")},
		"isn't":                        {scope: state, args: is, results: list("status", "isn't approved")},
		"until it is":                  {scope: state, args: is, results: list("status", "on hold until approved")},
		"not before it is":             {scope: state, args: is, results: list("status", "until approved")},
		"in progress":                  {scope: state, args: is, results: list("status", "in progress: approved")},
		"soon":                         {scope: state, args: is, results: list("status", "in review, soon approved")},
		"awaited":                      {scope: state, args: is, results: list("status", "from draft, awaiting: approved")},
		"taken back by somebody":       {scope: state, args: is, results: list("status", "by finance: zurückgezogen, approved")},
		"taken back on a day":          {scope: state, args: is, results: list("status", "as of today revocado approved")},
		"another word behind it":       {scope: state, args: is, results: list("status", "approved annulé by Paul")},
		"on a day by somebody":         {scope: state, args: is, results: list("status", "approved 2026-05-01 by Ann"), want: true},
		"on a day":                     {scope: state, args: is, results: list("status", "approved 2026-05-01"), want: true},
		"in no English":                {scope: acted(`{"estado":{"contains":"aprobado"}}`, "only", ""), args: is, results: list("estado", "sin ser aprobado")},
		"without blanks":               {scope: acted(`{"condition":{"contains":"付款"}}`, "only", ""), args: is, results: list("condition", "未付款")},
		"under no name for it":         {scope: acted(`{"zhuangtai":{"contains":"付款"}}`, "only", ""), args: is, results: list("zhuangtai", "待付款")},
		"behind it":                    {scope: acted(`{"sangtae":{"contains":"미입금"}}`, "only", ""), args: is, results: list("sangtae", "미입금이 아닙니다")},
		"another word before it":       {scope: acted(`{"mingcheng":{"contains":"龙井"}}`, "only", ""), args: is, results: list("mingcheng", "西湖龙井茶"), want: true},
		"another number":               {scope: acted(`{"room":{"contains":"Room 1"}}`, "only", ""), args: is, results: list("room", "Room 1.5")},
		"another one behind blanks":    {scope: acted(`{"room":{"contains":"Room 1"}}`, "only", ""), args: is, results: list("room", "Room  1.5")},
		"behind a tab":                 {scope: acted(`{"room":{"contains":"Room 1"}}`, "only", ""), args: is, results: list("room", `Room\t1.5`)},
		"behind a hyphen":              {scope: acted(`{"room":{"contains":"Room 1"}}`, "only", ""), args: is, results: list("room", "Room-1.5")},
		"with a blank within":          {scope: acted(`{"room":{"contains":"Room 1"}}`, "only", ""), args: is, results: list("room", "Room 1 .5")},
		"with a colon within":          {scope: acted(`{"room":{"contains":"Room 1"}}`, "only", ""), args: is, results: list("room", "Room 1:5")},
		"neither of two":               {scope: acted(`{"room":{"contains":["Hall","Room 1"]}}`, "only", ""), args: is, results: list("room", "Room 1.5")},
		"one of two":                   {scope: acted(`{"room":{"contains":["Hall","Room 1"]}}`, "only", ""), args: is, results: list("room", "Hall, once Room 1.5"), want: true},
		"the number and blanks":        {scope: acted(`{"room":{"contains":"Room 1"}}`, "only", ""), args: is, results: list("room", "Room  1 (5 seats)"), want: true},
		"the number and a day":         {scope: acted(`{"room":{"contains":"Room 1"}}`, "only", ""), args: is, results: list("room", "Room 1, 2026-05-01"), want: true},
		"the number and a hyphen":      {scope: acted(`{"room":{"contains":"Room 1"}}`, "only", ""), args: is, results: list("room", "Room 1 - 5 seats"), want: true},
		"the number":                   {scope: acted(`{"room":{"contains":"Room 1"}}`, "only", ""), args: is, results: list("room", "Room 1, north"), want: true},
		"a number without blanks":      {scope: acted(`{"hall":{"contains":"三号仓"}}`, "only", ""), args: is, results: list("hall", "十三号仓")},
		"a number below zero":          {scope: acted(`{"room":{"contains":"100"}}`, "only", ""), args: is, results: list("room", "-100")},
		"with a green light":           {scope: state, args: is, results: list("status", "🟢 approved"), want: true},
		"with a check mark as a sign":  {scope: state, args: is, results: list("status", "✔️ approved"), want: true},
		"with a light of any colour":   {scope: state, args: is, results: list("status", "● approved")},
		"with a thumb up":              {scope: state, args: is, results: list("status", "approved 👍"), want: true},
		"with a red light":             {scope: state, args: is, results: list("status", "🔴 approved")},
		"with a price":                 {scope: state, args: is, results: list("status", "approved (98 €)"), want: true},
		"equal to nothing":             {scope: state, args: is, results: list("status", "approved = 0")},
		"a share of nothing":           {scope: acted(`{"check":{"contains":"不合格"}}`, "only", ""), args: is, results: list("check", "不合格率0%")},
		"what is ruled out":            {scope: acted(`{"diagnosis":{"contains":"rot"}}`, "only", ""), args: is, results: list("diagnosis", "rot excluded")},
		"who has to do with her":       {scope: name, args: is, results: list("recipient", "caretaker of Lea Vogt")},
		"she and somebody":             {scope: name, args: is, results: list("recipient", "Lea Vogt & Sons")},
		"with her address":             {scope: name, args: is, results: list("recipient", "Lea Vogt <lea@vogt.example>"), want: true},
		"with an address, and another": {scope: name, args: is, results: list("recipient", "x@y.example,of Lea Vogt")},
		"in a family's name":           {scope: name, args: is, results: list("recipient", "Lea Vogt von Berg"), want: true},
		"she":                          {scope: name, args: is, results: list("recipient", "Lea Vogt"), want: true},
		"with a further name":          {scope: name, args: is, results: list("recipient", "Lea Vogt Berg"), want: true},
		"another name":                 {scope: name, args: is, results: list("recipient", "Lea Vogt-Maier")},
		"somebody at her place":        {scope: name, args: is, results: list("recipient", "c/o Lea Vogt, for Jon Ek")},
		"who was called so":            {scope: name, args: is, results: list("recipient", "Ana (formerly Lea Vogt)")},
		"her daughter":                 {scope: name, args: is, results: list("recipient", "Lea Vogt jr.")},
		"a title":                      {scope: acted(`{"title":{"contains":"approved"}}`, "only", ""), args: is, results: list("title", "Not approved"), want: true},
	}.run(t)
}

// TestNamesWrittenOn: in scripts that write words without blanks, or endings and particles onto them, a name is all that is written in a row.
// Elsewhere a word may stand among others.
func TestNamesWrittenOn(t *testing.T) {
	list := func(member, text string) []returned {
		return events(`[{"id":"e1","` + member + `":"` + text + `"},{"id":"e2","` + member + `":"x"}]`)
	}
	is := map[string]string{"/id": "s:e1"}
	of := func(member, word, text string, want bool) asking {
		return asking{scope: acted(`{"`+member+`":{"contains":"`+word+`"}}`, "only", ""), args: is, results: list(member, text), want: want}
	}
	anyhow := of("title", "김하", "김하은 단편선", true)
	anyhow.reversible = true
	askings{
		"a title with the word":              of("title", "김하", "김하 시집", true),
		"with an ending that no name has":    of("title", "김하", "김하의 시집", true),
		"with one that names have":           of("title", "김하", "김하은 단편선", false),
		"with more of a name":                of("title", "김하", "김하늘 시집", false),
		"the same, for what can be put back": anyhow,
		"a longer word with an ending":       of("title", "겨울여행", "겨울여행은 즐겁다", true),
		"with an ending of two syllables":    of("title", "김하", "김하에게", true),
		"more than an ending":                of("title", "겨울여행", "겨울여행사진", false),
		"both, the word and more of it":      of("title", "김하", "김하늘, 김하", true),
		"a person with more of a name":       of("recipient", "김하", "김하늘", false),
		"with a courtesy":                    of("recipient", "김하", "김하님", true),
		"a Chinese name":                     of("recipient", "李明", "李明", true),
		"among signs":                        of("recipient", "李明", "李明 (北京)", true),
		"in a longer one":                    of("recipient", "李明", "李明华", false),
		"with a courtesy in Japanese":        of("recipient", "佐藤花子", "佐藤花子様", true),
		"of a thing":                         of("dish", "拉面", "牛肉拉面", true),
		"an Arabic name":                     of("recipient", "سامي", "سامي خوري", true),
		"in another one, behind a particle":  of("recipient", "سامي", "بسامي خوري", false),
		"of a thing, behind a particle":      of("place", "ביפו", "בביפו", true),
		"who is at an address":               of("name", "田中", `上田中 四郎","email":"ueda@x.example`, false),
		"who is that":                        of("name", "田中", `田中 一郎","email":"tanaka@x.example`, true),
		"a thing":                            of("name", "龙井", `西湖龙井`, true),
		"a Thai firm":                        of("vendor", "สยามไฟฟ้า", "สยามไฟฟ้า", true),
		"which it is not":                    of("vendor", "สยามไฟฟ้า", "ไม่ใช่สยามไฟฟ้า", false),
		"a number in a longer one":           of("room", "一号", "一百〇一号", false),
	}.run(t)
}

// TestSpokenAgainstAmongOthers: what is left out is so also where a short text has it among other words.
func TestSpokenAgainstAmongOthers(t *testing.T) {
	const but = `{"calls":[{"tool":"act","times":"each","args":{"/id":{"from":[{"tool":"list_events","field":"id"}],"kind":"id","pick":"all","except":[{"tool":"list_events","field":"id","where":{"role":"admin"}}]}}}]}`
	list := func(role string) []returned {
		return events(`[{"id":"e1","role":"` + role + `"},{"id":"e2","role":"viewer"}]`)
	}
	is := map[string]string{"/id": "s:e1"}
	askings{
		"another role":   {scope: but, args: is, early: true, results: list("editor"), want: true},
		"the role":       {scope: but, args: is, early: true, results: list("Admin")},
		"with a remark":  {scope: but, args: is, early: true, results: list("Admin (owner)")},
		"a compound":     {scope: but, args: is, early: true, results: list("super-admin")},
		"inflected":      {scope: but, args: is, early: true, results: list("administrator")},
		"another ending": {scope: but, args: is, early: true, results: list("minister"), want: true},
	}.run(t)
}

// TestNever: a time that programs write where there is none is no time, and a price that is nothing is not the cheapest.
func TestNever(t *testing.T) {
	unused := `{"calls":[{"tool":"act","times":"each","args":{"/id":{"from":[{"tool":"list_events","field":"id","where":{"used_at":{"before":"2026-02-01"}}}],"kind":"id","pick":"all"}}}]}`
	list := func(member, a, b string) []returned {
		return events(`[{"id":"e1","` + member + `":` + a + `},{"id":"e2","` + member + `":` + b + `}]`)
	}
	first := map[string]string{"/id": "s:e1"}
	cheapest := acted(`{}`, "choice", "cheapest by price")
	askings{
		"used before":            {scope: unused, args: first, early: true, results: list("used_at", `"2025-11-02T00:00:00Z"`, `"2026-03-01T00:00:00Z"`), want: true},
		"in the year one":        {scope: unused, args: first, early: true, results: list("used_at", `"0001-01-01T00:00:00Z"`, `"2026-03-01T00:00:00Z"`)},
		"at the epoch":           {scope: unused, args: first, early: true, results: list("used_at", `"1970-01-01T00:00:00Z"`, `"2026-03-01T00:00:00Z"`)},
		"the cheapest":           {scope: cheapest, args: first, early: true, results: list("price", "3", "9"), want: true},
		"a price on request":     {scope: cheapest, args: first, early: true, results: list("price", "0", "9")},
		"no time at all":         {scope: acted(`{}`, "choice", "shortest by duration"), args: first, early: true, results: list("duration", "0", "9")},
		"the shortest":           {scope: acted(`{}`, "choice", "shortest by duration"), args: first, early: true, results: list("duration", "3", "9"), want: true},
		"no stop at all":         {scope: acted(`{}`, "choice", "fewest stops"), args: first, early: true, results: list("stops", "0", "2"), want: true},
		"a rating of no scale":   {scope: acted(`{}`, "choice", "highest by rating"), args: first, early: true, results: list("rating", "999", "5")},
		"a rating in per cent":   {scope: acted(`{}`, "choice", "highest by rating"), args: first, early: true, results: list("rating", "95", "8"), want: true},
		"a day before the epoch": {scope: acted(`{}`, "choice", "oldest by created_at"), args: first, early: true, results: list("created_at", `"1969-12-31"`, `"2026-01-01"`)},
		"all for nothing":        {scope: cheapest, args: first, early: true, results: list("price", "0", "0"), want: false},
	}.run(t)
}

// TestSaidToBeAPart: a server says in several ways that a listing is a part.
func TestSaidToBeAPart(t *testing.T) {
	newest := acted(`{}`, "choice", "newest by date")
	is := map[string]string{"/id": "s:e1"}
	for beside, want := range map[string]bool{
		``: true, `,"limit":10`: true, `,"total":2`: true, `,"event_count":2`: true, `,"account_balance":400`: true,
		`,"advarsel":"Kun de 2 nyeste vises, 16 flere findes."`: false, `,"stats":{"events":57}`: false, `,"summary":"57 events, 1 shown"`: false, `,"ถัดไป":2`: false, `,"note":"2 rooms"`: true,
		`,"result_count":14`: false, `,"results":2`: true, `,"sample":true`: false, `,"sample":false`: true, `,"preview":"Hello"`: true, `,"marker":"x"`: false, `,"after":"2026-01-01"`: true,
		`,"limit":2`: false, `,"per_page":2`: false, `,"of":40`: false, `,"size":40`: false, `,"totalEvents":40`: false, `,"event_count":40`: false, `,"partial":true`: false, `,"coverage":"partial"`: false, `,"coverage":"full"`: true, `,"shown":"teilweise"`: false, `,"omitted":3`: false,
	} {
		a := asking{scope: newest, args: is, early: true, results: events(`{"events":[{"id":"e1","date":"2026-05-02"},{"id":"e2","date":"2026-05-01"}]` + beside + `}`)}
		if got, misses := a.covered(t); got != want {
			t.Errorf("%s: covered %v, want %v (%v)", beside, got, want, misses)
		}
	}
}

// TestEndOfACall: an end that follows from the start of the same call is as long after it as the words say, or as the thing was before.
func TestEndOfACall(t *testing.T) {
	ending := func(by string) string {
		return `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_events","field":"id","where":{"title":"Plan"}}],"kind":"id","pick":"only"},"/start":{"is":"2026-05-12T16:00"},"/end":{"computed":[],"by":"` + by + `"}}}]}`
	}
	results := events(`[{"id":"e1","title":"Plan","start":"2026-05-12T15:00","end":"2026-05-12T15:30"},{"id":"e2","title":"x","start":"2026-05-12T15:00","end":"2026-05-12T18:00"}]`)
	is := func(end string) map[string]string {
		return map[string]string{"/id": "s:e1", "/start": "c:2026-05-12T16:00", "/end": "c:" + end}
	}
	const hour, same = "start plus one hour", "start plus the present length"
	askings{
		"an hour":           {scope: ending(hour), said: "Plan", args: is("2026-05-12T17:00"), results: results, want: true},
		"three hours":       {scope: ending(hour), said: "Plan", args: is("2026-05-12T19:00"), results: results},
		"a year":            {scope: ending(hour), said: "Plan", args: is("2027-05-12T17:00"), results: results},
		"as long as before": {scope: ending(same), said: "Plan", args: is("2026-05-12T16:30"), results: results, want: true},
		"longer":            {scope: ending(same), said: "Plan", args: is("2026-05-12T19:00"), results: results},
		"before the start":  {scope: ending(same), said: "Plan", args: is("2026-05-12T15:00"), results: results},
	}.run(t)
}

// TestCentsAreNoEuros: a number whose member names a smaller unit isn't taken for one that names none.
func TestCentsAreNoEuros(t *testing.T) {
	pay := func(field, into string) string {
		return `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_events","field":"id","where":{"title":"Plan"}}],"kind":"id","pick":"only"},"` + into + `":{"from":[{"tool":"list_events","field":"` + field + `","where":{"title":"Plan"}}],"kind":"number","pick":"only"}}}]}`
	}
	results := func(member string) []returned { return events(`[{"id":"e1","title":"Plan","` + member + `":12000}]`) }
	is := func(into string) map[string]string { return map[string]string{"/id": "s:e1", into: "o:12000"} }
	takes := func(at, otherwise string) func(*match.Proposal) {
		return func(p *match.Proposal) {
			p.Default = func(pointer string) (string, bool) { return otherwise, pointer == at }
		}
	}
	askings{
		"an amount":               {scope: pay("amount", "/amount"), said: "Plan", args: is("/amount"), results: results("amount"), want: true},
		"in cents":                {scope: pay("amount", "/amount"), said: "Plan", args: is("/amount"), results: results("amount_cents")},
		"as the field says":       {scope: pay("amount cents", "/amount"), said: "Plan", args: is("/amount"), results: results("amount_cents"), want: true},
		"as the call takes them":  {scope: pay("amount", "/amount_cents"), said: "Plan", args: is("/amount_cents"), results: results("amount_cents"), want: true},
		"a unit beside it":        {scope: pay("amount", "/amount"), said: "Plan", args: is("/amount"), results: results(`unit":"cents","amount`)},
		"a unit of it":            {scope: pay("amount", "/amount"), said: "Plan", args: is("/amount"), results: results(`unit":"pieces","amount`), want: true},
		"what a price is for":     {scope: pay("amount", "/amount"), said: "Plan", args: is("/amount"), results: results(`unit":"hour","amount`)},
		"for what the user said":  {scope: pay("amount", "/amount"), said: "Plan, for the hour", args: is("/amount"), results: results(`unit":"hour","amount`), want: true},
		"of another kind":         {scope: pay("amount", "/dose_mg"), said: "Plan", args: is("/dose_mg"), results: results(`unit":"ml","amount`)},
		"of the same":             {scope: pay("amount", "/dose_mg"), said: "Plan", args: is("/dose_mg"), results: results(`unit":"mg","amount`), want: true},
		"of the same, a month":    {scope: pay("amount", "/usage_kwh"), said: "Plan", args: is("/usage_kwh"), results: results(`unit":"kWh","per":"month","amount`), want: true},
		"of the same, for a time": {scope: pay("usage month", "/usage_kwh"), said: "Plan", args: is("/usage_kwh"), results: results(`unit":"kWh","usage_month`), want: true},
		"an hour, or a height":    {scope: pay("h", "/height_cm"), said: "Plan", args: is("/height_cm"), results: results("h")},
		"a greater one":           {scope: pay("amount", "/power_w"), said: "Plan", args: is("/power_w"), results: results(`unit":"kW","amount`)},
		"a scale of heat":         {scope: pay("amount", "/temp_c"), said: "Plan", args: is("/temp_c"), results: results(`unit":"°F","amount`)},
		"as it is abbreviated":    {scope: pay("amount", "/minutes"), said: "Plan", args: is("/minutes"), results: results(`unit":"Std.","amount`)},
		"with a point behind it":  {scope: pay("amount", "/amount_eur"), said: "Plan", args: is("/amount_eur"), results: results(`currency":"kr.","amount`)},
		"another currency":        {scope: pay("amount", "/amount_eur"), said: "Plan", args: is("/amount_eur"), results: events(`{"currency":"USD","items":[{"id":"e1","title":"Plan","amount":12000}]}`)},
		"its currency":            {scope: pay("amount", "/amount_eur"), said: "Plan", args: is("/amount_eur"), results: events(`{"currency":"EUR","items":[{"id":"e1","title":"Plan","amount":12000}]}`), want: true},
		"of another default":      {scope: strings.Replace(pay("amount", "/amount"), `"/id"`, `"/bizhong":{"absent":true},"/id"`, 1), said: "Plan", args: is("/amount"), results: results(`bizhong":"JPY","amount`), change: takes("/bizhong", "CNY")},
		"of the default":          {scope: strings.Replace(pay("amount", "/amount"), `"/id"`, `"/bizhong":{"absent":true},"/id"`, 1), said: "Plan", args: is("/amount"), results: results(`bizhong":"CNY","amount`), change: takes("/bizhong", "CNY"), want: true},
		"nobody knows of which":   {scope: strings.Replace(pay("amount", "/amount"), `"/id"`, `"/currency":{"absent":true},"/id"`, 1), said: "Plan", args: is("/amount"), results: results(`currency":"JPY","amount`)},
		"of what the user said":   {scope: strings.Replace(pay("amount", "/amount"), `"/id"`, `"/currency":{"absent":true},"/id"`, 1), said: "Plan, in yen", args: is("/amount"), results: results(`currency":"JPY","amount`), want: true},
		"seconds":                 {scope: pay("duration", "/minutes"), said: "Plan", args: is("/minutes"), results: results("duration_sec")},
	}.run(t)
}
