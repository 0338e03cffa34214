package strictjson_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/strictjson"
)

func TestSetAndRemove(t *testing.T) {
	for _, test := range []struct{ object, name, set, removed string }{
		{`{}`, "b", `{"b":1}`, `{}`},
		{`{ }`, "b", `{ "b":1}`, `{ }`},
		{`{"a":[{"b":2}]}`, "b", `{"a":[{"b":2}],"b":1}`, `{"a":[{"b":2}]}`},
		{`{"b": {"b":2}, "c":3}`, "b", `{"b": 1, "c":3}`, `{"c":3}`},
		{`{"a":0, "b" : "}"}`, "b", `{"a":0, "b" : 1}`, `{"a":0}`},
		{`{"a":0,"b":2,"c":3}`, "b", `{"a":0,"b":1,"c":3}`, `{"a":0,"c":3}`},
		{`{"\u0062":2}`, "b", `{"\u0062":1}`, `{}`},
	} {
		if got := string(strictjson.Set([]byte(test.object), test.name, []byte("1"))); got != test.set {
			t.Errorf("set in %s: got %s, want %s", test.object, got, test.set)
		}
		if got := string(strictjson.Remove([]byte(test.object), test.name)); got != test.removed {
			t.Errorf("remove from %s: got %s, want %s", test.object, got, test.removed)
		}
	}
}

func TestRepair(t *testing.T) {
	for in, want := range map[string]string{
		`"a\ud83d"`:               `"a\ufffd"`,
		`"\ud83d\ude00"`:          `"\ud83d\ude00"`,
		`"\ude00\ud83d\ude00x"`:   `"\ufffd\ud83d\ude00x"`,
		`"\ud83d\ud83d\ude00"`:    `"\ufffd\ud83d\ude00"`,
		`"\\ud83d"`:               `"\\ud83d"`,
		`"\\\ud83d"`:              `"\\\ufffd"`,
		`"\ud83`:                  `"\ud83`,
		`"plain"`:                 `"plain"`,
		`"\uD83D\u0041 \uDfFf\n"`: `"\ufffd\u0041 \ufffd\n"`,
	} {
		if got := string(strictjson.Repair([]byte(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// What is between the items of an object or a list is JSON or refused: a laxer reader could see
// other items.
func TestShapes(t *testing.T) {
	for _, text := range []string{``, ` `, `[`, `{`, `[1`, `[1 2]`, `[,1]`, `[1,]`, `[1,,2]`, `[1]]`, `[1] x`, `{"a":1 "b":2}`, `{,}`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1}}`} {
		if _, err := strictjson.Elements([]byte(text)); err == nil {
			t.Errorf("Elements accepted %q", text)
		}
		if _, err := strictjson.Members([]byte(text)); err == nil {
			t.Errorf("Members accepted %q", text)
		}
	}
}

func TestStrings(t *testing.T) {
	got := strictjson.Strings([]byte(`{"a":"one","b":[{"skip":"no","c":"two"},3,null],"d":{"e":"thr\u0065e"}}`),
		func(m string) bool { return m == "skip" })
	if want := []string{"one", "two", "three"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzMembers: of JSON that strictjson accepts, members and elements are those
// that encoding/json finds; no other text makes the functions panic.
func FuzzMembers(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"\u00e9"}], "c" : "}"}`))
	f.Add([]byte(`[ {"a":1},"x\\", -1.5e3,[],{} ]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		strictjson.Repair(data)
		strictjson.Set(data, "x", []byte("1"))
		strictjson.Remove(data, "x")
		strictjson.Strings(data, func(string) bool { return false })
		members, err := strictjson.Members(data)
		elements, err2 := strictjson.Elements(data)
		if _, bad := strictjson.Parse(data, strictjson.OutputLimits()); bad != nil {
			return
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) == nil && object != nil {
			if err != nil || len(members) != len(object) {
				t.Fatalf("%q: %d members, want %d (%v)", data, len(members), len(object), err)
			}
			for _, m := range members {
				if string(m.Value.Of(data)) != string(object[m.Name]) {
					t.Fatalf("%q: member %q is %q, want %q", data, m.Name, m.Value.Of(data), object[m.Name])
				}
			}
		}
		var list []json.RawMessage
		if json.Unmarshal(data, &list) == nil && list != nil {
			if err2 != nil || len(elements) != len(list) {
				t.Fatalf("%q: %d elements, want %d (%v)", data, len(elements), len(list), err2)
			}
			for i, at := range elements {
				if string(at.Of(data)) != string(list[i]) {
					t.Fatalf("%q: element %d is %q, want %q", data, i, at.Of(data), list[i])
				}
			}
		}
	})
}

// MembersWith finds what Members and Elements find, and refuses what they refuse.
func TestMembersWithIsMembersAndElements(t *testing.T) {
	text := rapid.StringMatching(`\{("(list|l\\u0069st|a)": ?(\[((1|"x"|\[2\]|\{"list":\[3\]\})[, ]{1,2}){0,3}4? ?\]|\{"list":\[5\]\}|6|null)[, ]{0,2}){0,4}\}?.?`)
	known := rapid.SampledFrom([]string{`{"list":[1,"x",{"list":[3]}],"a":2}`, ` { "list" : [ ] } `, `{"a":1,"l\u0069st":[[2],null]}`, `{"list":[1],"list":[2]}`, `{"list":{"list":[1]}}`, `{}`, `{"list":[1`})
	rapid.Check(t, func(t *rapid.T) {
		object := []byte(rapid.OneOf(text, known).Draw(t, "object"))
		members, elements, err := strictjson.MembersWith(object, "list")
		want, wrong := strictjson.Members(object)
		if (err == nil) != (wrong == nil) {
			t.Fatalf("MembersWith(%s): %v, Members: %v", object, err, wrong)
		}
		if err != nil {
			return
		}

		var all []strictjson.Span
		for _, m := range want {
			if m.Name != "list" {
				continue
			}
			inside, _ := strictjson.Elements(m.Value.Of(object))
			for _, e := range inside {
				all = append(all, strictjson.Span{Start: e.Start + m.Value.Start, End: e.End + m.Value.Start})
			}
		}
		if !slices.Equal(members, want) || !slices.Equal(elements, all) {
			t.Fatalf("MembersWith(%s) = %v, %v, want %v, %v", object, members, elements, want, all)
		}
	})
}

// TestBegun: what is read after a beginning is what is read of the whole.
func TestBegun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := func(name string, of ...string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(of), 0, 6).Draw(t, name), "")
		}
		begins := rapid.SampledFrom([]string{`{"a":1,"list":[{"x":"]"}`, `{ "list" : [ 1 , [2]`, `{"list":["\""`, `{"b":{"list":[1]},"list":[1,{}`}).Draw(t, "begins")
		members, elements, err := strictjson.MembersWith([]byte(begins+"]}"), "list")
		if err != nil {
			t.Fatal(err)
		}
		known := &strictjson.Begun{Open: members[len(members)-1].Value.Start, Elements: elements}

		whole := []byte(begins + parts("more", ",", " ", `{"y":[3]}`, "4", "[", "]", `"s"`) + "]" + parts("after", ",", `"c":5`, `"list":[6]`, " ", "x") + "}")
		want, wanted, err := strictjson.MembersWith(whole, "list")
		got, gotten, ok := known.MembersWith(whole, "list")
		if ok != (err == nil) {
			t.Fatalf("%s: %v, and of the whole %v", whole, ok, err)
		}
		if ok && (!slices.Equal(got, want) || !slices.Equal(gotten, wanted)) {
			t.Fatalf("%s:\n%v %v, and of the whole\n%v %v", whole, got, gotten, want, wanted)
		}
	})
}

// First finds what Get finds in an object that was accepted, and reads no further.
func TestFirstIsGet(t *testing.T) {
	names := []string{"role", "a", `r\u006fle`, "content", ""}
	value := rapid.SampledFrom([]string{`"user"`, `{"role":"x"}`, `["role"]`, `"role"`, `12`, `null`, `"\u00e9"`})
	rapid.Check(t, func(t *rapid.T) {
		var members []string
		for _, name := range rapid.SliceOf(rapid.SampledFrom(names)).Draw(t, "names") {
			space := rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "space")
			members = append(members, space+`"`+name+`":`+space+value.Draw(t, "value")+space)
		}
		object := []byte("{" + strings.Join(members, ",") + "}")
		if got, want := strictjson.First(object, "role"), strictjson.Get(object, "role"); string(got) != string(want) {
			t.Fatalf("First(%s) = %s, want %s", object, got, want)
		}
	})
	if got := strictjson.First([]byte(`{"role":"user","content":`), "role"); string(got) != `"user"` {
		t.Errorf("it read on: %s", got)
	}
	if got := strictjson.First([]byte(`["role"]`), "role"); got != nil {
		t.Errorf("a list: %s", got)
	}
}
