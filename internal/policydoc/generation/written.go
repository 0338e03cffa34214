package generation

import (
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

// writtenTests are tests as a model writes them. JSON of free form, which schemas of
// answers can't have, is text.
type writtenTests struct {
	Records  []writtenRecord   `json:"records"`
	Tests    []writtenTest     `json:"tests"`
	Untested []writtenUntested `json:"untested"`
}

// writtenUntested is an example in words that can't be a test.
type writtenUntested struct {
	Example string `json:"example"`
	Reason  string `json:"reason"`
}

// writtenRecord is what a look-up returns, for tests to use, whole or changed.
type writtenRecord struct {
	Name   string `json:"name"`
	Tool   string `json:"tool"`
	Args   string `json:"args"`
	Result string `json:"result"`
}

type writtenTest struct {
	Name      string           `json:"name"`
	Example   string           `json:"example"`
	Why       string           `json:"why"`
	Expect    label.Verdict    `json:"expect"`
	Tool      string           `json:"tool"`
	Args      string           `json:"args"`
	Given     []writtenGiven   `json:"given"`
	History   []writtenEvent   `json:"history"`
	Now       string           `json:"now"`
	Principal writtenPrincipal `json:"principal"`
	Labels    []writtenLabel   `json:"labels"`
}

// writtenGiven is a record with what is different in this test, or an answer of the
// judge.
type writtenGiven struct {
	Record  string          `json:"record"`
	Changes []writtenChange `json:"changes"`
	Judge   string          `json:"judge"`
	Answer  bool            `json:"answer"`
}

type writtenChange struct {
	At    string `json:"at"`
	Value string `json:"value"`
}

type writtenEvent struct {
	User      *string      `json:"user"`
	Assistant *string      `json:"assistant"`
	Call      *writtenCall `json:"call"`
	// Denied is a call that was stopped, which has no result.
	Denied *writtenCall `json:"denied"`
	At     string       `json:"at"`
}

type writtenCall struct {
	Tool   string `json:"tool"`
	Args   string `json:"args"`
	Record string `json:"record"`
	Result string `json:"result"`
}

type writtenPrincipal struct {
	ID         string      `json:"id"`
	Groups     []string    `json:"groups"`
	Attributes []attribute `json:"attributes"`
}

type attribute struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type writtenLabel struct {
	At    string `json:"at"`
	Trust string `json:"trust"`
}

// recordsForm and testsForm are the schemas of what [writtenTests] reads. They say what the prompt
// of the tests leaves to them, and no more: each question has them.
func recordsForm() form {
	return list(object(
		property{"name", text("")},
		property{"tool", text("the look-up")},
		property{"args", text("JSON; empty for whatever arguments")},
		property{"result", text("JSON, whole")}))
}

func (w *work) testsForm() form {
	given := object(
		property{"record", text("its name")},
		property{"changes", list(object(
			property{"at", text("JSON pointer into the result; empty for the whole")},
			property{"value", text("JSON; empty to leave it out")}))})

	if w.options.Judge {
		given = either(given, object(property{"judge", text("the question")}, property{"answer", flag("what the judge answers")}))
	}
	at := property{"at", text("")}
	properties := []property{
		{"name", text("what it shows, in a few words")},
		{"example", text("the label of the call in words that it is, such as K1; or empty")},
		{"why", text("the words that decide, and how they apply")},
		{"expect", word("allow", "deny")},
	}

	if w.task.Tool == policydoc.EveryTool {
		properties = append(properties, property{"tool", text("the tool that is called")})
	}
	return list(object(append(properties,
		property{"args", text("JSON")},
		property{"given", list(given)},
		property{"history", list(either(
			object(property{"user", text("")}, at),
			object(property{"assistant", text("")}, at),
			object(property{"call", object(
				property{"tool", text("")},
				property{"args", text("JSON")},
				property{"record", text("a record that it returned as it is; empty where result says what")},
				property{"result", text("JSON; empty while it runs")})}, at),
			object(property{"denied", object(property{"tool", text("")}, property{"args", text("JSON")})}, at)))},
		property{"now", text("empty where it doesn't matter")},
		property{"principal", object(
			property{"id", text("empty for nobody")},
			property{"groups", list(text(""))},
			property{"attributes", list(object(property{"name", text("")}, property{"value", text("")}))})},
		property{"labels", list(object(
			property{"at", text("JSON pointer into args")},
			property{"trust", word("EXTERNAL", "TOOL_OUTPUT", "USER", "TRUSTED")}))})...))
}
