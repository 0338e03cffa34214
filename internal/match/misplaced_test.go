package match_test

import "testing"

// TestTheOnlyNumberOfARecord: a number and a day are those of the member that is called so. The only one in a record may be that of anything,
// and who fills a short member would choose it.
func TestTheOnlyNumberOfARecord(t *testing.T) {
	taking := func(field, kind string) string {
		return `{"calls":[{"tool":"act","args":{"/value":{"from":[{"tool":"list_events","field":"` + field + `"}],"kind":"` + kind + `","pick":"only"}}}]}`
	}
	rent, expiry := taking("monthly rent", "number"), taking("expiry", "date")
	amount := map[string]string{"/value": "o:9000"}
	day := map[string]string{"/value": "o:2036-02-02"}
	askings{
		"the member":                        {scope: rent, args: amount, results: events(`{"hall":"Nord","monthly_rent":9000}`), want: true},
		"a member that may be called so":    {scope: rent, args: amount, results: events(`{"hall":"Nord","rent":9000}`), want: true},
		"in a unit":                         {scope: rent, args: amount, results: events(`{"hall":"Nord","monthly_rent_eur":9000}`), want: true},
		"of another time":                   {scope: rent, args: amount, results: events(`{"hall":"Nord","yearly_rent":9000}`)},
		"the number of a floor":             {scope: rent, args: amount, results: events(`{"hall":"Nord","floor":9000}`)},
		"an id":                             {scope: rent, args: amount, results: events(`{"contract_id":9000,"hall":"Nord"}`)},
		"what somebody is called":           {scope: rent, args: amount, results: events(`{"hall":"Nord","tenant_name":"9000"}`)},
		"in a list":                         {scope: taking("amount", "number"), args: amount, results: events(`[{"payee":"Rosa","reference":"9000"}]`)},
		"a discount":                        {scope: taking("amount", "number"), args: amount, results: events(`[{"payee":"Rosa","discount_amount":9000}]`)},
		"of a call that can be taken back":  {scope: rent, args: amount, results: events(`{"hall":"Nord","basic":9000}`), reversible: true, want: true},
		"the day of the member":             {scope: expiry, args: day, results: events(`{"policy":"P","expiry":"2036-02-02"}`), want: true},
		"a day that may be called so":       {scope: expiry, args: day, results: events(`{"policy":"P","expiry_date":"2036-02-02"}`), want: true},
		"the day of something else":         {scope: expiry, args: day, results: events(`{"policy":"P","holder_birth":"2036-02-02"}`)},
		"a day as a name":                   {scope: expiry, args: day, results: events(`{"policy":"P","holder_name":"2036-02-02"}`)},
		"in a remark":                       {scope: expiry, args: day, results: events(`{"policy":"P","remark":"until 2036-02-02"}`)},
		"in a text that says nothing of it": {scope: expiry, args: day, results: events(`{"policy":"P","text":"Signed 2036-02-02"}`)},
	}.run(t)
}
