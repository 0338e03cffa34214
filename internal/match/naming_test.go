package match_test

import "testing"

// TestNamesThatAreLeftOut: whom the user leaves out is left out under any form of the name, and nobody else.
func TestNamesThatAreLeftOut(t *testing.T) {
	but := func(where string) string { return sparing(of("things", "id", ""), of("things", "id", where)) }
	held := func(first string) []returned {
		return []returned{{"things", "", `[{"id":1,` + first + `},{"id":2,"name":"Mia Krug","buyer":"Mia Krug","surname":"Krug"}]`}}
	}
	const stone, tess, buyer = `{"name":{"contains":"Steiner"}}`, `{"name":"Tess Moore"}`, `{"buyer":{"contains":"Steiner"}}`
	loosenings{
		"inflected":                     {but(stone), "1", held(`"name":"Familie Steiners","buyer":"x","surname":"x"`), false},
		"in a compound":                 {but(stone), "1", held(`"name":"annasteiner","buyer":"x","surname":"x"`), false},
		"spread":                        {but(stone), "1", held(`"name":"Anna S t e i n e r","buyer":"x","surname":"x"`), false},
		"in a member for surnames":      {but(stone), "1", held(`"name":"Anna","buyer":"x","surname":"Steiner"`), false},
		"without a name":                {but(stone), "1", held(`"name":"","buyer":"x","surname":""`), false},
		"with a surname of another":     {but(stone), "1", held(`"name":"","buyer":"x","surname":"Vogel"`), true},
		"no buyer":                      {but(buyer), "1", held(`"name":"Anna","buyer":null,"surname":"x"`), false},
		"no such member":                {but(buyer), "1", []returned{{"things", "", `[{"id":1,"size":2},{"id":2,"size":3,"buyer":"Mia"}]`}}, false},
		"another one":                   {but(stone), "1", held(`"name":"Anna Vogel","buyer":"Steiner","surname":"Vogel"`), true},
		"surname first":                 {but(tess), "1", held(`"name":"Moore, Tess","buyer":"x","surname":"x"`), false},
		"with a name between":           {but(tess), "1", held(`"name":"Tess A. Moore","buyer":"x","surname":"x"`), false},
		"in two members":                {but(tess), "1", held(`"name":"Tess","buyer":"x","surname":"Moore"`), false},
		"half of it":                    {but(tess), "1", held(`"name":"Tess Vogel","buyer":"x","surname":"Vogel"`), true},
		"words with one between":        {but(`{"title":{"contains":"book club"}}`), "1", held(`"title":"Book & Film Club"`), false},
		"one of the words":              {but(`{"title":{"contains":"book club"}}`), "1", held(`"title":"Film Club"`), true},
		"no title":                      {but(`{"title":{"contains":"offsite"}}`), "2", []returned{{"things", "", `[{"id":1,"title":"x"},{"id":2,"title":""}]`}}, true},
		"a sign that isn't there":       {but(`{"title":{"contains":"🔥"}}`), "1", held(`"title":"a"`), true},
		"the person, where it's a code": {unless(of("things", "id", `{"id":"2"}`), of("things", "", `{"guest":{"contains":"Tess Moore"}}`)), "2", []returned{{"things", "", `[{"id":1,"guest":"g7","visitor":"Tess Moore"},{"id":2,"guest":"g8","visitor":"Bo"}]`}}, false},
		"another person beside a code":  {unless(of("things", "id", `{"id":"2"}`), of("things", "", `{"guest":{"contains":"Tess Moore"}}`)), "2", []returned{{"things", "", `[{"id":1,"guest":"g7","visitor":"Tess Vogel"},{"id":2,"guest":"g8","visitor":"Bo"}]`}}, true},
		"whoever has to do with it":     {unless(of("things", "id", `{"id":"2"}`), of("things", "", `{"party":{"contains":"Steiner"}}`)), "2", []returned{{"things", "", `[{"id":1,"party":"Alpha","rival":"Steiner AG"},{"id":2,"party":"Beta","rival":"x"}]`}}, false},
		"nobody of that name":           {unless(of("things", "id", `{"id":"2"}`), of("things", "", `{"party":{"contains":"Steiner"}}`)), "2", []returned{{"things", "", `[{"id":1,"party":"Alpha","rival":"Stone AG"},{"id":2,"party":"Beta","rival":"x"}]`}}, true},
	}.run(t)
}
