package mcp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/question"
	"github.com/remit-project/remit/internal/sighting"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/store"
)

// The words of the form that a client shows.
const (
	decisionField = "decision"
	approveWord   = "approve"
	declineWord   = "decline"
	reachField    = "for"
	onlyField     = "only"
)

// formOf returns a question about plans and calls as the params of an elicitation. How far a
// yes reaches can be chosen for one call.
func formOf(plans []*remit.Delegation, asked ...sighting.Asked) json.RawMessage {
	items := len(plans) + len(asked)
	about := "this"
	if items > 1 {
		about = "these"
	}
	fields := fmt.Sprintf(`%q:{"type":"string","title":"Decision","description":"Let %s through, or not.","enum":[%q,%q]}`, decisionField, about, declineWord, approveWord)

	var reaches []Reach
	if items == 1 && len(asked) == 1 {
		reaches = byCall(asked[0].Decision)
	}
	switch {
	case items > 1:
		fields += fmt.Sprintf(`,%q:{"type":"string","title":"Only these","description":"The numbers that a yes is for, such as: 1 %d. Without any, it is for all %d.","default":""}`,
			onlyField, items, items)
	case len(reaches) > 1:
		var values, words []string
		for _, r := range reaches {
			values = append(values, string(strictjson.Quote(string(r.Extent))))
			words = append(words, string(r.Extent)+": "+r.Words)
		}
		fields += fmt.Sprintf(`,%q:{"type":"string","title":"How far a yes reaches","description":%s,"enum":[%s],"default":%q}`,
			reachField, strictjson.Quote(strings.Join(words, "; ")), strings.Join(values, ","), store.Once)
	}
	schema := fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%q]}`, fields, decisionField)
	return fmt.Appendf(nil, `{"mode":"form","message":%s,"requestedSchema":%s}`, strictjson.Quote(question.Joined(plans, asked...)), schema)
}

// approved reports to which of the calls of a form the answer clearly agrees, and to how
// much: to each of them once, unless it says more of the one.
func approved(answer []byte, calls int) (yes []bool, reach store.Extent) {
	yes = make([]bool, calls)
	if inner := strictjson.Get(answer, "result"); inner != nil {
		answer = inner
	}
	reach = store.Extent(strictjson.GetText(answer, "content", reachField))
	if calls > 1 || (reach != store.ForSession && reach != store.Always) {
		reach = store.Once
	}
	if strictjson.GetText(answer, "action") != "accept" || strictjson.GetText(answer, "content", decisionField) != approveWord {
		return yes, reach
	}
	chosen(yes, strictjson.Get(answer, "content", onlyField))
	return yes, reach
}

// answeredForm reports whether a person answered a form, be it with a no: one that was only
// closed says nothing.
func answeredForm(answer []byte) bool {
	if inner := strictjson.Get(answer, "result"); inner != nil {
		answer = inner
	}
	action := strictjson.GetText(answer, "action")
	return action == "accept" || action == "decline"
}

// refused returns the decision on a call to which a person said no.
func refused(d *remit.Decision) *remit.Decision {
	out := *d
	out.Refused = true
	return &out
}

// chosen notes the calls whose numbers a text has, or all where there is none. With
// anything else in it, it is not a clear yes.
func chosen(yes []bool, only json.RawMessage) {
	text := strictjson.Text(only)
	if len(only) > 0 && only[0] != '"' && string(only) != "null" {
		return
	}
	numbers := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == ';' })
	picked := make([]bool, len(yes))
	for _, text := range numbers {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > len(yes) {
			return
		}
		picked[n-1] = true
	}
	for i := range yes {
		yes[i] = picked[i] || len(numbers) == 0
	}
}

// elicits reports whether a client that declares these capabilities shows forms.
func elicits(capabilities []byte) bool {
	e := strictjson.Get(capabilities, "elicitation")
	if len(e) == 0 || e[0] != '{' {
		return false
	}
	return strictjson.Get(e, "form") != nil || strictjson.Get(e, "url") == nil
}
