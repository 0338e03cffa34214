package estimate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/schema"
)

// sample is a hundred servers whose "limit" is control, whose "note" is content, and whose
// "id" is a selector in reads and a target in writes.
func sample() []Example {
	var out []Example
	for i := range 100 {
		group := fmt.Sprint(i)
		out = append(out,
			Example{group, []string{"any argument", "ends limit", "only " + group}, "control"},
			Example{group, []string{"any argument", "ends note"}, "content"},
			Example{group, []string{"any argument", "ends id effect read"}, "selector"},
			Example{group, []string{"any argument", "ends id effect write"}, "target"})
	}
	return out
}

func TestFitTellsClassesApart(t *testing.T) {
	x := Fit(sample())
	for _, c := range []struct {
		features []string
		want     string
	}{
		{[]string{"any argument", "ends limit"}, "control"},
		{[]string{"any argument", "ends note"}, "content"},
		{[]string{"any argument", "ends id effect read"}, "selector"},
		{[]string{"any argument", "ends id effect write"}, "target"},
	} {
		odds := x.Odds(c.features)
		sum := 0.0
		for class, o := range odds {
			sum += math.Exp(o)
			if class != c.want && o >= odds[c.want] {
				t.Errorf("%v: %s is as likely as %s", c.features, class, c.want)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%v: the probabilities make %v", c.features, sum)
		}
		if odds[c.want] < math.Log(0.9) {
			t.Errorf("%v: %s has a probability of %.2f", c.features, c.want, math.Exp(odds[c.want]))
		}
	}
	if why := x.Why([]string{"any argument", "ends limit"}, "control", "content", 3); len(why) == 0 || why[0] != "ends limit" {
		t.Errorf("the reason is %v", why)
	}
}

func TestFitLeavesOutWhatOneServerHas(t *testing.T) {
	for _, f := range strings.Split(Fit(sample()).String(), "\n") {
		if strings.HasPrefix(f, "only ") {
			t.Errorf("the table has %q", f)
		}
	}
}

func TestTableSurvivesWriting(t *testing.T) {
	text := Fit(sample()).String()
	x, err := Parse(text)
	if err != nil || x.String() != text {
		t.Errorf("%v: read and written, the table differs", err)
	}
	for name, same := range map[string]bool{
		"roles": Roles().String() == rolesText, "floors": Floors().String() == floorsText, "effects": Effects().String() == effectsText,
		"outputs": Outputs().String() == outputsText,
	} {
		if !same {
			t.Errorf("%s.txt isn't as remit-eval fit writes it", name)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "line 1",
		"roles a b\n":              "write \"classes\"",
		"classes a b\nx\t1\n":      "line 2 has 2 fields",
		"classes a b\nx\t1\tone\n": "line 2: \"one\"",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// itself takes every word for what it says.
func itself(word string) string { return word }

func TestFeaturesSayWhatIsPlain(t *testing.T) {
	c, err := schema.ParseMCP("x", []byte(`{"tools": [{"name": "updateCustomer", "description": "Change a customer", "inputSchema": {"type": "object",
		"required": ["customerID"], "properties": {"customerID": {"type": "string", "description": "Which one"},
		"address": {"type": "object", "properties": {"postalCodes": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}}}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}

	got := Arguments(&c.Tools[0], "write", itself)
	for at, want := range map[string][]string{
		"/customerID":          {"ends id", "begins customer", "required", "names the object effect write", "handle effect write", "said first which", "depth 0", "beside address"},
		"/address/postalCodes": {"ends code", "enumerated", "value a", "part of address", "depth 1", "not described", "type array"},
	} {
		for _, f := range want {
			if !slices.Contains(got[at], f) {
				t.Errorf("%s lacks %q: %v", at, f, got[at])
			}
		}
	}
}

// FuzzFeatures asks that features of hostile definitions are bounded and can be written
// into a table.
func FuzzFeatures(f *testing.F) {
	f.Add("sendMail", "Send a mail", "toAddress", "who gets it")
	f.Add("İİİ", "\x00\xff", "ſſ", strings.Repeat("a b ", 4000))
	f.Fuzz(func(t *testing.T, tool, says, name, said string) {
		def := &schema.Tool{Name: tool, Description: says, Input: &schema.Node{Types: []string{"object"}, Properties: []schema.Property{
			{Name: name, Node: &schema.Node{Types: []string{"string"}, Description: said, Enum: []string{said, tool}}},
		}}}
		for _, features := range Arguments(def, "read", itself) {
			if len(features) > 5000 {
				t.Errorf("%d features", len(features))
			}
			for _, x := range features {
				if strings.ContainsAny(x, "\t\n") {
					t.Errorf("%q can't be written", x)
				}
			}
		}
	})
}
