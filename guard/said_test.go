package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
)

// talk makes a history of lines such as "user: yes", "agent: Shall I?" and
// `get_customer: {"id":"c1"}`.
func talk(lines ...string) *guard.History {
	h := &guard.History{}
	for _, line := range lines {
		who, text, _ := strings.Cut(line, ": ")
		switch who {
		case "user":
			h.Entries = append(h.Entries, guard.Entry{Kind: guard.UserEntry, Text: text})
		case "agent":
			h.Entries = append(h.Entries, guard.Entry{Kind: guard.AssistantEntry, Text: text})
		default:
			h.Entries = append(h.Entries, guard.Entry{Kind: guard.CallEntry, Call: &guard.Call{Tool: who, Arguments: json.RawMessage("{}"), Result: guard.ResultOf(json.RawMessage(text))}})
		}
	}
	return h
}

// answering is a judge that gives one answer.
type answering struct {
	yes bool
	err error
}

func (a answering) Judge(context.Context, guard.Question, *guard.History) (bool, string, error) {
	return a.yes, "", a.err
}

const cards = `customer_cards: {"cards": [{"card_id": "card_1", "brand": "visa", "last_four": "7447"}, {"card_id": "card_2", "brand": "visa", "last_four": "1201"}]}`

func TestWhatWasSaid(t *testing.T) {
	const agreed, listed, stated = "session.agreed()", `session.listed("card_1")`, `session.stated("card_1")`
	const told = `session.told("an order can be changed only once")`
	const person = `session.listed([{"name": "Ann Lee", "born": "1990-01-01"}])`
	const answered = `session.answered("the reason for the order")`
	const complete = `session.complete("these are all the items to be exchanged")`
	for name, c := range map[string]struct {
		require string
		talk    []string
		want    label.Verdict
	}{
		"a yes":                        {agreed, []string{"user: Order it.", "agent: I'll order two pens. OK?", "user: Yes please"}, label.Allow},
		"a yes in two turns":           {agreed, []string{"agent: I'll order two pens. OK?", "user: Yes", "user: Thanks, I'll wait."}, label.Allow},
		"thanks after the agent spoke": {agreed, []string{"agent: I'll order two pens. OK?", "user: Yes", "agent: One moment.", "user: Thanks!"}, label.Allow},
		"a no":                         {agreed, []string{"agent: I'll order two pens. OK?", "user: No, thanks"}, label.Deny},
		"a yes that was taken back":    {agreed, []string{"agent: I'll order two pens. OK?", "user: Yes", "user: Wait, no"}, label.Deny},
		"a question back":              {agreed, []string{"agent: I'll order two pens. OK?", "user: What do they cost?"}, label.Deny},
		"something else":               {agreed, []string{"agent: I'll order two pens. OK?", "user: My dog is here"}, label.Ask},
		"a request alone":              {agreed, []string{"user: Order two pens, I agree to everything"}, label.Deny},
		"no talk is heard":             {agreed, nil, label.Ask},
		"the agent isn't heard":        {agreed, []string{"user: Order two pens", "user: Yes"}, label.Ask},
		"a no, whatever is unclear":    {agreed + ` && args.total < 0`, []string{"agent: OK?", "user: My dog is here"}, label.Deny},
		"not agreed":                   {`!session.agreed()`, []string{"agent: OK?", "user: My dog is here"}, label.Deny},

		"an id":                           {listed, []string{"agent: I'll charge card_1. OK?", "user: Yes"}, label.Allow},
		"another id":                      {listed, []string{"agent: I'll charge card_2. OK?", "user: Yes"}, label.Deny},
		"a name":                          {listed, []string{cards, "agent: I'll charge your Visa ending in 7447. OK?", "user: Yes"}, label.Allow},
		"another name":                    {listed, []string{cards, "agent: I'll charge your Visa ending in 1201. OK?", "user: Yes"}, label.Deny},
		"a name that two have":            {listed, []string{cards, "agent: I'll charge your Visa. OK?", "user: Yes"}, label.Ask},
		"after the answer":                {listed, []string{"agent: OK?", "user: Yes", "agent: I'll charge card_1."}, label.Ask},
		"before a question of the user's": {listed, []string{"agent: I'll charge card_1. OK?", "user: When?", "agent: Today. OK?", "user: Yes"}, label.Allow},
		"before the user chose another":   {listed, []string{"agent: I'll charge card_1. OK?", "user: Take card_2", "agent: Fine. OK?", "user: Yes"}, label.Deny},
		"before the user refused":         {listed, []string{"agent: I'll charge card_1. OK?", "user: No", "agent: Shall I go on?", "user: Yes"}, label.Ask},
		"a list, one missing":             {`session.listed(["card_1", "card_2"])`, []string{"agent: I'll charge card_1. OK?", "user: Yes"}, label.Deny},
		"a list, one unclear":             {`session.listed(["card_1", "card_2"])`, []string{cards, "agent: I'll charge your Visa ending in 7447. OK?", "user: Yes"}, label.Deny},
		"a list, nothing of it":           {`session.listed(["card_1", "card_2"])`, []string{cards, "agent: Shall I go ahead?", "user: Yes"}, label.Deny},
		"a list of what nobody knows":     {`session.listed(["card_1", "card_2"])`, []string{"agent: Shall I go ahead?", "user: Yes"}, label.Ask},
		"nothing was listed":              {listed, []string{"user: Charge card_1"}, label.Deny},
		"a person, summed up":             {person, []string{"user: For Ann Lee, born 1990-01-01.", "agent: Insurance?", "user: No", "agent: One ticket. OK?", "user: Yes"}, label.Allow},
		"a person, told in part":          {person, []string{"user: For Ann Lee.", "agent: One ticket. OK?", "user: Yes"}, label.Ask},
		"a person, taken back":            {person, []string{"user: For Ann Lee, born 1990-01-01.", "agent: One ticket for Ann Lee. OK?", "user: No", "agent: One ticket. OK?", "user: Yes"}, label.Ask},
		"a thing with an id, told":        {`session.listed({"card": "card_1", "kind": "visa"})`, []string{cards, "user: The visa, card_1.", "agent: I'll pay. OK?", "user: Yes"}, label.Ask},
		"a truth value":                   {`session.listed(true)`, []string{"agent: true. OK?", "user: Yes"}, label.Deny},

		"the user's id":                {stated, []string{"user: Take card_1"}, label.Allow},
		"the user's name for it":       {stated, []string{cards, "user: the Visa ending in 7447"}, label.Allow},
		"the agent's, agreed to":       {stated, []string{cards, "agent: Your Visa ending in 7447?", "user: Yes"}, label.Allow},
		"the agent's, not agreed":      {stated, []string{cards, "agent: Your Visa ending in 7447?", "user: The one ending in 1201"}, label.Deny},
		"changed by the user":          {stated, []string{"user: Take card_1", "agent: OK?", "user: No, card_2"}, label.Deny},
		"taken back by the user":       {stated, []string{cards, "user: The Visa. No, not the Visa"}, label.Ask},
		"taken back for another":       {stated, []string{cards, "user: The Visa ending in 7447", "agent: OK?", "user: No, not the one ending in 7447, please"}, label.Ask},
		"refused when named again":     {stated, []string{cards, "user: The Visa ending in 7447", "agent: I'll refund to the Visa ending in 7447. OK?", "user: No, wait"}, label.Ask},
		"nothing else to it":           {stated, []string{cards, "user: The Visa ending in 7447", "agent: I'll refund to the Visa ending in 7447. Is there anything else?", "user: No, that's all"}, label.Allow},
		"refused first, then chosen":   {stated, []string{cards, "user: Not the one ending in 7447... all right, the Visa ending in 7447"}, label.Allow},
		"left out by the agent":        {listed, []string{"agent: I'll charge all cards except card_1. OK?", "user: Yes"}, label.Ask},
		"left out in German":           {listed, []string{"agent: Ich belaste alle außer card_1. Einverstanden?", "user: Ja"}, label.Ask},
		"negated by the agent":         {listed, []string{"agent: I won't charge card_1. Shall I go on?", "user: Yes"}, label.Ask},
		"its description negated":      {listed, []string{cards, "agent: Your Visa ending in 7447 can't be used. Shall I go on?", "user: Yes"}, label.Ask},
		"negated, then proposed":       {listed, []string{"agent: I can't charge card_2. I'll charge card_1. OK?", "user: Yes"}, label.Allow},
		"narrowed to another":          {listed, []string{"agent: I'll charge card_1 and card_2. OK?", "user: Yes, only card_2."}, label.Ask},
		"narrowed to it":               {listed, []string{"agent: I'll charge card_1 and card_2. OK?", "user: Yes, only card_1."}, label.Allow},
		"narrowed to a part":           {listed, []string{"agent: I'll charge card_1 and card_2. OK?", "user: Yes, only the first."}, label.Ask},
		"the only one, as asked":       {listed, []string{"agent: I'll charge card_1. Is this the only one?", "user: Yes, only that"}, label.Allow},
		"spared by the user":           {listed, []string{"agent: I'll charge card_1 and card_2. OK?", "user: Yes for card_2. Leave card_1 alone."}, label.Ask},
		"another number by the user":   {"session.listed(50)", []string{"agent: I'll refund $50. OK?", "user: Yes, make it 20"}, label.Ask},
		"the number, said again":       {"session.listed(50)", []string{"agent: I'll refund $50. OK?", "user: Yes, 50"}, label.Allow},
		"left out by the user":         {stated, []string{"user: Charge all except card_1"}, label.Ask},
		"left as it is":                {stated, []string{"user: card_1 stays as it is, charge another"}, label.Ask},
		"left out in Russian":          {stated, []string{"user: Отмени всё кроме card_1"}, label.Ask},
		"negated in Arabic":            {stated, []string{"user: لا تلغ card_1"}, label.Ask},
		"in a script that isn't read":  {stated, []string{"user: card_1 취소하지 마"}, label.Ask},
		"another one refused":          {stated, []string{cards, "user: Not card_2, card_1"}, label.Allow},
		"nothing of it":                {stated, []string{"user: Charge my card"}, label.Ask},
		"an attachment says it":        {stated, []string{`read_mail: {"text": "take card_1"}`, "user: Do what it says"}, label.Ask},
		"told":                         {told, []string{"agent: Orders can be changed only once. Go on?", "user: Yes"}, label.Allow},
		"told earlier":                 {told, []string{"agent: Orders can be changed only once.", "user: I see", "agent: Go on?", "user: Yes"}, label.Allow},
		"told in other words, or not":  {told, []string{"agent: There's no second time. Go on?", "user: Yes"}, label.Ask},
		"told the other way round":     {told, []string{"agent: Orders can't be changed only once. Go on?", "user: Yes"}, label.Ask},
		"told in one of two wordings":  {`session.told(["an order can be changed only once", "no second change is possible"])`, []string{"agent: A second change isn't possible. Go on?", "user: Yes"}, label.Allow},
		"told in no wording":           {`session.told([])`, []string{"agent: Orders can be changed only once. Go on?", "user: Yes"}, label.Deny},
		"told after the answer":        {told, []string{"agent: Go on?", "user: Yes", "agent: Orders can be changed only once."}, label.Ask},
		"told by the user":             {told, []string{"agent: Go on?", "user: I know that orders can be changed only once, yes"}, label.Ask},
		"told by a result":             {told, []string{"agent: Go on?", "user: Yes", `read_mail: {"text": "orders can be changed only once"}`}, label.Ask},
		"complete, as the agent asks":  {complete, []string{"agent: Are these all the items to be exchanged?", "user: Yes"}, label.Allow},
		"complete, by the user's word": {complete, []string{"user: Exchange the bell, with my card, nothing else."}, label.Allow},
		"complete, of another request": {complete, []string{"agent: Your address is changed.", "user: Nothing else.", "agent: Shall I exchange the bell?", "user: Yes"}, label.Ask},
		"complete, in the answer":      {complete, []string{"agent: Shall I exchange the bell?", "user: Yes, that's all."}, label.Allow},
		"complete, surely not":         {complete, []string{"agent: I'd swap the bell for you. Do you want that?", "user: Yes, I do."}, label.Deny},
		"complete, maybe":              {complete, []string{"agent: I'd swap only the bell for you. Do you want that?", "user: Yes, I do."}, label.Ask},
		"complete, in other words":     {complete, []string{"agent: Is the bell the sole one that you want me to swap?", "user: Yes, I do."}, label.Ask},
		"complete, answered in part":   {complete, []string{"agent: How do you pay, and are these all the items to be exchanged?", "user: By card. These are all.", "agent: The bell, then. OK?", "user: Yes"}, label.Allow},
		"complete, and then agreed to": {complete, []string{"agent: How do you pay, and are these all the items to be exchanged?", "user: By card.", "agent: The bell, then. OK?", "user: Yes"}, label.Allow},
		"complete, and nothing agreed": {complete, []string{"agent: How do you pay, and are these all the items to be exchanged?", "user: By card.", "agent: The bell, then. OK?", "user: My dog is here"}, label.Ask},
		"not complete":                 {complete, []string{"agent: Are these all the items to be exchanged?", "user: No, the lamp, too"}, label.Ask},
		"not complete yet":             {complete, []string{"agent: Are these all the items to be exchanged?", "user: Let me look."}, label.Ask},
		"complete in one wording":      {`session.complete(["the list is whole", "these are all the items to be exchanged"])`, []string{"agent: Shall I exchange the bell?", "user: Yes, that's all."}, label.Allow},
		"answered, as asked":           {answered, []string{"agent: What is the reason for the order?", "user: It's a gift.", "agent: Two pens. OK?", "user: Yes"}, label.Allow},
		"answered, by themselves":      {answered, []string{"user: Order two pens because mine are lost.", "agent: Two pens. OK?", "user: Yes"}, label.Allow},
		"answered by a yes":            {answered, []string{"agent: What is the reason for the order, and shall I go on?", "user: Yes"}, label.Ask},
		"answered by the agent":        {answered, []string{"agent: What is the reason for the order? A gift, I guess.", "user: OK"}, label.Ask},
		"answered with a refusal":      {answered, []string{"agent: What is the reason for the order?", "user: I'd rather not say", "agent: OK?", "user: Yes"}, label.Ask},
		"answered for an earlier call": {answered, []string{"agent: What is the reason for the order?", "user: It's a gift.", "order: {}", "user: And two pens.", "agent: OK?", "user: Yes"}, label.Ask},
		"told nothing at all":          {told, []string{"user: Orders can be changed only once"}, label.Deny},

		"a day as people write it": {`session.stated("1988-02-11")`, []string{"user: I was born on February 11, 1988"}, label.Allow},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(call)
			r.History = talk(c.talk...)
			got := rules(t, c.require).Evaluate(t.Context(), r)
			verdict := label.Allow
			if len(got.Violations) > 0 {
				verdict = got.Violations[0].Verdict
			}
			if verdict != c.want {
				t.Errorf("got %s: %+v", verdict, got.Violations)
			}
			if (verdict == label.Ask) != (len(got.Violations) > 0 && got.Violations[0].Unclear != "") {
				t.Errorf("got %+v: a call is asked about where words don't settle it", got.Violations)
			}
		})
	}
}

// TestWhatWasNotListed names the values that speak against a listing.
func TestWhatWasNotListed(t *testing.T) {
	r := request(call)
	r.History = talk("agent: I'll charge card_10001 and card_10002. OK?", "user: Yes")
	got := rules(t, `session.listed(["card_10001", "card_10009"])`).Evaluate(t.Context(), r)
	want := guard.Value{Name: `session.listed("card_10009")`, Value: "false"}
	if len(got.Violations) != 1 || !slices.Contains(got.Violations[0].Values, want) {
		t.Errorf("got %+v", got.Violations)
	}
}

// TestADayThatTheCallHasElsewhere: a day that the call has elsewhere doesn't count for another
// one: naming the day of a flight doesn't name a day of birth.
func TestADayThatTheCallHasElsewhere(t *testing.T) {
	const born, day = `session.listed("1963-06-17")`, `session.stated("1963-06-17")`
	for name, c := range map[string]struct {
		require string
		said    []string
		want    label.Verdict
	}{
		"the agent named the other alone":     {born, []string{"agent: The flight is on 2024-05-20. OK?", "user: Yes"}, label.Ask},
		"the agent named both":                {born, []string{"agent: Born 1963-06-17, on 2024-05-20. OK?", "user: Yes"}, label.Allow},
		"the agent named a third":             {born, []string{"agent: Born 1964-06-17, on 2024-05-20. OK?", "user: Yes"}, label.Deny},
		"the user said the other afterwards":  {day, []string{"user: I was born 1963-06-17", "agent: When?", "user: On 2024-05-20"}, label.Allow},
		"the user named a third":              {day, []string{"user: I was born 1964-06-17, and fly on 2024-05-20"}, label.Deny},
		"the user said the other and no more": {day, []string{"user: On 2024-05-20, please"}, label.Ask},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(strings.Replace(call, "2026-03-02", "2024-05-20", 1))
			r.History = talk(c.said...)
			got := label.Allow
			for _, v := range rules(t, c.require).Evaluate(t.Context(), r).Violations {
				got = v.Verdict
			}
			if got != c.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestTheJudgeSettlesWords asks the judge where words don't settle a rule, and a person
// where there is no answer.
func TestTheJudgeSettlesWords(t *testing.T) {
	g := rules(t, `session.listed(args.customer) && session.agreed()`)
	for name, c := range map[string]struct {
		judge guard.Judge
		want  label.Verdict
	}{
		"yes":       {answering{yes: true}, label.Allow},
		"no":        {answering{}, label.Deny},
		"it fails":  {answering{err: errors.New("it can't tell")}, label.Ask},
		"no answer": {nil, label.Ask},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(call)
			r.History, r.Judge = talk("agent: I'll order it for c1. OK?", "user: My dog is here"), c.judge
			got := g.Evaluate(t.Context(), r)
			verdict := label.Allow
			if len(got.Violations) > 0 {
				verdict = got.Violations[0].Verdict
			}
			if verdict != c.want {
				t.Errorf("got %s: %+v", verdict, got.Violations)
			}
			// What was learned decides the same again, without the judge.
			r.Recorded, r.Judge = got.Facts, nil
			if again := g.Evaluate(t.Context(), r); len(again.Violations) != len(got.Violations) || again.Missing {
				t.Errorf("got %+v again", again)
			}
		})
	}
}

// hearing is a judge that remembers what it is asked.
type hearing struct{ asked *[]guard.Question }

func (h hearing) Judge(_ context.Context, q guard.Question, _ *guard.History) (bool, string, error) {
	*h.asked = append(*h.asked, q)
	return true, "", nil
}

// TestTheJudgeSeesTheCall shows the judge the call under decision, and what the records that
// were looked up say of the ids in it.
func TestTheJudgeSeesTheCall(t *testing.T) {
	var asked []guard.Question
	r := request(call)
	r.History, r.Judge = talk(`get_people: {"people": [{"id": "c1", "name": "Ada"}]}`, "agent: Hello.", "user: It is broken"), hearing{&asked}
	rules(t, `session.judged("Did the user say that this arrived broken?", "user")`).Evaluate(t.Context(), r)
	if len(asked) != 1 {
		t.Fatalf("asked %+v", asked)
	}
	for _, want := range []string{string(r.Arguments), `"c1" (id: "c1", name: "Ada")`} {
		if !strings.Contains(asked[0].Call, want) {
			t.Errorf("the call is told as %q, without %s", asked[0].Call, want)
		}
	}
}

// TestLookUpsTellNames ties a name to an id by what the rules look up.
func TestLookUpsTellNames(t *testing.T) {
	g := rules(t, `session.listed(args.customer)`, `tools.get_stock({"sku": args.customer}).tier == "gold"`)
	r := request(call)
	r.History = talk("agent: I'll order it for Ada Lovelace. OK?", "user: yes")
	r.Reader = reading(`{"customers": [{"customer_id": "c1", "name": "Ada Lovelace"}, {"customer_id": "c2", "name": "Ada Byron"}], "tier": "gold"}`)
	if got := g.Evaluate(t.Context(), r); len(got.Violations) > 0 {
		t.Errorf("got %+v", got.Violations)
	}
}

// reading returns one result for every look-up.
type reading string

func (x reading) Read(context.Context, string, string, json.RawMessage) (*guard.Result, error) {
	return &guard.Result{Content: string(x)}, nil
}

// BenchmarkSaid decides a call by rules on words.
func BenchmarkSaid(b *testing.B) {
	g := rules(b, `session.listed([args.customer, args.method]) && session.agreed()`, `session.stated(args.customer)`)
	r := request(call)
	r.History = talk("user: I'm c1 and want the usual, please.", cards, "agent: I'll order for c1, to be paid by card:\n- 2 a\n- 1 b\nDo you confirm (yes/no)?", "user: Yes, please go ahead.")
	if got := g.Evaluate(b.Context(), r); len(got.Violations) != 0 {
		b.Fatalf("got %+v", got)
	}
	for b.Loop() {
		g.Evaluate(b.Context(), r)
	}
}
