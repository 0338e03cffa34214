package match_test

import (
	"testing"
	"time"
)

// TestWhatIsGone: an irreversible call takes nothing from a record that says that another one took its place or that it holds no longer, nor from one
// of which a later result says that it isn't there, or is another's.
func TestWhatIsGone(t *testing.T) {
	now := time.Date(2026, 5, 12, 9, 0, 0, 0, time.UTC)
	const mug = `[{"item_id":"i1","name":"Mug","owner":"Ida Moss","room":"north"}]`
	of := func(tool, list string, want bool, later ...returned) asking {
		return asking{
			scope: `{"calls":[{"tool":"` + tool + `","args":{"/item_id":{"from":[{"tool":"list_items","field":"item_id","where":{"name":"Mug"}}],"kind":"id","pick":"only"}}}]}`,
			said:  "Do it to the Mug.", tool: tool, args: map[string]string{"/item_id": "s:i1"}, early: true, now: now, want: want,
			results: append([]returned{{"list_items", "", list}}, later...),
		}
	}
	with := func(tool, beside string, want bool) asking {
		return of(tool, `[{"item_id":"i1","name":"Mug",`+beside+`},{"item_id":"i2","name":"Jug"}]`, want)
	}
	askings{
		"superseded":                         with("accept", `"superseded_by":"i2"`, false),
		"by none":                            with("accept", `"superseded_by":""`, true),
		"merged":                             with("accept", `"merged_into":"i2"`, false),
		"it replaces another one":            with("accept", `"replaces":"i2"`, true),
		"valid until yesterday":              with("accept", `"valid_until":"2026-05-11"`, false),
		"valid until today":                  with("accept", `"valid_until":"2026-05-12"`, true),
		"valid until yesterday, and renewed": with("renew", `"valid_until":"2026-05-11"`, true),
		"extended":                           with("accept", `"extended_to":"2030-01-01"`, false),

		"not found later":                 of("wipe", mug, false, returned{"get_item", `{"item_id":"i1"}`, `{"error":"not found"}`}),
		"nothing found later":             of("wipe", mug, false, returned{"get_item", `{"item_id":"i1"}`, `[]`}),
		"another one isn't found":         of("wipe", mug, true, returned{"get_item", `{"item_id":"i2"}`, `{"error":"not found"}`}),
		"a look-up that failed":           of("wipe", mug, true, returned{"get_item", `{"item_id":"i1"}`, `{"error":"try again later"}`}),
		"of another owner later":          of("wipe", mug, false, returned{"get_item", `{"item_id":"i1"}`, `{"item_id":"i1","name":"Mug","owner":"Kim Roe"}`}),
		"of the same in other words":      of("wipe", mug, true, returned{"get_item", `{"item_id":"i1"}`, `{"item_id":"i1","name":"Mug","owner":"Moss, Ida"}`}),
		"not in a narrower listing":       of("wipe", mug, false, returned{"list_items", `{"room":"north"}`, `[]`}),
		"in a narrower listing":           of("wipe", mug, true, returned{"list_items", `{"room":"north"}`, mug}),
		"not in that of another room":     of("wipe", mug, true, returned{"list_items", `{"room":"south"}`, `[]`}),
		"not in what a search finds":      of("wipe", mug, true, returned{"list_items", `{"query":"jug"}`, `[]`}),
		"not in a part of a narrower one": of("wipe", mug, true, returned{"list_items", `{"room":"north"}`, `{"items":[],"has_more":true}`}),
	}.run(t)
}

// TestNumbersThatStandForNone: a condition of an irreversible call isn't met by a number that a broken sensor reads, that its record says isn't valid,
// or that is a part in a hundred of which nobody spoke. No amount of nothing is paid.
func TestNumbersThatStandForNone(t *testing.T) {
	below := func(said, member, record string, want bool) asking {
		return asking{
			scope: `{"calls":[{"tool":"wipe","args":{"/box_id":{"from":[{"tool":"list_boxes","field":"box_id","where":{"name":"X"}}],"kind":"id","pick":"only"}},"if":[{"tool":"list_boxes","where":{"name":"X","` + member + `":{"below":30}}}]}]}`,
			said:  said, tool: "wipe", args: map[string]string{"/box_id": "s:b"}, early: true, want: want,
			results: []returned{{"list_boxes", "", `[{"box_id":"b","name":"X",` + record + `}]`}},
		}
	}
	const weight, heat = "Wipe X if its weight is below 30.", "Wipe X if its heat is below 30."
	askings{
		"a weight":                below(weight, "weight", `"weight":3`, true),
		"a broken sensor's":       below(heat, "heat", `"heat":-999`, false),
		"below zero":              below(heat, "heat", `"heat":-4`, true),
		"a weight below zero":     below(weight, "weight", `"weight":-1`, false),
		"none":                    below(weight, "weight", `"weight":0`, true),
		"not valid":               below(weight, "weight", `"weight":3,"weight_valid":false`, false),
		"valid":                   below(weight, "weight", `"weight":3,"weight_valid":true`, true),
		"with an error":           below(weight, "weight", `"weight":3,"weight_error":"sensor offline"`, false),
		"without an error":        below(weight, "weight", `"weight":3,"weight_error":null`, true),
		"of a sensor that is off": below(weight, "weight", `"weight":3,"weight_status":"offline"`, false),
		"a part in a hundred":     below(weight, "weight", `"weight":3,"weight_unit":"percent"`, false),
		"that the user said":      below("Wipe X if its weight is below 30 %.", "weight", `"weight":3,"weight_unit":"percent"`, true),
		"a ratio":                 below("Wipe X if its weight is below 30 %.", "weight", `"weight":0.6,"weight_unit":"ratio"`, false),
	}.run(t)

	pay := func(argument, amount string, want bool) asking {
		return asking{
			scope: `{"calls":[{"tool":"send","args":{"` + argument + `":{"from":[{"tool":"list_bills","field":"due","where":{"bill":"B1"}}],"kind":"number","pick":"only"}}}]}`,
			said:  "Send what is due for B1.", tool: "send", args: map[string]string{argument: "o:" + amount}, early: true, want: want,
			results: []returned{{"list_bills", "", `[{"bill":"B1","due":` + amount + `}]`}},
		}
	}
	askings{
		"an amount":    pay("/amount", "60", true),
		"of a credit":  pay("/amount", "-60", false),
		"of nothing":   pay("/amount", "0", false),
		"a difference": pay("/shift", "-60", true),
	}.run(t)
}
