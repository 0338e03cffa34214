package match_test

import "testing"

// TestAnsweredWithAnother: a record that says of itself that it is another thing than the source asked for is not what the request means.
func TestAnsweredWithAnother(t *testing.T) {
	wiping := `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_events","args":{"/owner":{"is":"Ann"}},"field":"id","where":{"kind":"tablet"}}],"kind":"id","pick":"only"}}}]}`
	paying := `{"calls":[{"tool":"act","args":{"/order_no":{"is":"17"},"/amount":{"from":[{"tool":"get_order","args":{"/order_no":{"is":"17"}},"field":"total"}],"kind":"number","pick":"only"}}}]}`
	closing := `{"calls":[{"tool":"act","unless":[{"tool":"get_order","args":{"/order_no":{"is":"17"}},"where":{"state":"open"}}],"args":{"/order_no":{"is":"17"}}}]}`
	iff := `{"calls":[{"tool":"act","if":[{"tool":"get_order","args":{"/order_no":{"is":"17"}},"where":{"total":{"below":20}}}],"args":{"/order_no":{"is":"17"}}}]}`
	owned := func(text string) []returned { return []returned{{"list_events", `{"owner":"Ann"}`, text}} }
	order := func(text string) []returned { return []returned{{"get_order", `{"order_no":"17"}`, text}} }
	const (
		hers    = `{"id":"d1","owner":"Ann","kind":"tablet"}`
		another = `{"id":"d9","owner":"Annika","kind":"tablet"}`
	)
	booking := `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_trips","args":{"/from":{"is":"Lund"},"/to":{"is":"Oslo"}},"field":"trip_id"}],"kind":"id","pick":"choice","by":"cheapest by price"}}}]}`
	trips := func(text string) []returned { return []returned{{"list_trips", `{"from":"Lund","to":"Oslo"}`, text}} }
	daily := `{"calls":[{"tool":"act","args":{"/id":{"from":[{"tool":"list_trips","args":{"/day":{"date":"2026-05-14"}},"field":"trip_id"}],"kind":"id","pick":"choice","by":"cheapest by price"}}}]}`
	days := func(text string) []returned { return []returned{{"list_trips", `{"day":"2026-05-14"}`, text}} }
	is := func(id string) map[string]string { return map[string]string{"/id": "s:" + id} }
	paid := map[string]string{"/order_no": "s:17", "/amount": "o:12"}
	closed := map[string]string{"/order_no": "s:17"}
	askings{
		"what was asked for":               {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[` + hers + `]`), want: true},
		"in another case":                  {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","owner":"ann","kind":"tablet"}]`), want: true},
		"records that don't say":           {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","kind":"tablet"}]`), want: true},
		"by her full name":                 {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","owner":"Ann Lee","kind":"tablet"},{"id":"d2","owner":"Ann Lee","kind":"phone"}]`), want: true},
		"one of two of the name":           {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","owner":"Ann Lee","kind":"tablet"},{"id":"d2","owner":"Ann Kim","kind":"phone"}]`)},
		"beside somebody of the name":      {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","owner":"Ann Lee","kind":"tablet"},{"id":"d2","owner":"Ann","kind":"phone"}]`)},
		"of a double name":                 {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","owner":"Ann-Kathrin Lee","kind":"tablet"}]`)},
		"of who is with her":               {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","owner":"Ann Lee (caretaker)","kind":"tablet"}]`)},
		"of somebody else":                 {scope: wiping, said: "Wipe Ann's tablet", args: is("d9"), results: owned(`[` + another + `]`)},
		"of somebody else, beside hers":    {scope: wiping, said: "Wipe Ann's tablet", args: is("d9"), results: owned(`[` + another + `,` + hers + `]`)},
		"hers, beside somebody else's":     {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[` + another + `,` + hers + `]`), want: true},
		"owners who are others":            {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","owners":["Kim"],"kind":"tablet"}]`)},
		"owners among whom she is":         {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","owners":["Kim","Ann"],"kind":"tablet"}]`), want: true},
		"an owner of another name":         {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","owner":{"name":"Kim","id":4},"kind":"tablet"}]`)},
		"an owner of her name":             {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","owner":{"name":"Ann","id":4},"kind":"tablet"}]`), want: true},
		"another owner's name":             {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","ownerName":"Kim","kind":"tablet"}]`)},
		"her name in full":                 {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","ownerName":"Ann Lee","kind":"tablet"}]`), want: true},
		"owned by another":                 {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","owned_by":"Kim","kind":"tablet"}]`)},
		"an owner's mail says nothing":     {scope: wiping, said: "Wipe Ann's tablet", args: is("d1"), results: owned(`[{"id":"d1","owner_email":"a.lee@x.example","kind":"tablet"}]`), want: true},
		"another day by another name":      {scope: daily, said: "Book the cheapest trip on 14 May", args: is("a"), results: days(`[{"trip_id":"a","date":"2026-05-15","price":9}]`)},
		"times of another day":             {scope: daily, said: "Book the cheapest trip on 14 May", args: is("a"), results: days(`[{"trip_id":"a","departs_at":"2026-05-15T08:00:00Z","price":9}]`)},
		"times of the day":                 {scope: daily, said: "Book the cheapest trip on 14 May", args: is("a"), results: days(`[{"trip_id":"a","departs_at":"2026-05-14T08:00:00Z","price":9}]`), want: true},
		"when it was entered":              {scope: daily, said: "Book the cheapest trip on 14 May", args: is("a"), results: days(`[{"trip_id":"a","created_at":"2026-05-01T08:00:00Z","price":9}]`), want: true},
		"of a call that can be taken back": {scope: wiping, said: "Wipe Ann's tablet", args: is("d9"), results: owned(`[` + another + `]`), reversible: true, want: true},
		"a trip between the places":        {scope: booking, said: "Book the cheapest trip from Lund to Oslo", args: is("a"), results: trips(`[{"trip_id":"a","from":"Lund","to":"Oslo","price":90}]`), want: true},
		"beside one from another place":    {scope: booking, said: "Book the cheapest trip from Lund to Oslo", args: is("b"), results: trips(`[{"trip_id":"a","from":"Lund","to":"Oslo","price":90},{"trip_id":"b","from":"Malmo","to":"Oslo","price":50}]`)},
		"none between the places":          {scope: booking, said: "Book the cheapest trip from Lund to Oslo", args: is("b"), results: trips(`[{"trip_id":"b","from":"Malmo","to":"Bergen","price":50}]`)},
		"by an object of that name":        {scope: booking, said: "Book the cheapest trip from Lund to Oslo", args: is("b"), results: trips(`[{"trip_id":"a","from":{"city":"Lund"},"price":90},{"trip_id":"b","from":{"city":"Malmo"},"price":50}]`)},
		"where all is in the object":       {scope: booking, said: "Book the cheapest trip from Lund to Oslo", args: is("a"), results: trips(`[{"trip_id":"a","from":{"city":"Lund"},"price":90},{"trip_id":"b","from":{"city":"Malmo"},"price":50}]`), want: true},
		"from and to are times":            {scope: booking, said: "Book the cheapest trip from Lund to Oslo", args: is("a"), results: trips(`[{"trip_id":"a","from":"10:00","to":"12:00","price":90}]`), want: true},
		"the amount of the order":          {scope: paying, said: "Refund order 17", args: paid, results: order(`{"order_no":17,"total":12}`), want: true},
		"the amount of another order":      {scope: paying, said: "Refund order 17", args: paid, results: order(`{"order_no":"117","total":12}`)},
		"the only one of a list":           {scope: paying, said: "Refund order 17", args: paid, results: order(`{"orders":[{"order_no":"117","total":12}]}`)},
		"the order meets a condition":      {scope: iff, said: "Close order 17 if it is below 20", args: closed, results: order(`{"order_no":"17","total":12}`), want: true},
		"another order meets it":           {scope: iff, said: "Close order 17 if it is below 20", args: closed, results: order(`{"order_no":"117","total":12}`)},
		"the order is not open":            {scope: closing, said: "Close order 17 unless it is open", args: closed, results: order(`{"order_no":"17","state":"done"}`), want: true},
		"another order is not open":        {scope: closing, said: "Close order 17 unless it is open", args: closed, results: order(`{"order_no":"117","state":"done"}`)},
	}.run(t)
}
