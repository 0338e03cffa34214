package mcp

import (
	"encoding/json"
	"fmt"
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
)

// formOf returns the question as the params of an elicitation.
func formOf(d *remit.Decision, places []sighting.Place) json.RawMessage {
	fields := fmt.Sprintf(`%q:{"type":"string","title":"Decision","description":"Let this call through, or not.","enum":[%q,%q]}`, decisionField, declineWord, approveWord)
	if reaches := Reaches(d); len(reaches) > 1 {
		var values, about []string
		for _, r := range reaches {
			values = append(values, string(strictjson.Quote(string(r.Extent))))
			about = append(about, string(r.Extent)+": "+r.Words)
		}
		fields += fmt.Sprintf(`,%q:{"type":"string","title":"How far a yes reaches","description":%s,"enum":[%s],"default":%q}`,
			reachField, strictjson.Quote(strings.Join(about, "; ")), strings.Join(values, ","), store.Once)
	}
	schema := fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%q]}`, fields, decisionField)
	return fmt.Appendf(nil, `{"mode":"form","message":%s,"requestedSchema":%s}`, strictjson.Quote(question.Of(d, places)), schema)
}

// approved reports whether the answer to a form clearly agrees, and to how much:
// to the one call, unless it says more.
func approved(answer []byte) (yes bool, reach store.Extent) {
	if inner := strictjson.Get(answer, "result"); inner != nil {
		answer = inner
	}
	yes = strictjson.GetText(answer, "action") == "accept" && strictjson.GetText(answer, "content", decisionField) == approveWord
	if reach = store.Extent(strictjson.GetText(answer, "content", reachField)); reach != store.ForSession && reach != store.Always {
		reach = store.Once
	}
	return yes, reach
}

// elicits reports whether a client that declares these capabilities shows forms.
func elicits(capabilities []byte) bool {
	e := strictjson.Get(capabilities, "elicitation")
	if len(e) == 0 || e[0] != '{' {
		return false
	}
	return strictjson.Get(e, "form") != nil || strictjson.Get(e, "url") == nil
}
