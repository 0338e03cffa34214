package planner_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/planner"
	"github.com/remit-project/remit/internal/raced"
	"github.com/remit-project/remit/scope"
)

// TestConditions: the clauses of a user's own text that have a condition are found, and nothing
// that only looks like one is.
func TestConditions(t *testing.T) {
	for text, want := range map[string]string{
		"If the tenant has paid, cancel the reminder.":                           "If the tenant has paid,",
		"Cancel the reminder unless Bo says otherwise, and tell me.":             "unless Bo says otherwise,",
		"Ship order 12 as soon as Bo confirms.":                                  "as soon as Bo confirms.",
		"Delete the branch once she has merged.":                                 "once she has merged.",
		"Sag den Termin ab, falls Bo krank ist.":                                 "falls Bo krank ist.",
		"Ferme le ticket si le client est content.":                              "si le client est content.",
		"Cierra la incidencia si el cliente dice que funciona.":                  "si el cliente dice que funciona.",
		"Se il cliente conferma, chiudi la pratica.":                             "Se il cliente conferma,",
		"Feche o chamado se o cliente confirmar.":                                "se o cliente confirmar.",
		"Sluit het ticket als de klant tevreden is.":                             "als de klant tevreden is.",
		"Avboka mötet om Bo inte har svarat.":                                    "om Bo inte har svarat.",
		"Lukk saken hvis kunden er fornøyd.":                                     "hvis kunden er fornøyd.",
		"Sulje tiketti, jos asiakas on tyytyväinen.":                             "jos asiakas on tyytyväinen.",
		"Zamknij zgłoszenie, jeśli klient potwierdzi.":                           "jeśli klient potwierdzi.",
		"Zavři tiket, pokud zákazník souhlasí.":                                  "pokud zákazník souhlasí.",
		"Zárd le a jegyet, ha az ügyfél elégedett.":                              "ha az ügyfél elégedett.",
		"Закрой заявку, если клиент доволен.":                                    "если клиент доволен.",
		"Закрий заявку, якщо клієнт задоволений.":                                "якщо клієнт задоволений.",
		"Κλείσε το αίτημα αν ο πελάτης συμφωνεί.":                                "αν ο πελάτης συμφωνεί.",
		"Müşteri onaylarsa talebi kapat.":                                        "Müşteri onaylarsa talebi kapat.",
		"Tutup tiket itu jika pelanggan setuju.":                                 "jika pelanggan setuju.",
		"Đóng phiếu nếu khách đồng ý.":                                           "nếu khách đồng ý.",
		"أغلق التذكرة إذا وافق العميل.":                                          "إذا وافق العميل.",
		"סגור את הפנייה אם הלקוח מסכים.":                                         "אם הלקוח מסכים.",
		"अगर ग्राहक सहमत हो, टिकट बंद करो।":                                      "अगर ग्राहक सहमत हो,",
		"如果客户同意，就关闭工单。":                                                          "如果客户同意,",
		"お客様が了承したら、チケットを閉じて。":                                                    "お客様が了承したら、",
		"고객이 동의하면 티켓을 닫아 줘.":                                                     "고객이 동의하면 티켓을 닫아 줘.",
		"ถ้าลูกค้าตกลง ปิดตั๋ว":                                                  "ถ้าลูกค้าตกลง ปิดตั๋ว",
		"Close ticket 7. If Bo agrees, archive it; unless Al objects.":           "If Bo agrees,|unless Al objects.",
		"Let me know if the tenant has paid.":                                    "",
		"Close the ticket, if possible today.":                                   "",
		"S'il te plaît, ferme le ticket 7.":                                      "",
		"Cancela la reserva que se hizo el lunes.":                               "",
		"Reserva la sala y dime si puedes.":                                      "",
		"Skriv till Bo om att mötet är inställt, det är bråttom.":                "",
		"Boek een zaal om 10 uur voor het team.":                                 "",
		"Ich brauche mehr als drei Zimmer.":                                      "",
		"Verschiebe den Termin auf Freitag.":                                     "",
		"Ha llegado el paquete: avisa a Ana.":                                    "",
		"重启 cache-2，只要这一个":                                                       "",
		"よろしければ、会議室を予約して。":                                                       "",
		"화면 밝기를 낮춰 줘.":                                                           "",
		"Answer Bo: \"If you come, bring the key.\"":                             "",
		"Close the task if Bo confirmed it.":                                     "if Bo confirmed it.",
		"Pay Lucas if the work is done.":                                         "if the work is done.",
		"Book the room for seven if it is free.":                                 "if it is free.",
		"Ask Bo. If he agrees, pay Al.":                                          "If he agrees,",
		"Ask Bo and if he agrees pay Al.":                                        "if he agrees pay Al.",
		"If you can't reach Bo, cancel the booking.":                             "If you can't reach Bo,",
		"If you could not reach Bo, cancel the booking.":                         "If you could not reach Bo,",
		"Ship it if you can see that Bo has paid.":                               "if you can see that Bo has paid.",
		"Send it today, if you can.":                                             "",
		"Si puedes ver que ha pagado, envía el pedido.":                          "Si puedes ver que ha pagado,",
		"Если можно отменить бесплатно, отмени бронь.":                           "Если можно отменить бесплатно,",
		"Если можно, отмени бронь.":                                              "",
		"確認できたら送金して":                                                             "確認できたら送金して",
		"彼が承認してくれたら送金して":                                                         "彼が承認してくれたら送金して",
		"天気がよければ予約して":                                                            "天気がよければ予約して",
		"予約していただければ幸いです":                                                         "",
		"금요일이면 예약해 줘.":                                                           "금요일이면 예약해 줘.",
		"가격이 낮아지면 주문해 줘.":                                                        "가격이 낮아지면 주문해 줘.",
		"서면 답변을 보내 줘.":                                                           "",
		"Order the 19\" one if it is cheap, and the 24\" one.":                   "if it is cheap,",
		"Schließe »A« wenn Bo zustimmt und »B«.":                                 "wenn Bo zustimmt und »B«.",
		"Set the titles \"If I stay\" and “If you come”.":                        "",
		"On the condition that Bo agrees, close it.":                             "On the condition that Bo agrees,",
		"Wait until Bo agrees, then close it.":                                   "Wait until Bo agrees,",
		"Should the customer agree, close the ticket.":                           "Should the customer agree,",
		"Bezahle die Rechnung, nachdem Bo zugestimmt hat.":                       "nachdem Bo zugestimmt hat.",
		"Zamknij zgłoszenie, gdy klient potwierdzi.":                             "gdy klient potwierdzi.",
		"Zapri listek, če stranka potrdi.":                                       "če stranka potrdi.",
		"لو وافق العميل أغلق التذكرة.":                                           "لو وافق العميل أغلق التذكرة.",
		"Ödəyibsə, əgər razıdır, bağla.":                                         "əgər razıdır,",
		"Mbylle biletën nëse klienti pajtohet.":                                  "nëse klienti pajtohet.",
		"Փակիր, եթե համաձայն է։":                                                 "եթե համաձայն է։",
		"დახურე, თუ კლიენტი თანახმაა.":                                           "თუ კლიენტი თანახმაა.",
		"Reserve a room until the 5th.":                                          "",
		"لو سمحت أغلق التذكرة.":                                                  "",
		"Close ticket 7 once Jana agrees.":                                       "once Jana agrees.",
		"Close ticket 7 when Jana agrees.":                                       "when Jana agrees.",
		"Pay Al, subject to his approval.":                                       "subject to his approval.",
		"Cierra la incidencia cuando Ana confirme.":                              "cuando Ana confirme.",
		"Закрой заявку, когда клиент согласится.":                                "когда клиент согласится.",
		"\u0406f Bo agrees, pay Al.":                                             "\u0406f Bo agrees,",   // a Cyrillic I
		"Закрой заявку, еcли клиент доволен.":                                    "еcли клиент доволен.", // a Latin c
		"Close 7 if Bo agrees and if Al has paid.":                               "if Bo agrees|if Al has paid.",
		"Ask Mr. Bo for the key. When he agrees, pay.":                           "When he agrees,",
		"When is the next visit?":                                                "",
		"Quando è la prossima visita di Mika?":                                   "",
		"その日出張が入ったらしいので変えてあげて":                                                   "",
		"Ferme le ticket si Bo est d'accord, sinon touche à rien.":               "si Bo est d'accord,",
		"Ferme le ticket, sinon ne fais rien.":                                   "",
		"Ferme le ticket, sinon paie Al.":                                        "sinon paie Al.",
		"Ak je tiket otvorený, zavri ho, ak nie nerob nič.":                      "Ak je tiket otvorený,",
		"Se il cliente conferma, chiudi la pratica, altrimenti non fare niente.": "Se il cliente conferma,",
		"Trimite raportul din mai la Ana si la Ion.":                             "",
		"أغلق التذكرة إذا وافق العميل، وإلا خليه زي ما هو.":                      "إذا وافق العميل،",
		"Rembourse-lui ça tout de suite.":                                        "",
		"読書リスト「終わったら消す」を削除してください。":                                               "",
		"What does this mean?\n```\nif paid { close() }\n```\nClose none":        "",
	} {
		if got := strings.Join(planner.ConditionsOf(text), "|"); got != want {
			t.Errorf("%s\ngot  %q\nwant %q", text, got, want)
		}
	}

	long := strings.Repeat("if he agrees ", 2400)
	if got := planner.ConditionsOf(long); len(got) != 1 || len(got[0]) > 800 {
		t.Errorf("%d conditions", len(got))
	}
}

// TestClauses: conditions in many languages are found, and what somebody asks or tells, times and
// courtesies are none.
func TestClauses(t *testing.T) {
	data, err := os.ReadFile("testdata/clauses.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		text := strings.ReplaceAll(row[2], `\u200b`, "\u200b")
		if got := planner.ConditionsOf(text); (len(got) > 0) != (row[1] == "condition") {
			t.Errorf("%s: %s has the conditions %q", row[0], text, got)
		}
	}
}

// TestDictated: words of the user's that an entry states, a title or what somebody is to be told,
// are for those who read them. A condition of the request itself is not.
func TestDictated(t *testing.T) {
	for said, c := range map[string]struct {
		state string
		waits bool
	}{
		"Make a page When to plant roses.":     {"When to plant roses", false},
		"Make a page „Wenn Rosen blühen\".":    {"Wenn Rosen blühen", false},
		"Call the page Roses if it rains.":     {"Roses if it rains", false},
		"Call the page Roses if it rains. ":    {"Roses", true},
		"If Bo agrees, make a page.":           {"If Bo agrees", true},
		"Make a page if Bo agrees.":            {"if Bo agrees", true},
		"When Bo agrees, make a page of roses": {"When Bo agrees", true},
	} {
		answer := answerOf(`{"call":"wipe","tool":"wipe","times":1,"args":[{"at":"/id","is":[` + strconv.Quote(c.state) + `]}]}`)
		waiting, err := planner.Waiting(request(said), []byte(answer))
		if err != nil || (len(waiting) > 0) != c.waits {
			t.Errorf("%s: %q waits: %v", said, waiting, err)
		}
	}
}

// TestEveryMarkMatters takes each entry out of the table: a text has another condition then, or
// none, or one that it had not.
func TestEveryMarkMatters(t *testing.T) {
	raced.SkipTable(t)
	for _, e := range planner.Marks(t) {
		if with, without := e.In(nil), e.In(&e); with == without {
			t.Errorf("%s changes nothing: %q has %q", e, e.Example, with)
		}
	}
}

// TestAnyText: whatever a user says, its conditions are parts of it, as long as the text is plain.
func TestAnyText(t *testing.T) {
	piece := rapid.SampledFrom(strings.Split("if|if you can|unless|when|once|Bo|agrees|and|,|. |; |?|\n|\"|“|”|„|«|»|「|」|『|』|'|"+
		"えば|たら|場合|如果|的话|면|때 |onaylarsa|se|il|ve|Mr. |\u0456f|\U0001F600|\xff|```|> ", "|"))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 24).Draw(t, "text"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		plain := norm.NFKC.String(text)
		for _, c := range planner.ConditionsOf(text) {
			if utf8.ValidString(text) && !strings.Contains(c, "  ") && !strings.Contains(plain, c) {
				t.Errorf("%q is not in %q", c, plain)
			}
		}
	})
}

// TestForgottenConditions: an answer that leaves out a condition of the user's goes back once.
// Where the second one leaves it out too, the calls with an effect wait for a person.
func TestForgottenConditions(t *testing.T) {
	const clause = `If she agrees,`
	entry := func(more string) string {
		return `{"call":"wipe","tool":"wipe","times":1,` + more + `"args":[{"at":"/id","is":[7]}]}`
	}
	conditional := func(name, value string) string {
		parts := map[string]string{"if": "[]", "unless": "[]", "only_if": "[]"}
		parts[name] = value
		return entry(`"group":"","if":` + parts["if"] + `,"unless":` + parts["unless"] + `,"only_if":` + parts["only_if"] + `,`)
	}
	forgotten := answerOf(finding, entry(""))
	judged := answerOf(finding, conditional("only_if", `["`+clause+`"]`))
	for name, c := range map[string]struct {
		said   string
		script []string
		asked  int
		waits  bool
	}{
		"forgotten twice":              {clause + " wipe 7.", []string{forgotten}, 2, true},
		"forgotten once":               {clause + " wipe 7.", []string{forgotten, judged}, 2, true},
		"said":                         {clause + " wipe 7.", []string{judged}, 1, true},
		"said as a record":             {clause + " wipe 7.", []string{answerOf(finding, conditional("if", `[{"call":"find","field":"","where":[{"field":"state","is":["agreed"]}]}]`))}, 1, false},
		"said of a lookup alone":       {clause + " wipe 7.", []string{answerOf(strings.Replace(finding, `"args"`, `"group":"","if":[],"unless":[],"only_if":["`+clause+`"],"args"`, 1), entry(""))}, 2, true},
		"two, of which one is said":    {clause + " wipe 7. Unless Bo objects, write to her.", []string{judged}, 2, true},
		"no condition":                 {"Wipe 7.", []string{forgotten}, 1, false},
		"a condition of a mere lookup": {"If she agrees, find Ann.", []string{answerOf(finding)}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			made, s := newPlanner(t, llm.OpenAI, c.script...)
			d, err := made.Draft(t.Context(), request(c.said))
			if err != nil {
				t.Fatal(err)
			}
			if waits := strings.Contains(string(d.Scope), `"only_if":["If`); waits != c.waits || len(s.Asked()) != c.asked {
				t.Errorf("asked %d times: %s", len(s.Asked()), d.Scope)
			}
			if slices.ContainsFunc(d.Mistakes, func(m string) bool { return strings.Contains(m, "only_if") }) {
				t.Error(d.Mistakes)
			}
		})
	}
}

// TestConditionsOnRecords: a condition on the object itself belongs to its source, and a
// condition that only names an object says nothing of one.
func TestConditionsOnRecords(t *testing.T) {
	wiping := func(field, value string) string {
		return answerOf(finding, `{"call":"wipe","tool":"wipe","times":1,"args":[{"at":"/id","from":[{"call":"find","field":"id","where":[{"field":"`+field+`",`+value+`}]}],"kind":"id","pick":"only","by":""}]}`)
	}
	for name, c := range map[string]struct {
		said, answer string
		waits        bool
	}{
		"a bound":                   {"Wipe Ann's file if it has less than 30 pages.", wiping("pages", `"below":30`), false},
		"a number with thousands":   {"Wipe Ann's file if it has less than 1,900 pages.", wiping("pages", `"below":1900`), false},
		"another with thousands":    {"Wipe Ann's file if it has less than 1 900 pages.", wiping("pages", `"below":900`), true},
		"a state":                   {"Wipe Ann's file if it's expired.", wiping("state", `"is":["expired"]`), false},
		"another bound":             {"Wipe Ann's file if it has less than 30 pages.", wiping("pages", `"below":40`), true},
		"a bound that is included":  {"Wipe Ann's file if it has no more than 30 pages.", wiping("pages", `"below":31`), false},
		"at least so many":          {"Wipe Ann's file if it has at least 30 pages.", wiping("pages", `"above":29`), false},
		"a part more":               {"Wipe Ann's file if it has no more than 2000 pages.", wiping("pages", `"below":2000.01`), false},
		"a number in words":         {"Wipe Ann's file if it has no more than two thousand five hundred pages.", wiping("pages", `"below":2500.01`), false},
		"in one word":               {"Lösche Anns Datei, wenn darin nicht mehr als vierzigtausend Seiten sind.", wiping("pages", `"below":40001`), false},
		"in a form of the word":     {"Usuń plik Anny, jeśli nie przekracza dwóch tysięcy.", wiping("pages", `"below":2000.01`), false},
		"another number in words":   {"Wipe Ann's file if it has no more than three thousand pages.", wiping("pages", `"below":2000.01`), true},
		"less than is allowed":      {"Wipe Ann's file if it has no more than 30 pages.", wiping("pages", `"below":29`), true},
		"a number that selects it":  {"Wipe the file of less than thirty pages if thirty of us agree.", wiping("pages", `"below":30`), true},
		"a number that one tells":   {"Wipe Ann's file if she says that it has less than thirty pages.", wiping("pages", `"below":30`), true},
		"a condition without one":   {"Wipe the file of less than two thousand pages if it is old.", wiping("pages", `"below":2000`), true},
		"the state of another part": {"Wipe the expired file if Ann agrees.", wiping("state", `"is":["expired"]`), true},
		"a state of a mere lookup":  {"Wipe 7 if she is expired.", answerOf(finding, `{"call":"again","tool":"find","times":1,"args":[{"at":"/name","from":[{"call":"find","field":"name","where":[{"field":"state","is":["expired"]}]}],"kind":"name","pick":"only","by":""}]}`, `{"call":"wipe","tool":"wipe","times":1,"args":[{"at":"/id","is":[7]}]}`), true},
		"a name":                    {"Wipe Ann's file if Ann agrees.", wiping("owner", `"is":["Ann"]`), true},
	} {
		made, _ := newPlanner(t, llm.OpenAI, c.answer)
		d, err := made.Draft(t.Context(), request(c.said))
		if err != nil {
			t.Fatal(err)
		}
		if waits := strings.Contains(string(d.Scope), `"only_if"`); waits != c.waits {
			t.Errorf("%s: %s", name, d.Scope)
		}
	}
}

// TestConditionsByEffect: every effect that the sentence of a condition asks for has to hold it. An
// entry "7 if" is a call for 7 under the condition "if" of the answer.
func TestConditionsByEffect(t *testing.T) {
	const agreed = `"group":"","if":[],"unless":[],"only_if":["if he agrees"],`
	const bigger = `"group":"","if":[{"call":"find","field":"","where":[{"field":"pages","above":30}]}],"unless":[],`
	wiping := func(id, more string) string {
		return `{"call":"wipe` + id + `","tool":"wipe","times":1,` + more + `"args":[{"at":"/id","is":[` + id + `]}]}`
	}
	expired := `{"call":"wipe","tool":"wipe","times":1,"args":[{"at":"/id","from":[{"call":"find","field":"id","where":[{"field":"state","is":["expired"]}]}],"kind":"id","pick":"only","by":""}]}`
	earlier := scope.Said{By: scope.ByUser, Text: "If he agrees, wipe 7."}

	for name, c := range map[string]struct {
		said    string
		before  []scope.Said
		reading string
		entries []string
		waits   []string // the calls that wait for the clause, beside what the answer says
	}{
		"one of two":                        {said: "If he agrees, wipe 7 and 8.", entries: []string{wiping("7", agreed), wiping("8", "")}, waits: []string{"8"}},
		"both":                              {said: "If he agrees, wipe 7 and 8.", entries: []string{wiping("7", agreed), wiping("8", agreed)}},
		"another sentence":                  {said: "If he agrees, wipe 7. Wipe 8.", entries: []string{wiping("7", agreed), wiping("8", "")}},
		"on the wrong one":                  {said: "If he agrees, wipe 7. Wipe 8.", entries: []string{wiping("7", ""), wiping("8", agreed)}, waits: []string{"7"}},
		"in the sentence before":            {said: "Ann wants 7 wiped. If he agrees, do it.", entries: []string{wiping("7", "")}, waits: []string{"7"}},
		"on a record":                       {said: "If it has more than 30 pages, wipe 7.", entries: []string{wiping("7", bigger)}},
		"two, of which one is on a record":  {said: "If he agrees and if it has more than 30 pages, wipe 7.", entries: []string{wiping("7", bigger)}, waits: []string{"7"}},
		"two, of which both are said":       {said: "If he agrees and if it has more than 30 pages, wipe 7.", entries: []string{wiping("7", strings.Replace(bigger, `"unless":[]`, `"unless":[],"only_if":["if he agrees"]`, 1))}},
		"a word of what it is about":        {said: "If he agrees wipe the expired one.", entries: []string{expired}, waits: []string{"expired"}},
		"a state":                           {said: "If it is expired wipe it.", entries: []string{expired}},
		"of an earlier message":             {said: "Yes, go on.", before: []scope.Said{earlier}, entries: []string{wiping("7", "")}, waits: []string{"7"}},
		"of an earlier message, for others": {said: "Wipe 8, too.", before: []scope.Said{earlier}, entries: []string{wiping("8", "")}},
		"a time":                            {said: "Wipe 7 when they are at lunch.", reading: `Wipe 7. no condition: "when they are at lunch"`, entries: []string{wiping("7", "")}},
		"a time, not said so":               {said: "Wipe 7 when they are at lunch.", reading: "Wipe 7 at lunch.", entries: []string{wiping("7", "")}, waits: []string{"7"}},
		"another one that is a time":        {said: "Wipe 7 when he agrees.", reading: `Wipe 7. no condition: "at the time of lunch"`, entries: []string{wiping("7", "")}, waits: []string{"7"}},
		"of a list":                         {said: "Wipe 7.\nWipe 8.\nBoth only if he agrees.", entries: []string{wiping("7", ""), wiping("8", agreed)}, waits: []string{"7"}},
		"of a list that follows":            {said: "Only if he agrees:\n1. wipe 7\n2. wipe 8", entries: []string{wiping("7", ""), wiping("8", agreed)}, waits: []string{"7"}},
		"of what another one depends on":    {said: "If he agrees, wipe 7, and if that works, wipe 8.", entries: []string{wiping("7", ""), wiping("8", `"group":"","if":[{"call":"wipe7","field":"","where":[{"field":"state","is":["done"]}]}],"unless":[],`)}, waits: []string{"7", "8"}},
		"of a call without arguments":       {said: "If he agrees, wipe all and then wipe what is left.", entries: []string{`{"call":"all","tool":"wipe","times":1,"args":[]}`, `{"call":"rest","tool":"wipe","times":1,` + agreed + `"args":[{"at":"/id","from":[{"call":"all","field":"id","where":[]}],"kind":"id","pick":"only","by":""}]}`}, waits: []string{"all"}},
		"on a record, for what is told":     {said: "If he agrees, wipe 7.", entries: []string{wiping("7", bigger)}, waits: []string{"7"}},
		"told, and on a record":             {said: "Wipe 7 if he agrees and it has more than 30 pages.", entries: []string{wiping("7", bigger)}, waits: []string{"7"}},
		"a word that selects as well":       {said: "If the expired budget is fine, wipe the expired one.", entries: []string{expired}, waits: []string{"expired"}},
		"if is no time":                     {said: "Wipe 7 if he agrees.", reading: `Wipe 7. no condition: "if he agrees"`, entries: []string{wiping("7", "")}, waits: []string{"7"}},
	} {
		t.Run(name, func(t *testing.T) {
			answer := answerOf(append([]string{finding}, c.entries...)...)
			if c.reading != "" {
				answer = strings.Replace(answer, `"calls"`, `"reading":`+strconv.Quote(c.reading)+`,"calls"`, 1)
			}
			r := request(c.said)
			r.Said = append(slices.Clone(c.before), r.Said...)
			waiting, err := planner.Waiting(r, []byte(answer))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(waiting, c.waits, strings.Contains) {
				t.Errorf("%q wait, want %q", waiting, c.waits)
			}
		})
	}
}
