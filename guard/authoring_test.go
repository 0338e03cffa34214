package guard_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
)

// TestLanguage: every macro and every function of ours is explained, and nothing is
// there that rules can't use.
func TestLanguage(t *testing.T) {
	text, err := guard.Language("judge")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"of session.calls(), session.together(), session.denied(): {tool: string, ", "messages: list of {role: string, text: string, ", "* user_said - whether", "* datetime - reads", "decimal.round(int) -> decimal", "args.items.sortBy(", "* agreed - whether", "session.beside() == ", "of string: charAt contains "} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	for range 5 { // recordings of requests with it are found by their bytes
		if again, err := guard.Language("judge"); err != nil || again != text {
			t.Fatal("it isn't the same each time")
		}
	}
	for _, line := range regexp.MustCompile(`(?m)^.*\b(double|uint|bytes)\b.*->.*$|^.*->.*\b(double|uint|bytes)\b.*$`).FindAllString(text, -1) {
		t.Errorf("rules have no such type: %s", line)
	}
	for _, line := range regexp.MustCompile(`(?m)^\* [a-zA-Z_]+ - $|^\* judge .*$|^.*@.*$`).FindAllString(text, -1) {
		t.Errorf("a macro without a description, or a function that is not for rules: %s", line)
	}
}

// TestLanguageExamples: what the description of a macro shows can be written.
func TestLanguageExamples(t *testing.T) {
	text, err := guard.Language()
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile(`(?m)^  ((?:math|cel|args)\..*)$`).FindAllStringSubmatch(text, -1)
	if len(examples) < 10 {
		t.Fatalf("only %d examples", len(examples))
	}
	for _, e := range examples {
		f := &guard.File{Tool: "t", Policies: []guard.Policy{{Name: "p", Require: guard.Written("example", "dyn("+e[1]+") == 1")}}}
		if _, err := guard.Compile([]*guard.File{f}, guard.Deployment{}); err != nil {
			t.Errorf("%s: %v", e[1], err)
		}
	}
}

// TestVocabulary: the arguments and the look-ups are there by the paths that rules
// write, with what the schemas say of them.
func TestVocabulary(t *testing.T) {
	s := shop(t)
	text, err := guard.Vocabulary(s, "", "order", s.Readable())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"args: {customer: string, items: list of {sku: string, quantity: int, ",
		"ship_on: string",
		"tools.get_customer({\"id\": string}): {id: string, tier: string, ",
		"tools.get_stock({\"sku\": string}): dyn",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "send_email") || strings.Contains(text, "Functions:") {
		t.Errorf("it has more than the tool's own:\n%s", text)
	}
	if _, err := guard.Vocabulary(s, "", "order", []guard.Readable{{Name: "send_email"}}); err == nil {
		t.Error("a tool that does more than read is a look-up")
	}
	if _, err := guard.Vocabulary(s, "", "ordr", nil); err == nil {
		t.Error("a tool that there isn't has a vocabulary")
	}
}

// TestWritten: mistakes in an expression that is not in a file have its own lines and columns.
func TestWritten(t *testing.T) {
	f := &guard.File{Tool: "order", Policies: []guard.Policy{{Name: "p", Require: guard.Written("require", "args.total > 1\n  && args.totl > 2")}}}
	_, err := guard.Compile([]*guard.File{f}, shop(t))
	if err == nil || !strings.Contains(err.Error(), "require:2:") || !strings.Contains(err.Error(), "totl") {
		t.Errorf("got %v", err)
	}
}
