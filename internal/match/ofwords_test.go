package match_test

import "testing"

// TestComputedOfWords: a number that is computed of the words alone is what they say, whether or not anything was read, where the call can't be
// taken back.
func TestComputedOfWords(t *testing.T) {
	all := askings{}
	for by, value := range map[string]string{
		"90 / 3": "30", "a third of 90": "30", "half of 90": "45", "500 plus 20%": "600", "1500 minus 1200": "300", "3 times 15": "45",
		"the sum of 20, 30 and 40": "90", "the 90 that I said": "90",
	} {
		asking := asking{scope: `{"calls":[{"tool":"act","args":{"/amount":{"computed":[],"by":"` + by + `"}}}]}`, said: "Send " + by, want: true}
		asking.args = map[string]string{"/amount": "o:" + value}
		all[by] = asking
		for _, other := range []string{"9000", "0.01", "-30", "1"} {
			asking.args, asking.want = map[string]string{"/amount": "o:" + other}, false
			all[by+" is not "+other] = asking
		}
	}
	all.run(t)
}

// TestEndedBadly: what a server puts around a list may say that the call didn't end well, and then the list may be a part.
func TestEndedBadly(t *testing.T) {
	const wiping = `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_events","args":{"/owner":{"is":"Ann"}},"field":"id"}],"kind":"id","pick":"only"}}}]}`
	all := askings{}
	for around, want := range map[string]bool{
		`"success":true,`: true, `"status":"ok",`: true, `"status":200,`: true,
		`"success":false,`: false, `"ok":false,`: false, `"status":"error",`: false, `"status":500,`: false, `"status":"partial",`: false,
		`"message":"全8件中1件を表示",`: false, `"message":"총 8건 중 1건 표시",`: false,
	} {
		text := `{` + around + `"events":[{"id":"d1","kind":"tablet"}]}`
		all[around] = asking{scope: wiping, said: "Wipe Ann's tablet", args: map[string]string{"/id": "s:d1"}, results: []returned{{"list_events", `{"owner":"Ann"}`, text}}, want: want}
	}
	all.run(t)
}

// TestAnsweredForAnotherDay: a record of another day than its source's call asked for is not what the request means.
func TestAnsweredForAnotherDay(t *testing.T) {
	const booking = `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_events","args":{"/day":{"date":"2026-05-14"}},"field":"id"}],"kind":"id","pick":"only"}}}]}`
	all := askings{}
	for day, want := range map[string]bool{"2026-05-14": true, "2026-05-15": false, "2027-05-14": false} {
		text := `[{"id":"d1","day":"` + day + `"}]`
		all[day] = asking{scope: booking, said: "Book the slot of 14 May", args: map[string]string{"/id": "s:d1"}, results: []returned{{"list_events", `{"day":"2026-05-14"}`, text}}, want: want}
	}
	all.run(t)
}
